// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A reading is what a pass knows by JSON, which takes longer than all else that most passes do.
type reading struct {
	hash     string             // of the release plan
	strategy partition.Strategy // of a Deployment by partition, as far as it can be read
}

// follow reads a snapshot, but for what is as in the one that was read before.
func (r *reading) follow(was, s *Snapshot) {
	if plan := &s.Release.ReleasePlan; r.hash == "" || !plan.equal(&was.Release.ReleasePlan) {
		r.hash = plan.Hash()
	}
	if text := strategyText(s.Workload); text != strategyText(was.Workload) {
		r.strategy, _ = partition.ParseStrategy(text)
	}
}

func strategyText(w *workload.Workload) string {
	if w == nil {
		return ""
	}
	return w.Annotations[partition.AnnotationStrategy]
}
