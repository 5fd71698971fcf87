// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

const controlText = `"batchrelease.rollouts.kruise.io/control-info":"{\"apiVersion\":\"rollouts.kruise.io/v1beta1\",\"kind\":\"BatchRelease\",\"name\":\"web\",\"uid\":\"b\",\"controller\":true,\"blockOwnerDeletion\":true}"`

// How a workload is taken over.
func TestInitializePatch(t *testing.T) {
	for _, c := range []struct {
		ref   workload.Ref
		style workload.Style
		want  string
	}{
		{cloneSet, workload.Partition, `{"metadata":{"annotations":{` + controlText + `}},"spec":{"updateStrategy":{"partition":"100%","paused":false}}}`},
		{statefulSet, workload.Partition, `{"metadata":{"annotations":{` + controlText + `}},"spec":{"updateStrategy":{"rollingUpdate":{"partition":32767,"paused":false}}}}`},
		{kruiseSet, workload.Partition, `{"metadata":{"annotations":{` + controlText + `}},"spec":{"updateStrategy":{"rollingUpdate":{"partition":6,"paused":false}}}}`},
		{daemonSet, workload.Partition, `{"metadata":{"annotations":{` + controlText + `}},"spec":{"updateStrategy":{"type":"OnDelete"}}}`},
		{deployment, workload.Canary, `{"metadata":{"annotations":{` + controlText + `}}}`},
		{deployment, workload.BlueGreen, `{"metadata":{"annotations":{` + controlText + `,"rollouts.kruise.io/original-deployment-strategy":"{\"maxUnavailable\":\"25%\",\"maxSurge\":2,\"minReadySeconds\":5,\"progressDeadlineSeconds\":600}"}},"spec":{"minReadySeconds":2147483646,"progressDeadlineSeconds":2147483647,"strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0},"type":"RollingUpdate"}}}`},
		{cloneSet, workload.BlueGreen, `{"metadata":{"annotations":{` + controlText + `,"rollouts.kruise.io/original-deployment-strategy":"{\"maxUnavailable\":\"20%\",\"maxSurge\":2,\"minReadySeconds\":5}"}},"spec":{"minReadySeconds":2147483646,"updateStrategy":{"maxSurge":1,"maxUnavailable":0,"paused":false}}}`},
	} {
		w := workload.Workload{Ref: c.ref, Replicas: ptr.To(int32(6)), MinReadySeconds: 5, RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Int(2)}}
		br := release(c.style)
		p, write := batchrelease.InitializePatch(br, w, 0)
		require.True(t, write)
		require.JSONEq(t, c.want, p.Body(c.ref), "%s %s", c.ref.Kind, c.style)
		w.Annotations = map[string]string{partition.AnnotationControlInfo: workload.ControlInfo(br.Name, br.UID)}
		_, write = batchrelease.InitializePatch(br, w, 0)
		require.False(t, write, "already ours")
	}
}

// How a workload is given back.
func TestReleasePatch(t *testing.T) {
	const gone = `"batchrelease.rollouts.kruise.io/control-info":null`
	for _, c := range []struct {
		ref        workload.Ref
		style      workload.Style
		keep, stay bool
		want       string
	}{
		{cloneSet, workload.Partition, false, false, `{"metadata":{"annotations":{` + gone + `}},"spec":{"updateStrategy":{"partition":null,"paused":false}}}`},
		{cloneSet, workload.Partition, true, false, `{"metadata":{"annotations":{` + gone + `}},"spec":{"updateStrategy":{"paused":false}}}`},
		{cloneSet, workload.Partition, false, true, `{"metadata":{"annotations":{` + gone + `}}}`},
		{statefulSet, workload.Partition, false, false, `{"metadata":{"annotations":{` + gone + `}},"spec":{"updateStrategy":{"rollingUpdate":{"partition":null}}}}`},
		{statefulSet, workload.Partition, true, false, `{"metadata":{"annotations":{` + gone + `}}}`},
		{kruiseSet, workload.Partition, true, false, `{"metadata":{"annotations":{` + gone + `}},"spec":{"updateStrategy":{"rollingUpdate":{"paused":false}}}}`},
		{daemonSet, workload.Partition, false, false, `{"metadata":{"annotations":{` + gone + `,"rollouts.kruise.io/daemonset-revision":null,"rollouts.kruise.io/daemonset-advanced-control":null,"rollouts.kruise.io/daemonset-original-update-strategy":null}},"spec":{"updateStrategy":{"rollingUpdate":null,"type":"RollingUpdate"}}}`},
		{deployment, workload.Canary, false, false, `{"metadata":{"annotations":{` + gone + `}},"spec":{"paused":false}}`},
		{deployment, workload.Canary, false, true, `{"metadata":{"annotations":{` + gone + `}},"spec":{"paused":true}}`},
		{deployment, workload.BlueGreen, false, false, `{"metadata":{"annotations":{` + gone + `,"rollouts.kruise.io/original-deployment-strategy":null},"labels":{"rollouts.kruise.io/stable-revision":null}},"spec":{"minReadySeconds":5,"paused":false,"progressDeadlineSeconds":600,"strategy":{"rollingUpdate":{"maxSurge":2,"maxUnavailable":"25%"}}}}`},
		{cloneSet, workload.BlueGreen, false, false, `{"metadata":{"annotations":{` + gone + `,"rollouts.kruise.io/original-deployment-strategy":null}},"spec":{"minReadySeconds":5,"updateStrategy":{"maxSurge":2,"maxUnavailable":"25%","paused":false}}}`},
	} {
		br := release(c.style)
		if !c.stay {
			br.ReleasePlan.BatchPartition = nil
		}
		w := workload.Workload{Ref: c.ref, Annotations: map[string]string{
			workload.AnnotationOriginalStrategy: `{"maxUnavailable":"25%","maxSurge":2,"minReadySeconds":5,"progressDeadlineSeconds":600}`,
		}}
		p, write := batchrelease.ReleasePatch(br, w, batchrelease.Options{KeepPaused: c.keep})
		require.True(t, write)
		require.JSONEq(t, c.want, p.Body(c.ref), "%s %s keep %v stay %v", c.ref.Kind, c.style, c.keep, c.stay)
	}
	_, write := batchrelease.ReleasePatch(release(workload.BlueGreen), workload.Workload{Ref: deployment}, batchrelease.Options{})
	require.False(t, write, "blue-green keeps everything in a continuous release")
}

// The examples.
func TestReadiness(t *testing.T) {
	for _, c := range []struct {
		updated, ready int32
		threshold      rollout.IntOrPercent
		want           kplan.Reason
	}{
		{5, 3, rollout.Percent(40), ""},
		{5, 3, rollout.Percent(20), reason.TooFewReady},
		{8, 3, rollout.Percent(20), ""},
		{5, 0, rollout.Percent(100), reason.NoneReady},
		{4, 4, rollout.Percent(100), reason.TooFewUpdated},
	} {
		hold, waiting := batchrelease.Context{Updated: c.updated, UpdatedReady: c.ready, Desired: 5, FailureThreshold: c.threshold}.Waiting(0)
		require.Equal(t, c.want, hold.Reason)
		require.Equal(t, c.want != "", waiting)
	}
}

// The examples.
func TestLabelExamples(t *testing.T) {
	plan := release(workload.Partition, rollout.Percent(20), rollout.Percent(50), rollout.Percent(100)).ReleasePlan
	require.Equal(t, []int32{2, 1, 3}, batchrelease.Increments(plan.Batches, 2, 6))
	br := release(workload.Partition, rollout.Percent(5), rollout.Percent(90))
	br.ReleasePlan.RolloutID, br.Status.Current.CurrentBatch = "id", 1
	var pods []workload.Pod
	for i := range 11 {
		p := workload.Pod{Name: fmt.Sprintf("p%d", i+1), Labels: map[string]string{workload.LabelPodTemplateHash: "v2"}, TemplateHash: "v2"}
		if i > 8 {
			p.Labels[workload.LabelRolloutID], p.Labels[workload.LabelBatchID] = "id", fmt.Sprint(i-8)
		}
		pods = append(pods, p)
	}
	labels := batchrelease.Labels(br, 10, "v2", pods, 0)
	require.Equal(t, "p9", labels[0].Name)
	require.Equal(t, map[string]string{workload.LabelRolloutID: "id", workload.LabelBatchID: "2", workload.LabelControllerRevision: "v2"}, labels[0].Labels)
	require.Equal(t, "p3", labels[6].Name)
	require.Equal(t, map[string]string{workload.LabelControllerRevision: "v2"}, labels[7].Labels, "the hashes of all others follow")
	require.Len(t, labels, 11)
}

// A rollback in batches marks what needs no update, then
// goes through the batches.
func TestRollbackInBatches(t *testing.T) {
	br := release(workload.Partition, rollout.Percent(50), rollout.Percent(100))
	br.WorkloadRef = cloneSet
	br.Annotations = map[string]string{workload.AnnotationRollbackInBatch: "true"}
	br.ReleasePlan.RolloutID = "back"
	br.Status = batchrelease.Status{Phase: batchrelease.PhasePreparing, ObservedWorkloadReplicas: -1, ObservedReleasePlanHash: br.ReleasePlan.Hash(), ObservedRolloutID: "back"}
	w := workload.Workload{Ref: cloneSet, Replicas: ptr.To(int32(4)), StableRevision: "v1", UpdateRevision: "v1", Partition: rollout.Percent(100)}
	w.Status = workload.Status{Replicas: 4, UpdatedReplicas: 2, UpdatedReadyReplicas: 2}
	br.Status.Current.UpdatedReplicas, br.Status.Current.UpdatedReadyReplicas = 2, 2
	pods := []workload.Pod{
		{Name: "a", Labels: map[string]string{workload.LabelPodTemplateHash: "v1"}}, {Name: "b", Labels: map[string]string{workload.LabelPodTemplateHash: "v1"}},
		{Name: "c", Labels: map[string]string{workload.LabelPodTemplateHash: "v2"}},
	}
	s := batchrelease.Snapshot{Release: br, Workload: &w, Pods: pods}
	p, err := planBatch(s, now, batchrelease.Options{})
	require.NoError(t, err)
	require.Equal(t, batchrelease.PhasePreparing, p.Status.Phase)
	require.Contains(t, p.Failure, "initilization not yet")
	marked := map[string]string{workload.LabelNoNeedUpdate: "back"}
	require.Contains(t, p.Actions, batchrelease.Action(batchrelease.LabelPod{Name: "a", Labels: marked, Reason: reason.NoNeedUpdate}))
	require.NotContains(t, p.Actions, batchrelease.Action(batchrelease.LabelPod{Name: "c", Labels: marked, Reason: reason.NoNeedUpdate}))

	for i := range 2 {
		pods[i].Labels[workload.LabelNoNeedUpdate] = "back"
	}
	p, err = planBatch(s, now, batchrelease.Options{})
	require.NoError(t, err)
	require.Equal(t, batchrelease.PhaseProgressing, p.Status.Phase)
	require.Equal(t, ptr.To(int32(2)), p.Status.Current.NoNeedUpdateReplicas)

	s.Release.Status = p.Status
	s.Release.Status.Current.NoNeedUpdateReplicas = ptr.To(int32(1)) // stale: it is counted anew
	p, err = planBatch(s, now, batchrelease.Options{})
	require.NoError(t, err)
	require.Equal(t, ptr.To(int32(2)), p.Status.Current.NoNeedUpdateReplicas)
	require.Equal(t, int32(3), p.Context.Desired, "2 as they are, and half of the other 2")
	require.Equal(t, rollout.Percent(25), p.Context.DesiredPartition)
	require.Equal(t, batchrelease.StateVerifying, p.Status.Current.BatchState)

	// Without a rollout id the updated pods of the status count.
	s.Release.Status = br.Status
	s.Release.ReleasePlan.RolloutID, s.Release.Status.ObservedRolloutID = "", ""
	s.Release.Status.ObservedReleasePlanHash = s.Release.ReleasePlan.Hash()
	p, err = planBatch(s, now, batchrelease.Options{})
	require.NoError(t, err)
	require.Equal(t, ptr.To(int32(2)), p.Status.Current.NoNeedUpdateReplicas)

	// A rollback that is noticed in the middle prepares anew.
	s.Release.Status.Phase, s.Release.Status.StableRevision, s.Release.Status.UpdateRevision = batchrelease.PhaseProgressing, "v1", "v2"
	p, err = planBatch(s, now, batchrelease.Options{})
	require.NoError(t, err)
	require.Equal(t, batchrelease.PhasePreparing, p.Status.Phase)
	require.Equal(t, "v1", p.Status.UpdateRevision)
}

// Whole lives of the styles that keep both versions.
func TestCanaryAndBlueGreenLives(t *testing.T) {
	run := func(s batchrelease.Snapshot) batchrelease.Plan {
		p, err := planBatch(s, now, batchrelease.Options{})
		require.NoError(t, err)
		return p
	}
	br := release(workload.Canary, rollout.Percent(50))
	br.ReleasePlan.PatchPodTemplateMetadata = &workload.TemplateMetadata{Labels: map[string]string{"a": "b"}}
	br.Status = batchrelease.Status{Phase: batchrelease.PhasePreparing, ObservedWorkloadReplicas: -1, ObservedReleasePlanHash: br.ReleasePlan.Hash()}
	s := batchrelease.Snapshot{Release: br, Workload: &workload.Workload{Ref: deployment, Replicas: ptr.To(int32(4)), Paused: true, UpdateRevision: "v2"}}
	p := run(s)
	require.IsType(t, batchrelease.CreateCanary{}, p.Actions[1])
	require.NotEmpty(t, p.Failure, "it has to be observed first")
	s.Canary = &workload.Workload{Ref: deployment, Generation: 2, Replicas: ptr.To(int32(0))}
	s.Canary.Name = "web-x"
	require.Equal(t, batchrelease.PhaseProgressing, run(s).Status.Phase)
	s.Release.Status.Phase, s.Release.Status.Current.BatchState = batchrelease.PhaseProgressing, batchrelease.StateUpgrading
	p = run(s)
	require.Equal(t, `Patched deployment web-x: {"spec":{"replicas":2}} (Upgrade)`, p.String())
	require.Equal(t, []any{"", batchrelease.StateVerifying}, []any{p.Failure, p.Status.Current.BatchState})
	s.Canary.Status = workload.Status{ObservedGeneration: 1, Replicas: 2, AvailableReplicas: 2}
	s.Release.Status.Current = batchrelease.CurrentBatch{BatchState: batchrelease.StateVerifying, UpdatedReplicas: 2, UpdatedReadyReplicas: 2}
	require.Equal(t, reason.NotObserved, run(s).Holds[0].Reason)
	s.Canary.Status.ObservedGeneration = 2
	require.Equal(t, batchrelease.StateReady, run(s).Status.Current.BatchState)

	s.Release.ReleasePlan.BatchPartition, s.Release.ReleasePlan.FinalizingPolicy = nil, batchrelease.WaitResume
	s.Release.Status.Phase = batchrelease.PhaseFinalizing
	require.Equal(t, reason.NotResumed, run(s).Holds[0].Reason)
	s.Workload.Paused = false
	s.Workload.Status = workload.Status{Replicas: 4, UpdatedReplicas: 3}
	require.Equal(t, reason.NotPromoted, run(s).Holds[0].Reason)
	s.Workload.Status.UpdatedReplicas = 4
	s.Workload.RollingUpdate = limits
	require.Equal(t, kplan.Hold{Name: "demo", Reason: reason.NotAvailable, Limit: 3}, run(s).Holds[0], "25% of 4 need not be")
	s.Workload.Status.AvailableReplicas = 4
	p = run(s)
	require.Equal(t, batchrelease.PhaseCompleted, p.Status.Phase)
	require.Contains(t, p.String(), "Removed finalizer finalizer.rollouts.kruise.io/batch-release of Deployment web-x (GiveBack)")

	br = release(workload.BlueGreen, rollout.Percent(50))
	br.Status = batchrelease.Status{Phase: batchrelease.PhasePreparing, ObservedWorkloadReplicas: -1, ObservedReleasePlanHash: br.ReleasePlan.Hash()}
	s = batchrelease.Snapshot{Release: br, Workload: &workload.Workload{Ref: deployment, Replicas: ptr.To(int32(4))}, StableSet: "web-v1",
		Autoscaler: &batchrelease.Autoscaler{Name: "hpa", TargetName: "demo"}}
	p = run(s)
	require.Contains(t, p.String(), "Set minReadySeconds of replica set web-v1 to 2147483646 (Initialize)")
	require.Contains(t, p.String(), "Retargeted autoscaler hpa from demo to demo-DisableByRollout (Initialize)")
	s.Release.Status.Phase = batchrelease.PhaseProgressing
	p = run(s)
	require.Equal(t, reason.NoControlInfo, p.Holds[0].Reason)
	require.Equal(t, kplan.ConditionTrue, p.Status.Conditions[0].Status)
	s.Workload.Annotations = map[string]string{partition.AnnotationControlInfo: "{}", workload.AnnotationOriginalStrategy: `{"maxSurge":1}`}
	refused := []kplan.Reason{}
	for _, prepare := range []func(){
		func() {}, func() { s.Workload.MinReadySeconds = workload.InfiniteMinReady }, func() { s.Workload.StrategyType = "RollingUpdate" },
		func() { s.Workload.RollingUpdate = &partition.RollingUpdate{MaxSurge: rollout.Int(1)} },
	} {
		prepare()
		refused = append(refused, run(s).Holds[0].Reason)
	}
	require.Equal(t, []kplan.Reason{reason.MinReadySeconds, reason.StrategyType, reason.NoRollingUpdate, reason.DeadlineSeconds}, refused)
	s.Workload.ProgressDeadlineSeconds = ptr.To(int32(workload.InfiniteDeadline))
	require.Contains(t, run(s).String(), `"maxSurge":"50%"`)
	s.Release.ReleasePlan.BatchPartition, s.Release.Status.Phase = nil, batchrelease.PhaseFinalizing
	s.Autoscaler.TargetName = "demo-DisableByRollout"
	require.Equal(t, reason.NotResumed, run(s).Holds[0].Reason, "what was just restored is observed later")
	s.Workload.Annotations = nil
	s.Workload.Status.ReadyReplicas = 4
	require.Equal(t, reason.NotPromoted, run(s).Holds[0].Reason)
	s.Workload.Status.UpdatedReplicas, s.Workload.Status.AvailableReplicas = 4, 4
	s.Release.Status.Current.UpdatedReplicas = 4
	require.Contains(t, run(s).String(), "Retargeted autoscaler hpa from demo-DisableByRollout to demo (GiveBack)")
	s.Workload.Ref, s.Release.WorkloadRef = cloneSet, cloneSet
	require.Equal(t, reason.NotPromoted, run(s).Holds[0].Reason)
	s.Workload.Status.UpdatedReadyReplicas = 4
	s.Release.Status.Current.UpdatedReadyReplicas = 4
	require.Equal(t, batchrelease.PhaseCompleted, run(s).Status.Phase)
}

// A plan shares no number with the snapshot that it was made from.
func TestBatchPlanOwnsItsNumbers(t *testing.T) {
	br := release(workload.Partition, rollout.Int(1))
	br.ReleasePlan.RolloutID = "id"
	br.Status.Phase, br.Status.CollisionCount = batchrelease.PhasePreparing, ptr.To(int32(1))
	br.Status.Current.NoNeedUpdateReplicas = ptr.To(int32(2))
	w := workload.Workload{Ref: cloneSet, Replicas: ptr.To(int32(6))}
	c := batchrelease.NewContext(br, w, nil, 0)
	p, err := planBatch(batchrelease.Snapshot{Release: br, Workload: &w}, now, batchrelease.Options{})
	require.NoError(t, err)
	require.NotNil(t, p.Status.Current.NoNeedUpdateReplicas)
	require.NotNil(t, p.Status.CollisionCount)
	*br.Status.CollisionCount, *br.Status.Current.NoNeedUpdateReplicas = 9, 9
	require.Equal(t, int32(2), *c.NoNeedUpdate)
	require.Equal(t, int32(2), *p.Status.Current.NoNeedUpdateReplicas)
	require.Equal(t, int32(1), *p.Status.CollisionCount)
}
