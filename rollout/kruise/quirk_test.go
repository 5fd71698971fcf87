// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
)

// Each quirk, on the smallest input where it shows, with and without its repair. Each
// repair works alone.
func TestQuirks(t *testing.T) {
	shown := workloadquirk.Set(0)
	for _, c := range []struct {
		quirk         workloadquirk.Set
		decide        func(t *testing.T, o kruise.Options) string
		before, after string
	}{
		{workloadquirk.MiddleTemplatesOutOfOrder, oldOrder, "2/3/1", "2/1/3"},
		{workloadquirk.MixedPartitionsNeverEnd, neverEnding, "stuck in step 2, 2 updated", "Healthy, 10 updated"},
		{workloadquirk.RollbackLeavesPaused, frozen, "v1 4, v2 2, paused", "v1 6, v2 0, running"},
		{workloadquirk.CloneSetKeepsExtraPods, shares, `"1%"`, "1"},
		{workloadquirk.ReleaseOfWhatIsThere, emptyRelease, "InRolling", "Cancelling"},
		{workloadquirk.NewPodAtPartitionZero, leak, "1", "0"},
		{workloadquirk.RolloutIDReadDifferently, rolloutID, "false TemplateUnchanged, label", "true , annotation"},
		{workloadquirk.UnsetLimitDefaultsBoth, defaults, `25%, unset`, `2, 25%`},
		{workloadquirk.CanaryServiceAssumed, noCanaryService, "BeforeStepUpgrade", "StepUpgrade"},
		{workloadquirk.RecreateNotRestored, strategyType, "RollingUpdate", "Recreate"},
		{workloadquirk.FailureThresholdMisread, threshold, "TooFewReady", "ready"},
		{workloadquirk.TrafficLeftBehind, workloadGone, "none, Initial", "restored, Progressing"},
		{workloadquirk.DeletionFinishesRelease, abandon, "deleted: v1 0, v2 6, running; rolled back: v1 6, v2 0, running",
			"deleted: v1 4, v2 2, paused; rolled back: v1 6, v2 0, running"},
		{workloadquirk.HTTPRouteRulesLost, routes, "0 rules with a canary before, 0 redirects, 0 headers", "2 rules with a canary before, 1 redirects, 1 headers"},
		{workloadquirk.LastPauseSkipped, lastPause, "None", "Timed"},
		{workloadquirk.DeletingPodsListed, nativeVictims, "[p0]", "[p1]"},
		{workloadquirk.StepMessagesLost, messages, "m", "Rollout is in step(1/2), and you need manually confirm to enter the next step"},
		{workloadquirk.ZeroGraceIgnored, graceZero, "Grace", "TrafficChanged"},
		{workloadquirk.DeadlineNotReported, deadline, "waits: no condition, no recheck; analysis fails: StepPaused",
			"waits: DeadlineExceeded (600 of 600), rechecked 1s before; analysis fails: StepMetricsAnalysis, AnalysisFailed"},
		{workloadquirk.CanaryLabelsNotAwaited, canaryBatch, "ready without labels, 4 pods of 2", "TooFewLabelled (0 of 2), shrinks to 2"},
		{workloadquirk.OrdinalsLabelledByList, ordinals, "[web-3=2 web-2=1]", "[web-2=2 web-3=1]"},
		{workloadquirk.HashSuffixMatches, suffix, "labels [old new]", "labels [new]"},
		{workloadquirk.StableServicePinnedForEver, fullFirstStep, "BeforeStepUpgrade forever", "Healthy"},
		{workloadquirk.TakenBackTemplateUnlabelled, promoted, "0 of 6 labelled", "6 of 6 labelled"},
		{workloadquirk.CanaryCreatedTwice, canaryTwice, "2 canaries", "1 canaries"},
		{workloadquirk.NextReleaseUnmarked, nextRelease, "v1 0, v2 6, paused; v1 0, v2 6, paused", "v1 6, v2 0, running; v1 6, v2 0, running"},
		{workloadquirk.LimitsWrapAround, wideLimits, "surge -2, never ends", "surge 2147483647, ends at 200/0"},
		{workloadquirk.LastStepNotAwaited, lastStep, "Healthy with 3 of 6 updated", "Progressing with 3 of 6 updated"},
		{workloadquirk.EndingReleaseCounts, endingRelease, "StepTrafficRouting, jumped to StepTrafficRouting", "StepUpgrade, jumped to BeforeStepUpgrade"},
		{workloadquirk.OtherTemplateReleased, otherTemplate,
			`v3: Patched deployment demo: {"spec":{"paused":false,"strategy":{"rollingUpdate":{"maxSurge":"50%","maxUnavailable":0},"type":"RollingUpdate"}}} (Upgrade); v2 again: nothing to do`,
			`v3: demo held back: RollbackFirst; v2 again: Patched deployment demo: {"spec":{"paused":false}} (Upgrade)`},
	} {
		t.Run(c.quirk.String(), func(t *testing.T) {
			require.NotEqual(t, c.before, c.after)
			require.Equal(t, c.before, c.decide(t, kruise.Options{}))
			require.Equal(t, c.after, c.decide(t, kruise.Options{Repair: c.quirk}))
			require.Equal(t, c.after, c.decide(t, kruise.Options{Repair: workloadquirk.All}), "with all others")
			require.Equal(t, c.before, c.decide(t, kruise.Options{Repair: workloadquirk.All &^ c.quirk}), "without it")
		})
		require.False(t, shown.Has(c.quirk), c.quirk)
		shown |= c.quirk
	}
	require.Equal(t, workloadquirk.All, shown, "rows without an input: %s", workloadquirk.All&^shown)
}

// The names of the table are those of the constants, in their order.
func TestQuirkTable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../workload/quirk/quirk.go", nil, 0)
	require.NoError(t, err)
	var names []string
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST && g.Lparen.IsValid() {
			for _, spec := range g.Specs {
				names = append(names, spec.(*ast.ValueSpec).Names[0].Name)
			}
		}
	}
	table := workloadquirk.Table()
	require.Len(t, table, len(names))
	require.Equal(t, workloadquirk.Set(1)<<len(names)-1, workloadquirk.All)
	for i, row := range table {
		require.Equal(t, names[i], row.Name)
		for _, text := range []string{row.Upstream, row.Source, row.Input, row.Repair} {
			require.NotEmpty(t, text, row.Name)
		}
		q, err := workloadquirk.Parse(row.Name)
		require.NoError(t, err)
		require.Equal(t, workloadquirk.Set(1)<<i, q)
	}
	_, err = workloadquirk.Parse("LastPauseSkipped", "Nonsense")
	require.ErrorContains(t, err, "Nonsense")
	text, err := json.Marshal(kruise.Options{Repair: workloadquirk.LastPauseSkipped | workloadquirk.ZeroGraceIgnored})
	require.NoError(t, err)
	require.JSONEq(t, `{"repair":["LastPauseSkipped","ZeroGraceIgnored"]}`, string(text))
}

// A set with a quirk that is in no table is refused by all planners.
func TestUnknownQuirksAreRefused(t *testing.T) {
	o := kruise.Options{Repair: workloadquirk.All + 1}
	s := begun(kruise.StatePaused, twoSteps())
	_, err := planRollout(s, now, o)
	require.ErrorContains(t, err, "Options.Repair")
	_, err = planBatch(surged(deployment, "v2"), now, batchOptions(o))
	require.ErrorContains(t, err, "Options.Repair")
	_, err = planAdmission(kruise.AdmitSnapshot{New: workload.Workload{Ref: deployment}}, o)
	require.ErrorContains(t, err, "Options.Repair")
	_, err = preview.Of(preview.Input{Rollout: twoSteps(), Replicas: 3}, o)
	require.ErrorContains(t, err, "Options.Repair")
}

func neverEnding(t *testing.T, o kruise.Options) string {
	c := newWorld(t, 10, step(rollout.Percent(20), 0), step(rollout.Int(5), 0), step(rollout.Percent(100), 0))
	c.opts = o
	c.begin()
	c.run(c.phase(kruise.PhaseHealthy), false)
	if c.r.Status.Phase == kruise.PhaseHealthy {
		return fmt.Sprintf("Healthy, %d updated", c.sizes["v2"])
	}
	return fmt.Sprintf("stuck in step %d, %d updated", c.r.Status.CurrentStepIndex, c.sizes["v2"])
}

func frozen(t *testing.T, o kruise.Options) string {
	first := step(rollout.Percent(20), -1)
	first.Traffic = rollout.Percent(20)
	c := newWorld(t, 6, first, step(rollout.Percent(100), 0))
	c.opts = o
	c.led(0)
	c.begin()
	c.run(c.at(1, kruise.StatePaused), false)
	c.update("v3")
	c.run(func() bool { return c.br == nil || !c.br.DeletionTimestamp.IsZero() }, false)
	c.update("v1")
	c.run(c.phase(kruise.PhaseHealthy), false)
	for range 5 {
		c.pass()
	}
	return c.end()
}

func shares(t *testing.T, o kruise.Options) string {
	br := batchrelease.Release{}
	br.ReleasePlan.Batches = []batchrelease.Batch{{CanaryReplicas: rollout.Percent(99)}}
	c := batchrelease.NewContext(br, workload.Workload{Ref: cloneSet, Replicas: ptr.To(int32(101))}, nil, o.Repair)
	text, err := json.Marshal(c.DesiredPartition)
	require.NoError(t, err)
	return string(text)
}

// begun is a snapshot of a rollout of two steps in a state.
func begun(state kruise.StepState, r kruise.Rollout) kruise.Snapshot {
	return random.Begun(now, state, r)
}

func twoSteps() kruise.Rollout {
	return partitioned(deployment, step(rollout.Percent(50), -1), step(rollout.Percent(100), 60))
}

func reconcile(t *testing.T, s kruise.Snapshot, o kruise.Options) kruise.Plan {
	t.Helper()
	p, err := planRollout(s, now, o)
	require.NoError(t, err)
	return p
}

func emptyRelease(t *testing.T, o kruise.Options) string {
	s := begun(kruise.StateBeforeUpgrade, twoSteps())
	s.Rollout.Status.Conditions[0].Reason = kruise.ProgressInitializing
	s.Workload.InRollback, s.Workload.PodTemplateHash = true, "v1"
	return conditionOf(reconcile(t, s, o).Status, workload.ConditionProgressing).Reason
}

func leak(_ *testing.T, o kruise.Options) string {
	b := rollout.Resolve(6, rollout.Int(0), rollout.Int(1))
	return fmt.Sprint(partition.CreationSize(rollout.Int(0), b, 6, o.Repair.Has(workloadquirk.NewPodAtPartitionZero)))
}

func rolloutID(_ *testing.T, o kruise.Options) string {
	same := workload.Workload{Template: revision.Template{ID: "v1"}}
	labelled := same
	labelled.Labels = map[string]string{workload.LabelRolloutID: "2"}
	effective, reason := kruise.EffectiveChange(same, labelled, o.Repair)
	return fmt.Sprintf("%v %v, %s", effective, reason, begun("", twoSteps()).Workload.RolloutID(o.Repair))
}

func defaults(_ *testing.T, o kruise.Options) string {
	s := partition.Strategy{RollingStyle: "Partition", RollingUpdate: &partition.RollingUpdate{MaxUnavailable: rollout.Int(2)}}
	ru := s.Default(o.Repair.Has(workloadquirk.UnsetLimitDefaultsBoth)).RollingUpdate
	if ru.MaxSurge.IsZero() {
		return ru.MaxUnavailable.String() + ", unset"
	}
	return ru.MaxUnavailable.String() + ", " + ru.MaxSurge.String()
}

func noCanaryService(t *testing.T, o kruise.Options) string {
	first := step(rollout.Percent(50), -1)
	first.Traffic = rollout.Percent(50)
	r := kruise.Rollout{Name: "web", WorkloadRef: deployment, BlueGreen: &kruise.Strategy{
		Steps: []kruise.Step{first}, DisableGenerateCanaryService: true, TrafficRoutings: routings(1),
	}}
	s := begun(kruise.StateBeforeUpgrade, r)
	s.Traffic.Stable = &traffic.Service{Name: "svc"}
	return string(reconcile(t, s, o).Status.CurrentStepState)
}

func strategyType(t *testing.T, o kruise.Options) string {
	c := newWorld(t, 3, step(rollout.Percent(100), 0))
	c.opts = o
	c.w.StrategyType, c.w.RollingUpdate = "Recreate", nil
	c.begin()
	c.run(c.phase(kruise.PhaseHealthy), false)
	require.Empty(t, c.w.Annotations)
	return c.w.StrategyType
}

func threshold(_ *testing.T, o kruise.Options) string {
	br := batchrelease.Release{}
	br.ReleasePlan.Batches = []batchrelease.Batch{{CanaryReplicas: rollout.Int(5)}}
	w := workload.Workload{Ref: statefulSet, Replicas: ptr.To(int32(10)), RollingUpdate: &partition.RollingUpdate{MaxUnavailable: rollout.Int(1)}}
	w.Status.UpdatedReplicas, w.Status.UpdatedReadyReplicas = 5, 4
	hold, waiting := batchrelease.NewContext(br, w, nil, o.Repair).Waiting(o.Repair)
	if !waiting {
		return "ready"
	}
	return string(hold.Reason)
}

func workloadGone(t *testing.T, o kruise.Options) string {
	r := twoSteps()
	r.Canary.TrafficRoutings = routings(1)
	r.Canary.TrafficRoutings[0].GracePeriodSeconds = 3
	s := begun(kruise.StatePaused, r)
	s.Workload = nil
	s.Traffic.Stable = &traffic.Service{Name: "svc", Selector: map[string]string{workload.LabelPodTemplateHash: "v1"}}
	p := reconcile(t, s, o)
	if len(p.Actions) == 0 {
		return "none, " + string(p.Status.Phase)
	}
	require.Equal(t, kruise.SelectPods{Service: "svc", Key: workload.LabelPodTemplateHash, Reason: reason.RestoreTraffic}, p.Actions[0])
	require.Equal(t, now.Add(3*time.Second), p.RecheckAt)
	return "restored, " + string(p.Status.Phase)
}

func routes(_ *testing.T, o kruise.Options) string {
	svc := traffic.BackendRef{Kind: "Service", Name: "svc"}
	canary := traffic.BackendRef{Kind: "Service", Name: "svc-canary"}
	weighed := []traffic.Rule{{BackendRefs: []traffic.BackendRef{svc, canary}}, {BackendRefs: []traffic.BackendRef{svc}}}
	matches := []traffic.Match{{Path: &traffic.PathMatch{Value: "/"}}, {Headers: []traffic.ValueMatch{{Name: "a", Value: "b"}}}}
	rules := traffic.Matched(weighed[:1], "svc", "svc-canary", matches, o.Repair.Has(workloadquirk.HTTPRouteRulesLost))
	plain := traffic.Matched(weighed[1:], "svc", "svc-canary", matches, o.Repair.Has(workloadquirk.HTTPRouteRulesLost))
	headers := 0
	for _, m := range plain[1].Matches {
		headers += len(m.Headers)
	}
	empty := traffic.Restored([]traffic.Rule{{Name: "redirect"}}, "svc", "svc-canary", o.Repair.Has(workloadquirk.HTTPRouteRulesLost))
	return fmt.Sprintf("%d rules with a canary before, %d redirects, %d headers", len(rules), len(empty), headers)
}

func lastPause(_ *testing.T, o kruise.Options) string {
	kind, _ := kruise.PauseOf(twoSteps(), 2, now, o.Repair)
	return string(kind)
}

func nativeVictims(t *testing.T, o kruise.Options) string {
	victims, err := batchrelease.NativeBatch{Partition: "0", Revision: "new", MaxUnavailable: rollout.Int(2), Pods: []batchrelease.DaemonSetPod{
		{Name: "p0", Revision: "old", DeletionTimestamp: now}, {Name: "p1", Revision: "old", Ready: true},
	}}.Victims(o.Repair)
	require.NoError(t, err)
	old := workload.Workload{Ref: daemonSet, StrategyType: "OnDelete", Annotations: map[string]string{
		workload.AnnotationDaemonSetStrategy: "RollingUpdate",
	}}
	updated := old
	updated.Template.ID = "v2"
	a, err := planAdmission(kruise.AdmitSnapshot{Old: old, New: updated, Rollouts: []kruise.Rollout{partitioned(daemonSet)}}, o)
	require.NoError(t, err)
	saved := map[bool]string{true: "RollingUpdate", false: "OnDelete"}[o.Repair.Has(workloadquirk.DeletingPodsListed)]
	require.Equal(t, saved, a.Object.Annotations[workload.AnnotationDaemonSetStrategy])
	return fmt.Sprint(victims)
}

func messages(t *testing.T, o kruise.Options) string {
	s := begun(kruise.StatePaused, twoSteps())
	s.Rollout.Status = reconcile(t, s, o).Status
	again, err := kruise.Reconcile(s, now.Add(time.Minute), o)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(s.Rollout.Status, again.Status), "it comes to rest")
	return conditionOf(again.Status, workload.ConditionProgressing).Message
}

func graceZero(t *testing.T, o kruise.Options) string {
	r := twoSteps()
	r.Canary.Steps[0].Traffic = rollout.Percent(50)
	r.Canary.TrafficRoutings = routings(1)
	s := begun(kruise.StateTrafficRouting, r)
	s.Rollout.Status.Sub.LastUpdateTime = now
	s.Traffic.Stable = &traffic.Service{Name: "svc"}
	return string(reconcile(t, s, o).Holds[0].Reason)
}

func fullFirstStep(t *testing.T, o kruise.Options) string {
	first := step(rollout.Percent(50), 0)
	first.Traffic = rollout.Percent(50)
	c := newWorld(t, 1, first, step(rollout.Percent(100), 0))
	c.opts = o
	c.led(1)
	c.begin()
	c.run(c.phase(kruise.PhaseHealthy), false)
	if c.r.Status.Phase == kruise.PhaseHealthy {
		return "Healthy"
	}
	return string(c.r.Status.CurrentStepState) + " forever"
}
