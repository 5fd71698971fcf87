// SPDX-License-Identifier: Apache-2.0

package ordinal_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/recorded"
	"github.com/kplan-go/kplan/rollout/ordinal"
)

func ExampleStepRoles() {
	roles := []ordinal.Role{
		{Before: 6, Old: 6, Target: 6, Surge: 1},
		{Before: 2, Old: 2, Target: 2, Surge: 1},
	}
	for moved := true; moved; roles, moved = ordinal.StepRoles(roles) {
		fmt.Print(roles[0].New, "+", roles[0].Old, " ", roles[1].New, "+", roles[1].Old, ", ")
	}
	fmt.Println("of", ordinal.RoleSteps(roles), "steps")
	// Output: 0+6 0+2, 1+6 1+2, 1+5 1+2, 2+5 1+2, 2+4 1+2, 3+4 1+2, 3+3 1+1, 4+3 2+1, 4+2 2+1, 5+2 2+1, 5+1 2+1, 6+1 2+1, 6+0 2+0, of 6 steps
}

// recordedRoles is the input of all recorded cases of roles.
type recordedRoles struct {
	Op                                         string
	Budgets                                    []struct{ MaxSurge, MaxUnavailable int32 }
	InitialOld, CurrentOld, CurrentNew, Target []int32
}

func (in recordedRoles) roles() []ordinal.Role {
	roles := make([]ordinal.Role, len(in.InitialOld))
	for i := range roles {
		roles[i] = ordinal.Role{Before: in.InitialOld[i], Old: in.InitialOld[i]}
		if in.Target != nil {
			roles[i].Target = in.Target[i]
		}
		if in.Budgets != nil {
			roles[i].Surge, roles[i].Unavailable = in.Budgets[i].MaxSurge, in.Budgets[i].MaxUnavailable
		}
		if in.CurrentOld != nil {
			roles[i].Old, roles[i].New = in.CurrentOld[i], in.CurrentNew[i]
		}
	}
	return roles
}

func recordedStep(roles []ordinal.Role) map[string][]int32 {
	step := map[string][]int32{"old": {}, "new": {}}
	for _, r := range roles {
		step["old"], step["new"] = append(step["old"], r.Old), append(step["new"], r.New)
	}
	return step
}

func TestVectorsRoles(t *testing.T) {
	recorded.Agree(t, "adopters/lws_disaggregated_steps", func(t *testing.T, r recorded.Recording) (any, string) {
		var in recordedRoles
		r.Read(t, &in)
		next, moved := ordinal.StepRoles(in.roles())
		if !moved {
			return nil, ""
		}
		return recordedStep(next), ""
	})
	recorded.Agree(t, "adopters/lws_disaggregated_sequences", func(t *testing.T, r recorded.Recording) (any, string) {
		var in recordedRoles
		r.Read(t, &in)
		steps, roles := []any{}, in.roles()
		for moved := true; moved; roles, moved = ordinal.StepRoles(roles) {
			steps = append(steps, recordedStep(roles))
		}
		return steps, ""
	})
}

// The small numbers of the planner are not exported but as a whole: what a role moves at
// once and in how many steps, and that groups beyond those before are none of the update.
func TestVectorsRoleNumbers(t *testing.T) {
	equal, within := 0, 0
	for _, r := range recorded.All(t, "adopters/lws_disaggregated_numbers") {
		var in recordedRoles
		r.Read(t, &in)
		var got any
		switch in.Op {
		case "batch-size":
			var limits struct{ MaxSurge, MaxUnavailable int32 }
			r.Read(t, &limits)
			const many = 60 // every batch here divides it
			got = many / ordinal.RoleSteps([]ordinal.Role{{Target: many, Surge: limits.MaxSurge, Unavailable: limits.MaxUnavailable}})
		case "total-steps":
			got = ordinal.RoleSteps(in.roles())
		case "abnormal":
			next, moved := ordinal.StepRoles(in.roles())
			require.True(t, moved)
			for i := range next {
				require.LessOrEqual(t, next[i].Old, in.InitialOld[i])
			}
			within++
			continue
		default: // one direction of a step, which is no function of its own
			within++
			continue
		}
		require.JSONEq(t, string(r.Output), fmt.Sprint(got), r.ID)
		equal++
	}
	t.Logf("%d equal, %d are parts of steps", equal, within)
	require.Equal(t, 8, equal)
}

// From the start every update ends, stays within its surge, or one group of it where
// there is none, and no role is without any group while another has old ones.
func TestPropertyRoles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		roles := make([]ordinal.Role, rapid.IntRange(1, 3).Draw(t, "roles"))
		for i := range roles {
			size := rapid.Int32Range(1, 12).Draw(t, "size")
			roles[i] = ordinal.Role{Before: size, Old: size, Target: size,
				Surge: rapid.Int32Range(0, 3).Draw(t, "surge"), Unavailable: rapid.Int32Range(0, 3).Draw(t, "unavailable")}
			if roles[i].Surge == 0 {
				roles[i].Unavailable = max(1, roles[i].Unavailable)
			}
		}
		moved, steps := true, 0
		for ; moved && steps < 100; steps++ {
			for _, r := range roles {
				if r.Old+r.New > r.Target+max(1, r.Surge) || r.Old+r.New < r.Target-r.Unavailable || r.Old < 0 {
					t.Fatalf("%+v after %d steps", roles, steps)
				}
			}
			roles, moved = ordinal.StepRoles(roles)
		}
		for _, r := range roles {
			if moved || r.New != r.Target || r.Old != 0 {
				t.Fatalf("%+v after %d steps", roles, steps)
			}
		}
	})
}
