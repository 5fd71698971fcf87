// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// BenchmarkRanks chooses a tenth of the pods, all of which are each other's
// neighbours on 5,000 nodes.
func BenchmarkRanks(b *testing.B) {
	o := podorder.New(t0.Add(time.Hour), nil)
	o.Related = func(*podorder.Pod) bool { return true }
	for _, n := range []int{10, 100, 1_000, 10_000, 100_000, 1_000_000} {
		pods := manyPods(n)
		b.Run(fmt.Sprintf("pods=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				o.Victims(pods, nil, max(1, n/10))
			}
		})
	}
}
