// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"

	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
)

// releasedSet keeps CloneSets and StatefulSets.
type releasedSet struct{}

func (releasedSet) reads() []Kind { return []Kind{KindSet} }

func (releasedSet) at(w *World, view *[kinds]int64, name string) (*workload.Workload, string) {
	t := &w.store.sets
	o := find(t, t.at(view[KindSet]), name)
	if o == nil {
		return nil, ""
	}
	return ptr.To(w.workloadOfSet(o)), o.ResourceVersion
}

func (w *World) workloadOfSet(o *Set) workload.Workload {
	s := o.Workload
	s.Template.Hash = w.hash(o.Template.ID, nil)
	return s
}

func (releasedSet) template(w *World, _, id string) revision.Template {
	return revision.Template{ID: id, Hash: w.hash(id, nil)}
}

func (releasedSet) look(_ *World, _ *[kinds]int64, o *workload.Workload, style workload.Style) workload.InspectSnapshot {
	return workload.InspectSnapshot{Workload: *o, Style: style}
}

// batch counts the ready pods of a StatefulSet, whose status does not tell of them.
func (releasedSet) batch(w *World, view *[kinds]int64, _ *BatchRelease, s *batchrelease.Snapshot) string {
	o, counted := s.Workload, int32(0)
	for _, p := range w.store.pods.at(view[KindPod]) {
		if p.ControllerUID != o.UID || p.Finished() {
			continue
		}
		s.Pods = append(s.Pods, workload.Pod{Name: p.Name, UID: p.UID, Labels: p.Labels, Ready: p.Ready, DeletionTimestamp: p.DeletionTimestamp})
		if p.Ready && p.DeletionTimestamp.IsZero() && podset.RevisionOf(p) == o.UpdateRevision {
			counted++
		}
	}
	if o.GroupKind() != podset.CloneSet {
		o.Status.UpdatedReadyReplicas = counted
	}
	return ""
}

func (releasedSet) change(w *World, r request, f func(workload.Workload) workload.Workload) answer {
	return changeIn(w, &w.store.sets, r, w.workloadOfSet, func(o *Set, after *workload.Workload) { o.Workload = *after }, f)
}

func (releasedSet) changePod(w *World, r request, f func(*podorder.Pod)) answer {
	return releasedDeployment{}.changePod(w, r, f)
}

func (releasedSet) check(w *World, name string) error {
	o := w.store.sets.named(name)
	if o == nil {
		return fmt.Errorf("no set")
	}
	return w.checkSet(o)
}
