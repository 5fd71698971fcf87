// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"math"
	"slices"

	"github.com/kplan-go/kplan/revision"
)

// Quota is what a quota of a [Kubelet] allows.
type Quota struct {
	// Hard is how much all pods together may take of each resource.
	Hard []int64
	// Needs returns how much a pod of a template takes of each.
	Needs func(revision.Template) []int64
}

// rationed reports whether a quota bounds the pods.
func (w *World) rationed() bool { return w.maxPods != nil || w.quota != nil }

// spare returns how many more pods of a template quotas allow. Pods that have finished do
// not count.
func (w *World) spare(t revision.Template) int {
	if !w.rationed() {
		return math.MaxInt
	}
	running, free := 0, []int64(nil)
	if w.quota != nil {
		free = slices.Clone(w.quota.Hard)
	}
	for _, p := range w.store.pods.all() {
		if p.Finished() {
			continue
		}
		running++
		if w.quota != nil {
			for j, n := range w.quota.Needs(w.store.templateOf(podRef{Pod: p})) {
				free[j] -= n
			}
		}
	}
	spare := math.MaxInt
	if w.maxPods != nil {
		spare = max(0, *w.maxPods-running)
	}
	if w.quota != nil {
		for j, n := range w.quota.Needs(t) {
			if n > 0 {
				spare = min(spare, int(max(0, free[j]/n)))
			}
		}
	}
	return spare
}
