// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"testing"

	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/ordinal"
)

var leaderWorkerSetFiles = []file{
	{"LeaderWorkerSet", "lws_surge", groupSize},
	{"LeaderWorkerSet", "lws_partition", groupPartition},
	{"LeaderWorkerSet", "lws_parameters", groupRoll},
	{"LeaderWorkerSet", "lws_disaggregated_steps", roleStep},
	{"LeaderWorkerSet", "lws_disaggregated_sequences", roleSteps},
	{"LeaderWorkerSet", "lws_disaggregated_numbers", roleNumbers},
}

func groupSize(t *testing.T, r recorded.Recording) answer {
	in := read[struct{ Replicas, MaxSurge, MaxUnavailable, Unready int32 }](t, r)
	return same(r, ordinal.Size(ordinal.Limits(in.Replicas, rollout.Int(in.MaxSurge), rollout.Int(in.MaxUnavailable)), in.Unready))
}

func groupPartition(t *testing.T, r recorded.Recording) answer {
	in := read[struct {
		Groups                       []ordinal.Group
		Size, Step, CurrentPartition int32
	}](t, r)
	return same(r, ordinal.Partition(in.Groups, in.Size, in.Step, in.CurrentPartition))
}

func groupRoll(t *testing.T, r recorded.Recording) answer {
	in := read[struct {
		Groups                  []ordinal.Group
		Leaders                 *struct{ Partition, ReplicasWhenLastSeen, Size int32 }
		MaxSurge                rollout.IntOrPercent
		MaxUnavailable          rollout.IntOrPercent
		Replicas, UserPartition int32
		TemplateChanged         bool
	}](t, r)
	next := ordinal.Next{Size: in.Replicas}
	if l := in.Leaders; l != nil {
		s := ordinal.State{Groups: in.Groups, Size: l.Size, Partition: l.Partition, Replicas: l.ReplicasWhenLastSeen, Changed: in.TemplateChanged}
		next = ordinal.Roll(ordinal.Limits(in.Replicas, in.MaxSurge, in.MaxUnavailable), s, in.UserPartition)
	}
	return same(r, map[string]int32{"leaders": next.Size, "partition": next.Partition})
}

// recordedRoles is the input of all recorded cases of roles.
type recordedRoles struct {
	Op                                         string
	Budgets                                    []struct{ MaxSurge, MaxUnavailable int32 }
	MaxSurge, MaxUnavailable, TotalSteps       int32
	InitialOld, CurrentOld, CurrentNew, Target []int32
}

func (in recordedRoles) roles() []ordinal.Role {
	at := func(list []int32, i int) int32 {
		if i < len(list) {
			return list[i]
		}
		return 0
	}
	roles := make([]ordinal.Role, max(len(in.InitialOld), len(in.Target)))
	for i := range roles {
		roles[i] = ordinal.Role{Before: at(in.InitialOld, i), Old: at(in.InitialOld, i), Target: at(in.Target, i), New: at(in.CurrentNew, i)}
		if in.CurrentOld != nil {
			roles[i].Old = at(in.CurrentOld, i)
		}
		if in.Budgets != nil {
			roles[i].Surge, roles[i].Unavailable = in.Budgets[i].MaxSurge, in.Budgets[i].MaxUnavailable
		}
	}
	return roles
}

func rolesAfter(roles []ordinal.Role) map[string][]int32 {
	step := map[string][]int32{"old": {}, "new": {}}
	for _, r := range roles {
		step["old"], step["new"] = append(step["old"], r.Old), append(step["new"], r.New)
	}
	return step
}

func roleStep(t *testing.T, r recorded.Recording) answer {
	next, moved := ordinal.StepRoles(read[recordedRoles](t, r).roles())
	if !moved {
		return same(r, nil)
	}
	return same(r, rolesAfter(next))
}

func roleSteps(t *testing.T, r recorded.Recording) answer {
	steps, roles := []any{}, read[recordedRoles](t, r).roles()
	for moved := true; moved; roles, moved = ordinal.StepRoles(roles) {
		steps = append(steps, rolesAfter(roles))
	}
	return same(r, steps)
}

// Small functions of the planner are tested through exported ones: the batch size of a role by its
// number of steps, and the size of a direction by one step.
func roleNumbers(t *testing.T, r recorded.Recording) answer {
	in := read[recordedRoles](t, r)
	switch in.Op {
	case "batch-size":
		const many = 60 // every batch here divides it
		return same(r, many/ordinal.RoleSteps([]ordinal.Role{{Target: many, Surge: in.MaxSurge, Unavailable: in.MaxUnavailable}}))
	case "total-steps":
		return same(r, ordinal.RoleSteps(in.roles()))
	case "abnormal": // groups beyond Before are deleted at once; without any, it is a normal step
		next, _ := ordinal.StepRoles(in.roles())
		for _, role := range in.roles() {
			if role.Old > role.Before {
				return same(r, rolesAfter(next))
			}
		}
		return same(r, nil)
	}
	roles := in.roles()
	for i := range roles {
		roles[i].Surge = 1
	}
	next, _ := ordinal.StepRoles(roles)
	a := same(r, rolesAfter(next)["new"])
	if in.Op == "next-old" {
		a.got = rolesAfter(next)["old"]
	}
	if in.TotalSteps == 0 {
		a.policy = "nothing to do"
	}
	return a
}
