// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"testing"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/stretchr/testify/require"
)

// finished is a Deployment whose rollout is complete, with n old ReplicaSets in its
// history and a pod in the namespace for each.
func finished(n int) deploy.Snapshot {
	d := web(10, deadline(600), history(deploy.NoLimit), reported(10, 10, 10, 10), template("v0"))
	var sets []replicaset.ReplicaSet
	var pods []podorder.Pod
	for i := range n {
		sets = append(sets, set(i+1, 0))
		pods = append(pods, podorder.Pod{Name: fmt.Sprint("p", i), Phase: podorder.Running})
	}
	s := snapshot(d, append(sets, set(0, 10, numbered(fmt.Sprint(n+1)), sized("10", "13")))...)
	s.Pods = pods
	p, err := deploy.Reconcile(s, t0, deploy.Options{})
	if err != nil || !p.Empty() {
		panic(fmt.Sprint(p, err))
	}
	s.Deployment.Status = p.Status
	return s
}

// rolling is a Deployment in the middle of a rollout from n old ReplicaSets.
func rolling(n int) deploy.Snapshot {
	sets := []replicaset.ReplicaSet{set(2, 5)}
	for i := range n {
		sets = append(sets, set(i+3, 2))
	}
	return snapshot(web(int32(2*n)), sets...)
}

// started is a rollout that scales its new ReplicaSet up, with one old ReplicaSet that
// wants pods and n that want none.
func started(n int) deploy.Snapshot {
	sets := []replicaset.ReplicaSet{set(0, 4, numbered(fmt.Sprint(n+2))), set(1, 4)}
	for i := range n {
		sets = append(sets, set(i+2, 0))
	}
	return snapshot(web(12, template("v0")), sets...)
}

// TestAllocations: allocations grow with the plan alone. A hundred times as many idle ReplicaSets
// and pods only let one list grow.
func TestAllocations(t *testing.T) {
	for _, c := range []struct {
		why     string
		of      func(n int) deploy.Snapshot
		actions int
	}{
		{"nothing to do", finished, 0},
		{"in the middle of a rollout", started, 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			allocations := func(n int) float64 {
				s := c.of(n)
				p, err := deploy.Reconcile(s, t0, deploy.Options{})
				require.NoError(t, err)
				require.Len(t, p.Actions, c.actions)
				return testing.AllocsPerRun(20, func() { _, _ = deploy.Reconcile(s, t0, deploy.Options{}) })
			}
			few, many := allocations(20), allocations(2000) // below 20, slices are on the stack
			require.InDelta(t, few, many, 10)
		})
	}
}

func BenchmarkReconcile(b *testing.B) {
	for _, c := range []struct {
		name string
		of   func(n int) deploy.Snapshot
	}{{"finished", finished}, {"started", started}, {"rolling", rolling}} {
		for _, n := range []int{1, 10, 100, 1_000, 10_000, 100_000} {
			s := c.of(n)
			b.Run(fmt.Sprintf("%s/replicasets=%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := deploy.Reconcile(s, t0, deploy.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
