// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// batches returns how many pods of the new template carry the label of each batch.
func (c *world) batches() (counts [3]int) {
	for _, p := range c.pods["v2"] {
		if batch := p.Labels[workload.LabelBatchID]; batch != "" {
			counts[batch[0]-'1']++
		}
	}
	return counts
}

// Row by row: the echoserver of six pods, with the planner of package
// deploy as the controller of the Deployment. The sizes are those behind each of its
// passes that changed some.
func TestArticleSizes(t *testing.T) {
	c := newWorld(t, 6, step(rollout.Percent(20), 60), step(rollout.Percent(50), 120), step(rollout.Percent(100), 300))
	c.partitioned = &partitioner{t: t}
	c.run(func() bool { return c.r.Status.Sub != nil }, false)
	c.update("v2")
	require.Equal(t, `{"rolloutName":"web"}`, c.w.Annotations[workload.AnnotationInProgress])
	require.Equal(t, []any{true, "v1"}, []any{c.w.Paused, c.w.Labels[workload.LabelStableRevision]})

	c.run(c.phase(kruise.PhaseProgressing), false)
	noticed := conditionOf(c.r.Status, workload.ConditionProgressing).LastUpdateTime
	reason := func() string { return conditionOf(c.r.Status, workload.ConditionProgressing).Reason }
	require.Equal(t, kruise.ProgressInitializing, reason())
	c.run(func() bool { return reason() == kruise.ProgressInRolling }, false)
	require.GreaterOrEqual(t, c.clock.Sub(noticed), 3*time.Second)
	c.run(func() bool { return c.br != nil }, false)
	require.Equal(t, []any{int32(0), workload.Partition}, []any{*c.br.ReleasePlan.BatchPartition, c.br.ReleasePlan.RollingStyle})
	c.run(func() bool { return c.w.StrategyType == "Recreate" }, false)
	s, err := partition.ParseStrategy(c.w.Annotations[partition.AnnotationStrategy])
	require.NoError(t, err)
	require.Equal(t, rollout.Int(0), s.Partition)
	require.Equal(t, workload.ControlInfo(c.br.Name, c.br.UID), c.w.Annotations[partition.AnnotationControlInfo])
	c.run(func() bool { _, ok := c.sizes["v2"]; return ok }, false)
	require.Equal(t, map[string]int32{"v1": 6, "v2": 0}, c.sizes, "created with none")

	for _, want := range []struct {
		step      int32
		sizes     []string
		batches   [3]int
		partition string
		extra     string
	}{
		{1, []string{"map[v1:6 v2:2]", "map[v1:4 v2:2]"}, [3]int{2}, `"20%"`, `{"updatedReadyReplicas":2,"expectedUpdatedReplicas":2}`},
		{2, []string{"map[v1:4 v2:3]", "map[v1:3 v2:3]"}, [3]int{2, 1}, `"50%"`, `{"updatedReadyReplicas":3,"expectedUpdatedReplicas":3}`},
		{3, []string{"map[v1:3 v2:5]", "map[v2:5]", "map[v2:6]"}, [3]int{2, 1, 3}, `"100%"`, `{"updatedReadyReplicas":6,"expectedUpdatedReplicas":6}`},
	} {
		before := len(c.partitioned.seen)
		c.run(c.at(want.step, kruise.StatePaused), false)
		require.Equal(t, want.sizes, c.partitioned.seen[before:], "step %d", want.step)
		require.Equal(t, want.batches, c.batches(), "step %d", want.step)
		require.Contains(t, c.w.Annotations[partition.AnnotationStrategy], `"partition":`+want.partition)
		require.Equal(t, want.extra, c.w.Annotations[partition.AnnotationExtraStatus])
		require.Equal(t, want.step-1, *c.br.ReleasePlan.BatchPartition)
	}
	paused := c.clock
	c.run(c.phase(kruise.PhaseHealthy), false)
	require.Less(t, c.clock.Sub(paused), time.Minute, "the 300 s are ignored")
	require.Equal(t, []string{
		"1:BeforeStepUpgrade", "1:StepUpgrade", "1:StepTrafficRouting", "1:StepMetricsAnalysis", "1:StepPaused", "1:StepReady",
		"2:BeforeStepUpgrade", "2:StepUpgrade", "2:StepTrafficRouting", "2:StepMetricsAnalysis", "2:StepPaused", "2:StepReady",
		"3:BeforeStepUpgrade", "3:StepUpgrade", "3:StepMetricsAnalysis", "3:StepPaused", "3:StepReady", "3:Completed",
	}, c.log[slices.Index(c.log, "1:BeforeStepUpgrade"):])
	require.Nil(t, c.br)
	require.Equal(t, []any{kplan.ConditionFalse, kruise.ProgressCompleted, kplan.ConditionTrue},
		[]any{conditionOf(c.r.Status, workload.ConditionProgressing).Status, reason(), conditionOf(c.r.Status, workload.ConditionSucceeded).Status})
}

// A jump over step 2 fills its batch too, and one back takes the traffic
// back, not the pods.
func TestJumpsFillBatches(t *testing.T) {
	three := func() *world {
		first, second := step(rollout.Percent(20), -1), step(rollout.Percent(50), -1)
		first.Traffic, second.Traffic = rollout.Percent(20), rollout.Percent(50)
		c := newWorld(t, 6, first, second, step(rollout.Percent(100), -1))
		c.led(3)
		c.partitioned = &partitioner{t: t}
		c.begin()
		c.run(c.at(1, kruise.StatePaused), false)
		return c
	}
	ahead := three()
	before := len(ahead.partitioned.seen)
	ahead.r.Status.Sub.NextStepIndex = 3
	ahead.run(ahead.at(3, kruise.StatePaused), false)
	require.Equal(t, []string{"map[v1:4 v2:4]", "map[v1:1 v2:4]"}, ahead.partitioned.seen[before:before+2])
	require.Equal(t, [3]int{2, 1, 3}, ahead.batches())

	back := three()
	back.r.Status.Sub.CurrentStepState = kruise.StateReady
	back.run(back.at(2, kruise.StatePaused), false)
	require.Equal(t, "web=50 web-canary=50 ", back.weights())
	back.r.Status.Sub.NextStepIndex = 1
	back.run(back.at(1, kruise.StatePaused), false)
	require.Equal(t, "web=80 web-canary=20 ", back.weights())
	require.Equal(t, map[string]int32{"v1": 3, "v2": 3}, back.sizes)
	require.Equal(t, int32(0), *back.br.ReleasePlan.BatchPartition)
}

// What is left of a rollback, of a deletion with traffic, and of
// a last step of 6 of 6.
func TestEndings(t *testing.T) {
	paused := func(size, last rollout.IntOrPercent) *world {
		first := step(size, -1)
		first.Traffic = rollout.Percent(20)
		c := newWorld(t, 6, first, step(last, -1))
		c.led(3)
		c.begin()
		c.run(c.at(1, kruise.StatePaused), false)
		return c
	}
	back := paused(rollout.Percent(20), rollout.Percent(100))
	back.update("v1")
	back.run(back.phase(kruise.PhaseHealthy), false)
	require.Equal(t, []any{int32(1), kruise.StatePaused}, []any{back.r.Status.Sub.CurrentStepIndex, back.r.Status.Sub.CurrentStepState})

	deleted := paused(rollout.Percent(20), rollout.Percent(100))
	deleted.r.DeletionTimestamp = deleted.clock
	deleted.run(func() bool { return len(deleted.r.Finalizers) == 0 }, false)
	require.Equal(t, []any{"web=1 ", true, map[string]string{"app": "web"}}, []any{deleted.weights(), deleted.traffic.Canary == nil, withoutEmpty(deleted.traffic.Stable.Selector)})
	require.NotContains(t, deleted.w.Annotations, workload.AnnotationInProgress)
	require.False(t, deleted.w.Paused)

	number := paused(rollout.Int(2), rollout.Int(6))
	number.r.Status.Sub.CurrentStepState = kruise.StateReady
	number.run(number.phase(kruise.PhaseHealthy), false)
	require.Equal(t, []any{kruise.PhaseProgressing, kruise.StatePaused, int32(6)}, []any{number.r.Status.Phase, number.r.Status.CurrentStepState, number.sizes["v2"]}, "it waits for a person")
	require.Equal(t, reason.Approval, number.holds[0].Reason)
}

// From 6 to 12 replicas in the pause of 20%, as planned by package deploy.
// Its own quirks are not of this package: what it does there is told here, once each way
// where it has two.
func TestDefectsOfTheDeployment(t *testing.T) {
	const limits = `"rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}`
	plan := func(replicas int32, size string, corrected bool, sets ...replicaset.ReplicaSet) deploy.Plan {
		strategy, err := partition.ParseStrategy(`{"rollingStyle":"Partition",` + limits + `,"partition":` + size + `}`)
		require.NoError(t, err)
		d := deploy.Deployment{Name: "web", UID: "d", Generation: 1, Replicas: &replicas, Template: template("v2"), Strategy: "Recreate", Paused: true, Partitioned: &strategy}
		var o deploy.Options
		if corrected {
			o.Repair = quirk.All
		}
		p, err := deploy.Reconcile(deploy.Snapshot{Deployment: d, ReplicaSets: sets}, now, o)
		require.NoError(t, err)
		return p
	}
	set := func(name string, size, running int32, desired, most string) replicaset.ReplicaSet {
		annotations := map[string]string{revision.AnnotationRevision: name[1:], revision.AnnotationDesired: desired}
		if most != "" {
			annotations[revision.AnnotationMax] = most
		}
		return replicaset.ReplicaSet{
			Name: name, UID: name, ControllerUID: "d", Annotations: annotations, Replicas: &size, Template: template(name), CreationTimestamp: now.Add(-time.Hour),
			Status: replicaset.Status{Replicas: running, ReadyReplicas: running, AvailableReplicas: running},
		}
	}
	sizes := func(p deploy.Plan) (text string) {
		for _, a := range p.Actions {
			if a, ok := a.(deploy.ScaleReplicaSet); ok {
				text += fmt.Sprintf("%s %d->%d ", a.Name, a.From, a.To)
			}
		}
		return text
	}
	for _, c := range []struct {
		why             string
		replicas        int32
		partition       string
		sets            []replicaset.ReplicaSet
		want, corrected string
	}{
		{"8/4 is over the limit of 3 and stays there", 12, `"20%"`, []replicaset.ReplicaSet{set("v1", 4, 4, "6", "8"), set("v2", 2, 2, "6", "8")}, "v1 4->8 v2 2->4 ", "v1 4->9 v2 2->3 "},
		{"a share of no pods, of which upstream makes -2147483648, is none", 12, `"20%"`, []replicaset.ReplicaSet{set("v1", 4, 0, "6", "0"), set("v2", 2, 0, "6", "")}, "v1 4->10 ", "v1 4->9 v2 2->3 "},
		{"the only one with pods ignores the partition, both ways", 6, `"20%"`, []replicaset.ReplicaSet{set("v1", 0, 0, "6", "8"), set("v2", 1, 1, "6", "8")}, "v2 1->6 ", "v2 1->6 "},
		{"an old one whose status is ahead ends the removal", 6, `"100%"`, []replicaset.ReplicaSet{set("v1", 1, 2, "6", "8"), set("v2", 6, 6, "6", "8")}, "", "v1 1->0 "},
	} {
		require.Equal(t, c.want, sizes(plan(c.replicas, c.partition, false, c.sets...)), c.why)
		require.Equal(t, c.corrected, sizes(plan(c.replicas, c.partition, true, c.sets...)), c.why)
	}
	extra := plan(12, `"20%"`, false, set("v1", 4, 4, "6", "8"), set("v2", 2, 2, "6", "8")).ExtraStatus
	require.Equal(t, int32(3), extra.ExpectedUpdatedReplicas)

	// A changed strategy reaches the ReplicaSet and its size in one write, so that
	// nothing conflicts.
	writes := map[string]int{}
	for _, a := range plan(6, `"50%"`, false, set("v1", 4, 4, "6", "8"), set("v2", 2, 2, "6", "8")).Actions {
		switch a := a.(type) {
		case deploy.ScaleReplicaSet:
			writes[a.Name]++
		case deploy.AnnotateReplicaSet:
			writes[a.Name]++
		}
	}
	require.Equal(t, map[string]int{"v2": 1}, writes)
}
