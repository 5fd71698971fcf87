// SPDX-License-Identifier: Apache-2.0

package ordinal

import "slices"

// A Role is one of several workloads that are only useful together, such as prefill and
// decode servers of a language model, with the counts of its old and new groups.
type Role struct {
	Before      int32 `json:"before"` // old groups when the update began
	Old         int32 `json:"old"`
	New         int32 `json:"new"`
	Target      int32 `json:"target"`
	Surge       int32 `json:"surge,omitzero"`
	Unavailable int32 `json:"unavailable,omitzero"`
}

// batch returns how many groups of a role move in one step: the surge, or else the groups
// that may be unavailable, and at least one.
func (r Role) batch() int64 {
	if r.Surge > 0 {
		return int64(r.Surge)
	}
	return max(1, int64(r.Unavailable))
}

// RoleSteps returns in how many steps all roles are updated, so that they finish together.
//
//	the largest of ceil(max(before, target) / batch)
func RoleSteps(roles []Role) (steps int64) {
	for _, r := range roles {
		steps = max(steps, ceil(int64(max(r.Before, r.Target, 0)), r.batch()))
	}
	return steps
}

// ceil rounds a quotient up. The divisor is above 0, and the dividend at least 0.
func ceil(a, b int64) int64 { return (a + b - 1) / b }

// StepRoles returns the roles after the next step of their update, or the same roles and
// false if nothing is left or nothing can move. A step changes old groups or new ones, or
// both where neither can move alone. With n steps in all:
//
//		new = max(new, min(target, ceil((k + 1) * target / n)))      k = the least floor(new * n / target)
//		old = min(old, before - floor((k + 1) * before / n))         k = the largest floor((before - old) * n / before)
//
//	 1. Old groups beyond before do not belong to this update, and go.
//	 2. If all new groups are there, all old ones go.
//	 3. New ones come if old + new <= target + surge of each role that has a target.
//	 4. Old ones go, down to target - unavailable - new of a role that does not grow.
//	 5. New ones come anyway, and as many old ones go as this needs.
//
// In the last two no role loses its last old group before the others do: either all roles
// do, or it keeps one. It mirrors the planner of a DisaggregatedSet of LeaderWorkerSet
// (commit 060ab4da).
func StepRoles(roles []Role) (next []Role, moved bool) {
	next, steps := slices.Clone(roles), RoleSteps(roles)
	done, grown, more := true, true, false
	for i, r := range next {
		done = done && r.Old == 0 && r.New >= r.Target
		grown = grown && r.New >= r.Target
		more = more || r.Old > r.Before
		next[i].Old = min(r.Old, r.Before)
	}
	switch {
	case done || steps == 0:
		return slices.Clone(roles), false
	case more:
		return next, true
	case grown:
		return withOld(next, make([]int32, len(next))), true
	}
	wanted := grow(roles, steps)
	if fits(roles, wanted) {
		return withNew(next, wanted), true
	}
	if old := drain(roles, steps); fewer(old, roles) {
		return withOld(next, old), true
	}
	return force(roles, wanted)
}

// withOld gives roles this many old groups.
func withOld(roles []Role, old []int32) []Role {
	for i := range roles {
		roles[i].Old = old[i]
	}
	return roles
}

// withNew gives roles this many new groups.
func withNew(roles []Role, wanted []int32) []Role {
	for i := range roles {
		roles[i].New = wanted[i]
	}
	return roles
}

// grow returns the new groups of the next step.
func grow(roles []Role, steps int64) []int32 {
	reached := steps
	for _, r := range roles {
		if r.Target > 0 {
			reached = min(reached, int64(r.New)*steps/int64(r.Target))
		}
	}
	wanted := make([]int32, len(roles))
	for i, r := range roles {
		share := ceil(max(0, reached+1)*int64(max(0, r.Target)), steps)
		wanted[i] = max(r.New, int32(min(share, int64(max(0, r.Target)))))
	}
	return wanted
}

// fits reports whether some role grows, and all have room for it.
func fits(roles []Role, wanted []int32) (grows bool) {
	for i, r := range roles {
		grows = grows || wanted[i] > r.New
		if r.Target != 0 && int64(r.Old)+int64(wanted[i]) > int64(r.Target)+int64(r.Surge) {
			return false
		}
	}
	return grows
}

// drain returns the old groups of the next step.
func drain(roles []Role, steps int64) []int32 {
	reached := int64(0)
	for _, r := range roles {
		if r.Before > 0 {
			reached = max(reached, (int64(r.Before)-int64(r.Old))*steps/int64(r.Before))
		}
	}
	old := make([]int32, len(roles))
	for i, r := range roles {
		gone := min((reached+1)*int64(max(0, r.Before))/steps, int64(max(0, r.Before)))
		old[i] = max(min(r.Old, max(0, r.Before)-int32(gone)), r.least(r.New))
	}
	return atOnce(old, roles)
}

// least returns how many old groups have to stay next to new ones, in a role that does not
// grow.
func (r Role) least(beside int32) int32 {
	if r.Before < r.Target {
		return 0
	}
	return int32(max(0, int64(r.Target)-int64(r.Unavailable)-int64(beside)))
}

// force adds the new groups, and removes as many old ones as this needs.
func force(roles []Role, wanted []int32) (next []Role, moved bool) {
	next, old := slices.Clone(roles), make([]int32, len(roles))
	for i, r := range roles {
		room := int64(r.Target) + int64(r.Surge) - int64(wanted[i])
		old[i] = max(int32(max(0, min(int64(r.Old), room))), r.least(wanted[i]))
		next[i].New = wanted[i]
	}
	if !fewer(old, roles) {
		return slices.Clone(roles), false
	}
	return withOld(next, atOnce(old, next)), true
}

func fewer(old []int32, roles []Role) bool {
	for i, r := range roles {
		if old[i] < r.Old {
			return true
		}
	}
	return false
}

// atOnce keeps one old group of a role that would lose its last one while other roles have
// some left. If there are enough new groups, it removes the old groups of the others as
// well.
func atOnce(old []int32, roles []Role) []int32 {
	some, all, enough := false, true, true
	for i, r := range roles {
		if r.Before != 0 {
			some, all = some || old[i] == 0, all && old[i] == 0
		}
		enough = enough && r.least(r.New) == 0
	}
	for i, r := range roles {
		switch {
		case !some || all:
		case enough:
			old[i] = 0
		case old[i] == 0 && r.Before > 0:
			old[i] = 1
		}
	}
	return old
}
