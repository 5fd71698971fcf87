// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"maps"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A released is how a world keeps the workloads of one kind that Rollouts release. A view
// says as of which versions of the store.
type released interface {
	// reads are the kinds of objects that such a workload is made of.
	reads() []Kind
	// at returns a workload and its resource version, or nil.
	at(w *World, view *[kinds]int64, name string) (o *workload.Workload, version string)
	// template returns that of an ID, as such a workload has it.
	template(w *World, name, id string) revision.Template
	// look returns what the rollout pass is to know of a workload.
	look(w *World, view *[kinds]int64, o *workload.Workload, style workload.Style) workload.InspectSnapshot
	// batch adds the pods of a workload to what a batch looks at, or returns the UID of the
	// Deployment whose pods are followed.
	batch(w *World, view *[kinds]int64, br *BatchRelease, s *batchrelease.Snapshot) (of string)
	// change writes what a function makes of a workload.
	change(w *World, r request, f func(workload.Workload) workload.Workload) answer
	// changePod writes what a function makes of a pod.
	changePod(w *World, r request, f func(*podorder.Pod)) answer
	// check tells what is wrong with one that should be finished.
	check(w *World, name string) error
}

// releasedOf returns how the workloads of a kind are kept.
func releasedOf(ref workload.Ref) released {
	switch {
	case podset.Known(ref):
		return releasedSet{}
	case ref.Kind == daemonset.Kind:
		return releasedDaemonSet{}
	}
	return releasedDeployment{}
}

// latest is the view of whoever sees all.
func (w *World) latest() *[kinds]int64 {
	var view [kinds]int64
	for k := range view {
		view[k] = w.store.version
	}
	return &view
}

// driven returns the workload that the Rollout releases as it is, nil if it is not there.
func (w *World) driven() *workload.Workload {
	o, _ := releasedOf(w.ref).at(w, w.latest(), w.ref.Name)
	return o
}

// changeIn writes what a function makes of an object as a workload. What changes nothing is
// no write and no event.
func changeIn[T any](
	w *World, t *table[T], r request, read func(*T) workload.Workload, write func(*T, *workload.Workload), f func(workload.Workload) workload.Workload,
) answer {
	var after workload.Workload
	if _, o, _ := lookup(t, &r); o != nil {
		before := read(o)
		after = f(before)
		if after.Generation == before.Generation && maps.Equal(after.Labels, before.Labels) && maps.Equal(after.Annotations, before.Annotations) {
			return done
		}
	}
	_, a := update(w, t, r, func(o *T) { write(o, &after) })
	return a
}

// patchWorkload changes a workload if it still is as the pass has seen it. Upstream patches
// it as it is, so that a stale controller can undo what admission has done.
func (c *controller) patchWorkload(a fmt.Stringer, uid string, ref workload.Ref, patch *workload.Patch) answer {
	k := releasedOf(ref)
	pre := precondition{uid: uid}
	if o, version := k.at(c.w, &c.view, ref.Name); o != nil {
		pre.version = version
	}
	return c.ask(func() answer {
		return k.change(c.w, c.request(Update, ref.Name, pre, a), func(o workload.Workload) workload.Workload { return o.Patched(*patch) })
	})
}
