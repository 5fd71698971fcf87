// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// TestFinished checks the state after a rollout field by field: annotations and
// status.
func TestFinished(t *testing.T) {
	d := deployment("old", 10, rollout.Percent(25), rollout.Percent(25))
	d.Annotations = map[string]string{"team": "shop"}
	d.Paused = true
	c := finished(t, d)
	require.Len(t, c.ReplicaSets, 1)
	rs := c.ReplicaSets[0]
	require.Equal(t, "web-old", rs.Name)
	require.EqualValues(t, 10, *rs.Replicas)
	require.Equal(t, map[string]string{
		"team": "shop", revision.AnnotationRevision: "1", revision.AnnotationDesired: "10", revision.AnnotationMax: "13",
	}, rs.Annotations)
	require.Equal(t, "1", c.Deployment.Annotations[revision.AnnotationRevision])
	require.True(t, c.Deployment.Paused)
	require.Len(t, c.Pods, 10)
	for _, p := range c.Pods {
		require.True(t, p.Available(0, c.Now))
		require.NotEmpty(t, p.NodeName)
	}
	s := c.Deployment.Status
	s.Conditions = nil
	want := deploy.Status{
		ObservedGeneration: 1, Replicas: 10, UpdatedReplicas: 10, ReadyReplicas: 10, AvailableReplicas: 10, TerminatingReplicas: new(int32),
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	reasons := map[string]string{}
	for _, c := range c.Deployment.Status.Conditions {
		reasons[c.Type] = c.Reason
	}
	require.Equal(t, map[string]string{"Available": "MinimumReplicasAvailable", "Progressing": "NewReplicaSetAvailable"}, reasons)
}

func TestUpdate(t *testing.T) {
	start := finished(t, deployment("old", 3, rollout.Int(1), rollout.Int(0)))
	same := updated(start, deployment("old", 3, rollout.Int(1), rollout.Int(0)))
	require.EqualValues(t, 1, same.Deployment.Generation, "nothing has changed")
	other := updated(start, deployment("old", 4, rollout.Int(1), rollout.Int(0)))
	require.EqualValues(t, 2, other.Deployment.Generation)
	require.EqualValues(t, 3, other.Deployment.Status.Replicas, "the status is the cluster's")
	require.Equal(t, "1", other.Deployment.Annotations[revision.AnnotationRevision], "and so is the revision")
	require.EqualValues(t, 1, start.Deployment.Generation, "a copy was updated")
}

// TestKubelet: a pod takes 2 seconds to be scheduled and 5 more to be ready, and the
// rollout of a Deployment without surge waits for both.
func TestKubelet(t *testing.T) {
	start := updated(finished(t, deployment("old", 2, rollout.Int(0), rollout.Int(1))), deployment("new", 2, rollout.Int(0), rollout.Int(1)))
	result, err := Run(start, Config{Kubelet: Kubelet{ScheduleAfter: 2 * time.Second, ReadyAfter: 5 * time.Second}})
	require.NoError(t, err)
	require.Equal(t, "0s: create web-new 0, 0s: web-old 2->1 | 0s: web-new 0->1 | 7s: web-old 1->0 | 7s: web-new 1->2",
		trace(result.Steps))
	last := result.Steps[len(result.Steps)-1]
	require.Equal(t, 14*time.Second, last.Time)
	require.Equal(t, "14s: nothing to do", last.String())
	created, deleted := int32(0), int32(0)
	for _, s := range result.Steps {
		created += s.Pods.Created
		deleted += s.Pods.Deleted
	}
	require.EqualValues(t, 2, created)
	require.EqualValues(t, 2, deleted)
}

// TestJitter: a seed gives the same times again and another seed others, all of
// them within the jitter.
func TestJitter(t *testing.T) {
	start := Cluster{Now: Epoch, Deployment: deployment("new", 5, rollout.Int(1), rollout.Int(0))}
	ends := map[time.Duration]bool{}
	for seed := range uint64(4) {
		k := Kubelet{ReadyAfter: 10 * time.Second, Jitter: 3 * time.Second, Seed: seed}
		var end [2]time.Duration
		for i := range end {
			result, err := Run(start, Config{Kubelet: k})
			require.NoError(t, err)
			require.True(t, result.Done)
			end[i] = result.Steps[len(result.Steps)-1].Time
		}
		require.Equal(t, end[0], end[1])
		require.Greater(t, end[0], 10*time.Second)
		require.Less(t, end[0], 16*time.Second, "two delays have jitter")
		ends[end[0]] = true
	}
	require.Len(t, ends, 4)
}

// TestMinReadySeconds: time alone makes pods available, so the run has to wake the
// planner of the ReplicaSet.
func TestMinReadySeconds(t *testing.T) {
	d := deployment("new", 2, rollout.Int(1), rollout.Int(0))
	d.MinReadySeconds = 30
	result, err := Run(Cluster{Now: Epoch, Deployment: d}, Config{Kubelet: tenSeconds()})
	require.NoError(t, err)
	require.True(t, result.Done)
	require.Equal(t, 40*time.Second, result.Steps[len(result.Steps)-1].Time)
}

// TestDeadline: pods that never become ready miss the progress deadline, which
// nothing but the time brings about.
func TestDeadline(t *testing.T) {
	d := deployment("bad", 2, rollout.Int(1), rollout.Int(0))
	d.ProgressDeadlineSeconds = ptr.To(int32(60))
	result, err := Run(Cluster{Now: Epoch, Deployment: d}, Config{Kubelet: Kubelet{NeverReady: neverReady("bad")}})
	require.NoError(t, err)
	require.False(t, result.Done)
	last := result.Steps[len(result.Steps)-1]
	require.Equal(t, 60*time.Second+1, last.Time)
	reasons := map[string]string{}
	for _, c := range last.Status.Conditions {
		reasons[c.Type] = c.Reason
	}
	require.Equal(t, "ProgressDeadlineExceeded", reasons["Progressing"])
}

// TestReportedPods: pods that only a status tells of are what it tells.
func TestReportedPods(t *testing.T) {
	c := Cluster{
		Now: Epoch, Deployment: deployment("new", 4, rollout.Int(1), rollout.Int(0)),
		ReplicaSets: []replicaset.ReplicaSet{{
			Name: "web-new", UID: "r", ControllerUID: "d", Replicas: ptr.To(int32(4)), MinReadySeconds: 5, Template: template("new"),
			Status: replicaset.Status{Replicas: 4, ReadyReplicas: 3, AvailableReplicas: 1},
		}},
	}
	c.AddReportedPods()
	p, err := replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: c.ReplicaSets[0], Pods: fill(nil, c.Pods)}, c.Now, replicaset.Options{})
	require.NoError(t, err)
	require.Equal(t, "4 replicas, 3 ready, 1 available", p.Status.String())
	pods := len(c.Pods)
	c.AddReportedPods()
	require.Len(t, c.Pods, pods, "they are there already")
}

// TestRefused: a plan that does not fit the cluster ends the run, which says why.
func TestRefused(t *testing.T) {
	start := finished(t, deployment("old", 3, rollout.Int(1), rollout.Int(0)))
	uid, pod := start.ReplicaSets[0].UID, start.Pods[0]
	for want, action := range map[string]deploy.Action{
		"deployment controller: create web-old: already exists": deploy.CreateReplicaSet{Name: "web-old"},
		"must be the size of the ReplicaSet":                    deploy.ScaleReplicaSet{Name: "web-old", UID: uid, From: 2},
		"deployment controller: update web-old: invalid":        deploy.ScaleReplicaSet{Name: "web-old", UID: "x", From: 3},
		"deployment controller: update web-new: not found":      deploy.ScaleReplicaSet{Name: "web-new"},
		"size below 0": deploy.ScaleReplicaSet{Name: "web-old", UID: uid, From: 3, To: -1},
		"delete replica set web-old: it is not empty":      deploy.DeleteReplicaSet{Name: "web-old", UID: uid},
		"deployment controller: delete web-new: not found": deploy.DeleteReplicaSet{Name: "web-new"},
		"must be an action of this package":                nil,
	} {
		_, err := Run(start, Config{PlanDeployment: func(s deploy.Snapshot, _ time.Time, _ deploy.Options) (deploy.Plan, error) {
			return deploy.Plan{Actions: deploy.Actions{action}, Status: s.Deployment.Status}, nil
		}})
		require.ErrorContains(t, err, want)
	}
	for want, actions := range map[string]replicaset.Actions{
		"replica set controller: delete " + pod.Name + ": invalid":   {replicaset.DeletePod{Name: pod.Name, UID: "x"}},
		"replica set controller: delete gone: not found":             {replicaset.DeletePod{Name: "gone"}},
		"replica set controller: delete " + pod.Name + ": not found": {replicaset.DeletePod{Name: pod.Name}, replicaset.DeletePod{Name: pod.Name}},
	} {
		_, err := Run(start, Config{PlanReplicaSet: func(s replicaset.Snapshot, _ time.Time, _ replicaset.Options) (replicaset.Plan, error) {
			return replicaset.Plan{Actions: actions, Status: s.ReplicaSet.Status}, nil
		}})
		require.ErrorContains(t, err, want)
	}
}

// TestShare: what sizes say of the Deployment stays what each says, though equal ones are kept once.
func TestShare(t *testing.T) {
	of := func(desired ...string) (actions deploy.Actions) {
		for _, n := range desired {
			actions = append(actions, deploy.ScaleReplicaSet{Name: "web-" + n, Set: map[string]string{revision.AnnotationDesired: n}})
		}
		return append(actions, deploy.AnnotateDeployment{Set: map[string]string{"a": "b"}})
	}
	r, actions := run{}, of("3", "3", "4", "3")
	r.share(actions)
	require.Equal(t, of("3", "3", "4", "3"), actions)
	actions[0].(deploy.ScaleReplicaSet).Set["once"] = ""
	require.Contains(t, actions[1].(deploy.ScaleReplicaSet).Set, "once")
}
