package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

// A pause and the threshold are no change of the plan; all else is.
func TestStrategyHashIgnores(t *testing.T) {
	base := func() rollout.Rollout {
		return partitioned(deployment, step(rollout.Percent(20), 60), step(rollout.Percent(100), -1))
	}
	for _, c := range []struct {
		why    string
		change func(s *rollout.Strategy)
		same   bool
	}{
		{"a pause", func(s *rollout.Strategy) { s.Steps[0].Pause.Duration = new(int32(1)) }, true},
		{"a pause without end", func(s *rollout.Strategy) { s.Steps[0].Pause = rollout.Pause{} }, true},
		{"the threshold", func(s *rollout.Strategy) { s.FailureThreshold = rollout.Int(3) }, true},
		{"replicas", func(s *rollout.Strategy) { s.Steps[0].Replicas = rollout.Percent(21) }, false},
		{"traffic", func(s *rollout.Strategy) { s.Steps[0].Traffic = rollout.Percent(20) }, false},
		{"matches", func(s *rollout.Strategy) { s.Steps[0].Matches = []rollout.Match{{}} }, false},
		{"routings", func(s *rollout.Strategy) { s.TrafficRoutings = routings(1) }, false},
		{"the style", func(s *rollout.Strategy) { s.EnableExtraWorkloadForCanary = true }, false},
		{"the canary Service", func(s *rollout.Strategy) { s.DisableGenerateCanaryService = true }, false},
		{"the TrafficRouting", func(s *rollout.Strategy) { s.TrafficRoutingRef = "x" }, false},
		{"metadata", func(s *rollout.Strategy) { s.PatchPodTemplateMetadata = &rollout.TemplateMetadata{} }, false},
	} {
		r := base()
		c.change(r.Canary)
		require.Equal(t, c.same, rollout.StrategyHash(base()) == rollout.StrategyHash(r), c.why)
	}
}

// The next phase.
func TestPhases(t *testing.T) {
	for _, c := range []struct {
		why     string
		phase   rollout.RolloutPhase
		change  func(s *rollout.Snapshot)
		want    rollout.RolloutPhase
		message string
	}{
		{"new", "", func(s *rollout.Snapshot) {}, rollout.PhaseHealthy, "rollout is healthy"},
		{"initial", rollout.PhaseInitial, func(s *rollout.Snapshot) {}, rollout.PhaseHealthy, "rollout is healthy"},
		{"a release", rollout.PhaseHealthy, func(s *rollout.Snapshot) {}, rollout.PhaseProgressing, ""},
		{"none, and nothing is known", rollout.PhaseHealthy, func(s *rollout.Snapshot) { s.Workload.InProgress, s.Rollout.Status.Sub = false, nil }, rollout.PhaseHealthy, "workload deployment is completed"},
		{"disabled", rollout.PhaseHealthy, func(s *rollout.Snapshot) { s.Rollout.Disabled = true }, rollout.PhaseDisabled, "Rollout is disabled"},
		{"disabled in the middle", rollout.PhaseProgressing, func(s *rollout.Snapshot) { s.Rollout.Disabled = true }, rollout.PhaseDisabling, "Disabling rollout, release resources"},
		{"enabled again", rollout.PhaseDisabled, func(s *rollout.Snapshot) {}, rollout.PhaseHealthy, "rollout is healthy"},
		{"deleted", rollout.PhaseProgressing, func(s *rollout.Snapshot) { s.Rollout.DeletionTimestamp = now }, rollout.PhaseTerminating, ""},
		{"deleted and disabled", rollout.PhaseDisabled, func(s *rollout.Snapshot) { s.Rollout.Disabled, s.Rollout.DeletionTimestamp = true, now }, rollout.PhaseTerminating, ""},
		{"the workload is gone", rollout.PhaseProgressing, func(s *rollout.Snapshot) { s.Workload = nil }, rollout.PhaseInitial, "Workload Not Found"},
		{"the workload is gone, disabled", rollout.PhaseDisabled, func(s *rollout.Snapshot) { s.Workload, s.Rollout.Disabled = nil, true }, rollout.PhaseDisabled, ""},
		{"an unknown phase stays", "Odd", func(s *rollout.Snapshot) {}, "Odd", ""},
	} {
		s := begun(rollout.StateMetricsAnalysis, twoSteps())
		s.Rollout.Generation, s.Rollout.Status.Phase = 7, c.phase
		c.change(&s)
		p := reconcile(t, s, rollout.Options{})
		require.Equal(t, c.want, p.Status.Phase, c.why)
		if c.message != "" {
			require.Equal(t, c.message, p.Status.Message, c.why)
		}
		require.Equal(t, int64(7), p.Status.ObservedGeneration, c.why)
	}
	s := begun(rollout.StatePaused, twoSteps())
	s.Rollout.Status = rollout.RolloutStatus{Phase: rollout.PhaseHealthy}
	s.Workload.InProgress = false
	sub := reconcile(t, s, rollout.Options{}).Status.Sub
	require.Equal(t, []any{int32(2), int32(-1), rollout.StateCompleted, "label", "v1", "v2"},
		[]any{sub.CurrentStepIndex, sub.NextStepIndex, sub.CurrentStepState, sub.ObservedRolloutID, sub.StableRevision, sub.Revision}, "as if completed")
	s.Rollout.Status.Conditions = []rollout.Condition{{Type: rollout.ConditionSucceeded, Status: "True"}}
	s.Workload.InProgress = true
	require.Equal(t, []rollout.Condition{{
		Type: rollout.ConditionProgressing, Status: "True", Reason: rollout.ProgressInitializing, Message: "Rollout is in Progressing", LastUpdateTime: now, LastTransitionTime: now,
	}}, reconcile(t, s, rollout.Options{}).Status.Conditions, "Succeeded is removed")
}

// The reasons of the condition Progressing.
func TestProgressReasons(t *testing.T) {
	of := func(reason string, change func(s *rollout.Snapshot)) rollout.Plan {
		s := begun(rollout.StatePaused, twoSteps())
		s.Rollout.Status.Conditions[0].Reason = reason
		if change != nil {
			change(&s)
		}
		return reconcile(t, s, rollout.Options{})
	}
	reasonOf := func(p rollout.Plan) string { return conditionOf(p.Status, rollout.ConditionProgressing).Reason }
	since := func(d time.Duration) func(s *rollout.Snapshot) {
		return func(s *rollout.Snapshot) { s.Rollout.Status.Conditions[0].LastUpdateTime = now.Add(-d) }
	}
	p := of(rollout.ProgressInitializing, since(3*time.Second-1))
	require.Equal(t, rollout.ProgressInitializing, reasonOf(p))
	require.Equal(t, now.Add(3*time.Second), p.RecheckAt)
	require.Equal(t, []any{int32(1), int32(2), rollout.StateBeforeUpgrade}, []any{p.Status.Sub.CurrentStepIndex, p.Status.Sub.NextStepIndex, p.Status.Sub.CurrentStepState})
	p = of(rollout.ProgressInitializing, since(3*time.Second))
	require.Equal(t, []string{rollout.ProgressInRolling, "Rollout is in Progressing"}, []string{reasonOf(p), p.Status.Message})
	p = of(rollout.ProgressPaused, nil)
	require.Equal(t, rollout.ProgressInRolling, reasonOf(p))
	c := conditionOf(p.Status, rollout.ConditionProgressing)
	require.Equal(t, "m", c.Message, "the message is kept")
	require.Equal(t, begun("", twoSteps()).Rollout.Status.Conditions[0].LastUpdateTime, c.LastUpdateTime, "so is the time")
	require.Equal(t, rollout.ProgressPaused, reasonOf(of(rollout.ProgressPaused, func(s *rollout.Snapshot) { s.Rollout.Paused = true })))
	require.Equal(t, rollout.PhaseHealthy, of(rollout.ProgressCompleted, nil).Status.Phase)
	require.Equal(t, "Odd", reasonOf(of("Odd", nil)), "an unknown reason stays")
	for reason, want := range map[string][2]string{
		rollout.ProgressFinalising: {"Rollout progressing has been completed", "True"}, rollout.ProgressCancelling: {"Rollout progressing has been canceled", "False"},
	} {
		p = of(reason, func(s *rollout.Snapshot) { s.Rollout.Status.Sub.FinalisingStep = rollout.FinalEnd })
		c := conditionOf(p.Status, rollout.ConditionProgressing)
		require.Equal(t, []string{"False", rollout.ProgressCompleted, want[0]}, []string{string(c.Status), c.Reason, c.Message})
		require.Equal(t, want[1], string(conditionOf(p.Status, rollout.ConditionSucceeded).Status))
		require.Equal(t, rollout.ConditionProgressing, p.Status.Conditions[0].Type, "what changed is behind")
		require.Equal(t, now.Add(3*time.Second), of(reason, nil).RecheckAt)
	}
}

// The special cases, of which the first counts.
func TestSpecialCases(t *testing.T) {
	back := func(s *rollout.Snapshot) { s.Workload.InRollback, s.Workload.CanaryRevision = true, "v1" }
	other := func(s *rollout.Snapshot) { s.Workload.CanaryRevision = "v3" }
	paused := func(s *rollout.Snapshot) { s.Rollout.Paused = true }
	replanned := func(s *rollout.Snapshot) { s.Rollout.Status.Sub.RolloutHash = "x" }
	inBatches := func(s *rollout.Snapshot) {
		s.Rollout.WorkloadRef = statefulSet
		s.Rollout.Annotations[rollout.AnnotationRollbackInBatch] = "true"
	}
	done := func(s *rollout.Snapshot) { s.Rollout.Status.Sub.CurrentStepState = rollout.StateCompleted }
	for _, c := range []struct {
		why     string
		changes []func(s *rollout.Snapshot)
		reason  string
		step    int32
		state   rollout.StepState
	}{
		{"rollback", []func(s *rollout.Snapshot){back}, rollout.ProgressCancelling, 2, rollout.StatePaused},
		{"rollback before paused and changed steps", []func(s *rollout.Snapshot){back, paused, replanned}, rollout.ProgressCancelling, 2, rollout.StatePaused},
		{"rollback: a Deployment is never rolled back in batches", []func(s *rollout.Snapshot){back, func(s *rollout.Snapshot) { s.Rollout.Annotations[rollout.AnnotationRollbackInBatch] = "true" }}, rollout.ProgressCancelling, 2, rollout.StatePaused},
		{"rollback: nor with traffic", []func(s *rollout.Snapshot){back, inBatches, func(s *rollout.Snapshot) { s.Rollout.Canary.TrafficRoutings = routings(1) }}, rollout.ProgressCancelling, 2, rollout.StatePaused},
		{"rollback: nor unless it says true", []func(s *rollout.Snapshot){back, inBatches, func(s *rollout.Snapshot) { s.Rollout.Annotations[rollout.AnnotationRollbackInBatch] = "True" }}, rollout.ProgressCancelling, 2, rollout.StatePaused},
		{"paused", []func(s *rollout.Snapshot){paused}, rollout.ProgressPaused, 2, rollout.StatePaused},
		{"paused before rollback in batches", []func(s *rollout.Snapshot){back, inBatches, paused}, rollout.ProgressPaused, 2, rollout.StatePaused},
		{"paused before another template", []func(s *rollout.Snapshot){other, paused}, rollout.ProgressPaused, 2, rollout.StatePaused},
		{"rollback in batches", []func(s *rollout.Snapshot){back, inBatches}, rollout.ProgressInRolling, 1, rollout.StateBeforeUpgrade},
		{"rollback in batches: by its label", []func(s *rollout.Snapshot){back, inBatches, func(s *rollout.Snapshot) {
			s.Rollout.WorkloadRef = kruiseSet
			s.Workload.Labels[rollout.LabelWorkloadType] = "StatefulSet"
		}}, rollout.ProgressInRolling, 1, rollout.StateBeforeUpgrade},
		{"another template", []func(s *rollout.Snapshot){other}, rollout.ProgressInitializing, 0, ""},
		{"another template before changed steps", []func(s *rollout.Snapshot){other, replanned}, rollout.ProgressInitializing, 0, ""},
		{"changed steps", []func(s *rollout.Snapshot){replanned}, rollout.ProgressInRolling, 1, rollout.StateTrafficRouting},
		{"changed steps beforethe end", []func(s *rollout.Snapshot){replanned, done}, rollout.ProgressInRolling, 1, rollout.StateTrafficRouting},
		{"normal: the end", []func(s *rollout.Snapshot){done}, rollout.ProgressFinalising, 2, rollout.StateCompleted},
	} {
		s := begun(rollout.StatePaused, partitioned(deployment, step(rollout.Percent(50), -1), step(rollout.Percent(75), -1)))
		s.Rollout.Status.Sub.CurrentStepIndex, s.Rollout.Status.Sub.NextStepIndex, s.Rollout.Status.Sub.Replicas = 2, -1, 3
		for _, change := range c.changes {
			change(&s)
		}
		p := reconcile(t, s, rollout.Options{})
		require.Equal(t, c.reason, conditionOf(p.Status, rollout.ConditionProgressing).Reason, c.why)
		require.Equal(t, c.step, p.Status.CurrentStepIndex, c.why)
		require.Equal(t, c.state, p.Status.CurrentStepState, c.why)
	}
	s := begun(rollout.StatePaused, rollout.Rollout{Name: "web", WorkloadRef: deployment, BlueGreen: twoSteps().Canary})
	other(&s)
	p := reconcile(t, s, rollout.Options{})
	require.Equal(t, "new version releasing detected in the progress of blue-green release, please rollback first", p.Status.Message)
	require.Equal(t, "m", conditionOf(p.Status, rollout.ConditionProgressing).Message)
	require.Zero(t, p.RecheckAt)
}

// The state machine without traffic, jumps and states that nobody knows.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		why           string
		state         rollout.StepState
		current, next int32
		step, after   int32
		want          rollout.StepState
	}{
		{"just moved on", rollout.StateBeforeUpgrade, 1, 2, 1, 2, rollout.StateUpgrade},
		{"no analysis", rollout.StateMetricsAnalysis, 1, 2, 1, 2, rollout.StatePaused},
		{"approved", rollout.StateReady, 1, 2, 2, 3, rollout.StateBeforeUpgrade},
		{"approved, last", rollout.StateReady, 3, -1, 3, -1, rollout.StateCompleted},
		{"waits", rollout.StatePaused, 1, 2, 1, 2, rollout.StatePaused},
		{"jump ahead", rollout.StatePaused, 1, 3, 3, -1, rollout.StateBeforeUpgrade},
		{"jump back to pods that are there", rollout.StatePaused, 2, 1, 1, 2, rollout.StateTrafficRouting},
		{"jump to itself", rollout.StatePaused, 2, 2, 2, 3, rollout.StateBeforeUpgrade},
		{"no step: ignored", rollout.StatePaused, 1, 0, 1, 0, rollout.StatePaused},
		{"no step: ignored", rollout.StatePaused, 1, 4, 1, 4, rollout.StatePaused},
		{"no step: ignored", rollout.StatePaused, 1, -5, 1, -5, rollout.StatePaused},
		{"an unknown state is stuck", "Odd", 1, 2, 1, 2, "Odd"},
		{"so is none", "", 1, 2, 1, 2, ""},
	} {
		s := begun(c.state, partitioned(deployment, step(rollout.Percent(20), -1), step(rollout.Percent(50), -1), step(rollout.Percent(100), -1)))
		sub := s.Rollout.Status.Sub
		sub.CurrentStepIndex, sub.NextStepIndex, sub.Replicas = c.current, c.next, 2
		p := reconcile(t, s, rollout.Options{})
		require.Equal(t, []any{c.step, c.after, c.want}, []any{p.Status.Sub.CurrentStepIndex, p.Status.Sub.NextStepIndex, p.Status.Sub.CurrentStepState}, c.why)
		if c.want == "Odd" {
			require.Equal(t, rollout.ReasonUnknownState, p.Holds[0].Reason)
		}
	}
	s := begun(rollout.StatePaused, twoSteps())
	for _, index := range []int32{0, -1, 9} {
		s.Rollout.Status.Sub.CurrentStepIndex, s.Rollout.Status.Sub.NextStepIndex = index, rollout.NextStep(2, index)
		if index == 9 {
			require.Contains(t, reconcile(t, s, rollout.Options{}).Failure, "step 9 does not exist")
			continue
		}
		reconcile(t, s, rollout.Options{})
	}
	s = begun(rollout.StateUpgrade, twoSteps())
	s.BatchRelease = &rollout.BatchRelease{Name: "web", Status: rollout.BatchStatus{ObservedRolloutID: "id", Message: "x", Current: rollout.CurrentBatch{BatchState: rollout.BatchVerifying, UpdatedReplicas: 2, UpdatedReadyReplicas: 1}}}
	p := reconcile(t, s, rollout.Options{})
	require.Equal(t, "BatchRelease is at state Verifying, rollout-id id, step 1, x", p.Status.Sub.Message)
	require.Equal(t, []int32{2, 1}, []int32{p.Status.Sub.Replicas, p.Status.Sub.ReadyReplicas})
	require.Contains(t, p.String(), "Patched batch release web (RolloutID)", "5.6 a")
}

// Pauses.
func TestPauses(t *testing.T) {
	green := func(r rollout.Rollout) rollout.Rollout { r.BlueGreen, r.Canary = r.Canary, nil; return r }
	all := partitioned(deployment, step(rollout.Percent(50), 60), step(rollout.Percent(100), 300))
	manual := partitioned(deployment, step(rollout.Percent(100), -1), step(rollout.Int(6), -1))
	number := partitioned(deployment, step(rollout.Percent(100), 5), step(rollout.Int(6), 60))
	for _, c := range []struct {
		why  string
		r    rollout.Rollout
		i    int32
		want rollout.PauseKind
		due  time.Duration
	}{
		{"a duration", all, 1, rollout.PauseTimed, time.Minute}, {"the last step of 100%", all, 2, rollout.PauseNone, 0}, {"which blue-green honours", green(all), 2, rollout.PauseTimed, 300 * time.Second},
		{"100%, but not last", manual, 1, rollout.PauseManual, 0}, {"6 of 6 waits for a person", manual, 2, rollout.PauseManual, 0}, {"6 of 6 pauses", number, 2, rollout.PauseTimed, time.Minute},
		{"no such step", all, 3, rollout.PauseNone, 0}, {"no such step", all, 0, rollout.PauseNone, 0},
	} {
		kind, due := rollout.PauseOf(c.r, c.i, now, 0)
		require.Equal(t, c.want, kind, c.why)
		if c.due > 0 {
			require.Equal(t, now.Add(c.due), due, c.why)
		}
	}
	s := begun(rollout.StatePaused, partitioned(deployment, step(rollout.Percent(50), 60), step(rollout.Percent(75), -1)))
	for _, c := range []struct {
		age  time.Duration
		want rollout.StepState
	}{{60*time.Second - 1, rollout.StatePaused}, {60 * time.Second, rollout.StatePaused}, {60*time.Second + 1, rollout.StateReady}} {
		s.Rollout.Status.Sub.LastUpdateTime = now.Add(-c.age)
		p := reconcile(t, s, rollout.Options{})
		require.Equal(t, c.want, p.Status.CurrentStepState, "strictly before now")
		require.Equal(t, "Rollout is in step(1/2), and wait duration(60 seconds) to enter the next step", p.Status.Message)
	}
	s.Rollout.Status.Sub.CurrentStepIndex, s.Rollout.Status.Sub.NextStepIndex = 2, -1
	require.Equal(t, "Rollout is in step(2/2), and you need manually confirm to enter the next step", reconcile(t, s, rollout.Options{}).Status.Message)
}

// The two examples, with 10 replicas and a BatchRelease at 50%.
func TestRecalculate(t *testing.T) {
	br := release(rollout.Partition, rollout.Percent(20), rollout.Percent(50), rollout.Percent(100))
	br.ReleasePlan.BatchPartition = new(int32(1))
	br.Status.Current.UpdatedReplicas = 5
	for _, c := range []struct {
		middle rollout.IntOrPercent
		step   int32
		state  rollout.StepState
		next   int32
	}{{rollout.Percent(50), 2, rollout.StateTrafficRouting, 3}, {rollout.Percent(40), 2, rollout.StateReady, 3}} {
		s := begun(rollout.StatePaused, partitioned(deployment, step(rollout.Percent(20), -1), step(c.middle, -1), step(rollout.Percent(100), -1)))
		s.Workload.Replicas, s.BatchRelease = 10, &br
		sub := s.Rollout.Status.Sub
		sub.CurrentStepIndex, sub.NextStepIndex, sub.RolloutHash, sub.Replicas = 2, 3, "x", 5
		p := reconcile(t, s, rollout.Options{})
		require.Equal(t, []any{c.step, c.next, c.state}, []any{p.Status.Sub.CurrentStepIndex, p.Status.Sub.NextStepIndex, p.Status.Sub.CurrentStepState}, c.middle)
		require.Equal(t, rollout.StrategyHash(s.Rollout), p.Status.Sub.RolloutHash)
		s.BatchRelease = nil
		require.Equal(t, int32(1), reconcile(t, s, rollout.Options{}).Status.Sub.CurrentStepIndex, "no BatchRelease: the first step")
	}
	br.ReleasePlan.BatchPartition = new(int32(len(br.ReleasePlan.Batches)))
	require.Equal(t, int32(1), rollout.RecalculateStep([]rollout.Step{step(rollout.Percent(20), 0)}, &br, 10, 1), "a batch that is none has released nothing")
	br.ReleasePlan.BatchPartition = nil
	require.Equal(t, int32(1), rollout.RecalculateStep([]rollout.Step{step(rollout.Percent(20), 0)}, &br, 10, 1), "where upstream crashes")
}

// The sequences, and closing steps that nobody knows.
func TestClosing(t *testing.T) {
	canary := []rollout.FinalisingStep{rollout.FinalRestoreStable, rollout.FinalRouteToStable, rollout.FinalRemoveCanary, rollout.FinalResume, rollout.FinalRelease, rollout.FinalEnd}
	for _, c := range []struct {
		style   rollout.Style
		reasons []rollout.ClosingReason
		want    []rollout.FinalisingStep
	}{
		{rollout.Partition, []rollout.ClosingReason{rollout.ClosingRollback}, []rollout.FinalisingStep{"FinalisingStepRouteTrafficToStable", "ResumeWorkload", "ReleaseWorkloadControl", "RestoreStableService", "RemoveCanaryService", "END"}},
		{rollout.Canary, []rollout.ClosingReason{rollout.ClosingSuccess, rollout.ClosingDisabled, rollout.ClosingDeleting}, canary},
		{rollout.BlueGreen, []rollout.ClosingReason{rollout.ClosingSuccess}, []rollout.FinalisingStep{"FinalisingStepRouteTrafficToNew", "RestoreStableService", "ResumeWorkload", "FinalisingStepRouteTrafficToStable", "RemoveCanaryService", "ReleaseWorkloadControl", "END"}},
		{rollout.BlueGreen, []rollout.ClosingReason{rollout.ClosingRollback}, []rollout.FinalisingStep{"FinalisingStepRouteTrafficToStable", "ResumeWorkload", "RestoreStableService", "RemoveCanaryService", "ReleaseWorkloadControl", "END"}},
		{rollout.BlueGreen, []rollout.ClosingReason{rollout.ClosingDisabled, rollout.ClosingDeleting}, canary},
	} {
		for _, reason := range c.reasons {
			require.Equal(t, c.want, rollout.ClosingSequence(c.style, reason), "%s %s", c.style, reason)
		}
	}
	at := func(r rollout.Rollout, step rollout.FinalisingStep, br *rollout.BatchRelease) rollout.Plan {
		s := begun(rollout.StatePaused, r)
		s.Rollout.Status.Conditions[0].Reason, s.Rollout.Status.Sub.FinalisingStep, s.BatchRelease = rollout.ProgressFinalising, step, br
		return reconcile(t, s, rollout.Options{})
	}
	green := rollout.Rollout{Name: "web", WorkloadRef: deployment, BlueGreen: twoSteps().Canary}
	require.Equal(t, rollout.FinalRestoreStable, at(twoSteps(), "Odd", nil).Status.Sub.FinalisingStep, "begun anew")
	require.Equal(t, rollout.FinalRestoreStable, at(twoSteps(), rollout.FinalEndless, nil).Status.Sub.FinalisingStep, "canary does not know it")
	require.NotEmpty(t, at(green, rollout.FinalEndless, nil).Failure)
	require.Equal(t, rollout.FinalRouteToStable, at(twoSteps(), rollout.FinalRestoreStable, nil).Status.Sub.FinalisingStep, "one step in a pass")

	// Resuming: gone, completed, being finalised, and not begun.
	completed, waiting, fresh := release(rollout.Partition), release(rollout.Partition), release(rollout.Partition)
	completed.ReleasePlan.BatchPartition, completed.Status.Phase = nil, rollout.BatchCompleted
	waiting.ReleasePlan.BatchPartition, waiting.ReleasePlan.FinalizingPolicy = nil, rollout.WaitResume
	for _, c := range []struct {
		why  string
		br   *rollout.BatchRelease
		want rollout.FinalisingStep
		text string
	}{
		{"gone", nil, rollout.FinalRelease, ""}, {"completed", &completed, rollout.FinalRelease, ""},
		{"being finalised", &waiting, rollout.FinalResume, "ReleaseFinalizing"}, {"not begun", &fresh, rollout.FinalResume, "Patched batch release web (Closing)"},
	} {
		p := at(twoSteps(), rollout.FinalResume, c.br)
		require.Equal(t, c.want, p.Status.Sub.FinalisingStep, c.why)
		require.Contains(t, p.String(), c.text, c.why)
	}
	require.NotContains(t, at(twoSteps(), rollout.FinalResume, &waiting).String(), "Patched batch release", "it has been asked for")
	waiting.ReleasePlan.FinalizingPolicy = rollout.Immediate
	require.Contains(t, at(twoSteps(), rollout.FinalResume, &waiting).String(), "Patched batch release", "it is not to wait, and now is")
	p := at(twoSteps(), rollout.FinalResume, &fresh)
	require.Contains(t, p.Actions, rollout.Action(rollout.PatchBatchRelease{Name: "web", UID: "b", Finalize: rollout.WaitResume, Reason: rollout.ReasonClosing}))
}
