// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A pause and the threshold are no change of the plan; all else is.
func TestStrategyHashIgnores(t *testing.T) {
	base := func() kruise.Rollout {
		return partitioned(deployment, step(rollout.Percent(20), 60), step(rollout.Percent(100), -1))
	}
	for _, c := range []struct {
		why    string
		change func(s *kruise.Strategy)
		same   bool
	}{
		{"a pause", func(s *kruise.Strategy) { s.Steps[0].Pause.Duration = ptr.To(int32(1)) }, true},
		{"a pause without end", func(s *kruise.Strategy) { s.Steps[0].Pause = kruise.Pause{} }, true},
		{"the threshold", func(s *kruise.Strategy) { s.FailureThreshold = rollout.Int(3) }, true},
		{"replicas", func(s *kruise.Strategy) { s.Steps[0].Replicas = rollout.Percent(21) }, false},
		{"traffic", func(s *kruise.Strategy) { s.Steps[0].Traffic = rollout.Percent(20) }, false},
		{"matches", func(s *kruise.Strategy) { s.Steps[0].Matches = []traffic.Match{{}} }, false},
		{"routings", func(s *kruise.Strategy) { s.TrafficRoutings = routings(1) }, false},
		{"the style", func(s *kruise.Strategy) { s.EnableExtraWorkloadForCanary = true }, false},
		{"the canary Service", func(s *kruise.Strategy) { s.DisableGenerateCanaryService = true }, false},
		{"the TrafficRouting", func(s *kruise.Strategy) { s.TrafficRoutingRef = "x" }, false},
		{"metadata", func(s *kruise.Strategy) { s.PatchPodTemplateMetadata = &workload.TemplateMetadata{} }, false},
	} {
		r := base()
		c.change(r.Canary)
		require.Equal(t, c.same, kruise.StrategyHash(base()) == kruise.StrategyHash(r), c.why)
	}
}

// The next phase.
func TestPhases(t *testing.T) {
	for _, c := range []struct {
		why     string
		phase   kruise.Phase
		change  func(s *kruise.Snapshot)
		want    kruise.Phase
		message string
	}{
		{"new", "", func(s *kruise.Snapshot) {}, kruise.PhaseHealthy, "rollout is healthy"},
		{"initial", kruise.PhaseInitial, func(s *kruise.Snapshot) {}, kruise.PhaseHealthy, "rollout is healthy"},
		{"a release", kruise.PhaseHealthy, func(s *kruise.Snapshot) {}, kruise.PhaseProgressing, ""},
		{"none, and nothing is known", kruise.PhaseHealthy, func(s *kruise.Snapshot) { s.Workload.InProgress, s.Rollout.Status.Sub = false, nil }, kruise.PhaseHealthy, "workload deployment is completed"},
		{"disabled", kruise.PhaseHealthy, func(s *kruise.Snapshot) { s.Rollout.Disabled = true }, kruise.PhaseDisabled, "Rollout is disabled"},
		{"disabled in the middle", kruise.PhaseProgressing, func(s *kruise.Snapshot) { s.Rollout.Disabled = true }, kruise.PhaseDisabling, "Disabling rollout, release resources"},
		{"enabled again", kruise.PhaseDisabled, func(s *kruise.Snapshot) {}, kruise.PhaseHealthy, "rollout is healthy"},
		{"deleted", kruise.PhaseProgressing, func(s *kruise.Snapshot) { s.Rollout.DeletionTimestamp = now }, kruise.PhaseTerminating, ""},
		{"deleted and disabled", kruise.PhaseDisabled, func(s *kruise.Snapshot) { s.Rollout.Disabled, s.Rollout.DeletionTimestamp = true, now }, kruise.PhaseTerminating, ""},
		{"the workload is gone", kruise.PhaseProgressing, func(s *kruise.Snapshot) { s.Workload = nil }, kruise.PhaseInitial, "Workload Not Found"},
		{"the workload is gone, disabled", kruise.PhaseDisabled, func(s *kruise.Snapshot) { s.Workload, s.Rollout.Disabled = nil, true }, kruise.PhaseDisabled, ""},
		{"an unknown phase stays", "Odd", func(s *kruise.Snapshot) {}, "Odd", ""},
	} {
		s := begun(kruise.StateMetricsAnalysis, twoSteps())
		s.Rollout.Generation, s.Rollout.Status.Phase = 7, c.phase
		c.change(&s)
		p := reconcile(t, s, kruise.Options{})
		require.Equal(t, c.want, p.Status.Phase, c.why)
		if c.message != "" {
			require.Equal(t, c.message, p.Status.Message, c.why)
		}
		require.Equal(t, int64(7), p.Status.ObservedGeneration, c.why)
	}
	s := begun(kruise.StatePaused, twoSteps())
	s.Rollout.Status = kruise.Status{Phase: kruise.PhaseHealthy}
	s.Workload.InProgress = false
	sub := reconcile(t, s, kruise.Options{}).Status.Sub
	require.Equal(t, []any{int32(2), int32(-1), kruise.StateCompleted, "label", "v1", "v2"},
		[]any{sub.CurrentStepIndex, sub.NextStepIndex, sub.CurrentStepState, sub.ObservedRolloutID, sub.StableRevision, sub.Revision}, "as if completed")
	s.Rollout.Status.Conditions = []kplan.Condition{{Type: workload.ConditionSucceeded, Status: "True"}}
	s.Workload.InProgress = true
	require.Equal(t, []kplan.Condition{{
		Type: workload.ConditionProgressing, Status: "True", Reason: kruise.ProgressInitializing, Message: "Rollout is in Progressing", LastUpdateTime: now, LastTransitionTime: now,
	}}, reconcile(t, s, kruise.Options{}).Status.Conditions, "Succeeded is removed")
}

// The reasons of the condition Progressing.
func TestProgressReasons(t *testing.T) {
	of := func(why string, change func(s *kruise.Snapshot)) kruise.Plan {
		s := begun(kruise.StatePaused, twoSteps())
		s.Rollout.Status.Conditions[0].Reason = why
		if change != nil {
			change(&s)
		}
		return reconcile(t, s, kruise.Options{})
	}
	reasonOf := func(p kruise.Plan) string { return conditionOf(p.Status, workload.ConditionProgressing).Reason }
	since := func(d time.Duration) func(s *kruise.Snapshot) {
		return func(s *kruise.Snapshot) { s.Rollout.Status.Conditions[0].LastUpdateTime = now.Add(-d) }
	}
	p := of(kruise.ProgressInitializing, since(3*time.Second-1))
	require.Equal(t, kruise.ProgressInitializing, reasonOf(p))
	require.Equal(t, now.Add(3*time.Second), p.RecheckAt)
	require.Equal(t, []any{int32(1), int32(2), kruise.StateBeforeUpgrade}, []any{p.Status.Sub.CurrentStepIndex, p.Status.Sub.NextStepIndex, p.Status.Sub.CurrentStepState})
	p = of(kruise.ProgressInitializing, since(3*time.Second))
	require.Equal(t, []string{kruise.ProgressInRolling, "Rollout is in Progressing"}, []string{reasonOf(p), p.Status.Message})
	p = of(kruise.ProgressPaused, nil)
	require.Equal(t, kruise.ProgressInRolling, reasonOf(p))
	c := conditionOf(p.Status, workload.ConditionProgressing)
	require.Equal(t, "m", c.Message, "the message is kept")
	require.Equal(t, begun("", twoSteps()).Rollout.Status.Conditions[0].LastUpdateTime, c.LastUpdateTime, "so is the time")
	require.Equal(t, kruise.ProgressPaused, reasonOf(of(kruise.ProgressPaused, func(s *kruise.Snapshot) { s.Rollout.Paused = true })))
	require.Equal(t, kruise.PhaseHealthy, of(kruise.ProgressCompleted, nil).Status.Phase)
	require.Equal(t, "Odd", reasonOf(of("Odd", nil)), "an unknown reason stays")
	for why, want := range map[string][2]string{
		kruise.ProgressFinalising: {"Rollout progressing has been completed", "True"}, kruise.ProgressCancelling: {"Rollout progressing has been canceled", "False"},
	} {
		p = of(why, func(s *kruise.Snapshot) { s.Rollout.Status.Sub.FinalisingStep = kruise.FinalEnd })
		c := conditionOf(p.Status, workload.ConditionProgressing)
		require.Equal(t, []string{"False", kruise.ProgressCompleted, want[0]}, []string{string(c.Status), c.Reason, c.Message})
		require.Equal(t, want[1], string(conditionOf(p.Status, workload.ConditionSucceeded).Status))
		require.Equal(t, workload.ConditionProgressing, p.Status.Conditions[0].Type, "what changed is behind")
		require.Equal(t, now.Add(3*time.Second), of(why, nil).RecheckAt)
	}
}

// The special cases, of which the first counts.
func TestSpecialCases(t *testing.T) {
	back := func(s *kruise.Snapshot) { s.Workload.InRollback, s.Workload.CanaryRevision = true, "v1" }
	other := func(s *kruise.Snapshot) { s.Workload.CanaryRevision = "v3" }
	paused := func(s *kruise.Snapshot) { s.Rollout.Paused = true }
	replanned := func(s *kruise.Snapshot) { s.Rollout.Status.Sub.RolloutHash = "x" }
	inBatches := func(s *kruise.Snapshot) {
		s.Rollout.WorkloadRef = statefulSet
		s.Rollout.Annotations[workload.AnnotationRollbackInBatch] = "true"
	}
	done := func(s *kruise.Snapshot) { s.Rollout.Status.Sub.CurrentStepState = kruise.StateCompleted }
	for _, c := range []struct {
		why     string
		changes []func(s *kruise.Snapshot)
		reason  string
		step    int32
		state   kruise.StepState
	}{
		{"rollback", []func(s *kruise.Snapshot){back}, kruise.ProgressCancelling, 2, kruise.StatePaused},
		{"rollback before paused and changed steps", []func(s *kruise.Snapshot){back, paused, replanned}, kruise.ProgressCancelling, 2, kruise.StatePaused},
		{"rollback: a Deployment is never rolled back in batches", []func(s *kruise.Snapshot){back, func(s *kruise.Snapshot) { s.Rollout.Annotations[workload.AnnotationRollbackInBatch] = "true" }}, kruise.ProgressCancelling, 2, kruise.StatePaused},
		{"rollback: nor with traffic", []func(s *kruise.Snapshot){back, inBatches, func(s *kruise.Snapshot) { s.Rollout.Canary.TrafficRoutings = routings(1) }}, kruise.ProgressCancelling, 2, kruise.StatePaused},
		{"rollback: nor unless it says true", []func(s *kruise.Snapshot){back, inBatches, func(s *kruise.Snapshot) { s.Rollout.Annotations[workload.AnnotationRollbackInBatch] = "True" }}, kruise.ProgressCancelling, 2, kruise.StatePaused},
		{"paused", []func(s *kruise.Snapshot){paused}, kruise.ProgressPaused, 2, kruise.StatePaused},
		{"paused before rollback in batches", []func(s *kruise.Snapshot){back, inBatches, paused}, kruise.ProgressPaused, 2, kruise.StatePaused},
		{"paused before another template", []func(s *kruise.Snapshot){other, paused}, kruise.ProgressPaused, 2, kruise.StatePaused},
		{"rollback in batches", []func(s *kruise.Snapshot){back, inBatches}, kruise.ProgressInRolling, 1, kruise.StateBeforeUpgrade},
		{"rollback in batches: by its label", []func(s *kruise.Snapshot){back, inBatches, func(s *kruise.Snapshot) {
			s.Rollout.WorkloadRef = kruiseSet
			s.Workload.Labels[workload.LabelWorkloadType] = "StatefulSet"
		}}, kruise.ProgressInRolling, 1, kruise.StateBeforeUpgrade},
		{"another template", []func(s *kruise.Snapshot){other}, kruise.ProgressInitializing, 0, ""},
		{"another template before changed steps", []func(s *kruise.Snapshot){other, replanned}, kruise.ProgressInitializing, 0, ""},
		{"changed steps", []func(s *kruise.Snapshot){replanned}, kruise.ProgressInRolling, 1, kruise.StateTrafficRouting},
		{"changed steps beforethe end", []func(s *kruise.Snapshot){replanned, done}, kruise.ProgressInRolling, 1, kruise.StateTrafficRouting},
		{"normal: the end", []func(s *kruise.Snapshot){done}, kruise.ProgressFinalising, 2, kruise.StateCompleted},
	} {
		s := begun(kruise.StatePaused, partitioned(deployment, step(rollout.Percent(50), -1), step(rollout.Percent(75), -1)))
		s.Rollout.Status.Sub.CurrentStepIndex, s.Rollout.Status.Sub.NextStepIndex, s.Rollout.Status.Sub.Replicas = 2, -1, 3
		for _, change := range c.changes {
			change(&s)
		}
		p := reconcile(t, s, kruise.Options{})
		require.Equal(t, c.reason, conditionOf(p.Status, workload.ConditionProgressing).Reason, c.why)
		require.Equal(t, c.step, p.Status.CurrentStepIndex, c.why)
		require.Equal(t, c.state, p.Status.CurrentStepState, c.why)
	}
	s := begun(kruise.StatePaused, kruise.Rollout{Name: "web", WorkloadRef: deployment, BlueGreen: twoSteps().Canary})
	other(&s)
	p := reconcile(t, s, kruise.Options{})
	require.Equal(t, "new version releasing detected in the progress of blue-green release, please rollback first", p.Status.Message)
	require.Equal(t, "m", conditionOf(p.Status, workload.ConditionProgressing).Message)
	require.Zero(t, p.RecheckAt)
}

// The state machine without traffic, jumps and states that nobody knows.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		why           string
		state         kruise.StepState
		current, next int32
		step, after   int32
		want          kruise.StepState
	}{
		{"just moved on", kruise.StateBeforeUpgrade, 1, 2, 1, 2, kruise.StateUpgrade},
		{"no analysis", kruise.StateMetricsAnalysis, 1, 2, 1, 2, kruise.StatePaused},
		{"approved", kruise.StateReady, 1, 2, 2, 3, kruise.StateBeforeUpgrade},
		{"approved, last", kruise.StateReady, 3, -1, 3, -1, kruise.StateCompleted},
		{"waits", kruise.StatePaused, 1, 2, 1, 2, kruise.StatePaused},
		{"jump ahead", kruise.StatePaused, 1, 3, 3, -1, kruise.StateBeforeUpgrade},
		{"jump back to pods that are there", kruise.StatePaused, 2, 1, 1, 2, kruise.StateTrafficRouting},
		{"jump to itself", kruise.StatePaused, 2, 2, 2, 3, kruise.StateBeforeUpgrade},
		{"no step: ignored", kruise.StatePaused, 1, 0, 1, 0, kruise.StatePaused},
		{"no step: ignored", kruise.StatePaused, 1, 4, 1, 4, kruise.StatePaused},
		{"no step: ignored", kruise.StatePaused, 1, -5, 1, -5, kruise.StatePaused},
		{"an unknown state is stuck", "Odd", 1, 2, 1, 2, "Odd"},
		{"so is none", "", 1, 2, 1, 2, ""},
	} {
		s := begun(c.state, partitioned(deployment, step(rollout.Percent(20), -1), step(rollout.Percent(50), -1), step(rollout.Percent(100), -1)))
		sub := s.Rollout.Status.Sub
		sub.CurrentStepIndex, sub.NextStepIndex, sub.Replicas = c.current, c.next, 2
		p := reconcile(t, s, kruise.Options{})
		require.Equal(t, []any{c.step, c.after, c.want}, []any{p.Status.Sub.CurrentStepIndex, p.Status.Sub.NextStepIndex, p.Status.Sub.CurrentStepState}, c.why)
		if c.want == "Odd" {
			require.Equal(t, reason.UnknownState, p.Holds[0].Reason)
		}
	}
	s := begun(kruise.StatePaused, twoSteps())
	for _, index := range []int32{0, -1, 9} {
		s.Rollout.Status.Sub.CurrentStepIndex, s.Rollout.Status.Sub.NextStepIndex = index, kruise.NextStep(2, index)
		if index == 9 {
			require.Contains(t, reconcile(t, s, kruise.Options{}).Failure, "step 9 does not exist")
			continue
		}
		reconcile(t, s, kruise.Options{})
	}
	s = begun(kruise.StateUpgrade, twoSteps())
	s.BatchRelease = &batchrelease.Release{Name: "web", Status: batchrelease.Status{ObservedRolloutID: "id", Message: "x", Current: batchrelease.CurrentBatch{BatchState: batchrelease.StateVerifying, UpdatedReplicas: 2, UpdatedReadyReplicas: 1}}}
	p := reconcile(t, s, kruise.Options{})
	require.Equal(t, "BatchRelease is at state Verifying, rollout-id id, step 1, x", p.Status.Sub.Message)
	require.Equal(t, []int32{2, 1}, []int32{p.Status.Sub.Replicas, p.Status.Sub.ReadyReplicas})
	require.Contains(t, p.String(), "Patched batch release web (RolloutID)", "5.6 a")
}

// Pauses.
func TestPauses(t *testing.T) {
	green := func(r kruise.Rollout) kruise.Rollout { r.BlueGreen, r.Canary = r.Canary, nil; return r }
	all := partitioned(deployment, step(rollout.Percent(50), 60), step(rollout.Percent(100), 300))
	manual := partitioned(deployment, step(rollout.Percent(100), -1), step(rollout.Int(6), -1))
	number := partitioned(deployment, step(rollout.Percent(100), 5), step(rollout.Int(6), 60))
	for _, c := range []struct {
		why  string
		r    kruise.Rollout
		i    int32
		want kruise.PauseKind
		due  time.Duration
	}{
		{"a duration", all, 1, kruise.PauseTimed, time.Minute}, {"the last step of 100%", all, 2, kruise.PauseNone, 0}, {"which blue-green honours", green(all), 2, kruise.PauseTimed, 300 * time.Second},
		{"100%, but not last", manual, 1, kruise.PauseManual, 0}, {"6 of 6 waits for a person", manual, 2, kruise.PauseManual, 0}, {"6 of 6 pauses", number, 2, kruise.PauseTimed, time.Minute},
		{"no such step", all, 3, kruise.PauseNone, 0}, {"no such step", all, 0, kruise.PauseNone, 0},
	} {
		kind, due := kruise.PauseOf(c.r, c.i, now, 0)
		require.Equal(t, c.want, kind, c.why)
		if c.due > 0 {
			require.Equal(t, now.Add(c.due), due, c.why)
		}
	}
	s := begun(kruise.StatePaused, partitioned(deployment, step(rollout.Percent(50), 60), step(rollout.Percent(75), -1)))
	for _, c := range []struct {
		age  time.Duration
		want kruise.StepState
	}{{60*time.Second - 1, kruise.StatePaused}, {60 * time.Second, kruise.StatePaused}, {60*time.Second + 1, kruise.StateReady}} {
		s.Rollout.Status.Sub.LastUpdateTime = now.Add(-c.age)
		p := reconcile(t, s, kruise.Options{})
		require.Equal(t, c.want, p.Status.CurrentStepState, "strictly before now")
		require.Equal(t, "Rollout is in step(1/2), and wait duration(60 seconds) to enter the next step", p.Status.Message)
	}
	s.Rollout.Status.Sub.CurrentStepIndex, s.Rollout.Status.Sub.NextStepIndex = 2, -1
	require.Equal(t, "Rollout is in step(2/2), and you need manually confirm to enter the next step", reconcile(t, s, kruise.Options{}).Status.Message)
}

// The two examples, with 10 replicas and a BatchRelease at 50%.
func TestRecalculate(t *testing.T) {
	br := release(workload.Partition, rollout.Percent(20), rollout.Percent(50), rollout.Percent(100))
	br.ReleasePlan.BatchPartition = ptr.To(int32(1))
	br.Status.Current.UpdatedReplicas = 5
	for _, c := range []struct {
		middle rollout.IntOrPercent
		step   int32
		state  kruise.StepState
		next   int32
	}{{rollout.Percent(50), 2, kruise.StateTrafficRouting, 3}, {rollout.Percent(40), 2, kruise.StateReady, 3}} {
		s := begun(kruise.StatePaused, partitioned(deployment, step(rollout.Percent(20), -1), step(c.middle, -1), step(rollout.Percent(100), -1)))
		s.Workload.Replicas, s.BatchRelease = 10, &br
		sub := s.Rollout.Status.Sub
		sub.CurrentStepIndex, sub.NextStepIndex, sub.RolloutHash, sub.Replicas = 2, 3, "x", 5
		p := reconcile(t, s, kruise.Options{})
		require.Equal(t, []any{c.step, c.next, c.state}, []any{p.Status.Sub.CurrentStepIndex, p.Status.Sub.NextStepIndex, p.Status.Sub.CurrentStepState}, c.middle)
		require.Equal(t, kruise.StrategyHash(s.Rollout), p.Status.Sub.RolloutHash)
		s.BatchRelease = nil
		require.Equal(t, int32(1), reconcile(t, s, kruise.Options{}).Status.Sub.CurrentStepIndex, "no BatchRelease: the first step")
	}
	br.ReleasePlan.BatchPartition = ptr.To(int32(len(br.ReleasePlan.Batches)))
	require.Equal(t, int32(1), kruise.RecalculateStep([]kruise.Step{step(rollout.Percent(20), 0)}, &br, 10, 1), "a batch that is none has released nothing")
	br.ReleasePlan.BatchPartition = nil
	require.Equal(t, int32(1), kruise.RecalculateStep([]kruise.Step{step(rollout.Percent(20), 0)}, &br, 10, 1), "where upstream crashes")
}

// The sequences, and closing steps that nobody knows.
func TestClosing(t *testing.T) {
	canary := []kruise.FinalisingStep{kruise.FinalRestoreStable, kruise.FinalRouteToStable, kruise.FinalRemoveCanary, kruise.FinalResume, kruise.FinalRelease, kruise.FinalEnd}
	for _, c := range []struct {
		style   workload.Style
		reasons []kruise.ClosingReason
		want    []kruise.FinalisingStep
	}{
		{workload.Partition, []kruise.ClosingReason{kruise.ClosingRollback}, []kruise.FinalisingStep{"FinalisingStepRouteTrafficToStable", "ResumeWorkload", "ReleaseWorkloadControl", "RestoreStableService", "RemoveCanaryService", "END"}},
		{workload.Canary, []kruise.ClosingReason{kruise.ClosingSuccess, kruise.ClosingDisabled, kruise.ClosingDeleting}, canary},
		{workload.BlueGreen, []kruise.ClosingReason{kruise.ClosingSuccess}, []kruise.FinalisingStep{"FinalisingStepRouteTrafficToNew", "RestoreStableService", "ResumeWorkload", "FinalisingStepRouteTrafficToStable", "RemoveCanaryService", "ReleaseWorkloadControl", "END"}},
		{workload.BlueGreen, []kruise.ClosingReason{kruise.ClosingRollback}, []kruise.FinalisingStep{"FinalisingStepRouteTrafficToStable", "ResumeWorkload", "RestoreStableService", "RemoveCanaryService", "ReleaseWorkloadControl", "END"}},
		{workload.BlueGreen, []kruise.ClosingReason{kruise.ClosingDisabled, kruise.ClosingDeleting}, canary},
	} {
		for _, why := range c.reasons {
			require.Equal(t, c.want, kruise.ClosingSequence(c.style, why), "%s %s", c.style, why)
		}
	}
	at := func(r kruise.Rollout, step kruise.FinalisingStep, br *batchrelease.Release) kruise.Plan {
		s := begun(kruise.StatePaused, r)
		s.Rollout.Status.Conditions[0].Reason, s.Rollout.Status.Sub.FinalisingStep, s.BatchRelease = kruise.ProgressFinalising, step, br
		return reconcile(t, s, kruise.Options{})
	}
	green := kruise.Rollout{Name: "web", WorkloadRef: deployment, BlueGreen: twoSteps().Canary}
	require.Equal(t, kruise.FinalRestoreStable, at(twoSteps(), "Odd", nil).Status.Sub.FinalisingStep, "begun anew")
	require.Equal(t, kruise.FinalRestoreStable, at(twoSteps(), kruise.FinalEndless, nil).Status.Sub.FinalisingStep, "canary does not know it")
	require.NotEmpty(t, at(green, kruise.FinalEndless, nil).Failure)
	require.Equal(t, kruise.FinalRouteToStable, at(twoSteps(), kruise.FinalRestoreStable, nil).Status.Sub.FinalisingStep, "one step in a pass")

	// Resuming: gone, completed, being finalised, and not begun.
	completed, waiting, fresh := release(workload.Partition), release(workload.Partition), release(workload.Partition)
	completed.ReleasePlan.BatchPartition, completed.Status.Phase = nil, batchrelease.PhaseCompleted
	waiting.ReleasePlan.BatchPartition, waiting.ReleasePlan.FinalizingPolicy = nil, batchrelease.WaitResume
	for _, c := range []struct {
		why  string
		br   *batchrelease.Release
		want kruise.FinalisingStep
		text string
	}{
		{"gone", nil, kruise.FinalRelease, ""}, {"completed", &completed, kruise.FinalRelease, ""},
		{"being finalised", &waiting, kruise.FinalResume, "ReleaseFinalizing"}, {"not begun", &fresh, kruise.FinalResume, "Patched batch release web (Closing)"},
	} {
		p := at(twoSteps(), kruise.FinalResume, c.br)
		require.Equal(t, c.want, p.Status.Sub.FinalisingStep, c.why)
		require.Contains(t, p.String(), c.text, c.why)
	}
	require.NotContains(t, at(twoSteps(), kruise.FinalResume, &waiting).String(), "Patched batch release", "it has been asked for")
	waiting.ReleasePlan.FinalizingPolicy = batchrelease.Immediate
	require.Contains(t, at(twoSteps(), kruise.FinalResume, &waiting).String(), "Patched batch release", "it is not to wait, and now is")
	p := at(twoSteps(), kruise.FinalResume, &fresh)
	require.Contains(t, p.Actions, kruise.Action(kruise.PatchBatchRelease{Name: "web", UID: "b", Finalize: batchrelease.WaitResume, Reason: reason.Closing}))
}
