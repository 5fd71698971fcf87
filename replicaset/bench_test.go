// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/stretchr/testify/require"
)

// TestNothingToDoAllocates: however many pods there are, finding nothing to do
// costs the same number of allocations.
func TestNothingToDoAllocates(t *testing.T) {
	allocations := func(n int) float64 {
		s := replicaset.Snapshot{ReplicaSet: web(int32(n)), Pods: pods(n)}
		return testing.AllocsPerRun(20, func() { _, _ = replicaset.Reconcile(s, t0, replicaset.Options{}) })
	}
	few, many := allocations(20), allocations(2000) // below 20, slices are on the stack
	require.Equal(t, few, many)
}

// TestDeletionAllocates: a scale-down costs as many allocations as it has actions, and
// a constant number besides.
func TestDeletionAllocates(t *testing.T) {
	besides := func(n int) float64 {
		s := replicaset.Snapshot{ReplicaSet: web(int32(n-n/10), func(rs *replicaset.ReplicaSet) { rs.ControllerUID = "d" }), Pods: pods(n)}
		return testing.AllocsPerRun(5, func() { _, _ = replicaset.Reconcile(s, t0, replicaset.Options{}) }) - float64(n/10)
	}
	require.InDelta(t, besides(200), besides(4000), 4)
}

// rankedPods returns pods of different ages on n/20 nodes, as in a large cluster.
func rankedPods(n int) []podorder.Pod {
	list := pods(n)
	state := uint64(1)
	for i := range list {
		state = state*6364136223846793005 + 1442695040888963407
		p := &list[i]
		p.UID, p.NodeName = strconv.FormatUint(state>>8, 16), "node-"+strconv.Itoa(int(state>>33)%(1+n/20))
		p.Labels = map[string]string{"app": "web", "tier": "x"}
		p.ReadySince = t0.Add(-time.Duration(state>>40) * time.Second / 16)
		p.CreationTimestamp, p.Ready = p.ReadySince, state>>50%7 > 0
	}
	return list
}

// BenchmarkDeleteRanked deletes a tenth of the pods, which are found by selector, as
// are their neighbours.
func BenchmarkDeleteRanked(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000, 100_000, 1_000_000} {
		s := replicaset.Snapshot{Pods: rankedPods(n), ReplicaSet: web(int32(n-n/10), selecting, func(rs *replicaset.ReplicaSet) { rs.ControllerUID = "d" })}
		b.Run(fmt.Sprintf("pods=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := replicaset.Reconcile(s, t0, replicaset.Options{Burst: 1 << 30}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReconcile(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000, 100_000, 1_000_000} {
		all := pods(n)
		for _, c := range []struct {
			name string
			want int
		}{{"steady", n}, {"delete10percent", n - n/10}} {
			s := replicaset.Snapshot{ReplicaSet: web(int32(c.want)), Pods: all}
			b.Run(fmt.Sprintf("%s/pods=%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := replicaset.Reconcile(s, t0, replicaset.Options{Burst: 1 << 30}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
