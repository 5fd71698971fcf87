// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"iter"
	"slices"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
)

// subjectsOf returns the subjects of a set, in the order of answers.
func subjectsOf(set *manifest.Set) []Subject {
	return slices.Concat(
		wrapped(set.Argo, func(r *manifest.ArgoRollout) Subject { return Argo{r} }),
		wrapped(set.Rollouts, func(r *manifest.Rollout) Subject { return Rollout{r} }),
		wrapped(set.Workloads, func(w *manifest.Workload) Subject { return Deployment{w} }),
		wrapped(set.ReplicaSets, func(r *manifest.ReplicaSet) Subject { return ReplicaSet{r} }),
		wrapped(set.DaemonSets, func(d *manifest.DaemonSet) Subject { return DaemonSet{d} }),
	)
}

func wrapped[T any](list []T, of func(*T) Subject) (all []Subject) {
	for i := range list {
		all = append(all, of(&list[i]))
	}
	return all
}

// Subjects yields the subjects of a set, in the order of answers. A Deployment is open until the
// next subject, and is dropped then.
func Subjects(set *manifest.Set) iter.Seq[Subject] {
	return func(yield func(Subject) bool) {
		for _, s := range subjectsOf(set) {
			d, held := s.(Deployment)
			if held {
				d.Open()
			}
			if !yield(s) {
				return
			}
			if held {
				d.Drop()
			}
		}
	}
}
