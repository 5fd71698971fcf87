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

// surged is a blue-green workload of 6 pods under control that is released as v2 up to a
// half, with an update revision.
func surged(ref workload.Ref, update string) batchrelease.Snapshot {
	br := release(workload.BlueGreen, rollout.Percent(50))
	br.WorkloadRef, br.ReleasePlan.RolloutID = ref, "v2"
	br.Status = batchrelease.Status{
		Phase: batchrelease.PhaseProgressing, ObservedWorkloadReplicas: 6, ObservedRolloutID: "v2", ObservedReleasePlanHash: br.ReleasePlan.Hash(),
		StableRevision: "v1", UpdateRevision: update, Current: batchrelease.CurrentBatch{BatchState: batchrelease.StateUpgrading},
	}
	infinite := int32(workload.InfiniteDeadline)
	w := workload.Workload{
		Ref: ref, Replicas: ptr.To(int32(6)), Annotations: map[string]string{partition.AnnotationControlInfo: workload.ControlInfo(br.Name, br.UID)},
		StrategyType: "RollingUpdate", RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Int(1)}, MinReadySeconds: workload.InfiniteMinReady,
		ProgressDeadlineSeconds: &infinite, Paused: true, StableRevision: "v1", UpdateRevision: update, Status: workload.Status{Replicas: 6},
	}
	return batchrelease.Snapshot{Release: br, Workload: &w}
}

func batched(t *testing.T, s batchrelease.Snapshot, o kruise.Options) string {
	t.Helper()
	p, err := planBatch(s, now, batchOptions(o))
	require.NoError(t, err)
	return p.String()
}

// OtherTemplateReleased: v3 comes in the middle of the release of v2, and is taken back.
func otherTemplate(t *testing.T, o kruise.Options) string {
	back := surged(deployment, "v2")
	back.Workload.RollingUpdate.MaxSurge = rollout.Percent(50)
	return "v3: " + batched(t, surged(deployment, "v3"), o) + "; v2 again: " + batched(t, back, o)
}

// OtherTemplateReleased, its edges: whose template it is is told by the rollout id.
func TestOtherTemplateOfBlueGreen(t *testing.T) {
	fixed := kruise.Options{Repair: quirk.OtherTemplateReleased}
	const upgrade = `Patched deployment demo: {"spec":{"paused":false,"strategy":{"rollingUpdate":{"maxSurge":"50%","maxUnavailable":0},"type":"RollingUpdate"}}} (Upgrade)`
	const first = "demo held back: RollbackFirst"
	named := func(id, key string) batchrelease.Snapshot {
		s := surged(deployment, "v3")
		s.Release.ReleasePlan.RolloutID, s.Release.Status.ObservedRolloutID = "id", "id"
		s.Release.Status.ObservedReleasePlanHash = s.Release.ReleasePlan.Hash()
		s.Workload.Labels = map[string]string{key: id}
		return s
	}
	rollback, nameless := surged(deployment, "v1"), surged(deployment, "v3")
	rollback.Release.ReleasePlan.RolloutID, nameless.Release.ReleasePlan.RolloutID = "rollback-v1", ""
	for _, s := range []*batchrelease.Snapshot{&rollback, &nameless} {
		s.Release.Status.ObservedRolloutID = s.Release.ReleasePlan.RolloutID
		s.Release.Status.ObservedReleasePlanHash = s.Release.ReleasePlan.Hash()
	}
	for _, c := range []struct {
		why  string
		s    batchrelease.Snapshot
		want string
	}{
		{"the template of the release", surged(deployment, "v2"), upgrade},
		{"another one", surged(deployment, "v3"), first},
		{"the stable one: the Rollout cancels the release", surged(deployment, "v1"), first},
		{"of the same id, whatever the template", named("id", workload.LabelRolloutID), upgrade},
		{"of another id", named("other", workload.LabelRolloutID), first},
		{"a release that goes back", rollback, upgrade},
		{"a plan without an id, which no Rollout has made", nameless, upgrade},
		{"a CloneSet is known by the end of its revision", surged(cloneSet, "demo-v2"), `Patched cloneset demo: {"spec":{"updateStrategy":{"maxSurge":"50%","partition":null}}} (Upgrade)`},
		{"and by that of another", surged(cloneSet, "demo-v3"), first},
	} {
		require.Equal(t, c.want, batched(t, c.s, fixed), c.why)
	}
	for _, c := range []struct {
		why       string
		ref       workload.Ref
		partition rollout.IntOrPercent
		paused    bool
		surge     int32
		want      string
	}{
		{"admission has paused it", deployment, rollout.IntOrPercent{}, true, 50, `{"spec":{"paused":false}}`},
		{"a larger surge stays", deployment, rollout.IntOrPercent{}, true, 80, `{"spec":{"paused":false}}`},
		{"it runs", deployment, rollout.IntOrPercent{}, false, 50, ""},
		{"admission has stopped it", cloneSet, rollout.Percent(100), false, 50, `{"spec":{"updateStrategy":{"partition":null}}}`},
		{"it runs, too", cloneSet, rollout.IntOrPercent{}, false, 50, ""},
	} {
		s := surged(c.ref, "v2")
		s.Workload.Paused, s.Workload.Partition, s.Workload.RollingUpdate.MaxSurge = c.paused, c.partition, rollout.Percent(c.surge)
		for _, o := range []kruise.Options{{}, fixed} {
			context := batchrelease.NewContext(s.Release, *s.Workload, nil, o.Repair)
			p, write, refused := context.UpgradePatch(*s.Workload, nil, o.Repair)
			require.Empty(t, refused, c.why)
			require.Equal(t, c.want != "" && o.Repair != 0, write, c.why)
			if write {
				require.Equal(t, c.want, p.Body(c.ref), c.why)
			}
		}
	}
}

// ReleaseOfWhatIsThere: the other ways to release what is there. A view of before the update; a rollback
// that was seen late; and an admission although all pods have the template.
func TestEmptyReleases(t *testing.T) {
	fixed := kruise.Options{Repair: quirk.ReleaseOfWhatIsThere}
	past := begun(kruise.StateBeforeUpgrade, twoSteps())
	past.Rollout.Status.Conditions[0].Reason, past.Workload.InProgress = kruise.ProgressInitializing, false
	require.Equal(t, kruise.PhaseProgressing, reconcile(t, past, kruise.Options{}).Status.Phase)
	p := reconcile(t, past, fixed)
	require.Equal(t, kruise.PhaseHealthy, p.Status.Phase)
	require.Equal(t, []kplan.Hold{{Reason: reason.NoUpdate}}, p.Holds)
	past.Rollout.Status, past.Workload.InProgress = p.Status, true
	require.Equal(t, kruise.PhaseProgressing, reconcile(t, past, fixed).Status.Phase, "it begins when the update is seen")

	late := begun(kruise.StateUpgrade, kruise.Rollout{Name: "web", WorkloadRef: deployment, BlueGreen: twoSteps().Canary})
	late.Workload.InRollback, late.Workload.CanaryRevision, late.Workload.PodTemplateHash = true, "v1", "v1"
	late.Rollout.Status.Sub.Revision = "v1"
	require.Equal(t, kruise.ProgressInRolling, conditionOf(reconcile(t, late, kruise.Options{}).Status, workload.ConditionProgressing).Reason)
	require.Equal(t, kruise.ProgressCancelling, conditionOf(reconcile(t, late, fixed).Status, workload.ConditionProgressing).Reason)
	late.Rollout.WorkloadRef, late.Workload.Ref = cloneSet, cloneSet
	require.Equal(t, kruise.ProgressInRolling, conditionOf(reconcile(t, late, fixed).Status, workload.ConditionProgressing).Reason,
		"a CloneSet looks like that when it is about to end")

	for _, c := range []struct {
		why       string
		from, set string
		o         kruise.Options
		want      string
	}{
		{"upstream names none", "v2", "v1", kruise.Options{}, ""},
		{"what is there is stable", "v2", "v1", fixed, "v1"},
		{"another template is", "v2", "v3", fixed, "v3"},
		{"only the rollout id has changed: the pods are to be labelled", "v1", "v1", fixed, ""},
	} {
		old := workload.Workload{Ref: deployment, Template: template(c.from)}
		updated := workload.Workload{Ref: deployment, Template: template("v1"), Annotations: map[string]string{workload.LabelRolloutID: "2"}}
		a, err := planAdmission(kruise.AdmitSnapshot{Old: old, New: updated, Rollouts: []kruise.Rollout{twoSteps()},
			Sets: []workload.Set{{Name: "set", Template: template(c.set), Replicas: 1}},
		}, c.o)
		require.NoError(t, err)
		require.Equal(t, reason.ReleaseBegins, a.Reason, c.why)
		require.Equal(t, c.want, a.Object.Labels[workload.LabelStableRevision], c.why)
	}
}

// CanaryServiceAssumed: a blue-green release whose last step has no traffic has no canary Service any more
// when it closes.
func TestClosingWithoutCanaryService(t *testing.T) {
	r := kruise.Rollout{Name: "web", WorkloadRef: deployment, BlueGreen: twoSteps().Canary}
	r.BlueGreen.TrafficRoutings = routings(1)
	s := begun(kruise.StateCompleted, r)
	s.Rollout.Status.Conditions[0].Reason, s.Rollout.Status.Sub.FinalisingStep = kruise.ProgressFinalising, kruise.FinalRouteToNew
	s.Workload.InProgress = false
	s.Traffic.Stable = &traffic.Service{Name: "svc"}
	s.Traffic.Route = &traffic.Route{Name: "route", Rules: []traffic.Rule{rule(nil, "svc")}}
	fixed := kruise.Options{Repair: quirk.CanaryServiceAssumed}
	require.Equal(t, "Set 1 rules of route route (RouteTraffic)", reconcile(t, s, kruise.Options{}).String())
	p := reconcile(t, s, fixed)
	require.Empty(t, p.Actions)
	require.Equal(t, kruise.FinalRestoreStable, p.Status.Sub.FinalisingStep)
	for _, there := range []bool{false, true} {
		s.Traffic.Canary = nil
		if there {
			s.Traffic.Canary = &traffic.Service{Name: "svc-canary"}
		}
		s.Rollout.BlueGreen.DisableGenerateCanaryService = !there // then the stable Service stands for it
		require.Equal(t, reconcile(t, s, kruise.Options{}).Actions, reconcile(t, s, fixed).Actions)
		require.NotEmpty(t, reconcile(t, s, fixed).Actions)
	}
}
