// SPDX-License-Identifier: Apache-2.0

package preview_test

import (
	"testing"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

func FuzzOf(f *testing.F) {
	seed := func(steps ...kruise.Step) preview.Input {
		return preview.Input{Rollout: kruise.Rollout{Name: "web", WorkloadRef: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"}, Canary: &kruise.Strategy{Steps: steps}}, Replicas: 6}
	}
	middle := seed(step(rollout.Int(2), -1), step(rollout.Percent(100), 0))
	middle.Generations, middle.Limits = []int32{3, 2, 1}, &partition.RollingUpdate{MaxSurge: rollout.Int(1)}
	blueGreen := seed(step(rollout.Percent(50), 3), step(rollout.Percent(100), 0))
	blueGreen.Rollout.BlueGreen, blueGreen.Rollout.Canary = blueGreen.Rollout.Canary, nil
	purity.Fuzz(f, kplan.ErrInvalid, func(in preview.Input) (preview.Plan, error) {
		if s := in.Rollout.Strategy(); in.Replicas > 100 || len(in.Generations) > 10 || s != nil && len(s.Steps) > 20 {
			return preview.Plan{}, purity.ErrTooLarge
		}
		return preview.Of(in, kruise.Options{Repair: quirk.All})
	}, seed(step(rollout.Percent(20), 60), step(rollout.Percent(50), -1), step(rollout.Percent(100), 0)), middle, blueGreen)
}

func step(replicas rollout.IntOrPercent, seconds int32) kruise.Step {
	s := kruise.Step{Replicas: replicas}
	if seconds >= 0 {
		s.Pause.Duration = &seconds
	}
	return s
}
