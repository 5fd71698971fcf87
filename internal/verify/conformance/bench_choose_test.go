// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/podorder"
)

// BenchmarkChoose is BenchmarkVictims with neighbours that are counted while
// choosing, as in a pass.
func BenchmarkChoose(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000, 100_000} {
		axis := fmt.Sprintf("/pods=%d", n)
		pods, list := clusterPods(n), snapshots(clusterPods(n))
		victims := max(1, n/10)
		measure(b, "upstream", axis, func() { upstream.PodsToDelete(slices.Clone(pods), pods, victims) })
		order := podorder.New(benchNow, nil)
		order.Related = func(*podorder.Pod) bool { return true }
		measure(b, "kplan", axis, func() { order.Choose(list, nil, victims) })
		measure(b, "floor", axis, func() { chooseOnce(list, victims, benchNow) })
	}
}
