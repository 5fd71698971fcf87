package rollout_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// Each quirk, on the smallest input where it shows, with and without its repair. Each
// repair works alone.
func TestQuirks(t *testing.T) {
	shown := rollout.Quirks(0)
	for _, c := range []struct {
		quirk         rollout.Quirks
		decide        func(t *testing.T, o rollout.Options) string
		before, after string
	}{
		{rollout.MiddleTemplatesOutOfOrder, oldOrder, "2/3/1", "2/1/3"},
		{rollout.MixedPartitionsNeverEnd, neverEnding, "stuck in step 2, 2 updated", "Healthy, 10 updated"},
		{rollout.RollbackLeavesPaused, frozen, "v1 4, v2 2, paused", "v1 6, v2 0, running"},
		{rollout.CloneSetKeepsExtraPods, shares, `"1%"`, "1"},
		{rollout.ReleaseOfWhatIsThere, emptyRelease, "InRolling", "Cancelling"},
		{rollout.NewPodAtPartitionZero, leak, "1", "0"},
		{rollout.RolloutIDReadDifferently, rolloutID, "false TemplateUnchanged, label", "true , annotation"},
		{rollout.UnsetLimitDefaultsBoth, defaults, `25%, unset`, `2, 25%`},
		{rollout.CanaryServiceAssumed, noCanaryService, "BeforeStepUpgrade", "StepUpgrade"},
		{rollout.RecreateNotRestored, strategyType, "RollingUpdate", "Recreate"},
		{rollout.FailureThresholdMisread, threshold, "TooFewReady", "ready"},
		{rollout.TrafficLeftBehind, workloadGone, "none, Initial", "restored, Progressing"},
		{rollout.DeletionFinishesRelease, abandon, "deleted: v1 0, v2 6, running; rolled back: v1 6, v2 0, running",
			"deleted: v1 4, v2 2, paused; rolled back: v1 6, v2 0, running"},
		{rollout.HTTPRouteRulesLost, routes, "0 rules with a canary before, 0 redirects, 0 headers", "2 rules with a canary before, 1 redirects, 1 headers"},
		{rollout.LastPauseSkipped, lastPause, "None", "Timed"},
		{rollout.DeletingPodsListed, nativeVictims, "[p0]", "[p1]"},
		{rollout.StepMessagesLost, messages, "m", "Rollout is in step(1/2), and you need manually confirm to enter the next step"},
		{rollout.ZeroGraceIgnored, graceZero, "Grace", "TrafficChanged"},
		{rollout.DeadlineNotReported, deadline, "waits: no condition, no recheck; analysis fails: StepPaused",
			"waits: DeadlineExceeded (600 of 600), rechecked 1s before; analysis fails: StepMetricsAnalysis, AnalysisFailed"},
		{rollout.CanaryLabelsNotAwaited, canaryBatch, "ready without labels, 4 pods of 2", "TooFewLabelled (0 of 2), shrinks to 2"},
		{rollout.OrdinalsLabelledByList, ordinals, "[web-3=2 web-2=1]", "[web-2=2 web-3=1]"},
		{rollout.HashSuffixMatches, suffix, "labels [old new]", "labels [new]"},
		{rollout.StableServicePinnedForEver, fullFirstStep, "BeforeStepUpgrade for ever", "Healthy"},
		{rollout.TakenBackTemplateUnlabelled, promoted, "0 of 6 labelled", "6 of 6 labelled"},
		{rollout.CanaryCreatedTwice, canaryTwice, "2 canaries", "1 canaries"},
		{rollout.NextReleaseUnmarked, nextRelease, "v1 0, v2 6, paused; v1 0, v2 6, paused", "v1 6, v2 0, running; v1 6, v2 0, running"},
		{rollout.LimitsWrapAround, wideLimits, "surge -2, never ends", "surge 2147483647, ends at 200/0"},
		{rollout.LastStepNotAwaited, lastStep, "Healthy with 3 of 6 updated", "Progressing with 3 of 6 updated"},
		{rollout.OtherTemplateReleased, otherTemplate,
			`v3: Patched deployment demo: {"spec":{"paused":false,"strategy":{"rollingUpdate":{"maxSurge":"50%","maxUnavailable":0},"type":"RollingUpdate"}}} (Upgrade); v2 again: nothing to do`,
			`v3: demo held back: RollbackFirst; v2 again: Patched deployment demo: {"spec":{"paused":false}} (Upgrade)`},
	} {
		t.Run(c.quirk.String(), func(t *testing.T) {
			require.NotEqual(t, c.before, c.after)
			require.Equal(t, c.before, c.decide(t, rollout.Options{}))
			require.Equal(t, c.after, c.decide(t, rollout.Options{Repair: c.quirk}))
			require.Equal(t, c.after, c.decide(t, rollout.Options{Repair: rollout.RepairAll}), "with all others")
			require.Equal(t, c.before, c.decide(t, rollout.Options{Repair: rollout.RepairAll &^ c.quirk}), "without it")
		})
		require.False(t, shown.Has(c.quirk), c.quirk)
		shown |= c.quirk
	}
	require.Equal(t, rollout.RepairAll, shown, "rows without an input: %s", rollout.RepairAll&^shown)
}

// The names of the table are those of the constants, in their order.
func TestQuirkTable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "quirk.go", nil, 0)
	require.NoError(t, err)
	var names []string
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST && g.Lparen.IsValid() {
			for _, spec := range g.Specs {
				names = append(names, spec.(*ast.ValueSpec).Names[0].Name)
			}
		}
	}
	table := rollout.QuirkTable()
	require.Len(t, table, len(names))
	require.Equal(t, rollout.Quirks(1)<<len(names)-1, rollout.RepairAll)
	for i, row := range table {
		require.Equal(t, names[i], row.Name)
		for _, text := range []string{row.Upstream, row.Source, row.Input, row.Repair} {
			require.NotEmpty(t, text, row.Name)
		}
		q, err := rollout.ParseQuirks(row.Name)
		require.NoError(t, err)
		require.Equal(t, rollout.Quirks(1)<<i, q)
	}
	_, err = rollout.ParseQuirks("LastPauseSkipped", "Nonsense")
	require.ErrorContains(t, err, "Nonsense")
	text, err := json.Marshal(rollout.Options{Repair: rollout.LastPauseSkipped | rollout.ZeroGraceIgnored})
	require.NoError(t, err)
	require.JSONEq(t, `{"repair":["LastPauseSkipped","ZeroGraceIgnored"]}`, string(text))
}

// A set with a quirk that is in no table is refused by all planners.
func TestUnknownQuirksAreRefused(t *testing.T) {
	o := rollout.Options{Repair: rollout.RepairAll + 1}
	s := begun(rollout.StatePaused, twoSteps())
	_, err := planRollout(s, now, o)
	require.ErrorContains(t, err, "Options.Repair")
	_, err = planBatch(surged(deployment, "v2"), now, batchOptions(o))
	require.ErrorContains(t, err, "Options.Repair")
	_, err = planAdmission(rollout.AdmitSnapshot{New: rollout.Workload{WorkloadRef: deployment}}, o)
	require.ErrorContains(t, err, "Options.Repair")
	_, err = rollout.Preview(rollout.PreviewInput{Rollout: twoSteps(), Replicas: 3}, o)
	require.ErrorContains(t, err, "Options.Repair")
}

func neverEnding(t *testing.T, o rollout.Options) string {
	c := newWorld(t, 10, step(rollout.Percent(20), 0), step(rollout.Int(5), 0), step(rollout.Percent(100), 0))
	c.opts = o
	c.begin()
	c.run(c.phase(rollout.PhaseHealthy), false)
	if c.r.Status.Phase == rollout.PhaseHealthy {
		return fmt.Sprintf("Healthy, %d updated", c.sizes["v2"])
	}
	return fmt.Sprintf("stuck in step %d, %d updated", c.r.Status.CurrentStepIndex, c.sizes["v2"])
}

func frozen(t *testing.T, o rollout.Options) string {
	first := step(rollout.Percent(20), -1)
	first.Traffic = rollout.Percent(20)
	c := newWorld(t, 6, first, step(rollout.Percent(100), 0))
	c.opts = o
	c.led(0)
	c.begin()
	c.run(c.at(1, rollout.StatePaused), false)
	c.update("v3")
	c.run(func() bool { return c.br == nil || !c.br.DeletionTimestamp.IsZero() }, false)
	c.update("v1")
	c.run(c.phase(rollout.PhaseHealthy), false)
	for range 5 {
		c.pass()
	}
	return c.end()
}

func shares(t *testing.T, o rollout.Options) string {
	br := rollout.BatchRelease{}
	br.ReleasePlan.Batches = []rollout.Batch{{CanaryReplicas: rollout.Percent(99)}}
	c := rollout.NewBatchContext(br, rollout.Workload{WorkloadRef: cloneSet, Replicas: new(int32(101))}, nil, o.Repair)
	text, err := json.Marshal(c.DesiredPartition)
	require.NoError(t, err)
	return string(text)
}

// begun is a snapshot of a rollout of two steps in a state.
func begun(state rollout.StepState, r rollout.Rollout) rollout.Snapshot {
	s := rollout.Snapshot{Rollout: r, Workload: &rollout.WorkloadState{
		WorkloadRef: deployment, Consistent: true, Generation: 1, Replicas: 6, InProgress: true, StableRevision: "v1", CanaryRevision: "v2",
		PodTemplateHash: "v2", RevisionLabelKey: rollout.LabelPodTemplateHash,
		Labels:      map[string]string{rollout.LabelWorkloadType: "deployment", rollout.LabelRolloutID: "label"},
		Annotations: map[string]string{rollout.LabelRolloutID: "annotation"},
	}}
	s.Rollout.Annotations = map[string]string{rollout.AnnotationHash: rollout.StrategyHash(r)}
	s.Rollout.Finalizers = []string{rollout.FinalizerRollout}
	s.Rollout.Status = rollout.RolloutStatus{
		Phase: rollout.PhaseProgressing,
		Conditions: []rollout.Condition{{
			Type: rollout.ConditionProgressing, Status: "True", Reason: rollout.ProgressInRolling, Message: "m",
			LastUpdateTime: now.Add(-time.Minute), LastTransitionTime: now.Add(-time.Minute),
		}},
		Sub: &rollout.StepStatus{
			Revision: "v2", StableRevision: "v1", PodTemplateHash: "v2", RolloutHash: rollout.StrategyHash(r), CurrentStepIndex: 1,
			NextStepIndex: rollout.NextStep(int32(len(r.Strategy().Steps)), 1), CurrentStepState: state, LastUpdateTime: now.Add(-time.Minute),
		},
	}
	return s
}

func twoSteps() rollout.Rollout {
	return partitioned(deployment, step(rollout.Percent(50), -1), step(rollout.Percent(100), 60))
}

func reconcile(t *testing.T, s rollout.Snapshot, o rollout.Options) rollout.Plan {
	t.Helper()
	p, err := planRollout(s, now, o)
	require.NoError(t, err)
	return p
}

func emptyRelease(t *testing.T, o rollout.Options) string {
	s := begun(rollout.StateBeforeUpgrade, twoSteps())
	s.Rollout.Status.Conditions[0].Reason = rollout.ProgressInitializing
	s.Workload.InRollback, s.Workload.PodTemplateHash = true, "v1"
	return conditionOf(reconcile(t, s, o).Status, rollout.ConditionProgressing).Reason
}

func leak(_ *testing.T, o rollout.Options) string {
	b := rollout.Resolve(6, rollout.Int(0), rollout.Int(1))
	return fmt.Sprint(rollout.PartitionCreationSize(rollout.Int(0), b, 6, o.Repair.Has(rollout.NewPodAtPartitionZero)))
}

func rolloutID(_ *testing.T, o rollout.Options) string {
	same := rollout.Workload{Template: revision.Template{ID: "v1"}}
	labelled := same
	labelled.Labels = map[string]string{rollout.LabelRolloutID: "2"}
	effective, reason := rollout.EffectiveChange(same, labelled, o.Repair)
	return fmt.Sprintf("%v %v, %s", effective, reason, begun("", twoSteps()).Workload.RolloutID(o.Repair))
}

func defaults(_ *testing.T, o rollout.Options) string {
	s := rollout.DeploymentStrategy{RollingStyle: "Partition", RollingUpdate: &rollout.RollingUpdate{MaxUnavailable: rollout.Int(2)}}
	ru := s.Default(o.Repair.Has(rollout.UnsetLimitDefaultsBoth)).RollingUpdate
	if ru.MaxSurge.IsZero() {
		return ru.MaxUnavailable.String() + ", unset"
	}
	return ru.MaxUnavailable.String() + ", " + ru.MaxSurge.String()
}

func noCanaryService(t *testing.T, o rollout.Options) string {
	first := step(rollout.Percent(50), -1)
	first.Traffic = rollout.Percent(50)
	r := rollout.Rollout{Name: "web", WorkloadRef: deployment, BlueGreen: &rollout.Strategy{
		Steps: []rollout.Step{first}, DisableGenerateCanaryService: true, TrafficRoutings: routings(1),
	}}
	s := begun(rollout.StateBeforeUpgrade, r)
	s.Traffic.Stable = &rollout.Service{Name: "svc"}
	return string(reconcile(t, s, o).Status.CurrentStepState)
}

func strategyType(t *testing.T, o rollout.Options) string {
	c := newWorld(t, 3, step(rollout.Percent(100), 0))
	c.opts = o
	c.w.StrategyType, c.w.RollingUpdate = "Recreate", nil
	c.begin()
	c.run(c.phase(rollout.PhaseHealthy), false)
	require.Empty(t, c.w.Annotations)
	return c.w.StrategyType
}

func threshold(_ *testing.T, o rollout.Options) string {
	br := rollout.BatchRelease{}
	br.ReleasePlan.Batches = []rollout.Batch{{CanaryReplicas: rollout.Int(5)}}
	w := rollout.Workload{WorkloadRef: statefulSet, Replicas: new(int32(10)), RollingUpdate: &rollout.RollingUpdate{MaxUnavailable: rollout.Int(1)}}
	w.Status.UpdatedReplicas, w.Status.UpdatedReadyReplicas = 5, 4
	hold, waiting := rollout.NewBatchContext(br, w, nil, o.Repair).Waiting(o.Repair)
	if !waiting {
		return "ready"
	}
	return string(hold.Reason)
}

func workloadGone(t *testing.T, o rollout.Options) string {
	r := twoSteps()
	r.Canary.TrafficRoutings = routings(1)
	r.Canary.TrafficRoutings[0].GracePeriodSeconds = 3
	s := begun(rollout.StatePaused, r)
	s.Workload = nil
	s.Traffic.Stable = &rollout.Service{Name: "svc", Selector: map[string]string{rollout.LabelPodTemplateHash: "v1"}}
	p := reconcile(t, s, o)
	if len(p.Actions) == 0 {
		return "none, " + string(p.Status.Phase)
	}
	require.Equal(t, rollout.SelectPods{Service: "svc", Key: rollout.LabelPodTemplateHash, Reason: rollout.ReasonRestoreTraffic}, p.Actions[0])
	require.Equal(t, now.Add(3*time.Second), p.RecheckAt)
	return "restored, " + string(p.Status.Phase)
}

func routes(_ *testing.T, o rollout.Options) string {
	svc := rollout.BackendRef{Kind: "Service", Name: "svc"}
	canary := rollout.BackendRef{Kind: "Service", Name: "svc-canary"}
	weighed := []rollout.RouteRule{{BackendRefs: []rollout.BackendRef{svc, canary}}, {BackendRefs: []rollout.BackendRef{svc}}}
	matches := []rollout.Match{{Path: &rollout.PathMatch{Value: "/"}}, {Headers: []rollout.ValueMatch{{Name: "a", Value: "b"}}}}
	rules := rollout.RouteMatches(weighed[:1], "svc", "svc-canary", matches, o.Repair.Has(rollout.HTTPRouteRulesLost))
	plain := rollout.RouteMatches(weighed[1:], "svc", "svc-canary", matches, o.Repair.Has(rollout.HTTPRouteRulesLost))
	headers := 0
	for _, m := range plain[1].Matches {
		headers += len(m.Headers)
	}
	empty := rollout.RouteRestore([]rollout.RouteRule{{Name: "redirect"}}, "svc", "svc-canary", o.Repair.Has(rollout.HTTPRouteRulesLost))
	return fmt.Sprintf("%d rules with a canary before, %d redirects, %d headers", len(rules), len(empty), headers)
}

func lastPause(_ *testing.T, o rollout.Options) string {
	kind, _ := rollout.PauseOf(twoSteps(), 2, now, o.Repair)
	return string(kind)
}

func nativeVictims(t *testing.T, o rollout.Options) string {
	victims, err := rollout.NativeBatch{Partition: "0", Revision: "new", MaxUnavailable: rollout.Int(2), Pods: []rollout.DaemonSetPod{
		{Name: "p0", Revision: "old", DeletionTimestamp: now}, {Name: "p1", Revision: "old", Ready: true},
	}}.Victims(o.Repair)
	require.NoError(t, err)
	old := rollout.Workload{WorkloadRef: daemonSet, StrategyType: "OnDelete", Annotations: map[string]string{
		rollout.AnnotationDaemonSetStrategy: "RollingUpdate",
	}}
	updated := old
	updated.Template.ID = "v2"
	a, err := planAdmission(rollout.AdmitSnapshot{Old: old, New: updated, Rollouts: []rollout.Rollout{partitioned(daemonSet)}}, o)
	require.NoError(t, err)
	saved := map[bool]string{true: "RollingUpdate", false: "OnDelete"}[o.Repair.Has(rollout.DeletingPodsListed)]
	require.Equal(t, saved, a.Object.Annotations[rollout.AnnotationDaemonSetStrategy])
	return fmt.Sprint(victims)
}

func messages(t *testing.T, o rollout.Options) string {
	return conditionOf(reconcile(t, begun(rollout.StatePaused, twoSteps()), o).Status, rollout.ConditionProgressing).Message
}

func graceZero(t *testing.T, o rollout.Options) string {
	r := twoSteps()
	r.Canary.Steps[0].Traffic = rollout.Percent(50)
	r.Canary.TrafficRoutings = routings(1)
	s := begun(rollout.StateTrafficRouting, r)
	s.Rollout.Status.Sub.LastUpdateTime = now
	s.Traffic.Stable = &rollout.Service{Name: "svc"}
	return string(reconcile(t, s, o).Holds[0].Reason)
}

func fullFirstStep(t *testing.T, o rollout.Options) string {
	first := step(rollout.Percent(50), 0)
	first.Traffic = rollout.Percent(50)
	c := newWorld(t, 1, first, step(rollout.Percent(100), 0))
	c.opts = o
	c.led(1)
	c.begin()
	c.run(c.phase(rollout.PhaseHealthy), false)
	if c.r.Status.Phase == rollout.PhaseHealthy {
		return "Healthy"
	}
	return string(c.r.Status.CurrentStepState) + " for ever"
}
