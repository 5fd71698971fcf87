// SPDX-License-Identifier: Apache-2.0

package smallscope_test

import (
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/smallscope"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// inSteps returns a step for each percentage, each of which waits for a person.
func inSteps(led bool, percentages ...int32) (steps []kruise.Step) {
	for _, p := range percentages {
		s := kruise.Step{Replicas: rollout.Percent(p)}
		if led {
			s.Traffic = rollout.Percent(p)
		}
		steps = append(steps, s)
	}
	return steps
}

// progressive are Rollouts of Deployments, by name.
func progressive() map[string]smallscope.Rollouts {
	base := smallscope.Rollouts{
		Plan: kruise.Reconcile, Batch: batchrelease.Reconcile, Steps: inSteps(false, 50, 100), Surge: 1, Replicas: []int8{2}, Templates: 2, Changes: 1, Jumps: true,
	}
	long, behind, losing, scaled, led, changing := base, base, base, base, base, base
	long.Steps, long.Replicas = either(base.Steps, inSteps(false, 25, 50, 75, 100)), either(base.Replicas, []int8{4})
	behind.Behind, behind.Steps, behind.Replicas = 1, either(inSteps(false, 100), base.Steps), []int8{1}
	losing.Losses, losing.Steps, losing.Replicas = 1, inSteps(false, 100), either([]int8{1}, []int8{2})
	scaled.Surge, scaled.Unavailable, scaled.Replicas, scaled.Changes = 0, 1, []int8{2, 1}, either[int8](1, 2)
	led.Led, led.Steps, led.Replicas = true, either(inSteps(true, 50, 100), inSteps(true, 34, 67, 100)), either(base.Replicas, []int8{3})
	changing.Changes, changing.Jumps, changing.Steps = 2, full(), either(inSteps(false, 100), base.Steps)
	changing.Replicas = either([]int8{1}, []int8{2})
	// A last step below 100% leaves old pods for the time after it.
	last, lastChanging, lastLed := base, base, base
	last.Steps, last.Replicas = either(inSteps(false, 25, 50), inSteps(false, 50)), either([]int8{4}, []int8{2, 3})
	last.Templates, last.Changes, last.Jumps = either[int8](2, 3), either[int8](1, 2), false
	lastChanging.Steps, lastChanging.Replicas, lastChanging.Changes, lastChanging.Jumps = inSteps(false, 50), either([]int8{2, 1}, []int8{2}), either[int8](2, 3), false
	lastLed.Led, lastLed.Steps, lastLed.Replicas = true, inSteps(true, either[int32](25, 50)), either([]int8{3}, []int8{2})
	lastLed.Templates, lastLed.Changes, lastLed.Jumps = last.Templates, last.Changes, false
	return map[string]smallscope.Rollouts{
		"progressive, last step": last, "progressive, last step, changes": lastChanging, "progressive, last step, traffic": lastLed,
		"progressive, steps": long, "progressive, stale": behind, "progressive, losses": losing, "progressive, scaled": scaled, "progressive, traffic": led, "progressive, changes": changing,
	}
}

func progressiveScopes(corrected bool) (list []scope) {
	for name, r := range progressive() {
		if corrected {
			r.Options.Repair = quirk.All
		}
		o := r.Options
		r.CheckPlan = func(s kruise.Snapshot, p kruise.Plan) []smallscope.Breach {
			return found(invariant.Run(&invariant.RolloutPass{Snapshot: s, Now: now, Options: o, Plan: p, Strict: true}))
		}
		r.CheckBatch = func(s batchrelease.Snapshot, p batchrelease.Plan) []smallscope.Breach {
			return found(invariant.Run(&invariant.BatchPass{Snapshot: s, Now: now, Options: batchrelease.Options{Repair: o.Repair}, Plan: p, Strict: true}))
		}
		list = append(list, scope{name, corrected, func() smallscope.Report { return smallscope.Explore(&r) }})
	}
	return list
}
