// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// shop is a Deployment of ten pods that a BatchRelease has taken over, and the BatchRelease:
// a fifth of the pods now, and all of them when its partition moves on.
func shop() batchrelease.Snapshot {
	ten, first := int32(10), int32(0)
	ref := workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	w := workload.Workload{
		Ref: ref, UID: "d1", Replicas: &ten, StrategyType: "Recreate", Paused: true, StableRevision: "66cf", UpdateRevision: "7d4c",
		Annotations: map[string]string{
			partition.AnnotationControlInfo: workload.ControlInfo("web", "b1"),
			partition.AnnotationStrategy:    `{"rollingStyle":"Partition","rollingUpdate":{"maxSurge":1},"partition":0}`,
		},
		Status: workload.Status{Replicas: 10, ReadyReplicas: 10, AvailableReplicas: 10},
	}
	br := batchrelease.Release{
		Name: "web", UID: "b1", WorkloadRef: ref, Finalizers: []string{workload.FinalizerBatchRelease},
		ReleasePlan: batchrelease.ReleasePlan{
			Batches:        []batchrelease.Batch{{CanaryReplicas: rollout.Percent(20)}, {CanaryReplicas: rollout.Percent(100)}},
			BatchPartition: &first, RolloutID: "v2",
		},
	}
	br.Status = batchrelease.Status{
		Phase: batchrelease.PhaseProgressing, StableRevision: "66cf", UpdateRevision: "7d4c", ObservedWorkloadReplicas: 10,
		ObservedReleasePlanHash: br.ReleasePlan.Hash(), ObservedRolloutID: "v2",
		Current: batchrelease.CurrentBatch{BatchState: batchrelease.StateUpgrading},
	}
	return batchrelease.Snapshot{Release: br, Workload: &w}
}

// The batch is released by an annotation of the Deployment.
func ExampleReconcile() {
	plan, err := batchrelease.Reconcile(shop(), noon, batchrelease.Options{})
	for _, a := range plan.Actions {
		fmt.Println(a.(batchrelease.PatchWorkload).Patch.Body(shop().Workload.Ref))
	}
	fmt.Println(plan.Status.Current.BatchState, err)
	// Output:
	// {"metadata":{"annotations":{"rollouts.kruise.io/deployment-strategy":"{\"rollingStyle\":\"Partition\",\"rollingUpdate\":{\"maxSurge\":1},\"partition\":\"20%\"}"}}}
	// Verifying <nil>
}

// Behind the pass the Deployment may have two new pods, and the batch waits for them.
func ExamplePlan_Apply() {
	s := shop()
	plan, _ := batchrelease.Reconcile(s, noon, batchrelease.Options{})
	s, err := plan.Apply(s, noon)
	strategy, _ := partition.ParseStrategy(s.Workload.Annotations[partition.AnnotationStrategy])
	fmt.Println(partition.Limit(strategy.Partition, 10), err)
	plan, _ = batchrelease.Reconcile(s, noon, batchrelease.Options{})
	fmt.Println(plan)
	// Output:
	// 2 <nil>
	// held back: TooFewUpdated (0 of 2)
}

func ExampleApply() {
	s, err := batchrelease.Apply(shop(), batchrelease.SetFinalizer{Kind: "BatchRelease", Name: "web", UID: "b1", Finalizer: workload.FinalizerBatchRelease, Remove: true}, noon)
	fmt.Println(len(s.Release.Finalizers), err)
	// Output: 0 <nil>
}

// There is no autoscaler, so that the second action is not reached.
func ExampleActions_Apply() {
	_, err := batchrelease.Actions{
		batchrelease.RetargetAutoscaler{Name: "web", From: "web", To: "web" + batchrelease.AutoscalerSuffix},
		batchrelease.PatchWorkload{Workload: shop().Workload.Ref, UID: "d1"},
	}.Apply(shop(), noon)
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output: true
}

// A fifth of ten pods are to be new, by moving the partition from 0 to 20%.
func ExampleNewContext() {
	s := shop()
	c := batchrelease.NewContext(s.Release, *s.Workload, nil, 0)
	fmt.Println(c.Driver, c.Planned, "of", c.Replicas, "by", c.CurrentPartition, "->", c.DesiredPartition)
	// Output: Deployment 2 of 10 by 0 -> 20%
}

// No partition is ever lowered: behind 50% the batch of 20% writes nothing.
func ExampleContext_UpgradePatch() {
	s := shop()
	c := batchrelease.NewContext(s.Release, *s.Workload, nil, 0)
	_, write, _ := c.UpgradePatch(*s.Workload, nil, 0)
	fmt.Println(write)
	s.Workload.Annotations[partition.AnnotationStrategy] = `{"rollingStyle":"Partition","partition":"50%"}`
	_, write, _ = c.UpgradePatch(*s.Workload, nil, 0)
	fmt.Println(write)
	// Output:
	// true
	// false
}

// First pods must be updated, then ready. One of five need not be.
func ExampleContext_Waiting() {
	c := batchrelease.Context{Planned: 5, Desired: 5, Updated: 4, UpdatedReady: 4, FailureThreshold: rollout.Int(1)}
	hold, _ := c.Waiting(0)
	fmt.Println(hold)
	c.Updated = 5
	_, waits := c.Waiting(0)
	fmt.Println(waits)
	// Output:
	// held back: TooFewUpdated (4 of 5)
	// false
}

func ExampleContext_Text() {
	c := batchrelease.Context{Planned: 2, Desired: 2, Updated: 1}
	hold, _ := c.Waiting(0)
	fmt.Println(c.Text(hold))
	// Output: current batch not ready: updated replicas not satisfied, UpdatedReplicas 1 < DesiredUpdatedReplicas 2
}

// Before its first batch a CloneSet is told to keep all its pods.
func ExampleInitializePatch() {
	br := shop().Release
	br.WorkloadRef = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "cache"}
	p, write := batchrelease.InitializePatch(br, workload.Workload{Ref: br.WorkloadRef, Paused: true}, 0)
	fmt.Println(p.Partition, *p.Paused, write)
	// Output: 100% false true
}

// All pods are updated: the BatchRelease takes its name off the workload and lets it go on.
func ExampleReleasePatch() {
	s := shop()
	s.Release.ReleasePlan.BatchPartition = nil // all batches may be released
	p, write := batchrelease.ReleasePatch(s.Release, *s.Workload, batchrelease.Options{})
	_, removed := p.Annotations[partition.AnnotationControlInfo]
	fmt.Println(removed, *p.Paused, *p.StrategyType, write)
	// Output: true false RollingUpdate true
}

// The limits come back from the annotation.
func ExampleResumeDeployment() {
	p := batchrelease.ResumeDeployment(*shop().Workload, false, 0)
	fmt.Println(*p.Paused, *p.StrategyType, p.MaxSurge)
	// Output: false RollingUpdate 1
}

// What a BatchRelease notices before it goes on.
func ExampleEventOf() {
	s := shop()
	fmt.Println(batchrelease.EventOf(s))
	twelve := int32(12)
	s.Workload.Replicas = &twelve
	fmt.Println(batchrelease.EventOf(s))
	s.Workload = nil
	fmt.Println(batchrelease.EventOf(s))
	// Output:
	// Normal
	// ReplicasChanged
	// Gone
}

// Batches of a fifth and a half of ten pods: two, and three more.
func ExampleIncrements() {
	batches := []batchrelease.Batch{{CanaryReplicas: rollout.Percent(20)}, {CanaryReplicas: rollout.Percent(50)}}
	fmt.Println(batchrelease.Increments(batches, 1, 10))
	// Output: [2 3]
}

// The first batch are two pods, from the end of the list. The old one gets no label.
func ExampleLabels() {
	pod := func(name, hash string) workload.Pod {
		return workload.Pod{Name: name, Labels: map[string]string{workload.LabelPodTemplateHash: hash}}
	}
	pods := []workload.Pod{pod("a", "7d4c"), pod("b", "7d4c"), pod("c", "66cf"), pod("d", "7d4c")}
	for _, l := range batchrelease.Labels(shop().Release, 10, "7d4c", pods, 0) {
		fmt.Println(l.Name, l.Labels[workload.LabelRolloutID], l.Labels[workload.LabelBatchID])
	}
	// Output:
	// d v2 1
	// b v2 1
}

// Two of five pods never left the template that is rolled back to, and one has been updated
// to it. The batch plans two: that one, and one of the others makes up the number.
func ExampleRollbackFilter_Pods() {
	pod := func(name, hash, kept string) workload.Pod {
		return workload.Pod{Name: name, Labels: map[string]string{workload.LabelControllerRevision: hash, workload.LabelNoNeedUpdate: kept}}
	}
	f := batchrelease.RollbackFilter{RolloutID: "back", UpdateRevision: "66cf", Planned: 2, Desired: 3, Replicas: 5}
	for _, p := range f.Pods([]workload.Pod{pod("a", "66cf", "back"), pod("b", "66cf", "back"), pod("c", "66cf", ""), pod("d", "7d4c", ""), pod("e", "7d4c", "")}) {
		fmt.Print(p.Name, " ")
	}
	// Output: c a
}

// native is the batch of a DaemonSet of Kubernetes with four pods, of which one is to stay
// old, one is new, and one old one is not ready.
func native() batchrelease.NativeBatch {
	return batchrelease.NativeBatch{Partition: "1", Revision: "7d4c", DesiredNumberScheduled: 4, Pods: []batchrelease.DaemonSetPod{
		{Name: "a", Revision: "66cf", Ready: true, CreationTimestamp: noon},
		{Name: "b", Revision: "66cf", Ready: true, CreationTimestamp: noon.Add(time.Hour)},
		{Name: "c", Revision: "7d4c", Ready: true, CreationTimestamp: noon},
		{Name: "d", Revision: "66cf", CreationTimestamp: noon},
	}}
}

func ExampleNativeBatch_Allowed() {
	b := native()
	fmt.Println(b.Allowed())
	b.MaxUnavailable = rollout.Percent(50)
	fmt.Println(b.Allowed())
	// Output:
	// 1
	// 2
}

func ExampleNativeBatch_Desired() {
	fmt.Println(native().Desired())
	// Output: 3 <nil>
}

func ExampleNativeBatch_Counts() {
	fmt.Println(native().Counts())
	// Output: 1 0
}

// Two more are to be new: the one that is not ready costs nothing, and of the others one may
// be missing, the younger.
func ExampleNativeBatch_Victims() {
	fmt.Println(native().Victims(0))
	// Output: [d b] <nil>
}

func ExampleReleasePlan_Style() {
	fmt.Println(batchrelease.ReleasePlan{RollingStyle: workload.BlueGreen}.Style())
	fmt.Println(batchrelease.ReleasePlan{EnableExtraWorkloadForCanary: true}.Style())
	// Output:
	// BlueGreen
	// Canary
}

func ExampleReleasePlan_Text() {
	fmt.Println(batchrelease.ReleasePlan{Batches: []batchrelease.Batch{{CanaryReplicas: rollout.Percent(20)}}}.Text())
	// Output: {"batches":[{"canaryReplicas":"20%"}],"enableExtraWorkloadForCanary":false}
}

// Another batch is another plan.
func ExampleReleasePlan_Hash() {
	a := batchrelease.ReleasePlan{Batches: []batchrelease.Batch{{CanaryReplicas: rollout.Percent(20)}}}
	b := a.Clone()
	fmt.Println(a.Hash() == b.Hash())
	b.Batches[0].CanaryReplicas = rollout.Percent(50)
	fmt.Println(a.Hash() == b.Hash())
	// Output:
	// true
	// false
}

func ExampleReleasePlan_Clone() {
	p := shop().Release.ReleasePlan
	c := p.Clone()
	c.Batches[0].CanaryReplicas, *c.BatchPartition = rollout.Percent(50), 1
	fmt.Println(p.Batches[0].CanaryReplicas, *p.BatchPartition)
	// Output: 20% 0
}
