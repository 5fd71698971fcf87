package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

var frozenFixed = rollout.Options{Repair: rollout.RollbackLeavesPaused}

// RollbackLeavesPaused: a release goes on as if another template, that was taken back, had never come: the
// partition is not paused, the closing has not begun, and the stable revision is known.
func TestGoOn(t *testing.T) {
	paused := rollout.DeploymentStrategy{RollingStyle: rollout.StylePartition, Partition: rollout.Percent(50), Paused: true}
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
		s := begun(rollout.StatePaused, twoSteps())
		s.Workload.Annotations[rollout.AnnotationStrategy] = c.strategy
		s.Rollout.Status.Sub.FinalisingStep, s.Rollout.Status.Sub.StableRevision = rollout.FinalRouteToStable, c.stable
		p := reconcile(t, s, rollout.Options{})
		require.NotContains(t, p.String(), "deployment demo", "upstream leaves it: %s", c.why)
		p = reconcile(t, s, frozenFixed)
		require.Equal(t, []any{rollout.FinalisingStep(""), c.wantStable}, []any{p.Status.Sub.FinalisingStep, p.Status.Sub.StableRevision}, c.why)
		patch := rollout.WorkloadPatch{Annotations: map[string]*string{rollout.AnnotationStrategy: new(running.Text())}}
		want := rollout.Action(rollout.PatchWorkload{Workload: deployment, Patch: patch, Reason: rollout.ReasonStep})
		if c.resumes {
			require.Contains(t, p.Actions, want, c.why)
		} else {
			require.NotContains(t, p.String(), "deployment demo", c.why)
		}
	}
}

// RollbackLeavesPaused: the closing of a Rollout that is deleted or disabled begins at its first step, even
// where another closing had ended, and begins once.
func TestClosingBegins(t *testing.T) {
	fresh := release(rollout.Partition)
	for _, c := range []struct {
		why    string
		change func(s *rollout.Snapshot)
		want   rollout.FinalisingStep
	}{
		{"deleted", func(s *rollout.Snapshot) { s.Rollout.DeletionTimestamp = now }, ""},
		{"disabled", func(s *rollout.Snapshot) { s.Rollout.Disabled = true }, ""},
		{"neither", func(s *rollout.Snapshot) {}, rollout.FinalEnd},
		{"deleted before", func(s *rollout.Snapshot) {
			s.Rollout.DeletionTimestamp, s.Rollout.Status.Phase, s.BatchRelease = now, rollout.PhaseTerminating, &fresh
			s.Rollout.Status.Sub.FinalisingStep = rollout.FinalResume
		}, rollout.FinalResume},
	} {
		s := begun(rollout.StateCompleted, twoSteps())
		s.Rollout.Status.Conditions[0].Reason, s.Rollout.Status.Sub.FinalisingStep = rollout.ProgressFinalising, rollout.FinalEnd
		c.change(&s)
		require.Equal(t, c.want, reconcile(t, s, frozenFixed).Status.Sub.FinalisingStep, c.why)
	}
	s := begun(rollout.StateCompleted, twoSteps())
	s.Rollout.DeletionTimestamp, s.Rollout.Status.Sub = now, nil
	require.Nil(t, reconcile(t, s, frozenFixed).Status.Sub, "nothing is known of a release")
}

// RollbackLeavesPaused: what is left of a release is closed even if its status is not there yet.
func TestClosingOfWhatIsLeft(t *testing.T) {
	service := func(key string) *rollout.Service {
		return &rollout.Service{Name: "svc", Selector: map[string]string{"app": "web", key: "v1"}}
	}
	for _, c := range []struct {
		why    string
		change func(s *rollout.Snapshot)
		closes bool
	}{
		{"nothing", func(s *rollout.Snapshot) { s.Traffic.Stable = service("other") }, false},
		{"no Service either", func(s *rollout.Snapshot) {}, false},
		{"no workload", func(s *rollout.Snapshot) { s.Workload, s.Traffic.Stable = nil, service(rollout.LabelPodTemplateHash) }, false},
		{"a mark", func(s *rollout.Snapshot) { s.Workload.InProgress = true }, true},
		{"a stable revision", func(s *rollout.Snapshot) { s.Workload.Labels[rollout.LabelStableRevision] = "v1" }, true},
		{"a Service of one template", func(s *rollout.Snapshot) { s.Traffic.Stable = service(rollout.LabelPodTemplateHash) }, true},
		{"a Service of one revision", func(s *rollout.Snapshot) { s.Traffic.Stable = service(rollout.LabelControllerRevision) }, true},
	} {
		s := begun("", twoSteps())
		s.Rollout.DeletionTimestamp, s.Workload.InProgress = now, false
		s.Rollout.Status = rollout.RolloutStatus{Phase: rollout.PhaseTerminating}
		c.change(&s)
		require.Nil(t, reconcile(t, s, rollout.Options{}).Status.Sub, "upstream sees nothing: %s", c.why)
		require.Equal(t, c.closes, reconcile(t, s, frozenFixed).Status.Sub != nil, c.why)
	}
	s := begun(rollout.StateCompleted, twoSteps())
	s.Rollout.DeletionTimestamp, s.Rollout.Status.Phase, s.Workload.Consistent = now, rollout.PhaseTerminating, false
	require.Equal(t, "held back: WorkloadInconsistent", reconcile(t, s, frozenFixed).String(), "it is not known what is to be given back")
	s.Workload.Consistent = true
	require.NotContains(t, reconcile(t, s, frozenFixed).String(), "WorkloadInconsistent")
}

// TrafficLeftBehind: the Service of a workload that is gone is released from the revision that it
// selects, by whichever label.
func TestClosingOfWhatIsGone(t *testing.T) {
	for _, key := range []string{rollout.LabelPodTemplateHash, rollout.LabelControllerRevision} {
		r := twoSteps()
		r.Canary.TrafficRoutings = routings(1)
		s := begun(rollout.StatePaused, r)
		s.Workload = nil
		s.Traffic.Stable = &rollout.Service{Name: "svc", Selector: map[string]string{"app": "web", key: "v1"}}
		s.Traffic.Route = &rollout.Route{Name: "route", Rules: []rollout.RouteRule{rule(nil, "svc")}}
		p := reconcile(t, s, rollout.Options{Repair: rollout.TrafficLeftBehind})
		require.Contains(t, p.String(), "Removed "+key+" from the selector of service svc")
		s.Traffic.Stable = nil
		p = reconcile(t, s, rollout.Options{Repair: rollout.TrafficLeftBehind})
		require.NotContains(t, p.String(), "selector")
	}
}

// NextReleaseUnmarked: the mark of another update stays if that one can be released next; a Deployment
// whose stable revision is not known, and that has been given back, does not wait.
func TestClosingKeepsTheMarkOfAnother(t *testing.T) {
	completed, driven := release(rollout.Partition), release(rollout.Partition)
	completed.ReleasePlan.BatchPartition, completed.Status.Phase = nil, rollout.BatchCompleted
	const untouched, unmarked = "", `{"metadata":{"annotations":{"rollouts.kruise.io/in-progressing":null}}}`
	const unheld = `{"metadata":{"annotations":{"rollouts.kruise.io/in-progressing":null}},"spec":{"paused":false}}`
	for _, c := range []struct {
		why, revision, stable string
		ref                   rollout.WorkloadRef
		step                  rollout.FinalisingStep
		br                    *rollout.BatchRelease
		before, after         string
	}{
		{"its own mark", "v2", "", deployment, "", nil, unmarked, unmarked},
		{"another template, released next", "v3", "v2", deployment, "", nil, unmarked, untouched},
		{"a later pass", "v2", "v2", deployment, rollout.FinalResume, nil, unmarked, untouched},
		{"a CloneSet has no such label", "v3", "", cloneSet, "", nil, unmarked, untouched},
		{"another template, given back without a BatchRelease", "v3", "", deployment, "", nil, unmarked, unheld},
		{"given back by it", "v3", "", deployment, "", &completed, unmarked, unheld},
		{"not given back yet", "v3", "", deployment, "", &driven, unmarked, unmarked},
	} {
		s := begun(rollout.StateCompleted, partitioned(c.ref, twoSteps().Canary.Steps...))
		s.Rollout.Status.Conditions[0].Reason, s.Rollout.Status.Sub.FinalisingStep = rollout.ProgressFinalising, c.step
		s.Workload.WorkloadRef, s.Workload.CanaryRevision, s.BatchRelease = c.ref, c.revision, c.br
		if c.stable != "" {
			s.Workload.Labels[rollout.LabelStableRevision] = c.stable
		}
		for _, o := range []struct {
			rollout.Quirks
			want string
		}{{0, c.before}, {rollout.NextReleaseUnmarked, c.after}} {
			require.Equal(t, o.want, patched(t, s, rollout.Options{Repair: o.Quirks}, rollout.ReasonClosing), "%s, %v", c.why, o.Quirks)
		}
	}
}

// RollbackLeavesPaused: a Deployment that nobody drives is given back, unless it is another update's.
func TestClosingThaws(t *testing.T) {
	driven := release(rollout.Partition)
	type change = func(s *rollout.Snapshot)
	for _, c := range []struct {
		why    string
		change change
		thaws  bool
	}{
		{"cancelled", func(s *rollout.Snapshot) {}, true},
		{"completed: its own closing gives it back", func(s *rollout.Snapshot) { s.Rollout.Status.Conditions[0].Reason = rollout.ProgressFinalising }, false},
		{"driven", func(s *rollout.Snapshot) { s.BatchRelease = &driven }, false},
		{"a CloneSet", func(s *rollout.Snapshot) { s.Rollout.WorkloadRef, s.Workload.WorkloadRef = cloneSet, cloneSet }, false},
		{"given back", func(s *rollout.Snapshot) { delete(s.Workload.Labels, rollout.LabelStableRevision) }, false},
	} {
		s := begun(rollout.StatePaused, twoSteps())
		s.Rollout.Status.Conditions[0].Reason = rollout.ProgressCancelling
		s.Workload.Labels[rollout.LabelStableRevision] = "v1"
		c.change(&s)
		require.Equal(t, "", patched(t, s, rollout.Options{}, rollout.ReasonGiveBack), "upstream leaves it: %s", c.why)
		require.Equal(t, c.thaws, patched(t, s, frozenFixed, rollout.ReasonGiveBack) != "", c.why)
	}
	s := begun(rollout.StatePaused, twoSteps())
	s.Rollout.Status.Conditions[0].Reason = rollout.ProgressCancelling
	s.Workload.Labels[rollout.LabelStableRevision] = "v1"
	require.NotContains(t, patched(t, s, frozenFixed, rollout.ReasonGiveBack), "RollingUpdate", "it has its strategy")
	s.Workload.Annotations[rollout.AnnotationStrategy] = rollout.DeploymentStrategy{}.Text()
	require.Contains(t, patched(t, s, frozenFixed, rollout.ReasonGiveBack), "RollingUpdate", "its strategy is in the annotation")
	abandon := rollout.Options{Repair: rollout.RollbackLeavesPaused | rollout.DeletionFinishesRelease}
	require.Contains(t, patched(t, s, abandon, rollout.ReasonGiveBack), `"paused":false`, "a rollback resumes")
	s.Rollout.DeletionTimestamp, s.Rollout.Status.Phase = now, rollout.PhaseTerminating
	require.NotContains(t, patched(t, s, abandon, rollout.ReasonGiveBack), `"paused":false`, "what is deleted stays as it is")
}

// patched returns the patch of the workload for a reason.
func patched(t *testing.T, s rollout.Snapshot, o rollout.Options, reason rollout.Reason) string {
	t.Helper()
	for _, a := range reconcile(t, s, o).Actions {
		if a, ok := a.(rollout.PatchWorkload); ok && a.Reason == reason {
			return a.Patch.Body(a.Workload)
		}
	}
	return ""
}
