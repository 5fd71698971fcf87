// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// applied: a world lets pods be born and end by itself, since they live. What it makes of an action on a pod
// is nevertheless what Apply of its package says, but for the name and the UID of a new one, and for when one
// ends that is deleted.
func (g *guard) applied(e *store.Write, before *state) error {
	switch a := e.Action.(type) {
	case replicaset.CreatePods:
		return g.born(e, a, before)
	case replicaset.DeletePod:
		return g.ends(e, before, func(p store.Pod) ([]podorder.Pod, error) {
			after, err := replicaset.Apply(replicaset.Snapshot{Pods: []podorder.Pod{p.Pod.Pod}}, a, g.server.Agenda.Now())
			return after.Pods, err
		})
	case daemonset.DeletePod:
		return g.ends(e, before, func(p store.Pod) (pods []podorder.Pod, err error) {
			after, err := daemonset.Apply(daemonset.Snapshot{Pods: []daemonset.Pod{p.Pod}}, a, g.server.Agenda.Now())
			for i := range after.Pods {
				pods = append(pods, after.Pods[i].Pod)
			}
			return pods, err
		})
	}
	return nil
}

func (g *guard) born(e *store.Write, a replicaset.CreatePods, before *state) error {
	got := g.last.pod(e.Name)
	i := slices.IndexFunc(before.replicaSets, func(rs *replicaset.ReplicaSet) bool { return rs.UID == got.ControllerUID })
	if i < 0 {
		return nil // it was deleted after its controller has seen it
	}
	g.checked["create"]++
	a.Count = 1
	after, err := replicaset.Apply(replicaset.Snapshot{ReplicaSet: *before.replicaSets[i]}, a, g.server.Agenda.Now())
	if err != nil {
		return err
	}
	want := after.Pods[0]
	want.Name, want.UID, want.ResourceVersion = got.Name, got.UID, got.ResourceVersion
	return differs("a new pod", want, *got.Plain())
}

func (g *guard) ends(e *store.Write, before *state, apply func(store.Pod) ([]podorder.Pod, error)) error {
	was, got := before.pod(e.Name), g.last.pod(e.Name)
	if was == nil || was.Finished() && was.NodeName != "" {
		return nil // it is gone when its node says so, and not at once
	}
	want, err := apply(*was)
	switch {
	case err != nil:
		return err
	case len(want) == 0 || got == nil:
		g.checked["gone"]++
		if len(want) > 0 || got != nil {
			return fmt.Errorf("pod %s that is deleted: Apply leaves %d pods, the world another number", e.Name, len(want))
		}
		return nil
	}
	g.checked["marked"]++
	if want[0].ResourceVersion = got.ResourceVersion; !got.DeletionTimestamp.IsZero() && !want[0].DeletionTimestamp.IsZero() {
		want[0].DeletionTimestamp = got.DeletionTimestamp
	}
	return differs("pod "+e.Name+" that is deleted", want[0], *got.Plain())
}

func differs(what string, want, got any) error {
	if diff := cmp.Diff(want, got, cmp.Transformer("UTC", func(at time.Time) string { return at.UTC().String() })); diff != "" {
		return fmt.Errorf("%s (-Apply +world):\n%s", what, diff)
	}
	return nil
}
