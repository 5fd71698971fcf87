// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"
	"slices"
)

// A Round is the result of one pass of each of several controllers over the same children.
type Round struct {
	// Owners has for each child the number of its controller after the round, or -1 if none
	// of the controllers has it.
	Owners    []int
	Actions   []RoundAction // in the order in which they happen
	Contested []Contested   // children whose owner depends on the order of the controllers
}

// A RoundAction is one adoption or release in a [Round].
type RoundAction struct {
	Controller int
	Child      int
	Decision   Decision
}

// A Contested child may end up with any of the controllers, which are in order. A child that
// its owner releases may also end up without a controller, if the owner is late.
type Contested struct {
	Child       int
	Controllers []int
}

// Simulate makes one pass of each controller, in the order of the slice. Each pass sees the
// writes of the passes before it, and every patch succeeds. Controllers have different UIDs.
//
// Simulate takes time in proportion to the number of children and of the controllers that
// select each child, which it finds with a [selector.Index].
func Simulate(controllers []Controller, n int, child func(i int) Child) Round {
	h := newControllerIndex(controllers)
	round := Round{}
	if n > 0 {
		round.Owners = make([]int, n)
	}
	var candidates []int
	for i := range n {
		c := child(i)
		owner, owned := h.owner(&c)
		round.Owners[i] = -1
		from := 0 // the first controller that may adopt
		switch {
		case owned:
			round.Owners[i] = owner
			d := Decide(&controllers[owner].Owner, &c)
			if d.Verdict != Release {
				continue
			}
			round.Actions = append(round.Actions, RoundAction{owner, i, d})
			round.Owners[i] = -1
			from = owner + 1
		case c.Controlled():
			continue
		}
		candidates = h.adopters(c, candidates[:0])
		if len(candidates) > 1 || owned && len(candidates) > 0 {
			round.Contested = append(round.Contested, Contested{i, slices.Clone(candidates)})
		}
		if at, _ := slices.BinarySearch(candidates, from); at < len(candidates) {
			winner := candidates[at]
			round.Owners[i] = winner
			round.Actions = append(round.Actions, RoundAction{winner, i, Decision{Adopt, ReasonOrphan}})
		}
	}
	slices.SortStableFunc(round.Actions, func(a, b RoundAction) int {
		return cmp.Or(cmp.Compare(a.Controller, b.Controller), cmp.Compare(a.Child, b.Child))
	})
	return round
}
