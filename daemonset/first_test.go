// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The first of a list are those of the sorted list, and none is lost.
func TestFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(rapid.IntRange(0, 1000), 8, 60, rapid.ID).Draw(t, "list")
		k := min(rapid.IntRange(0, 60).Draw(t, "k"), len(list))
		want := slices.Sorted(slices.Values(list))
		got := first(list, k, cmp.Compare[int])
		require.True(t, slices.Equal(want[:k], got), "%v of %v", got, want)
		slices.Sort(list)
		require.True(t, slices.Equal(want, list))
	})
}

// Up to half of a list is chosen without sorting the rest: one comparison for each
// that is not among the first.
func TestFirstIsLinear(t *testing.T) {
	for k, want := range map[int][]int{
		3: {0, 1, 2, 3, 5, 4}, // the rest as it was
		4: {0, 1, 2, 3, 4, 5}, // sorted
	} {
		list := []int{2, 1, 0, 3, 5, 4}
		require.Equal(t, []int{0, 1, 2, 3}[:k], first(list, k, cmp.Compare[int]))
		require.Equal(t, want, list)
	}
	const n, k = 1000, 10
	for why, at := range map[string]func(i int) int{
		"in order":  func(i int) int { return i },
		"all equal": func(int) int { return 0 },
	} {
		list, compared := make([]int, n), 0
		for i := range list {
			list[i] = at(i)
		}
		first(list, k, func(a, b int) int { compared++; return cmp.Compare(a, b) })
		require.LessOrEqual(t, compared, n+k*k, why)
	}
}

// Equal elements are no reason to sink.
func TestSiftDownEqual(t *testing.T) {
	compared := 0
	siftDown(make([]int, 100), 0, func(a, b int) int { compared++; return cmp.Compare(a, b) })
	require.Equal(t, 2, compared, "the two below, and no others")
}

// In a large cluster an update takes the first nodes by name, or by rank, however few of
// them the burst lets it take.
func TestFirstNodes(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, surge := range []rollout.IntOrPercent{{}, rollout.Percent(100)} {
		for _, burst := range []int32{0, 1, 7, 250} {
			s := Snapshot{DaemonSet: DaemonSet{
				Name: "agent", UID: "ds", Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "agent"}},
				Template: Template{Hash: "new"}, MaxUnavailable: rollout.Percent(100), MaxSurge: surge, Burst: rollout.Int(burst),
			}}
			const n = 300
			for i := range n {
				name := fmt.Sprintf("n%03d", (i*7)%n)
				s.Nodes = append(s.Nodes, Node{Name: name})
				s.Pods = append(s.Pods, Pod{Pod: podorder.Pod{
					Name: "p-" + name, UID: name, ControllerUID: "ds", ControllerKind: Kind, ControllerName: "agent", NodeName: name, Phase: podorder.Running,
					Labels: map[string]string{"app": "agent", LabelHash: "old"}, Ready: i%3 != 0,
				}})
			}
			plain := updated(t, s, now)
			require.Len(t, plain, int(burst))
			require.True(t, slices.IsSorted(plain[:min(len(plain), 100)]), "those that are not available, by name")
			require.True(t, burst == 0 || plain[0] == "n000")
			for i := range s.Nodes { // the other way round
				s.Nodes[i].Rank = int32(n - (i*7)%n)
			}
			ranked := updated(t, s, now)
			require.Len(t, ranked, int(burst))
			require.True(t, slices.IsSortedFunc(ranked[:min(len(ranked), 100)], func(a, b string) int { return cmp.Compare(b, a) }))
		}
	}
}

// updated returns the nodes on which a plan replaces pods, in order.
func updated(t *testing.T, s Snapshot, now time.Time) (nodes []string) {
	t.Helper()
	p, err := Reconcile(s, now, Options{})
	require.NoError(t, err)
	for _, a := range p.Actions {
		if d, ok := a.(DeletePod); ok {
			nodes = append(nodes, d.Node)
		} else if c, ok := a.(CreatePod); ok {
			nodes = append(nodes, c.Node)
		}
	}
	return nodes
}
