// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// A pass of a rollout of 100 steps over 10,000 pods, and one of its batches.
func BenchmarkReconcile(b *testing.B) {
	var steps []kruise.Step
	for i := range int32(100) {
		steps = append(steps, step(rollout.Percent(i+1), 60))
	}
	r := partitioned(deployment, steps...)
	s := begun(kruise.StateUpgrade, r)
	s.Workload.Replicas = 10_000
	br := kruise.ReleaseOf(r, *s.Workload, 1, 0)
	s.BatchRelease = &br
	b.ReportAllocs()
	for b.Loop() {
		if _, err := kruise.Reconcile(s, now, kruise.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
