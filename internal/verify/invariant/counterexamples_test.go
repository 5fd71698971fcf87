// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	daemonsetquirk "github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/deploy"
	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	replicasetquirk "github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
)

func counterexamples() []counterexample {
	return slices.Concat(deploymentCounterexamples(), podCounterexamples(), rolloutCounterexamples())
}

// endless is a partitioned Deployment that goes back to a template with the oldest set.
func endless() deploy.Snapshot {
	d := web(6)
	d.Template = revision.Template{ID: "v0", Hash: "v0"}
	d.Strategy, d.Paused = deploy.Recreate, true
	d.Partitioned = &partition.Strategy{Partition: rollout.Percent(20), RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Int(2), MaxUnavailable: rollout.Int(1)}}
	return snapshot(d, set(0, 0), set(1, 3), set(2, 1), set(3, 2))
}

// overflowing is a partitioned Deployment with a sum of sizes beyond 32 bits.
func overflowing() deploy.Snapshot {
	d := web(2)
	d.Strategy, d.Paused = deploy.Recreate, true
	d.Partitioned = &partition.Strategy{Partition: rollout.Int(0)}
	return snapshot(d, counted(set(1, math.MaxInt32), 0, 0))
}

func deploymentCounterexamples() []counterexample {
	pass := func(name, defect string, s deploy.Snapshot) counterexample {
		return shows(name, defect, deploy.Reconcile, s, deploy.Options{}, corrected)
	}
	again := func(name, defect string, s deploy.Snapshot) counterexample {
		return showsAgain(name, defect, deploy.Reconcile, s, deploy.Options{}, corrected)
	}
	scaledForFewer := snapshot(limited(2, 1, 0), sized(set(3, 2), 0, 0), sized(set(4, 2), 0, 1))
	ahead := snapshot(limited(10, 0, 2), counted(set(1, 7), 7, 5), counted(set(2, 3), 5, 5))
	stale := snapshot(limited(4, 0, 1), sized(set(1, 4), 5, 5))
	rests := old(3)
	rests.ReplicaSets[1] = counted(set(1, 0), 1, 0)
	paused := snapshot(limited(10, 1, 0), set(1, 0))
	paused.Deployment.Paused, paused.Deployment.RevisionHistoryLimit = true, ptr.To(int32(0))
	large := snapshot(limited(0, 1, 0), sized(set(3, 1), 5, 6), sized(set(4, math.MaxInt32), 5, 6))
	large.ReplicaSets[0].Status.TerminatingReplicas = ptr.To(int32(2))
	huge := web(math.MaxInt32)
	huge.MaxSurge = rollout.Percent(150)
	beyond := snapshot(partitionedTo(12, rollout.Percent(20)), sized(set(1, 3), 6, 6), sized(set(2, 3), 6, 6))
	surging := snapshot(partitionedTo(6, rollout.Percent(20)), sized(set(1, 5), 6, 7), counted(sized(set(2, 2), 6, 7), 2, 0))
	surging.Deployment.Partitioned.Paused = true
	return []counterexample{
		again("convergence", "deploy.OldestFirstUnderPartition", endless()),
		{"no repeated state", "deploy.OldestFirstUnderPartition", func(t *testing.T) (a, b []string) {
			for _, o := range []deploy.Options{{}, corrected} {
				trace, ok := invariant.RunDeployment(&invariant.DeploymentPlanner{Snapshot: endless(), Now: t0, Options: o, Plan: deploy.Reconcile, Strict: true})
				require.True(t, ok)
				a, b = b, invariant.Check("no repeated state", &trace)
			}
			return a, b
		}},
		pass("own objects only", "deploy.SumsWrapAround", overflowing()),
		again("bounds after every prefix", "deploy.StaleAnnotationBlocksRollout", snapshot(limited(2, 0, 1), counted(sized(set(1, 2), 0, 0), 0, 0), counted(sized(set(3, 2), 0, 0), 0, 0))),
		pass("surge bound", "deploy.ScalingLosesShares", scaledForFewer),
		pass("availability bound", "deploy.ExcessAvailableCounts", ahead),
		pass("availability bound", "deploy.ScalingTakesAvailable", surging),
		pass("proportional scaling", "deploy.ScalingLosesShares", snapshot(limited(1, 0, 1), sized(set(1, 2), 3, 1), sized(set(2, 2), 3, 1), sized(set(3, 2), 3, 1))),
		shows("scaled to zero", "deploy.SumsWrapAround", deploy.Reconcile, large, deploy.Options{Terminating: deploy.TerminationComplete}, deploy.Options{Repair: deployquirk.All, Terminating: deploy.TerminationComplete}),
		pass("one new ReplicaSet", "deploy.SumsWrapAround", overflowing()),
		pass("unhealthy old pods first", "deploy.ExcessAvailableCounts", ahead),
		pass("no stuck rollout", "deploy.StaleAnnotationBlocksRollout", stale),
		pass("history limit", "deploy.UsedSetsFillHistory", rests),
		pass("history limit", "deploy.CleanupDeletesStartedSet", paused),
		pass("Deployment status recount", "deploy.UnavailableReplicasLag", snapshot(limited(10, 3, 2), set(1, 5), set(2, 3))),
		pass("desired-replicas recorded", "deploy.StaleAnnotationBlocksRollout", stale),
		again("interrupted scaling", "deploy.ScalingLosesShares", doubled()),
		pass("sizes within int32", "deploy.SumsWrapAround", snapshot(huge)),
		pass("fraction after scaling", "deploy.ScaledBeyondPartition", beyond),
	}
}

func partitionedTo(replicas int32, size rollout.IntOrPercent) deploy.Deployment {
	d := web(replicas)
	d.Strategy, d.Paused = deploy.Recreate, true
	d.Partitioned = &partition.Strategy{Partition: size, RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(1)}}
	return d
}

func podCounterexamples() []counterexample {
	timeless := running(1, 1)
	timeless.ReplicaSet.MinReadySeconds, timeless.Pods[0].ReadySince = 10, time.Time{}
	failing := running(3, 3)
	failing.Expectations = expect.Creations(1, t0)
	failing.ReplicaSet.Status.Conditions = []kplan.Condition{{Type: replicaset.ConditionReplicaFailure, Status: "True"}}
	repaired := replicaset.Options{Repair: replicasetquirk.All}
	homeless := agents(1, "v2")
	homeless.Pods = append(homeless.Pods, agentPod("p9", "", "v2"))
	homeless.Pods[1].PinnedNode, homeless.Pods[1].DeletionTimestamp = "gone", t0.Add(-time.Minute)
	bad := agents(4, "v2", "v1", "v1", "v1")
	bad.Pods[0].Ready, bad.Pods[1].Ready = false, false
	bad.DaemonSet.MaxUnavailable = rollout.Int(2)
	kruise := daemonset.Options{Dialect: daemonset.OpenKruise}
	mended := daemonset.Options{Dialect: daemonset.OpenKruise, Repair: daemonsetquirk.All}
	return []counterexample{
		shows("availability instant", "replicaset.RecheckWithoutReadyTime", replicaset.Reconcile, timeless, replicaset.Options{}, repaired),
		shows("ReplicaFailure condition", "replicaset.WaitingRemovesFailure", replicaset.Reconcile, failing, replicaset.Options{}, repaired),
		{"strict weak order", "podorder: cycles of age buckets", cycle},
		showsAgain("actions take effect", "daemonset.PodsOfMissingNodesDeletedAgain", daemonset.Reconcile, homeless, daemonset.Options{}, daemonset.Options{Repair: daemonsetquirk.All}),
		shows("unavailable nodes bound", "daemonset.OldUnavailableNotCounted", daemonset.Reconcile, bad, kruise, mended),
		{"update stops at the partition", "daemonset.SharesOfLastStatus", func(t *testing.T) (a, b []string) {
			for _, o := range []daemonset.Options{kruise, mended} {
				s := agents(4, "v1", "v1", "v1", "v1")
				s.DaemonSet.Partition, s.DaemonSet.MaxUnavailable, s.DaemonSet.Status.DesiredNumberScheduled = rollout.Percent(50), rollout.Int(4), 0
				trace, ok := invariant.RunDaemonSet(&invariant.DaemonSetPlanner{Snapshot: s, Now: t0, Options: o, Plan: daemonset.Reconcile})
				require.True(t, ok)
				trace.Strict = true
				a, b = b, invariant.Check("update stops at the partition", &trace)
			}
			return a, b
		}},
	}
}

// cycle is three pods of one age bucket: a and b became ready at one instant, so that
// restarts decide between them, and UIDs decide about c. Sorted, they are in order.
func cycle(*testing.T) (byDefault, corrected []string) {
	pod := func(name, uid string, restarts int32, since time.Duration) podorder.Pod {
		return podorder.Pod{Name: name, UID: uid, NodeName: "n", Phase: podorder.Running, Ready: true, Restarts: restarts, ReadySince: t0.Add(-since), CreationTimestamp: t0.Add(-since)}
	}
	pods := []podorder.Pod{pod("a", "3", 1, time.Hour), pod("b", "1", 0, time.Hour), pod("c", "2", 0, time.Hour+time.Second)}
	c := invariant.Choosing{Order: podorder.New(t0, nil), Pods: pods, Strict: true}
	byDefault = invariant.Check("strict weak order", &c)
	sorted := slices.Clone(pods)
	c.Order.Sort(sorted)
	at := func(p podorder.Pod) int {
		return slices.IndexFunc(sorted, func(q podorder.Pod) bool { return q.Name == p.Name })
	}
	c.Compare = func(_ podorder.Order, a, b podorder.Pod) int { return at(a) - at(b) }
	return byDefault, invariant.Check("strict weak order", &c)
}

func rolloutCounterexamples() []counterexample {
	all := kruise.Options{Repair: workloadquirk.All}
	pass := func(name string, seconds int32) counterexample {
		return shows(name, "workload.LastPauseSkipped", kruise.Reconcile, inStep(kruise.StatePaused, step(rollout.Percent(100), seconds)), kruise.Options{}, all)
	}
	each := func(name, defect string, make func(cs workloadquirk.Set) invariant.Release) counterexample {
		return counterexample{name, defect, func(*testing.T) (a, b []string) {
			for _, o := range []kruise.Options{{}, all} {
				r := make(o.Repair)
				r.Options, r.Strict = o, true
				a, b = b, invariant.Check(name, &r)
			}
			return a, b
		}}
	}
	return []counterexample{
		each("batches grow", "workload.MixedPartitionsNeverEnd", lowered), each("step bounds", "workload.NewPodAtPartitionZero", leaked), pass("timed pause", 120), pass("manual pause", -1),
		gone("abandoned release"), gone("end of a release"), each("end of a release", "workload.LastStepNotAwaited", early),
	}
}

// gone is a counterexample of a rollback in the middle of a reset.
func gone(name string) counterexample {
	return counterexample{name, "workload.RollbackLeavesPaused", func(t *testing.T) (a, b []string) {
		for _, o := range []kruise.Options{{}, {Repair: workloadquirk.All}} {
			r := frozen(t, o)
			r.Strict = true
			a, b = b, invariant.Check(name, r)
		}
		return a, b
	}}
}

// lowered is a batch of 1% after one of 5 pods, of 10.
func lowered(cs workloadquirk.Set) invariant.Release {
	before := view("v2", 50, 5, 5)
	before.Workload.Replicas = ptr.To(int32(10))
	before.Workload.Annotations[partition.AnnotationStrategy] = partition.Strategy{RollingStyle: "Partition", Partition: rollout.Int(5)}.Text()
	before.Workload.StrategyType = "Recreate"
	br := batchrelease.Release{Name: "web", UID: "b", WorkloadRef: demo, ReleasePlan: batchrelease.ReleasePlan{Batches: []batchrelease.Batch{{CanaryReplicas: rollout.Percent(1)}}, RollingStyle: workload.Partition}}
	before.Workload.Annotations[partition.AnnotationControlInfo] = workload.ControlInfo(br.Name, br.UID)
	after := before
	if patch, write, _ := batchrelease.NewContext(br, before.Workload, nil, cs).UpgradePatch(before.Workload, nil, cs); write {
		after.Workload.Annotations = map[string]string{partition.AnnotationControlInfo: "x"}
		for key, value := range patch.Annotations {
			if value != nil {
				after.Workload.Annotations[key] = *value
			}
		}
	}
	return release(before, after)
}

// leaked is the moment before the first step of a workload without surge.
func leaked(cs workloadquirk.Set) invariant.Release {
	v := view("v2", 0, 0, 6)
	v.Workload.Annotations[partition.AnnotationStrategy] = partition.Strategy{
		RollingStyle: "Partition", Partition: rollout.Percent(0), RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Int(0), MaxUnavailable: rollout.Int(1)}}.Text()
	v.New = partition.CreationSize(rollout.Percent(0), rollout.Budget{Replicas: 6, Unavailable: 1}, 6, cs.Has(workloadquirk.NewPodAtPartitionZero))
	return release(v)
}

// early is the end of a release with a last step of 50%: the Deployment has been given back and
// still updates the rest of its pods.
func early(cs workloadquirk.Set) invariant.Release {
	before := view("v2", 50, 3, 3)
	before.Rollout.Status.Phase, before.Workload.Annotations, before.Workload.Paused = kruise.PhaseProgressing, nil, false
	before.Workload.Status = workload.Status{Replicas: 6, UpdatedReplicas: 3}
	br := batchrelease.Release{Name: "web", UID: "b", WorkloadRef: demo, Finalizers: []string{workload.FinalizerBatchRelease}, ReleasePlan: batchrelease.ReleasePlan{RollingStyle: workload.Partition, FinalizingPolicy: batchrelease.WaitResume}}
	br.Status = batchrelease.Status{Phase: batchrelease.PhaseFinalizing, ObservedReleasePlanHash: br.ReleasePlan.Hash(), Current: batchrelease.CurrentBatch{UpdatedReplicas: 3}}
	before.Release = &br
	after := before
	p, err := batchrelease.Reconcile(batchrelease.Snapshot{Release: br, Workload: &before.Workload}, t0, batchrelease.Options{Repair: cs})
	if err == nil && p.Status.Phase == batchrelease.PhaseCompleted { // which is all that the Rollout waits for
		after.Release, after.Rollout.Status.Phase = nil, kruise.PhaseHealthy
	}
	return release(before, after)
}
