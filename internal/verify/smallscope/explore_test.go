// SPDX-License-Identifier: Apache-2.0

package smallscope_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/smallscope"
)

// A road leads from 0 to its end, in steps of 1 or 2. From 1 a person can turn off to
// -1; from there nothing leads on, unless there is a way back.
type road struct {
	end  int
	back bool
}

func (road) Starts() []int { return []int{0} }

func (r road) Moves(s int, do func(smallscope.Move, int, []smallscope.Breach)) {
	switch {
	case s == -1 && r.back:
		do(smallscope.Move{What: "back", On: -1}, 1, nil)
	case s >= 0 && s < r.end:
		do(smallscope.Move{What: "step", On: 1}, s+1, nil)
		do(smallscope.Move{What: "step", On: 2}, min(s+2, r.end), nil)
	}
	if s == 1 {
		do(smallscope.Move{What: "off", On: -1, Unfair: true}, -1, []smallscope.Breach{{Property: "off", Detail: "a turn"}})
	}
}

func (road) Breaches(s int) []smallscope.Breach {
	if s > 3 {
		return []smallscope.Breach{{Property: "far", Detail: "beyond 3"}}
	}
	return nil
}

func (r road) Goal(s int) bool { return s == r.end }

func TestExplore(t *testing.T) {
	r := smallscope.Explore(road{end: 5})
	require.Equal(t, 7, r.States)
	require.Equal(t, 11, r.Moves)
	require.Equal(t, 1, r.Goals)
	require.Equal(t, []string{"far", "goal", "off"}, r.Properties())
	require.Equal(t, []string{"start: 0", "step, 1: 1", "off"}, r.Violations[0].Trace)
	require.Equal(t, []string{"start: 0", "step, 2: 2", "step, 2: 4"}, r.Violations[1].Trace, "a shortest trace")
	require.Equal(t, []string{"start: 0", "step, 1: 1", "off: -1"}, r.Violations[2].Trace)
	require.Equal(t, "no goal can be reached from here, nor from 0 other states", r.Violations[2].Detail)
}

func TestExploreEnds(t *testing.T) {
	require.Equal(t, []string{"off"}, smallscope.Explore(road{end: 3, back: true}).Properties(), "the way back is fair")
	require.Equal(t, []string{"far", "off"}, smallscope.Explore(road{end: 5, back: true}).Properties())
	r := smallscope.Explore(road{end: 50}, "far")
	require.Contains(t, r.Properties(), "far")
	require.Less(t, r.States, 10, "it stops")
}
