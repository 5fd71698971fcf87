// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"maps"

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
