package rollout_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

type traceRow struct {
	By, Action string
	Rollout    *struct {
		Step  int32
		State rollout.StepState
		Phase rollout.RolloutPhase
	}
	Deployment *struct{ ReplicaSets map[string]int32 }
}

// Whole rollouts, driven by the same actions at the same steps: the steps and states
// that are passed, and the sizes at the end, are those that were recorded. The
// recordings that need more than two ReplicaSets and a scale of the Deployment belong to
// package deploy, those of a deleted workload and of defects to other tests.
func TestVectorsRolloutTraces(t *testing.T) {
	driven := 0
	cases := recordings(t, "kruise-rollouts/rollout_traces")
	for _, r := range cases {
		var in struct {
			Pauses   []int32
			Replicas int32
			Steps    []rollout.IntOrPercent
			Traffic  bool
		}
		r.read(t, &in)
		var rows []traceRow
		require.NoError(t, json.Unmarshal(r.Output, &rows))
		name, _, _ := strings.Cut(r.ID, "-traffic")
		if !slices.Contains([]string{"article", "rollback-in-step-1", "continuous-release-in-step-2", "rollout-disabled-in-step-1",
			"jump-to-3", "manual-approval"}, name) {
			continue
		}
		driven++
		var steps []rollout.Step
		for i, v := range in.Steps {
			s := step(v, -1)
			if in.Pauses != nil {
				s = step(v, in.Pauses[i])
			}
			if in.Traffic && i < 2 {
				s.Traffic = v
			}
			steps = append(steps, s)
		}
		c := newWorld(t, in.Replicas, steps...)
		if in.Traffic {
			c.led(3)
		}
		want, sizes := drive(t, c, rows)
		require.Equal(t, want, c.log, r.ID)
		for template, size := range sizes {
			require.Equal(t, size, c.sizes[template], "%s: %s", r.ID, template)
		}
	}
	require.Positive(t, driven)
	t.Logf("kruise-rollouts/rollout_traces: %d cases, %d driven here", len(cases), driven)
}

// drive does what was done in the recording, and returns what was seen there.
func drive(t *testing.T, c *world, rows []traceRow) (log []string, sizes map[string]int32) {
	t.Helper()
	var step int32
	var state rollout.StepState
	var phase rollout.RolloutPhase
	for _, row := range rows {
		if row.Deployment != nil {
			sizes = row.Deployment.ReplicaSets
		}
		if ro := row.Rollout; ro != nil {
			phase = ro.Phase
			if ro.State != "" && (ro.Step != step || ro.State != state) {
				step, state = ro.Step, ro.State
				log = append(log, fmt.Sprintf("%d:%s", step, state))
			}
		}
		if row.Action == "" {
			continue
		}
		if step > 0 && phase == rollout.PhaseProgressing {
			c.run(c.at(step, state), false)
		} else {
			c.run(func() bool { return c.r.Status.Sub != nil }, false)
		}
		switch action := row.Action; {
		case strings.HasPrefix(action, "template "):
			c.update(strings.TrimPrefix(action, "template "))
			c.run(c.phase(rollout.PhaseProgressing), false)
		case action == "approve":
			c.r.Status.Sub.CurrentStepState = rollout.StateReady
		case action == "disable rollout":
			c.r.Disabled = true
		case action == "nextStepIndex=3":
			c.r.Status.Sub.NextStepIndex = 3
		default:
			t.Fatalf("unknown action %q", action)
		}
	}
	if phase == rollout.PhaseProgressing { // the recording stops in the middle
		c.run(c.at(step, state), false)
	} else {
		c.run(c.phase(phase), false)
	}
	return log, sizes
}
