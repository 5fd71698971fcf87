// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

var limits = &partition.RollingUpdate{MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25)}

// Who drives what.
func TestDrivers(t *testing.T) {
	for _, c := range []struct {
		ref   workload.Ref
		style workload.Style
		extra bool
		want  workload.Driver
	}{
		{deployment, workload.BlueGreen, false, workload.DriverBlueGreenDeployment}, {cloneSet, workload.BlueGreen, false, workload.DriverBlueGreenCloneSet},
		{deployment, workload.Canary, false, workload.DriverCanary}, {deployment, "", true, workload.DriverCanary},
		{cloneSet, workload.Canary, true, workload.DriverCloneSet}, {deployment, "", false, workload.DriverDeployment}, {deployment, workload.Partition, true, workload.DriverDeployment},
		{cloneSet, workload.Partition, false, workload.DriverCloneSet}, {kruiseSet, workload.Partition, false, workload.DriverDaemonSet}, {daemonSet, workload.Partition, false, workload.DriverNativeDaemonSet},
		{statefulSet, workload.Partition, false, workload.DriverStatefulSet},
	} {
		got, err := workload.DriverOf(c.ref, batchrelease.ReleasePlan{RollingStyle: c.style, EnableExtraWorkloadForCanary: c.extra}.Style())
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%s %s", c.ref.Kind, c.style)
	}
}

// The first event that is there counts. and what it does.
func TestWorkloadEvents(t *testing.T) {
	behind := func(s *batchrelease.Snapshot) { s.Workload.Generation++ }
	promoted := func(s *batchrelease.Snapshot) { s.Workload.Status.UpdatedReplicas = 10 }
	scaled := func(s *batchrelease.Snapshot) { s.Workload.Replicas = ptr.To(int32(12)) }
	back := func(s *batchrelease.Snapshot) { s.Workload.UpdateRevision = "v1" }
	other := func(s *batchrelease.Snapshot) { s.Workload.UpdateRevision = "v3" }
	for _, c := range []struct {
		why     string
		changes []func(s *batchrelease.Snapshot)
		event   batchrelease.WorkloadEvent
		phase   batchrelease.Phase
		state   batchrelease.State
		update  string
	}{
		{"nothing", nil, batchrelease.EventNormal, batchrelease.PhaseProgressing, batchrelease.StateReady, "v2"},
		{"deleted: nothing is read", []func(s *batchrelease.Snapshot){func(s *batchrelease.Snapshot) { s.Release.DeletionTimestamp, s.Workload = now, nil }}, batchrelease.EventNormal, batchrelease.PhaseFinalizing, batchrelease.StateReady, "v2"},
		{"gone", []func(s *batchrelease.Snapshot){func(s *batchrelease.Snapshot) { s.Workload = nil }}, batchrelease.EventGone, batchrelease.PhaseFinalizing, batchrelease.StateReady, "v2"},
		{"not readable", []func(s *batchrelease.Snapshot){func(s *batchrelease.Snapshot) { s.Unreadable = true }}, batchrelease.EventUnknown, batchrelease.PhaseProgressing, batchrelease.StateReady, "v2"},
		{"behind, before all else", []func(s *batchrelease.Snapshot){behind, promoted, scaled, other}, batchrelease.EventReconciling, batchrelease.PhaseProgressing, batchrelease.StateReady, "v2"},
		{"promoted, before a new size", []func(s *batchrelease.Snapshot){promoted, scaled, other}, batchrelease.EventNormal, batchrelease.PhaseProgressing, batchrelease.StateReady, "v2"},
		{"scaled, before a template", []func(s *batchrelease.Snapshot){scaled, other}, batchrelease.EventReplicasChanged, batchrelease.PhaseProgressing, batchrelease.StateUpgrading, "v2"},
		{"a rollback, which stops", []func(s *batchrelease.Snapshot){back}, batchrelease.EventRollbackInBatch, batchrelease.PhaseProgressing, batchrelease.StateReady, "v2"},
		{"another template", []func(s *batchrelease.Snapshot){other}, batchrelease.EventTemplateChanged, batchrelease.PhaseProgressing, batchrelease.StateReady, "v3"},
		{"no batch partition", []func(s *batchrelease.Snapshot){func(s *batchrelease.Snapshot) { s.Release.ReleasePlan.BatchPartition = nil }}, batchrelease.EventNormal, batchrelease.PhaseFinalizing, batchrelease.StateReady, "v2"},
		{"completed", []func(s *batchrelease.Snapshot){other, func(s *batchrelease.Snapshot) { s.Release.Status.Phase = batchrelease.PhaseCompleted }}, batchrelease.EventTemplateChanged, batchrelease.PhaseCompleted, batchrelease.StateReady, "v2"},
		{"no such batch", []func(s *batchrelease.Snapshot){func(s *batchrelease.Snapshot) { s.Release.Status.Current.CurrentBatch = 2 }}, batchrelease.EventNormal, batchrelease.PhasePreparing, "", ""},
	} {
		s := progressing(cloneSet)
		for _, change := range c.changes {
			change(&s)
		}
		require.Equal(t, c.event, eventOf(s), c.why)
		p, err := planBatch(s, now, batchrelease.Options{})
		require.NoError(t, err)
		require.Equal(t, []any{c.phase, c.state, c.update}, []any{p.Status.Phase, p.Status.Current.BatchState, p.Status.UpdateRevision}, c.why)
	}

	begins := progressing(cloneSet)
	begins.Release.Status = batchrelease.Status{}
	require.Equal(t, batchrelease.EventNormal, eventOf(begins), "no size was seen before")

	// A changed plan begins with its batch, or with the first under another id.
	for _, c := range []struct {
		id        string
		partition int32
		want      int32
	}{{"", 1, 1}, {"", 9, 1}, {"new", 1, 0}} {
		s := progressing(cloneSet)
		s.Release.ReleasePlan.BatchPartition, s.Release.ReleasePlan.RolloutID = &c.partition, c.id
		p, err := planBatch(s, now, batchrelease.Options{})
		require.NoError(t, err)
		require.Equal(t, []any{c.want, batchrelease.StateUpgrading, time.Time{}, c.id, s.Release.ReleasePlan.Hash()},
			[]any{p.Status.Current.CurrentBatch, p.Status.Current.BatchState, p.Status.Current.BatchReadyTime, p.Status.ObservedRolloutID, p.Status.ObservedReleasePlanHash})
		require.Equal(t, now.Add(2*time.Second), p.RecheckAt)
		require.Empty(t, p.Actions, "6.1, 7: nothing else in this pass")
	}
	// A template that was taken back is followed with the changed plan if that is repaired.
	for repair, want := range map[quirk.Set]string{0: "v2", quirk.TakenBackTemplateUnlabelled: "v1"} {
		s := progressing(cloneSet)
		back(&s)
		s.Release.ReleasePlan.BatchPartition = ptr.To(int32(1))
		p, err := planBatch(s, now, batchrelease.Options{Repair: repair})
		require.NoError(t, err)
		require.Equal(t, []any{batchrelease.StateUpgrading, want}, []any{p.Status.Current.BatchState, p.Status.UpdateRevision})
	}
	odd := progressing(cloneSet)
	odd.Release.Status.Phase = "Odd"
	p, err := planBatch(odd, now, batchrelease.Options{})
	require.NoError(t, err)
	require.Equal(t, batchrelease.PhaseProgressing, p.Status.Phase, "an unknown phase prepares")
	odd = progressing(cloneSet)
	odd.Release.Status.Current.BatchState = "Odd"
	p, err = planBatch(odd, now, batchrelease.Options{})
	require.NoError(t, err)
	require.Equal(t, batchrelease.StateVerifying, p.Status.Current.BatchState, "an unknown state upgrades")
	none := progressing(cloneSet)
	none.Workload.Replicas, none.Workload.Status = ptr.To(int32(0)), workload.Status{ObservedGeneration: 3}
	none.Release.Status.ObservedWorkloadReplicas, none.Release.Status.Current = 0, batchrelease.CurrentBatch{BatchState: batchrelease.StateVerifying}
	p, err = planBatch(none, now, batchrelease.Options{})
	require.NoError(t, err)
	require.Equal(t, batchrelease.StateReady, p.Status.Current.BatchState, "without pods there is nothing to wait for")
}

// What a batch asks for, by kind.
func TestBatchContexts(t *testing.T) {
	p, n := rollout.Percent, rollout.Int
	back := ptr.To(int32(4))
	for _, c := range []struct {
		why              string
		ref              workload.Ref
		style            workload.Style
		replicas         int32
		batch            rollout.IntOrPercent
		noNeed           *int32
		unordered        bool
		planned, desired int32
		partition        rollout.IntOrPercent
		surge            rollout.IntOrPercent
	}{
		{"Deployment", deployment, workload.Partition, 6, p(99), nil, false, 5, 5, p(99), unset},
		{"CloneSet, a number", cloneSet, workload.Partition, 10, n(3), nil, false, 3, 3, n(7), unset},
		{"CloneSet, a share", cloneSet, workload.Partition, 3, p(50), nil, false, 2, 2, p(33), unset},
		{"CloneSet, none stays", cloneSet, workload.Partition, 3, p(100), nil, false, 3, 3, p(0), unset},
		{"CloneSet, rolling back: half of 6", cloneSet, workload.Partition, 10, n(3), back, false, 3, 7, n(3), unset},
		{"StatefulSet", statefulSet, workload.Partition, 10, p(30), nil, false, 3, 3, n(7), unset},
		{"StatefulSet, rolling back in order", statefulSet, workload.Partition, 10, n(3), back, false, 3, 7, n(7), unset},
		{"StatefulSet, rolling back in any order", statefulSet, workload.Partition, 10, n(3), back, true, 3, 7, n(3), unset},
		{"DaemonSet", kruiseSet, workload.Partition, 10, n(99), nil, false, 10, 10, n(0), unset},
		{"native DaemonSet", daemonSet, workload.Partition, 10, p(1), nil, false, 1, 1, n(9), unset},
		{"canary", deployment, workload.Canary, 6, p(99), nil, false, 0, 6, unset, unset},
		{"blue-green Deployment", deployment, workload.BlueGreen, 6, p(99), nil, false, 5, 5, unset, p(99)},
		{"blue-green CloneSet: not clamped", cloneSet, workload.BlueGreen, 6, n(9), nil, false, 9, 9, unset, n(9)},
	} {
		br := release(c.style, c.batch)
		br.Status.Current.NoNeedUpdateReplicas = c.noNeed
		br.ReleasePlan.FailureThreshold = n(1)
		got := batchrelease.NewContext(br, workload.Workload{Ref: c.ref, Replicas: &c.replicas, Unordered: c.unordered}, nil, 0)
		require.Equal(t, []any{c.planned, c.desired, c.partition, c.surge}, []any{got.Planned, got.Desired, got.DesiredPartition, got.DesiredSurge}, c.why)
		require.Equal(t, c.style == workload.BlueGreen, got.FailureThreshold.IsZero(), c.why)
		for _, i := range []int32{-1, 1} {
			br.Status.Current.CurrentBatch = i
			got = batchrelease.NewContext(br, workload.Workload{Ref: c.ref, Replicas: &c.replicas}, nil, 0)
			require.Zero(t, got.Planned, "there is no batch %d", i)
		}
	}
	for _, c := range []struct {
		stable, replicas int32
		want             rollout.IntOrPercent
	}{{1, 3, p(33)}, {98, 99, p(98)}, {1, 101, p(1)}, {3, 3, p(100)}, {0, 3, p(0)}} {
		require.Equal(t, c.want, partition.StableShare(c.stable, c.replicas, p(50)))
	}
	require.Equal(t, int32(2), p(1).OfUp(101), "which keeps 2")
	require.True(t, partition.AtLeast(p(20), n(5)), "2,000,000 of 10,000,000 cover 5")
	require.False(t, partition.AtLeast(n(5), p(1)))
	require.True(t, partition.AtLeast(p(20), p(20)) && partition.AtLeast(n(5), n(5)) && !partition.AtLeast(p(20), p(21)))
}

// The patches of a Deployment, and when the others are written.
func TestPatches(t *testing.T) {
	br := release(workload.Partition, rollout.Percent(20))
	w := workload.Workload{Ref: deployment, Replicas: ptr.To(int32(6)), StrategyType: "RollingUpdate", RollingUpdate: limits}
	patch, write := batchrelease.InitializePatch(br, w, 0)
	require.True(t, write)
	const strategy = `{\"rollingStyle\":\"Partition\",\"rollingUpdate\":{\"maxUnavailable\":\"25%\",\"maxSurge\":\"25%\"},\"partition\":`
	require.JSONEq(t, `{"metadata":{"annotations":{`+controlText+`,"rollouts.kruise.io/deployment-strategy":"`+strategy+`0}"},
		"labels":{"rollouts.kruise.io/controlled-by-advanced-deployment-controller":"true"}},"spec":{"paused":true,"strategy":{"type":"Recreate"}}}`, patch.Body(deployment))
	w.Annotations = map[string]string{
		partition.AnnotationControlInfo: workload.ControlInfo(br.Name, br.UID),
		partition.AnnotationStrategy:    partition.Strategy{RollingStyle: "Partition", RollingUpdate: limits}.Text(),
	}
	w.Paused, w.StrategyType, w.RollingUpdate = true, "Recreate", nil
	_, write = batchrelease.InitializePatch(br, w, 0)
	require.False(t, write, "under control already")
	upgrade := func(ref workload.Ref, style workload.Style, batch rollout.IntOrPercent, change func(w *workload.Workload)) string {
		at := w
		at.Ref = ref
		if change != nil {
			change(&at)
		}
		canary := at
		patch, write, refused := batchrelease.NewContext(release(style, batch), at, &canary, 0).UpgradePatch(at, &canary, 0)
		if !write {
			return string(refused)
		}
		return patch.Body(ref)
	}
	part := func(v rollout.IntOrPercent) func(w *workload.Workload) {
		return func(w *workload.Workload) { w.Partition = v }
	}
	green := func(surge rollout.IntOrPercent) func(w *workload.Workload) {
		return func(w *workload.Workload) {
			w.MinReadySeconds, w.ProgressDeadlineSeconds = workload.InfiniteMinReady, ptr.To(int32(workload.InfiniteDeadline))
			w.StrategyType, w.RollingUpdate = "RollingUpdate", &partition.RollingUpdate{MaxSurge: surge}
		}
	}
	p, n := rollout.Percent, rollout.Int
	for _, c := range []struct{ why, got, want string }{
		{"Deployment", upgrade(deployment, workload.Partition, p(20), nil), `{"metadata":{"annotations":{"rollouts.kruise.io/deployment-strategy":"` + strategy + `\"20%\"}"}}}`},
		{"Deployment, not under control", upgrade(deployment, workload.Partition, p(20), func(w *workload.Workload) { w.Paused = false }), ""},
		{"Deployment, covered", upgrade(deployment, workload.Partition, n(0), nil), ""},
		{"CloneSet", upgrade(cloneSet, workload.Partition, p(50), part(p(100))), `{"spec":{"updateStrategy":{"partition":"50%"}}}`},
		{"CloneSet, covered", upgrade(cloneSet, workload.Partition, p(50), part(p(50))), ""}, {"CloneSet, never lowered", upgrade(cloneSet, workload.Partition, p(50), part(n(1))), ""},
		{"StatefulSet", upgrade(statefulSet, workload.Partition, p(50), part(n(6))), `{"spec":{"updateStrategy":{"rollingUpdate":{"partition":3}}}}`},
		{"StatefulSet, an absent partition is 0", upgrade(statefulSet, workload.Partition, p(50), nil), ""},
		{"DaemonSet", upgrade(kruiseSet, workload.Partition, p(50), part(n(6))), `{"spec":{"updateStrategy":{"rollingUpdate":{"partition":3}}}}`},
		{"native DaemonSet", upgrade(daemonSet, workload.Partition, p(50), func(w *workload.Workload) { w.UpdateRevision = "v2" }), `{"metadata":{"annotations":{"rollouts.kruise.io/daemonset-advanced-control":"{\"partition\":\"3\",\"batch-revision\":\"v2\"}"}}}`},
		{"native DaemonSet, there", upgrade(daemonSet, workload.Partition, p(50), func(w *workload.Workload) {
			w.Annotations = map[string]string{workload.AnnotationDaemonSetControl: `{"partition":"3"}`}
		}), ""},
		{"canary", upgrade(deployment, workload.Canary, p(50), func(w *workload.Workload) { w.Replicas = ptr.To(int32(6)) }), ""},
		{"blue-green: the example, 3 new beside 6 old", upgrade(deployment, workload.BlueGreen, p(50), green(n(1))), `{"spec":{"paused":false,"strategy":{"rollingUpdate":{"maxSurge":"50%","maxUnavailable":0},"type":"RollingUpdate"}}}`},
		{"blue-green, step 1: an integer 1 counts as 0", upgrade(deployment, workload.BlueGreen, n(1), green(n(1))), `{"spec":{"paused":false,"strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0},"type":"RollingUpdate"}}}`},
		{"blue-green, covered", upgrade(deployment, workload.BlueGreen, p(50), green(p(50))), ""},
		{"blue-green CloneSet", upgrade(cloneSet, workload.BlueGreen, p(50), green(n(1))), `{"spec":{"updateStrategy":{"maxSurge":"50%","partition":null}}}`},
	} {
		if c.want == "" {
			require.Empty(t, c.got, c.why)
			continue
		}
		require.JSONEq(t, c.want, c.got, c.why)
	}

	br.ReleasePlan.BatchPartition = nil
	back, write := batchrelease.ReleasePatch(br, w, batchrelease.Options{})
	require.True(t, write)
	require.JSONEq(t, `{"metadata":{"annotations":{"batchrelease.rollouts.kruise.io/control-info":null,"rollouts.kruise.io/deployment-extra-status":null,"rollouts.kruise.io/deployment-strategy":null},
		"labels":{"rollouts.kruise.io/controlled-by-advanced-deployment-controller":null,"rollouts.kruise.io/stable-revision":null}},
		"spec":{"paused":false,"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"},"type":"RollingUpdate"}}}`, back.Body(deployment))
}

// Each rule, with its sentence.
func TestReadinessRules(t *testing.T) {
	const prefix = "current batch not ready: "
	for _, c := range []struct {
		c    batchrelease.Context
		want string
	}{
		{batchrelease.Context{Updated: 1, UpdatedReady: 0, Desired: 2}, "updated replicas not satisfied, UpdatedReplicas 1 < DesiredUpdatedReplicas 2"},
		{batchrelease.Context{Updated: 2, UpdatedReady: 0, Desired: 2}, "updated ready replicas not satisfied, allowedUnavailable + UpdatedReadyReplicas 0 < DesiredUpdatedReplicas 2"},
		{batchrelease.Context{Updated: 2, UpdatedReady: 0, Desired: 2, FailureThreshold: rollout.Int(2)}, "no updated ready replicas, DesiredUpdatedReplicas 2 > 0 and UpdatedReadyReplicas 0 = 0"},
		{batchrelease.Context{Updated: 2, UpdatedReady: 2, Desired: 2, Planned: 2, RolloutID: "id", PodCount: 6, Labelled: 1}, "pods with batch label not satisfied, RolloutID id, PlannedUpdatedReplicas 2"},
		{batchrelease.Context{Updated: 2, UpdatedReady: 2, Desired: 2, Planned: 2, PodCount: 6, Labelled: 1}, ""},
		{batchrelease.Context{Updated: 2, UpdatedReady: 2, Desired: 2, Planned: 2, RolloutID: "id"}, ""},
		{batchrelease.Context{}, ""},
	} {
		hold, waiting := c.c.Waiting(0)
		require.Equal(t, c.want != "", waiting)
		if waiting {
			require.Equal(t, prefix+c.want, c.c.Text(hold))
		}
	}
}

// Which pods are offered in a rollback in batches.
func TestRollbackFilter(t *testing.T) {
	of := func(labels ...string) workload.Pod {
		p := workload.Pod{Name: labels[0], Labels: map[string]string{workload.LabelPodTemplateHash: labels[1]}}
		for _, key := range labels[2:] {
			p.Labels[key] = "id"
		}
		return p
	}
	gone := of("web-9", "v1")
	gone.DeletionTimestamp = now
	low, both := workload.LabelNoNeedUpdate, workload.LabelRolloutID
	pods := []workload.Pod{gone, of("web-0", "v1", low), of("web-1", "v1", low), of("web-2", "v1", low, both), of("web-3", "v1"), of("web-4", "v2")}
	for _, c := range []struct {
		why  string
		f    batchrelease.RollbackFilter
		want string
	}{
		{"need 3 - 2 = 1, so one more of those that need no update", batchrelease.RollbackFilter{Planned: 2, Desired: 3}, "[web-2 web-3 web-0 web-9]"},
		{"planned no more than needed", batchrelease.RollbackFilter{Planned: 1, Desired: 3}, "[web-2 web-3 web-9]"},
		{"no need: as they are", batchrelease.RollbackFilter{Planned: 2, Desired: 2}, "[web-9 web-0 web-1 web-2 web-3 web-4]"},
		{"ordered: from the partition on, highest first", batchrelease.RollbackFilter{Ordered: true, Planned: 3, Partition: 3, Replicas: 5}, "[web-3 web-2 web-9]"},
		{"ordered, no need: sorted", batchrelease.RollbackFilter{Ordered: true, Planned: 3, Partition: 5, Replicas: 5}, "[web-9 web-4 web-3 web-2 web-1 web-0]"},
	} {
		c.f.RolloutID, c.f.UpdateRevision = "id", "v1"
		var names []string
		for _, p := range c.f.Pods(pods) {
			names = append(names, p.Name)
		}
		require.Equal(t, c.want, fmt.Sprint(names), c.why)
	}
	ordered := batchrelease.RollbackFilter{Ordered: true, UpdateRevision: "v1", Planned: 1, Replicas: 2}
	require.Equal(t, []workload.Pod{of("web-0", "v1")}, ordered.Pods([]workload.Pod{of("web-x", "v1"), of("web-0", "v1")}), "what has no ordinal comes before the partition")
}
