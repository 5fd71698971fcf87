// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

var resumesAbandoned = kruise.Options{Repair: quirk.RollbackLeavesPaused}

// RollbackLeavesPaused: a release goes on as if another template, that was taken back, had never come: the
// partition is not paused, the closing has not begun, and the stable revision is known.
func TestGoOn(t *testing.T) {
	paused := partition.Strategy{RollingStyle: partition.Style, Partition: rollout.Percent(50), Paused: true}
	running := paused
	running.Paused = false
	for _, c := range []struct {
		why, strategy, stable, wantStable string
		resumes                           bool
	}{
		{"paused by admission", paused.Text(), "", "v1", true},
		{"not paused; a stable revision that is known stays", running.Text(), "v0", "v0", false},
		{"not readable", `{"paused":true`, "v1", "v1", false},
	} {
		s := begun(kruise.StatePaused, twoSteps())
		s.Workload.Annotations[partition.AnnotationStrategy] = c.strategy
		s.Rollout.Status.Sub.FinalisingStep, s.Rollout.Status.Sub.StableRevision = kruise.FinalRouteToStable, c.stable
		p := reconcile(t, s, kruise.Options{})
		require.NotContains(t, p.String(), "deployment demo", "upstream leaves it: %s", c.why)
		p = reconcile(t, s, resumesAbandoned)
		require.Equal(t, []any{kruise.FinalisingStep(""), c.wantStable}, []any{p.Status.Sub.FinalisingStep, p.Status.Sub.StableRevision}, c.why)
		patch := workload.Patch{Annotations: map[string]*string{partition.AnnotationStrategy: ptr.To(running.Text())}}
		want := kruise.Action(kruise.PatchWorkload{Workload: deployment, Patch: patch, Reason: reason.Step})
		if c.resumes {
			require.Contains(t, p.Actions, want, c.why)
		} else {
			require.NotContains(t, p.String(), "deployment demo", c.why)
		}
	}
}

// RollbackLeavesPaused: a Rollout that is disabled gives back a BatchRelease of which its status
// does not tell, since it was created by a pass that was cut off.
func TestClosesWhatItDoesNotKnow(t *testing.T) {
	s := begun(kruise.StateUpgrade, twoSteps())
	s.BatchRelease = ptr.To(release(workload.Partition))
	s.Rollout.Disabled, s.Rollout.Status.Phase, s.Rollout.Status.Sub = true, kruise.PhaseDisabling, nil
	delete(s.Workload.Annotations, workload.AnnotationInProgress)
	s.Workload.InProgress = false
	require.Equal(t, kruise.PhaseDisabled, reconcile(t, s, kruise.Options{}).Status.Phase)
	p := reconcile(t, s, resumesAbandoned)
	require.Equal(t, kruise.PhaseDisabling, p.Status.Phase)
	require.NotNil(t, p.Status.Sub)
}

// RollbackLeavesPaused: the closing of a Rollout that is deleted or disabled begins at its first step, even
// where another closing had ended, and begins once.
func TestClosingBegins(t *testing.T) {
	fresh := release(workload.Partition)
	for _, c := range []struct {
		why    string
		change func(s *kruise.Snapshot)
		want   kruise.FinalisingStep
	}{
		{"deleted", func(s *kruise.Snapshot) { s.Rollout.DeletionTimestamp = now }, ""},
		{"disabled", func(s *kruise.Snapshot) { s.Rollout.Disabled = true }, ""},
		{"neither", func(s *kruise.Snapshot) {}, kruise.FinalEnd},
		{"deleted before", func(s *kruise.Snapshot) {
			s.Rollout.DeletionTimestamp, s.Rollout.Status.Phase, s.BatchRelease = now, kruise.PhaseTerminating, &fresh
			s.Rollout.Status.Sub.FinalisingStep = kruise.FinalResume
		}, kruise.FinalResume},
	} {
		s := begun(kruise.StateCompleted, twoSteps())
		s.Rollout.Status.Conditions[0].Reason, s.Rollout.Status.Sub.FinalisingStep = kruise.ProgressFinalising, kruise.FinalEnd
		c.change(&s)
		require.Equal(t, c.want, reconcile(t, s, resumesAbandoned).Status.Sub.FinalisingStep, c.why)
	}
	s := begun(kruise.StateCompleted, twoSteps())
	s.Rollout.DeletionTimestamp, s.Rollout.Status.Sub = now, nil
	require.Nil(t, reconcile(t, s, resumesAbandoned).Status.Sub, "nothing is known of a release")
}

// RollbackLeavesPaused: what is left of a release is closed even if its status is not there yet.
func TestClosingOfWhatIsLeft(t *testing.T) {
	service := func(key string) *traffic.Service {
		return &traffic.Service{Name: "svc", Selector: map[string]string{"app": "web", key: "v1"}}
	}
	for _, c := range []struct {
		why    string
		change func(s *kruise.Snapshot)
		closes bool
	}{
		{"nothing", func(s *kruise.Snapshot) { s.Traffic.Stable = service("other") }, false},
		{"no Service either", func(s *kruise.Snapshot) {}, false},
		{"no workload", func(s *kruise.Snapshot) { s.Workload, s.Traffic.Stable = nil, service(workload.LabelPodTemplateHash) }, false},
		{"a mark", func(s *kruise.Snapshot) { s.Workload.InProgress = true }, true},
		{"a stable revision", func(s *kruise.Snapshot) { s.Workload.Labels[workload.LabelStableRevision] = "v1" }, true},
		{"a Service of one template", func(s *kruise.Snapshot) { s.Traffic.Stable = service(workload.LabelPodTemplateHash) }, true},
		{"a Service of one revision", func(s *kruise.Snapshot) { s.Traffic.Stable = service(workload.LabelControllerRevision) }, true},
	} {
		s := begun("", twoSteps())
		s.Rollout.DeletionTimestamp, s.Workload.InProgress = now, false
		s.Rollout.Status = kruise.Status{Phase: kruise.PhaseTerminating}
		c.change(&s)
		require.Nil(t, reconcile(t, s, kruise.Options{}).Status.Sub, "upstream sees nothing: %s", c.why)
		require.Equal(t, c.closes, reconcile(t, s, resumesAbandoned).Status.Sub != nil, c.why)
	}
	s := begun(kruise.StateCompleted, twoSteps())
	s.Rollout.DeletionTimestamp, s.Rollout.Status.Phase, s.Workload.Consistent = now, kruise.PhaseTerminating, false
	require.Equal(t, "held back: WorkloadInconsistent", reconcile(t, s, resumesAbandoned).String(), "it is not known what is to be given back")
	s.Workload.Consistent = true
	require.NotContains(t, reconcile(t, s, resumesAbandoned).String(), "WorkloadInconsistent")
}

// TrafficLeftBehind: the Service of a workload that is gone is released from the revision that it
// selects, by whichever label.
func TestClosingOfWhatIsGone(t *testing.T) {
	for _, key := range []string{workload.LabelPodTemplateHash, workload.LabelControllerRevision} {
		r := twoSteps()
		r.Canary.TrafficRoutings = routings(1)
		s := begun(kruise.StatePaused, r)
		s.Workload = nil
		s.Traffic.Stable = &traffic.Service{Name: "svc", Selector: map[string]string{"app": "web", key: "v1"}}
		s.Traffic.Route = &traffic.Route{Name: "route", Rules: []traffic.Rule{rule(nil, "svc")}}
		p := reconcile(t, s, kruise.Options{Repair: quirk.TrafficLeftBehind})
		require.Contains(t, p.String(), "Removed "+key+" from the selector of service svc")
		s.Traffic.Stable = nil
		p = reconcile(t, s, kruise.Options{Repair: quirk.TrafficLeftBehind})
		require.NotContains(t, p.String(), "selector")
	}
}

// NextReleaseUnmarked: the mark of another update stays if that one can be released next; a Deployment
// whose stable revision is not known, and that has been given back, does not wait.
func TestClosingKeepsTheMarkOfAnother(t *testing.T) {
	completed, driven := release(workload.Partition), release(workload.Partition)
	completed.ReleasePlan.BatchPartition, completed.Status.Phase = nil, batchrelease.PhaseCompleted
	const untouched, unmarked = "", `{"metadata":{"annotations":{"rollouts.kruise.io/in-progressing":null}}}`
	const unheld = `{"metadata":{"annotations":{"rollouts.kruise.io/in-progressing":null}},"spec":{"paused":false}}`
	for _, c := range []struct {
		why, revision, stable string
		ref                   workload.Ref
		step                  kruise.FinalisingStep
		br                    *batchrelease.Release
		before, after         string
	}{
		{"its own mark", "v2", "", deployment, "", nil, unmarked, unmarked},
		{"another template, released next", "v3", "v2", deployment, "", nil, unmarked, untouched},
		{"a later pass", "v2", "v2", deployment, kruise.FinalResume, nil, unmarked, untouched},
		{"a CloneSet has no such label", "v3", "", cloneSet, "", nil, unmarked, untouched},
		{"another template, given back without a BatchRelease", "v3", "", deployment, "", nil, unmarked, unheld},
		{"given back by it", "v3", "", deployment, "", &completed, unmarked, unheld},
		{"not given back yet", "v3", "", deployment, "", &driven, unmarked, unmarked},
	} {
		s := begun(kruise.StateCompleted, partitioned(c.ref, twoSteps().Canary.Steps...))
		s.Rollout.Status.Conditions[0].Reason, s.Rollout.Status.Sub.FinalisingStep = kruise.ProgressFinalising, c.step
		s.Workload.Ref, s.Workload.CanaryRevision, s.BatchRelease = c.ref, c.revision, c.br
		if c.stable != "" {
			s.Workload.Labels[workload.LabelStableRevision] = c.stable
		}
		for _, o := range []struct {
			quirk.Set
			want string
		}{{0, c.before}, {quirk.NextReleaseUnmarked, c.after}} {
			require.Equal(t, o.want, patched(t, s, kruise.Options{Repair: o.Set}, reason.Closing), "%s, %v", c.why, o.Set)
		}
	}
}

// RollbackLeavesPaused: a Deployment that nobody drives is given back, unless it is another update's.
func TestClosingResumesAbandoned(t *testing.T) {
	driven := release(workload.Partition)
	type change = func(s *kruise.Snapshot)
	for _, c := range []struct {
		why     string
		change  change
		resumes bool
	}{
		{"cancelled", func(s *kruise.Snapshot) {}, true},
		{"completed: its own closing gives it back", func(s *kruise.Snapshot) { s.Rollout.Status.Conditions[0].Reason = kruise.ProgressFinalising }, false},
		{"driven", func(s *kruise.Snapshot) { s.BatchRelease = &driven }, false},
		{"a CloneSet", func(s *kruise.Snapshot) { s.Rollout.WorkloadRef, s.Workload.Ref = cloneSet, cloneSet }, false},
		{"given back", func(s *kruise.Snapshot) { delete(s.Workload.Labels, workload.LabelStableRevision) }, false},
	} {
		s := begun(kruise.StatePaused, twoSteps())
		s.Rollout.Status.Conditions[0].Reason = kruise.ProgressCancelling
		s.Workload.Labels[workload.LabelStableRevision] = "v1"
		c.change(&s)
		require.Equal(t, "", patched(t, s, kruise.Options{}, reason.GiveBack), "upstream leaves it: %s", c.why)
		require.Equal(t, c.resumes, patched(t, s, resumesAbandoned, reason.GiveBack) != "", c.why)
	}
	s := begun(kruise.StatePaused, twoSteps())
	s.Rollout.Status.Conditions[0].Reason = kruise.ProgressCancelling
	s.Workload.Labels[workload.LabelStableRevision] = "v1"
	require.NotContains(t, patched(t, s, resumesAbandoned, reason.GiveBack), "RollingUpdate", "it has its strategy")
	s.Workload.Annotations[partition.AnnotationStrategy] = partition.Strategy{}.Text()
	require.Contains(t, patched(t, s, resumesAbandoned, reason.GiveBack), "RollingUpdate", "its strategy is in the annotation")
	abandon := kruise.Options{Repair: quirk.RollbackLeavesPaused | quirk.DeletionFinishesRelease}
	require.Contains(t, patched(t, s, abandon, reason.GiveBack), `"paused":false`, "a rollback resumes")
	s.Rollout.DeletionTimestamp, s.Rollout.Status.Phase = now, kruise.PhaseTerminating
	require.NotContains(t, patched(t, s, abandon, reason.GiveBack), `"paused":false`, "what is deleted stays as it is")
}

// RollbackLeavesPaused: a BatchRelease that has ended before it saw what it had written leaves a
// Deployment taken over blue-green behind, on which no pod would ever be available.
func TestClosingResumesAbandonedBlueGreen(t *testing.T) {
	r := twoSteps()
	r.BlueGreen, r.Canary = r.Canary, nil
	s := begun(kruise.StatePaused, r)
	s.Rollout.Status.Conditions[0].Reason = kruise.ProgressCancelling
	s.Workload.Labels[workload.LabelStableRevision] = "v1"
	require.NotContains(t, patched(t, s, resumesAbandoned, reason.GiveBack), "minReadySeconds", "it was not taken over")
	s.Workload.Annotations[workload.AnnotationOriginalStrategy] = `{"maxUnavailable":0,"maxSurge":1,"minReadySeconds":5,"progressDeadlineSeconds":600}`
	require.Equal(t, "", patched(t, s, kruise.Options{}, reason.GiveBack), "upstream leaves it")
	for _, given := range []string{`"minReadySeconds":5`, `"progressDeadlineSeconds":600`, `"maxSurge":1`, `"paused":false`, `"rollouts.kruise.io/original-deployment-strategy":null`} {
		require.Contains(t, patched(t, s, resumesAbandoned, reason.GiveBack), given)
	}
}

// patched returns the patch of the workload for a reason.
func patched(t *testing.T, s kruise.Snapshot, o kruise.Options, reason kplan.Reason) string {
	t.Helper()
	for _, a := range reconcile(t, s, o).Actions {
		if a, ok := a.(kruise.PatchWorkload); ok && a.Reason == reason {
			return a.Patch.Body(a.Workload)
		}
	}
	return ""
}

// A pass that notices that the Rollout is deleted or disabled waits for nothing of the step any
// more, neither a person nor a time: the next pass begins to give the workload back.
func TestWhatEndsWaitsForNoStep(t *testing.T) {
	while := ptr.To(int32(90)) // and a half, of which one has passed
	for _, c := range []struct {
		why    string
		change func(*kruise.Rollout)
		holds  []kplan.Hold
		phase  kruise.Phase
	}{
		{"a person", func(*kruise.Rollout) {}, []kplan.Hold{{Reason: reason.Approval, Have: 1, Limit: 2}}, kruise.PhaseProgressing},
		{"a time", func(r *kruise.Rollout) { r.Canary.Steps[0].Pause.Duration = while }, []kplan.Hold{{Reason: reason.Pause, Have: 60, Limit: 90}}, kruise.PhaseProgressing},
		{"paused", func(r *kruise.Rollout) { r.Paused = true }, []kplan.Hold{{Reason: reason.Paused}}, kruise.PhaseProgressing},
		{"deleted", func(r *kruise.Rollout) { r.DeletionTimestamp = now }, nil, kruise.PhaseTerminating},
		{"disabled", func(r *kruise.Rollout) { r.Disabled = true }, nil, kruise.PhaseDisabling},
		{"deleted in a timed pause", func(r *kruise.Rollout) { r.Canary.Steps[0].Pause.Duration, r.DeletionTimestamp = while, now }, nil, kruise.PhaseTerminating},
		{"disabled while paused", func(r *kruise.Rollout) { r.Paused, r.Disabled = true, true }, nil, kruise.PhaseDisabling},
	} {
		steps := twoSteps()
		steps.Canary.Steps[0].Pause.Duration = nil
		s := begun(kruise.StatePaused, steps)
		c.change(&s.Rollout)
		s.Rollout.Annotations[workload.AnnotationHash] = kruise.StrategyHash(s.Rollout)
		s.Rollout.Status.Sub.RolloutHash = kruise.StrategyHash(s.Rollout)
		p := reconcile(t, s, kruise.Options{})
		require.Equal(t, c.holds, p.Holds, c.why)
		require.Equal(t, c.phase, p.Status.Phase, c.why)
	}
}
