// SPDX-License-Identifier: Apache-2.0

package ordinal_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

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
