// SPDX-License-Identifier: Apache-2.0

package ordinal

import "slices"

// A Role is one of several workloads that need each other, such as the prefill and decode
// servers of a language model. It holds the numbers of groups.
type Role struct {
	Before      int32 `json:"before"`               // old groups when the update began
	Old         int32 `json:"old"`                  // old groups now
	New         int32 `json:"new"`                  // new groups now
	Target      int32 `json:"target"`               // new groups at the end of the update
	Surge       int32 `json:"surge,omitzero"`       // groups allowed above Target
	Unavailable int32 `json:"unavailable,omitzero"` // groups that may be missing from Target
}

// batch returns how many groups of a role change in one step: the surge or, if it is 0, the groups
// that may be unavailable, and at least 1.
func (r Role) batch() int64 {
	if r.Surge > 0 {
		return int64(r.Surge)
	}
	return max(1, int64(r.Unavailable))
}

// RoleSteps returns the number of steps of the update of all roles, which finish together.
//
//	the largest of ceil(max(before, target) / batch)
func RoleSteps(roles []Role) (steps int64) {
	for _, r := range roles {
		steps = max(steps, ceil(int64(max(r.Before, r.Target, 0)), r.batch()))
	}
	return steps
}

// ceil returns a / b, rounded up. b must be above 0, and a at least 0.
func ceil(a, b int64) int64 { return (a + b - 1) / b }

// StepRoles returns the roles after the next step of their update. It returns the same roles
// and false if the update is complete or no step is possible. With n steps in total, see
// [RoleSteps], a step aims at these numbers, k being the steps that are done:
//
//	new = max(new, min(target, ceil((k + 1) * target / n)))      k = the least floor(new * n / target)
//	old = min(old, before - floor((k + 1) * before / n))         k = the largest floor((before - old) * n / before)
//
// The first case that changes something is the step:
//
//  1. Old groups beyond before, which do not belong to this update, are deleted.
//  2. If all new groups exist, all old groups are deleted.
//  3. New groups are added, if old + new <= target + surge for each role that has a target.
//  4. Old groups are deleted; target - unavailable - new remain in a role with before >= target.
//  5. New groups are added anyway, and as many old groups are deleted as this requires.
//
// In cases 4 and 5 a role keeps one old group until all roles can delete their last old group.
// StepRoles mirrors the planner of a DisaggregatedSet of LeaderWorkerSet (commit 060ab4da).
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

// withOld sets the numbers of old groups in roles, and returns roles.
func withOld(roles []Role, old []int32) []Role {
	for i := range roles {
		roles[i].Old = old[i]
	}
	return roles
}

// withNew sets the numbers of new groups in roles, and returns roles.
func withNew(roles []Role, wanted []int32) []Role {
	for i := range roles {
		roles[i].New = wanted[i]
	}
	return roles
}

// grow returns the number of new groups of each role after the next step.
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

// fits reports whether a role grows and no role exceeds target + surge.
func fits(roles []Role, wanted []int32) (grows bool) {
	for i, r := range roles {
		grows = grows || wanted[i] > r.New
		if r.Target != 0 && int64(r.Old)+int64(wanted[i]) > int64(r.Target)+int64(r.Surge) {
			return false
		}
	}
	return grows
}

// drain returns the number of old groups of each role after the next step.
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

// least returns how many old groups must stay if there are beside new groups. In a role with more
// groups after the update than before, it is 0.
func (r Role) least(beside int32) int32 {
	if r.Before < r.Target {
		return 0
	}
	return int32(max(0, int64(r.Target)-int64(r.Unavailable)-int64(beside)))
}

// force returns the roles with the wanted new groups, and with as few old groups as these require.
// moved is false, and the roles are unchanged, if no old group is deleted.
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

// atOnce changes old if some roles would lose their last old group and others would not. If all
// roles have enough new groups, all old groups are deleted. Otherwise each role keeps one old group.
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
