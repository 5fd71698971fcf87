// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// MiddleTemplatesOutOfOrder: v1 3, v2 1, v3 2, and v4 comes in the middle. The stable v1 is to keep its pods.
func oldOrder(t *testing.T, o kruise.Options) string {
	in := preview.Input{Rollout: partitioned(deployment, step(rollout.Percent(20), -1)), Replicas: 6, Generations: []int32{3, 1, 2}}
	p, err := preview.Of(in, o)
	require.NoError(t, err)
	return p.Steps[0].End.String()
}

// DeletionFinishesRelease: the Rollout is deleted, and the template goes back, in the pause of step 1.
func abandon(t *testing.T, o kruise.Options) string {
	steps := []kruise.Step{step(rollout.Percent(20), -1), step(rollout.Percent(100), 0)}
	paused := func() *world {
		c := newWorld(t, 6, steps...)
		c.opts = o
		c.begin()
		c.run(c.at(1, kruise.StatePaused), false)
		return c
	}
	deleted, back := paused(), paused()
	deleted.r.DeletionTimestamp = deleted.clock
	deleted.run(func() bool { return len(deleted.r.Finalizers) == 0 }, false)
	require.Empty(t, deleted.w.Annotations, "nothing of ours is left, whatever the size")
	back.update("v1")
	back.run(back.phase(kruise.PhaseHealthy), false)
	for range 5 {
		deleted.deploymentPass()
		back.pass()
	}
	return "deleted: " + deleted.end() + "; rolled back: " + back.end()
}

// The other half of DeletionFinishesRelease: with the policy alone a successful release of a DaemonSet of
// OpenKruise keeps its partition.
func TestKeepPausedHoldsDaemonSets(t *testing.T) {
	br := release(workload.Partition, rollout.Percent(100))
	br.WorkloadRef = kruiseSet
	br.ReleasePlan.BatchPartition, br.ReleasePlan.FinalizingPolicy = nil, batchrelease.WaitResume
	w := workload.Workload{Ref: kruiseSet}
	p, _ := batchrelease.ReleasePatch(br, w, batchrelease.Options{KeepPaused: true})
	require.False(t, p.ClearPartition)
	p, _ = batchrelease.ReleasePatch(br, w, batchrelease.Options{KeepPaused: true, Repair: quirk.DeletionFinishesRelease})
	require.True(t, p.ClearPartition)
	br.WorkloadRef, br.ReleasePlan.RollingStyle, br.ReleasePlan.FinalizingPolicy = deployment, workload.Canary, batchrelease.Immediate
	for _, c := range []struct {
		corrected quirk.Set
		paused    bool
	}{{0, false}, {quirk.DeletionFinishesRelease, true}} {
		p, _ = batchrelease.ReleasePatch(br, workload.Workload{Ref: deployment, UpdateRevision: "v2"}, batchrelease.Options{Repair: c.corrected})
		require.Equal(t, c.paused, *p.Paused, "the stable Deployment of a canary stays paused too")
	}
}

// DeadlineNotReported: a batch that never becomes ready, and an analysis that fails.
func deadline(t *testing.T, o kruise.Options) string {
	s := begun(kruise.StateUpgrade, twoSteps())
	s.Rollout.Status.Sub.LastUpdateTime = now.Add(-599 * time.Second)
	soon := reconcile(t, s, o)
	s.Rollout.Status.Sub.LastUpdateTime = now.Add(-600 * time.Second)
	late := reconcile(t, s, o)
	s.Workload.ProgressDeadlineSeconds = ptr.To(int32(workload.InfiniteDeadline))
	require.Empty(t, conditionOf(reconcile(t, s, o).Status, workload.ConditionStalled), "there is no deadline")
	s.Rollout.Status.Conditions = late.Status.Conditions
	require.Empty(t, conditionOf(reconcile(t, s, o).Status, workload.ConditionStalled), "it is over")
	text := "waits: no condition, no recheck"
	if c := conditionOf(late.Status, workload.ConditionStalled); c.Status == "True" {
		hold := late.Holds[len(late.Holds)-1]
		text = fmt.Sprintf("waits: %s (%d of %d), rechecked %v before", hold.Reason, hold.Have, hold.Limit, soon.RecheckAt.Sub(now))
	}
	a := begun(kruise.StateMetricsAnalysis, twoSteps())
	for phase, state := range map[kruise.AnalysisPhase]kruise.StepState{"": kruise.StatePaused, kruise.AnalysisSuccessful: kruise.StatePaused} {
		a.Analysis = phase
		require.Equal(t, state, reconcile(t, a, o).Status.CurrentStepState)
	}
	a.Analysis = kruise.AnalysisRunning
	running := reconcile(t, a, o)
	a.Analysis = kruise.AnalysisFailed
	failed := reconcile(t, a, o)
	require.Equal(t, running.Status.CurrentStepState, failed.Status.CurrentStepState)
	text += "; analysis fails: " + string(failed.Status.CurrentStepState)
	if len(failed.Holds) > 0 {
		require.Equal(t, reason.Analysis, running.Holds[0].Reason)
		require.Equal(t, "AnalysisFailed", conditionOf(failed.Status, workload.ConditionStalled).Reason)
		text += ", " + string(failed.Holds[0].Reason)
	}
	return text
}

// CanaryLabelsNotAwaited: a jump from 4 canary pods back to a step of 2, none of which is labelled.
func canaryBatch(t *testing.T, o kruise.Options) string {
	br := release(workload.Canary, rollout.Int(2), rollout.Int(4))
	br.ReleasePlan.RolloutID = "id"
	w := workload.Workload{Ref: deployment, Replicas: ptr.To(int32(4)), UpdateRevision: "v2"}
	canary := workload.Workload{Ref: deployment, Replicas: ptr.To(int32(4)), UpdateRevision: "patched"}
	canary.Status = workload.Status{Replicas: 4, AvailableReplicas: 4}
	c := batchrelease.NewContext(br, w, &canary, o.Repair)
	c.PodCount = 4
	text := "ready without labels"
	if hold, waiting := c.Waiting(o.Repair); waiting {
		text = fmt.Sprintf("%s (%d of %d)", hold.Reason, hold.Have, hold.Limit)
	}
	p, write, _ := c.UpgradePatch(w, &canary, o.Repair)
	if !write {
		return text + ", 4 pods of 2"
	}
	br.Status = batchrelease.Status{
		Phase: batchrelease.PhaseProgressing, ObservedReleasePlanHash: br.ReleasePlan.Hash(), ObservedRolloutID: "id", UpdateRevision: "v2", ObservedWorkloadReplicas: 4,
		Current: batchrelease.CurrentBatch{BatchState: batchrelease.StateVerifying, UpdatedReplicas: 4, UpdatedReadyReplicas: 4},
	}
	s := batchrelease.Snapshot{Release: br, Workload: &w, Canary: &canary}
	for i := range 4 {
		s.Pods = append(s.Pods, workload.Pod{Name: fmt.Sprint("p", i), Labels: map[string]string{workload.LabelPodTemplateHash: "patched"}})
	}
	plan, err := planBatch(s, now, batchOptions(o))
	require.NoError(t, err)
	require.Len(t, plan.Actions, 2, "the pods of the canary have a template of their own, and are labelled all the same")
	return fmt.Sprintf("%s, shrinks to %d", text, *p.Replicas)
}

// OrdinalsLabelledByList: two batches are labelled at once. A StatefulSet updates web-3 first.
func ordinals(t *testing.T, o kruise.Options) string {
	br := release(workload.Partition, rollout.Percent(25), rollout.Percent(50))
	br.WorkloadRef = statefulSet
	br.ReleasePlan.RolloutID, br.ReleasePlan.BatchPartition = "id", ptr.To(int32(1))
	br.Status = batchrelease.Status{
		Phase: batchrelease.PhaseProgressing, ObservedReleasePlanHash: br.ReleasePlan.Hash(), ObservedRolloutID: "id", UpdateRevision: "web-v2", ObservedWorkloadReplicas: 4,
		Current: batchrelease.CurrentBatch{BatchState: batchrelease.StateUpgrading, CurrentBatch: 1, UpdatedReplicas: 2, UpdatedReadyReplicas: 2},
	}
	w := workload.Workload{Ref: statefulSet, Replicas: ptr.To(int32(4)), UpdateRevision: "web-v2", Partition: rollout.Int(2)}
	w.Status = workload.Status{Replicas: 4, UpdatedReplicas: 2, UpdatedReadyReplicas: 2}
	s := batchrelease.Snapshot{Release: br, Workload: &w}
	for i := range 4 {
		revision := "web-v1"
		if i > 1 {
			revision = "web-v2"
		}
		s.Pods = append(s.Pods, workload.Pod{Name: fmt.Sprint("web-", i), Labels: map[string]string{workload.LabelControllerRevision: revision}})
	}
	p, err := planBatch(s, now, batchOptions(o))
	require.NoError(t, err)
	var labels []string
	for _, a := range p.Actions {
		if l, ok := a.(batchrelease.LabelPod); ok {
			labels = append(labels, l.Name+"="+l.Labels[workload.LabelBatchID])
		}
	}
	return fmt.Sprint(labels)
}

// HashSuffixMatches: the hash of the old revision ends that of the new one.
func suffix(_ *testing.T, o kruise.Options) string {
	br := batchrelease.Release{}
	br.ReleasePlan.RolloutID, br.ReleasePlan.Batches = "id", []batchrelease.Batch{{CanaryReplicas: rollout.Int(2)}}
	pods := []workload.Pod{
		{Name: "new", Labels: map[string]string{workload.LabelPodTemplateHash: "ab12"}},
		{Name: "old", Labels: map[string]string{workload.LabelPodTemplateHash: "12"}},
	}
	var names []string
	for _, l := range batchrelease.Labels(br, 2, "web-ab12", pods, o.Repair) {
		names = append(names, l.Name)
	}
	return fmt.Sprint("labels ", names)
}

// TakenBackTemplateUnlabelled: v3 comes when all pods are v2, and is taken back before any pod has it. The pods are
// replaced afterwards.
func promoted(t *testing.T, o kruise.Options) string {
	c := newWorld(t, 6, step(rollout.Int(6), -1))
	c.opts = o
	c.begin()
	c.run(c.at(1, kruise.StatePaused), false)
	c.update("v3")
	c.batchPass()
	c.update("v2")
	delete(c.pods, "v2")
	for range 10 {
		c.batchPass()
	}
	labelled := 0
	for _, p := range c.pods["v2"] {
		if p.Labels[workload.LabelRolloutID] != "" {
			labelled++
		}
	}
	return fmt.Sprintf("%d of %d labelled", labelled, len(c.pods["v2"]))
}

// NextReleaseUnmarked: the template is taken back when the workload has been given back, but before the
// Rollout is closed: in the same pass, or when the BatchRelease is gone.
func nextRelease(t *testing.T, o kruise.Options) string {
	after := func(given func(*world) bool) string {
		c := newWorld(t, 6, step(rollout.Percent(20), 0), step(rollout.Percent(100), 0))
		c.opts = o
		c.begin()
		c.run(func() bool { return given(c) }, false)
		require.Equal(t, reason.ReleaseBegins, c.update("v1").Reason)
		c.run(func() bool { return c.sizes["v1"] == 6 }, false)
		c.run(c.phase(kruise.PhaseHealthy), false)
		return c.end()
	}
	return after(func(c *world) bool { return c.br != nil && c.br.Status.Phase == batchrelease.PhaseCompleted }) + "; " +
		after(func(c *world) bool { return c.sizes["v2"] == 6 && c.br == nil })
}

// DeletionFinishesRelease again: a rollback resumes the workload, even if another template comes before it is
// given back. Only what is deleted or disabled stays as it is.
func TestCancelledDespiteUpdate(t *testing.T) {
	c := newWorld(t, 6, step(rollout.Percent(20), -1), step(rollout.Percent(100), 0))
	c.opts.Repair = quirk.DeletionFinishesRelease
	c.begin()
	c.run(c.at(1, kruise.StatePaused), false)
	c.update("v1")
	c.run(func() bool { return c.w.Annotations[workload.AnnotationInProgress] == "" }, false)
	require.Equal(t, reason.ReleaseBegins, c.update("v3").Reason)
	c.run(c.phase(kruise.PhaseHealthy), false)
	require.False(t, c.w.Paused)
}

// CanaryCreatedTwice: a canary is created, and created again before anybody has seen it.
func canaryTwice(t *testing.T, o kruise.Options) string {
	br := release(workload.Canary, rollout.Percent(50))
	br.Status = batchrelease.Status{Phase: batchrelease.PhasePreparing, ObservedWorkloadReplicas: -1, ObservedReleasePlanHash: br.ReleasePlan.Hash()}
	s := batchrelease.Snapshot{Release: br, Workload: &workload.Workload{Ref: deployment, Replicas: ptr.To(int32(4)), UpdateRevision: "v2"}}
	names := map[string]bool{}
	for range 2 {
		p, err := planBatch(s, now, batchOptions(o))
		require.NoError(t, err)
		for _, a := range p.Actions {
			if a, ok := a.(batchrelease.CreateCanary); ok && a.Name != "" {
				require.LessOrEqual(t, len(a.Name), 63)
				names[a.Name] = true
			} else if ok {
				names[fmt.Sprint(a.GenerateName, len(names))] = true
			}
		}
	}
	return fmt.Sprintf("%d canaries", len(names))
}

// end tells how the two templates stand.
func (c *world) end() string {
	state := "running"
	if c.w.Paused {
		state = "paused"
	}
	return fmt.Sprintf("v1 %d, v2 %d, %s", c.sizes["v1"], c.sizes["v2"], state)
}

// Where no defect shows, all corrections together change nothing: the article passes the
// same steps and sizes, with and without traffic.
func TestCorrectionsLeaveTheRest(t *testing.T) {
	for _, led := range []bool{false, true} {
		run := func(repair quirk.Set) *world {
			steps := []kruise.Step{step(rollout.Percent(20), 60), step(rollout.Percent(50), 120), step(rollout.Percent(100), 0)}
			if led {
				steps[0].Traffic, steps[1].Traffic = rollout.Percent(20), rollout.Percent(50)
			}
			c := newWorld(t, 6, steps...)
			if led {
				c.led(3)
			}
			c.opts.Repair, c.partitioned = repair, &partitioner{t: t}
			c.begin()
			c.run(c.phase(kruise.PhaseHealthy), false)
			return c
		}
		plain, corrected := run(0), run(quirk.All)
		require.Equal(t, plain.log, corrected.log)
		require.Equal(t, plain.partitioned.seen, corrected.partitioned.seen)
		require.Equal(t, plain.w, corrected.w)
		require.Equal(t, plain.traffic, corrected.traffic)
	}
}
