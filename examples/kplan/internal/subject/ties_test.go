// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
)

// TestRuns: in whatever order the cache lists the pods, Kubernetes deletes those that go
// for certain, and of the others only those that may go; and each that may go does so, and
// stays, in some order of the cache.
func TestRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ties, single, circles := 0, 0, 0
	for range 1500 {
		now := time.Unix(1_800_000_000, 0)
		pods := randomPods(random, now)
		order := podorder.New(now, podorder.Neighbours{"a": 2, "b": 1})
		victims := order.Victims(pods, nil, len(pods))
		runs := runsOf(&order, pods, victims)
		went := make([]map[string]int, len(pods)+1) // by how many go
		for n := range went {
			went[n] = map[string]int{}
		}
		permutations := 0
		permute(slices.Clone(pods), 0, func(p []podorder.Pod) {
			permutations++
			sorted := slices.Clone(p)
			order.SortUpstream(sorted)
			for n := range went {
				for i := range n {
					went[n][sorted[i].Name]++
				}
			}
		})
		for n := 1; n < len(pods); n++ {
			for place, v := range victims {
				run, got := runs[place], went[n][pods[v].Name]
				switch {
				case run.End <= n:
					require.Equal(t, permutations, got, "%v goes for certain", pods[v])
					single++
				case run.Begin >= n:
					require.Zero(t, got, "%v stays for certain", pods[v])
				default:
					require.NotZero(t, got, "%v may go", pods[v])
					require.NotEqual(t, permutations, got, "%v may stay", pods[v])
					ties++
				}
			}
		}
		if _, _, _, found := podorder.Witness(pods, order.Compare); found {
			circles++
		}
	}
	t.Log(single, ties, circles)
	require.Greater(t, single, 1000)
	require.Greater(t, ties, 1000)
	require.Greater(t, circles, 20)
}

func randomPods(random *rand.Rand, now time.Time) []podorder.Pod {
	pods := make([]podorder.Pod, 2+random.IntN(4))
	for i := range pods {
		ready := now.Add(-time.Hour - time.Duration(random.IntN(3))*time.Second)
		pods[i] = podorder.Pod{
			Name: fmt.Sprint("pod", i), UID: fmt.Sprint(random.IntN(1000), i), NodeName: string("ab"[random.IntN(10)/9]), Phase: podorder.Running,
			Ready: random.IntN(6) > 0, ReadySince: ready, CreationTimestamp: ready, Restarts: int32(random.IntN(5) / 4),
		}
	}
	return pods
}

// permute calls a function with each order of the pods.
func permute(pods []podorder.Pod, k int, visit func([]podorder.Pod)) {
	if k == len(pods) {
		visit(pods)
		return
	}
	for i := k; i < len(pods); i++ {
		pods[k], pods[i] = pods[i], pods[k]
		permute(pods, k+1, visit)
		pods[k], pods[i] = pods[i], pods[k]
	}
}
