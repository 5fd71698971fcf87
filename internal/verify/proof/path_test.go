// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/rollout"
)

// sizesOf returns the sizes that the translation has for a path: of the new set, and of old ones.
func sizesOf(p path) []int32 {
	s := stepOf(p.values)
	n := func(format string, i int) int32 {
		if v := p.values[fmt.Sprintf(format, i)]; v != nil {
			return int32(v.Int64())
		}
		return 0 // the slice is nil
	}
	sizes := []int32{n("result.%d", 0)}
	for i, old := range s.sets[1:] {
		sizes = append(sizes, old.Wanted-n("result.1.0[%d].0", i)-n("result.1.1[%d].0", i))
	}
	return sizes
}

// replayed are the sizes that Go has for a case.
func replayed(s step, p rollout.Policy) []int32 {
	r := rollout.Roll(s.budget, s.sets[0], s.sets[1:], 0, p)
	return append([]int32{r.Size}, r.Shrinking.Sizes(s.sets[1:])...)
}

// On each path of the arithmetic of a step, Go and the planner return the sizes of the translation.
// With KPLAN_PATHS=N there are two old sets instead of one, and up to N paths.
func TestPaths(t *testing.T) {
	sets, most := 1, 0
	if text := os.Getenv("KPLAN_PATHS"); text != "" {
		var err error
		most, err = strconv.Atoi(text)
		require.NoError(t, err)
		sets = 2
	}
	p := program0(t)
	for name, c := range map[string]struct {
		policy rollout.Policy
		repair quirk.Set
	}{
		"stepByDefault": {},
		"stepRepaired": {
			rollout.Policy{Counting: rollout.Counting{ExactSums: true, CapAvailable: true, CapOld: true}},
			quirk.SumsWrapAround | quirk.ExcessAvailableCounts | quirk.StatusAheadStopsCleanup,
		},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := p.paths(p.others[name], sets, most)
			require.NoError(t, err)
			t.Logf("%d paths with %d old sets", len(all), sets)
			require.GreaterOrEqual(t, len(all), 20)
			for _, path := range all {
				s := stepOf(path.values)
				require.Equal(t, sizesOf(path), replayed(s, c.policy), "%+v", s)
				require.Equal(t, sizesOf(path), s.planned(t, c.repair), "%+v", s)
			}
		})
	}
}

// Some path shows a difference between the translation and Go.
func TestPathsSee(t *testing.T) {
	from, err := code()
	require.NoError(t, err)
	overlay, err := bug{"rollout/shrink.go", "min(int64(size), spare-sum)", "min(int64(size), spare-sum-1)"}.overlay()
	require.NoError(t, err)
	p, err := from.program(overlay)
	require.NoError(t, err)
	all, err := p.paths(p.others["stepByDefault"], 1, 0)
	require.NoError(t, err)
	for _, path := range all {
		s := stepOf(path.values)
		if fmt.Sprint(sizesOf(path)) != fmt.Sprint(s.planned(t, 0)) {
			return
		}
	}
	t.Error("no path shows the bug")
}
