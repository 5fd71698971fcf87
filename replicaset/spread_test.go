// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
)

// Domains take the place of the neighbours, wherever that is, or the last.
func TestSpread(t *testing.T) {
	cost, neighbours, domains := podorder.Stage{Rule: podorder.RuleCost}, podorder.Stage{Rule: podorder.RuleNeighbours}, podorder.Stage{Rule: podorder.RuleSpread}
	require.Equal(t, []podorder.Stage{domains, cost}, spread([]podorder.Stage{neighbours, cost}))
	require.Equal(t, []podorder.Stage{cost, domains}, spread([]podorder.Stage{cost, neighbours}))
	require.Equal(t, []podorder.Stage{cost, domains}, spread([]podorder.Stage{cost}))
}

// Few selectors are tried, and many are put into an index, which takes memory.
func TestRelatedAllocates(t *testing.T) {
	allocations := func(n int) float64 {
		var s Snapshot
		for i := range n {
			s.Siblings = append(s.Siblings, ReplicaSet{
				ControllerUID: "d", Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprint(i)}},
			})
		}
		s.ReplicaSet = ReplicaSet{ControllerUID: "d", Selector: &selector.LabelSelector{}}
		in := input{Snapshot: s}
		return testing.AllocsPerRun(10, func() { in.related(nil) })
	}
	few, many := allocations(fewSelectors-1), allocations(fewSelectors)
	require.Greater(t, many, few+6)
}
