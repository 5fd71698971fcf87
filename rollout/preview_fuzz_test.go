package rollout_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/rollout"
)

func FuzzPreview(f *testing.F) {
	seed := func(steps ...rollout.Step) rollout.PreviewInput {
		return rollout.PreviewInput{Rollout: partitioned(deployment, steps...), Replicas: 6}
	}
	middle := seed(step(rollout.Int(2), -1), step(rollout.Percent(100), 0))
	middle.Generations, middle.Limits = []int32{3, 2, 1}, &rollout.RollingUpdate{MaxSurge: rollout.Int(1)}
	blueGreen := seed(step(rollout.Percent(50), 3), step(rollout.Percent(100), 0))
	blueGreen.Rollout.BlueGreen, blueGreen.Rollout.Canary = blueGreen.Rollout.Canary, nil
	purity.Fuzz(f, rollout.ErrInvalid, func(in rollout.PreviewInput) (rollout.PreviewPlan, error) {
		if s := in.Rollout.Strategy(); in.Replicas > 100 || len(in.Generations) > 10 || s != nil && len(s.Steps) > 20 {
			return rollout.PreviewPlan{}, purity.ErrTooLarge
		}
		return rollout.Preview(in, corrected)
	}, seed(step(rollout.Percent(20), 60), step(rollout.Percent(50), -1), step(rollout.Percent(100), 0)), middle, blueGreen)
}
