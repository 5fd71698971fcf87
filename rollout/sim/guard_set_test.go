// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// batched: no batch makes more pods of a set stay old than the one before.
func (g *guard) batched(e *written) error {
	if len(e.before.sets) == 0 || len(e.after.sets) == 0 {
		return nil
	}
	before, after := e.before.sets[0], e.after.sets[0]
	key := partition.AnnotationControlInfo
	if before.Annotations[key] == "" || before.Annotations[key] != after.Annotations[key] {
		return nil
	}
	g.checked["batch of a set"]++
	if was, is := keptOf(before), keptOf(after); is > was {
		return fmt.Errorf("batch: %d pods stay old, %d did before", is, was)
	}
	return nil
}

// keptOf returns how many pods of a set stay old.
func keptOf(o *store.Set) int32 {
	if o.GroupKind() == podset.CloneSet {
		return partition.Limit(o.Partition, o.DesiredReplicas())
	}
	return min(o.Partition.OfUp(o.DesiredReplicas()), o.DesiredReplicas())
}

// set checks a write of the controller of a set: as many pods stay old as its partition says,
// and as many serve as its limits say.
func (g *guard) set(e *written, a podset.Action) error {
	if len(e.before.sets) == 0 || len(e.after.sets) == 0 {
		return nil
	}
	o := e.before.sets[0]
	wanted := o.Name + "-" + o.Template.ID
	if o.StableRevision == wanted {
		return nil // there is nothing to keep
	}
	if a.Verb == podset.Mark {
		g.marked[a.UID] = e.number
	}
	if err := g.keeps(e, a, o, wanted); err != nil {
		return err
	}
	return g.serves(e, a, o)
}

// keeps: no pod is taken from those that the partition keeps, and none that it keeps is made
// of the new template.
func (g *guard) keeps(e *written, a podset.Action, o *store.Set, wanted string) error {
	if a.Verb == podset.Create && a.Revision != wanted {
		return nil
	}
	pod := e.before.pod(a.Name)
	if pod != nil && (pod.Finished() || podset.RevisionOf(pod.Plain()) == wanted) {
		return nil
	}
	n := podset.OrdinalOf(o.Name, a.Name)
	switch {
	case o.GroupKind() != podset.CloneSet && n >= int(o.DesiredReplicas()):
		return nil // it is scaled down
	case o.GroupKind() != podset.CloneSet && !o.Unordered:
		g.checked["partition by ordinals"]++
		if kept := keptOf(o); n < int(kept) {
			return fmt.Errorf("partition: %v, and the pods below %d stay old", a, kept)
		}
	case a.Verb == podset.Create || int(e.before.active(o.UID)) > int(o.DesiredReplicas()) && a.Verb == podset.Delete:
		return nil // fewer would stay old than the partition says if they are not there
	default:
		g.checked["partition by number"]++
		old := 0
		for _, p := range e.after.pods { // those that were marked before may be others than the next that are
			marked := p.Labels[podset.LabelMarked] != "" && g.marked[p.UID] == e.number
			if p.ControllerUID == o.UID && p.Active() && !marked && podset.RevisionOf(p.Plain()) != wanted {
				old++
			}
		}
		if a.Verb == podset.Delete && pod.Labels[podset.LabelMarked] != "" {
			return nil // it was counted when it was marked
		}
		if o.GroupKind() != podset.CloneSet { // those that are not there are made old as long as fewer are
			old += max(0, int(o.DesiredReplicas())-int(e.after.active(o.UID)))
		}
		if kept := keptOf(o); old < int(kept) {
			return fmt.Errorf("partition: %v leaves %d old pods, %d stay old", a, old, kept)
		}
	}
	return nil
}

// serves: no pod that serves is taken beyond the limit. A StatefulSet of Kubernetes that is
// parallel looks only at the pods above the one that it updates. A CloneSet does not count the
// pods that it has marked as unavailable, whether or not they serve, and so more may be
// unavailable than its limit says if others have become so since.
func (g *guard) serves(e *written, a podset.Action, o *store.Set) error {
	if a.Verb != podset.Delete && a.Verb != podset.Update || o.GroupKind() == podset.StatefulSet && o.Parallel {
		return nil
	}
	if n := podset.OrdinalOf(o.Name, a.Name); o.GroupKind() != podset.CloneSet && n >= int(o.DesiredReplicas()) {
		return nil
	}
	pod := e.before.pod(a.Name)
	if pod == nil {
		return nil
	}
	if !serves(pod, o, e.at) {
		if pod.Labels[podset.LabelMarked] != "" {
			g.idle[a.UID] = e.at
		}
		return nil
	}
	g.checked["availability of a set"]++
	served := 0
	for _, planned := range g.idle {
		if planned.Equal(e.at) {
			served++ // as those that are still there
		}
	}
	for _, p := range e.after.pods {
		if p.ControllerUID != o.UID || !p.Active() {
			continue
		}
		if serves(p, o, e.at) || p.Labels[podset.LabelMarked] != "" {
			served++
		}
	}
	if least := int(podset.Budget(&o.Set).MinAvailable()); served < least {
		return fmt.Errorf("availability: %v leaves %d pods that serve, %d must", a, served, least)
	}
	return nil
}

func serves(p *store.Pod, o *store.Set, now time.Time) bool {
	return p.Ready && p.Phase == podorder.Running && p.Available(o.MinReadySeconds, now)
}
