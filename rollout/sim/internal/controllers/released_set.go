// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
)

// releasedSet implements released for CloneSets and StatefulSets.
type releasedSet struct{}

func (releasedSet) at(e *Env, v *store.View, ref workload.Ref) (*workload.Workload, string) {
	o := e.Sets.GetAt(v[store.KindSet], ref.Name)
	if o == nil || !o.Ref.Same(ref) {
		return nil, ""
	}
	return ptr.To(e.workloadOfSet(o)), o.ResourceVersion
}

func (e *Env) workloadOfSet(o *store.Set) workload.Workload {
	w := o.Workload
	w.Template.Hash = e.Hash(o.Template, nil)
	return w
}

func (releasedSet) look(_ *Env, _ *store.View, o *workload.Workload, style workload.Style) workload.InspectSnapshot {
	return workload.InspectSnapshot{Workload: *o, Style: style}
}

// batch adds the pods. Of a StatefulSet it also counts the ready pods of the update revision, because
// the status in the API has no such field.
func (releasedSet) batch(e *Env, v *store.View, _ *store.BatchRelease, s *batchrelease.Snapshot) []podOwner {
	s.Pods = e.appendPods(nil, v, podOwner{uid: s.Workload.UID})
	if s.Workload.GroupKind() != podset.CloneSet {
		s.Workload.Status.UpdatedReadyReplicas = updatedReady(s.Pods, s.Workload.UpdateRevision)
	}
	return nil
}

// updatedReady counts the ready pods of a revision that are not being deleted.
func updatedReady(pods []workload.Pod, revision string) (n int32) {
	for i := range pods {
		p := &pods[i]
		if p.Ready && p.DeletionTimestamp.IsZero() && p.Labels[workload.LabelControllerRevision] == revision {
			n++
		}
	}
	return n
}

func (releasedSet) change(e *Env, r apiserver.Request, _ workload.Ref, f func(workload.Workload) workload.Workload) apiserver.Answer {
	return changeWorkload(e, &e.Sets, r, e.workloadOfSet, func(o *store.Set, _, after *workload.Workload) { o.Workload = *after }, f)
}
