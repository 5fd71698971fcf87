// SPDX-License-Identifier: Apache-2.0

package trackedtest

import (
	"slices"
	"testing"
	"time"
)

// Latency runs a step repeatedly, and reports the median and the 99th percentile of its time. The
// clock adds some 50 ns to each.
func Latency(b *testing.B, step func(i int) error) {
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if err := step(i); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
}
