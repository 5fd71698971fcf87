// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
)

// scaled returns the plan with another change of size for a reason.
func scaled(p deploy.Plan, reason kplan.Reason, change func(*deploy.ScaleReplicaSet)) deploy.Plan {
	p.Actions = slices.Clone(p.Actions)
	for i, a := range p.Actions {
		if a, ok := a.(deploy.ScaleReplicaSet); ok && a.Reason == reason {
			change(&a)
			p.Actions[i] = a
		}
	}
	return p
}

// calls is the state that the last of the defects keeps.
var calls = 0

// farAway is after the end of any update.
var farAway = time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)

// defects are planted into the planner, each with a part of the message of the
// property that it must break.
var defects = map[string]struct {
	plant func(deploy.Snapshot, deploy.Plan) deploy.Plan
	want  string
}{
	"one more than the surge": {want: "wanted, at most", plant: func(_ deploy.Snapshot, p deploy.Plan) deploy.Plan {
		return scaled(p, reason.RolloutUp, func(a *deploy.ScaleReplicaSet) { a.To++ })
	}},
	"one fewer than must be available": {want: "available, ", plant: func(_ deploy.Snapshot, p deploy.Plan) deploy.Plan {
		return scaled(p, reason.RolloutDown, func(a *deploy.ScaleReplicaSet) { a.To = max(0, a.To-1) })
	}},
	"old pods stay": {want: "not complete", plant: func(_ deploy.Snapshot, p deploy.Plan) deploy.Plan {
		p.Actions = slices.DeleteFunc(slices.Clone(p.Actions), func(a deploy.Action) bool {
			scale, ok := a.(deploy.ScaleReplicaSet)
			return ok && scale.Reason == reason.RolloutDown && scale.To == 0
		})
		return p
	}},
	"shrinks before it grows": {want: "available, ", plant: func(s deploy.Snapshot, p deploy.Plan) deploy.Plan {
		for _, rs := range s.ReplicaSets {
			if rs.Template.ID == "old" && *rs.Replicas > 1 && len(p.Actions) > 0 {
				down := deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: *rs.Replicas, To: 0}
				up := deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: 0, To: *rs.Replicas}
				p.Actions = append(deploy.Actions{down, up}, p.Actions...)
			}
		}
		return p
	}},
	"does not wait for old pods": {want: "pods of two templates", plant: func(s deploy.Snapshot, p deploy.Plan) deploy.Plan {
		if s.Deployment.Strategy == deploy.Recreate && len(p.Actions) == 0 {
			s.Pods = nil
			p, _ = deploy.Reconcile(s, farAway, deploy.Options{})
		}
		return p
	}},
	"another size than planned for": {want: "must be the size of the ReplicaSet", plant: func(_ deploy.Snapshot, p deploy.Plan) deploy.Plan {
		return scaled(p, reason.RolloutDown, func(a *deploy.ScaleReplicaSet) { a.From++ })
	}},
	"another object than planned for": {want: "must be the name of a ReplicaSet with the UID", plant: func(_ deploy.Snapshot, p deploy.Plan) deploy.Plan {
		return scaled(p, reason.RolloutUp, func(a *deploy.ScaleReplicaSet) { a.UID = "other" })
	}},
	"never at rest": {want: "no rest", plant: func(s deploy.Snapshot, p deploy.Plan) deploy.Plan {
		p.Actions = append(slices.Clone(p.Actions), deploy.AnnotateDeployment{Set: map[string]string{"a": "b"}})
		return p
	}},
	"goes on after the end": {want: "not at rest", plant: func(s deploy.Snapshot, p deploy.Plan) deploy.Plan {
		p.RecheckAt = farAway
		return p
	}},
	"keeps state": {want: "another run differs", plant: func(s deploy.Snapshot, p deploy.Plan) deploy.Plan {
		calls++
		p.Status.Conditions = slices.Clone(p.Status.Conditions)
		if !p.Empty() {
			p.Status.Conditions[0].Message = fmt.Sprint(calls)
		}
		return p
	}},
}

// TestPlantsOfBounds: each defect leaves a bound in one of a number of updates.
func TestPlantsOfBounds(t *testing.T) {
	for name, defect := range defects {
		t.Run(name, func(t *testing.T) {
			found := ""
			for seed := 0; seed < 200 && found == ""; seed++ {
				u := updatings.Example(seed)
				err := u.check(func(s deploy.Snapshot, now time.Time, opts deploy.Options) (deploy.Plan, error) {
					p, err := deploy.Reconcile(s, now, opts)
					return defect.plant(s, p), err
				})
				if err != nil {
					found = err.Error()
				}
			}
			require.Contains(t, found, defect.want)
		})
	}
}
