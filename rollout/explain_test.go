package rollout_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/rollout"
)

// blocked is a rollout whose step 1 waits for a batch, of which one pod is not ready.
func blocked(t require.TestingT) (rollout.Snapshot, rollout.BatchSnapshot) {
	r := partitioned(deployment, step(rollout.Percent(20), -1), step(rollout.Percent(100), 0))
	s := begun(rollout.StateUpgrade, r)
	br := rollout.ReleaseOf(s.Rollout, *s.Workload, 1, 0)
	br.UID, br.Finalizers = "b", []string{rollout.FinalizerBatchRelease}
	br.Status = rollout.BatchStatus{
		Phase: rollout.BatchProgressing, ObservedReleasePlanHash: br.ReleasePlan.Hash(), ObservedRolloutID: br.ReleasePlan.RolloutID,
		UpdateRevision: "v2", StableRevision: "v1", ObservedWorkloadReplicas: 6,
		Current: rollout.CurrentBatch{BatchState: rollout.BatchVerifying, UpdatedReplicas: 2, UpdatedReadyReplicas: 1},
	}
	s.BatchRelease = &br
	s.Rollout.Status.Sub.ObservedRolloutID = br.ReleasePlan.RolloutID
	w := rollout.Workload{WorkloadRef: deployment, Replicas: new(int32(6)), StrategyType: "Recreate", Paused: true, UpdateRevision: "v2", StableRevision: "v1",
		Annotations: map[string]string{
			rollout.AnnotationControlInfo: rollout.ControlInfo(br),
			rollout.AnnotationStrategy:    rollout.DeploymentStrategy{RollingStyle: rollout.StylePartition, Partition: rollout.Percent(20)}.Text(),
		}}
	w.Status = rollout.WorkloadStatus{Replicas: 6, UpdatedReplicas: 2, UpdatedReadyReplicas: 1}
	b := rollout.BatchSnapshot{Release: br, Workload: &w}
	for i, hash := range []string{"v1", "v1", "v1", "v1", "v2", "v2"} {
		b.Pods = append(b.Pods, rollout.Pod{Name: "web-" + string(rune('a'+i)), Ready: i != 4 && i != 0, Labels: map[string]string{rollout.LabelPodTemplateHash: hash}})
	}
	return s, b
}

func explain(t *testing.T, s rollout.Snapshot, b *rollout.BatchSnapshot, o rollout.Options) rollout.Explanation {
	t.Helper()
	e, err := rollout.Explain(s, b, now, o)
	require.NoError(t, err)
	return e
}

// Phase, reason, step, batch, the failing rule with its numbers, the pods
// responsible, what would unblock it, when it is looked at again.
func TestExplain(t *testing.T) {
	s, b := blocked(t)
	require.Equal(t, `rollout web: Progressing/InRolling, step 1 of 2 is StepUpgrade
- BatchNotReady: 0 pods of the step are ready, it asks for 2
  batchrelease web: Progressing, batch 1 Verifying, 2 updated, 1 ready
  - TooFewReady: 1 updated pods are ready or need not be, 2 have to be [web-e]; look at the pods that are not ready, or raise the failure threshold
    deployment demo: 6 of 6 pods, 2 updated, 1 of them ready, partition 20%`, explain(t, at(s, 0), &b, rollout.Options{}).String())

	b.Release.Status.Current.BatchState = rollout.BatchUpgrading // nothing changes about the reason
	e := explain(t, s, &b, rollout.Options{})
	require.Equal(t, rollout.ReasonTooFewReady, e.Because[0].Waits[0].Reason)
	require.Equal(t, []string{"web-e"}, e.Because[0].Waits[0].Pods)

	b.Workload.Status.UpdatedReplicas, b.Workload.Status.UpdatedReadyReplicas = 1, 1
	b.Release.Status.Current.UpdatedReplicas = 1
	e = explain(t, s, &b, rollout.Options{})
	require.Equal(t, rollout.ReasonTooFewUpdated, e.Because[0].Waits[0].Reason)
	require.Len(t, e.Because[0].Waits[0].Pods, 4, "those of the old template")
	require.Equal(t, rollout.Hold{Reason: rollout.ReasonTooFewUpdated, Have: 1, Limit: 2}, e.Because[0].Because[0].Waits[0].Hold)

	require.Empty(t, explain(t, s, nil, rollout.Options{}).Because, "nothing is known about the batch")
	paused := begun(rollout.StatePaused, twoSteps())
	e = explain(t, paused, &b, rollout.Options{})
	require.Empty(t, e.Because, "the batch is not what it waits for")
	require.Equal(t, "set currentStepState of the status to StepReady", e.Waits[0].Remedy)
	s.Rollout.Status.Sub.LastUpdateTime = now.Add(-time.Hour)
	e = explain(t, s, &b, rollout.Options{Repair: rollout.RepairAll})
	require.Equal(t, "3600 of 600 seconds have passed", e.Waits[1].Text)
	b.Workload.WorkloadRef, b.Release.WorkloadRef, b.Workload.Generation = cloneSet, cloneSet, 1
	e = explain(t, s, &b, rollout.Options{})
	require.Equal(t, rollout.Hold{Reason: rollout.ReasonNotObserved, Limit: 1}, e.Because[0].Because[0].Waits[0].Hold)
	b.Workload.Status.ObservedGeneration = 1
	require.Empty(t, explain(t, s, &b, rollout.Options{}).Because[0].Because[0].Waits, "its controller has seen it")
	b.Canary = &rollout.Workload{WorkloadRef: rollout.WorkloadRef{Kind: "Deployment", Name: "demo-x"}}
	require.Equal(t, "demo-x", explain(t, s, &b, rollout.Options{}).Because[0].Because[0].Name)
	_, err := rollout.Explain(rollout.Snapshot{}, nil, now, rollout.Options{})
	require.ErrorIs(t, err, rollout.ErrInvalid)
	b.Release.Name = ""
	_, err = rollout.Explain(s, &b, now, rollout.Options{})
	require.ErrorContains(t, err, "Release.Name")
}

// The pods that wait for their label are those of the new template that have none.
func TestExplainLabels(t *testing.T) {
	s, b := blocked(t)
	b.Workload.Status.UpdatedReadyReplicas, b.Release.Status.Current.UpdatedReadyReplicas, b.Pods[4].Ready = 2, 2, true
	b.Pods[4].Labels[rollout.LabelRolloutID], b.Pods[4].Labels[rollout.LabelBatchID] = b.Release.ReleasePlan.RolloutID, "1"
	w := explain(t, at(s, 0), &b, rollout.Options{}).Because[0].Waits[0]
	require.Equal(t, rollout.Hold{Reason: rollout.ReasonTooFewLabelled, Have: 1, Limit: 2}, w.Hold)
	require.Equal(t, []string{"web-f"}, w.Pods)
}

// at sets how many pods the rollout pass sees as ready.
func at(s rollout.Snapshot, ready int32) rollout.Snapshot {
	br := *s.BatchRelease
	br.Status.Current.UpdatedReadyReplicas = ready
	s.BatchRelease = &br
	return s
}

// Whatever the snapshot, the explanation names exactly the holds of the plan, each
// with a text, and comes through JSON unchanged.
func TestExplainIsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := anyOptions(t)
		s := anyRollout(t)
		p, err := planRollout(s, now, o)
		require.NoError(t, err)
		b := rollout.BatchSnapshot{Release: anyRelease(t)}
		b.Workload = anyWorkload(t, b.Release)
		e := purity.Check(t, s, func(s rollout.Snapshot) (rollout.Explanation, error) { return rollout.Explain(s, &b, now, o) })
		require.Len(t, e.Waits, len(p.Holds))
		for i, w := range e.Waits {
			require.Equal(t, p.Holds[i], w.Hold)
			require.NotEqual(t, string(w.Reason), w.Text, "every reason has a sentence of its own")
		}
		require.Equal(t, p.RecheckAt, e.RecheckAt)
		data, err := json.Marshal(e)
		require.NoError(t, err)
		var again rollout.Explanation
		require.NoError(t, json.Unmarshal(data, &again))
		require.Equal(t, e.String(), again.String())
	})
}
