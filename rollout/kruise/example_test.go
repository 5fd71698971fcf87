// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"errors"
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// shop is a Rollout of a Deployment in two steps: half of the pods, until a person approves,
// and all.
func shop() kruise.Rollout {
	return kruise.Rollout{
		Name: "shop", UID: "r1", WorkloadRef: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
		Canary: &kruise.Strategy{Steps: []kruise.Step{{Replicas: rollout.Percent(50)}, {Replicas: rollout.Percent(100)}}},
	}
}

// web is that Deployment with a template.
func web(template string) workload.Workload {
	six := int32(6)
	return workload.Workload{
		Ref: shop().WorkloadRef, UID: "d1", Replicas: &six, Template: revision.Template{ID: template, Hash: template},
		Labels: map[string]string{workload.LabelWorkloadType: "deployment"},
	}
}

// A new template is a release; a new size is none.
func ExampleEffectiveChange() {
	release, reason := kruise.EffectiveChange(web("v1"), web("v2"), 0)
	fmt.Printf("%v %q\n", release, reason)
	ten, scaled := int32(10), web("v1")
	scaled.Replicas = &ten
	release, reason = kruise.EffectiveChange(web("v1"), scaled, 0)
	fmt.Printf("%v %q\n", release, reason)
	// Output:
	// true ""
	// false "TemplateUnchanged"
}

// The update enters the Rollout: the Deployment is paused, and marked.
func ExampleAdmit() {
	a, err := kruise.Admit(kruise.AdmitSnapshot{
		Old: web("v1"), New: web("v2"), Rollouts: []kruise.Rollout{shop()},
		Sets: []workload.Set{{Name: "web-v1", Template: revision.Template{ID: "v1", Hash: "v1"}, Replicas: 6}},
	}, kruise.Options{})
	fmt.Println(a.Reason, a.Object.Paused, err)
	fmt.Println(a.Object.Annotations[workload.AnnotationInProgress])
	// Output:
	// ReleaseBegins true <nil>
	// {"rolloutName":"shop"}
}

// A Rollout gets its finalizer before anything else.
func ExamplePlan_Apply() {
	s := kruise.Snapshot{Rollout: shop()}
	plan, _ := kruise.Reconcile(s, now, kruise.Options{})
	s, err := plan.Apply(s, now)
	fmt.Println(plan.Actions[0], err)
	fmt.Println(s.Rollout.Finalizers, s.Rollout.Status.Phase)
	// Output:
	// Added finalizer rollouts.kruise.io/rollout of Rollout shop (Finalizer) <nil>
	// [rollouts.kruise.io/rollout] Initial
}

func ExampleApply() {
	s, err := kruise.Apply(kruise.Snapshot{Rollout: shop()}, kruise.PatchRollout{Name: "shop", UID: "r1", Annotations: map[string]string{"team": "shop"}}, now)
	fmt.Println(s.Rollout.Annotations, err)
	// Output: map[team:shop] <nil>
}

// There is no BatchRelease to delete.
func ExampleActions_Apply() {
	_, err := kruise.Actions{
		kruise.PatchRollout{Name: "shop", UID: "r1", Annotations: map[string]string{"team": "shop"}},
		kruise.DeleteBatchRelease{Name: "shop"},
	}.Apply(kruise.Snapshot{Rollout: shop()}, now)
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output: true
}

// A weight of the older version is the traffic, and the pods as well.
func ExampleRolloutV1alpha1_Convert() {
	twenty := int32(20)
	old := kruise.RolloutV1alpha1{WorkloadRef: shop().WorkloadRef, Steps: []kruise.StepV1alpha1{{Weight: &twenty}}}
	r := old.Convert()
	fmt.Println(r.Canary.Steps[0].Traffic, r.Canary.Steps[0].Replicas, r.Style())
	// Output: 20% 20% Canary
}

func ExampleConvertBack() {
	old := kruise.ConvertBack(shop())
	fmt.Println(len(old.Steps), old.Steps[0].Replicas, old.Annotations[workload.AnnotationRollingStyle])
	// Output: 2 50% partition
}

// A longer pause is no change of the plan, and another step is.
func ExampleStrategyHash() {
	r := shop()
	before, hour := kruise.StrategyHash(r), int32(3600)
	r.Canary.Steps[0].Pause.Duration = &hour
	fmt.Println(kruise.StrategyHash(r) == before)
	r.Canary.Steps[0].Replicas = rollout.Percent(20)
	fmt.Println(kruise.StrategyHash(r) == before)
	// Output:
	// true
	// false
}

func ExampleNextStep() {
	fmt.Println(kruise.NextStep(2, 1), kruise.NextStep(2, 2))
	// Output: 2 -1
}

// The batch of 50% of six pods is released when the steps become 20%, 60% and 100%: the
// second is the first that covers it.
func ExampleRecalculateStep() {
	zero := int32(0)
	br := batchrelease.Release{ReleasePlan: batchrelease.ReleasePlan{
		Batches: []batchrelease.Batch{{CanaryReplicas: rollout.Percent(50)}}, BatchPartition: &zero,
	}}
	steps := []kruise.Step{{Replicas: rollout.Percent(20)}, {Replicas: rollout.Percent(60)}, {Replicas: rollout.Percent(100)}}
	fmt.Println(kruise.RecalculateStep(steps, &br, 6, 1))
	// Output: 2
}

// Three of six pods are updated already: a step of half of them begins with its traffic.
func ExampleStateAfterJump() {
	half := kruise.Step{Replicas: rollout.Percent(50)}
	fmt.Println(kruise.StateAfterJump(half, 6, 3), kruise.StateAfterJump(half, 6, 2))
	// Output: StepTrafficRouting BeforeStepUpgrade
}

// The first step waits for a person, or an hour. A last step of 100% waits for nobody.
func ExamplePauseOf() {
	r := shop()
	kind, _ := kruise.PauseOf(r, 1, now, 0)
	fmt.Println(kind)
	hour := int32(3600)
	r.Canary.Steps[0].Pause.Duration = &hour
	kind, until := kruise.PauseOf(r, 1, now, 0)
	fmt.Println(kind, until.Sub(now))
	kind, _ = kruise.PauseOf(r, 2, now, 0)
	fmt.Println(kind)
	// Output:
	// Manual
	// Timed 1h0m0s
	// None
}

// At step 1 the BatchRelease may release the first of two batches.
func ExampleReleaseOf() {
	br := kruise.ReleaseOf(shop(), workload.State{Ref: shop().WorkloadRef, CanaryRevision: "v2", Replicas: 6}, 1, 0)
	fmt.Println(br.Name, len(br.ReleasePlan.Batches), *br.ReleasePlan.BatchPartition, br.ReleasePlan.RolloutID)
	// Output: shop 2 0 v2
}

// An extra Deployment exists for the style Canary only.
func ExampleRollout_Style() {
	r := shop()
	fmt.Println(r.Style())
	r.Canary.EnableExtraWorkloadForCanary = true
	fmt.Println(r.Style())
	fmt.Println(kruise.Rollout{BlueGreen: &kruise.Strategy{}}.Style())
	// Output:
	// Partition
	// Canary
	// BlueGreen
}

// A CloneSet has no extra Deployment, whatever the strategy asks for.
func ExampleRollout_RealPartition() {
	r := shop()
	r.Canary.EnableExtraWorkloadForCanary = true
	fmt.Println(r.RealPartition())
	r.WorkloadRef = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "cache"}
	fmt.Println(r.RealPartition())
	// Output:
	// false
	// true
}

func ExampleRollout_Strategy() {
	fmt.Println(len(shop().Strategy().Steps), kruise.Rollout{}.Strategy() == nil)
	// Output: 2 true
}

func ExampleStatus_ProgressingReason() {
	s := kruise.Status{Conditions: []kplan.Condition{{Type: workload.ConditionProgressing, Reason: kruise.ProgressInRolling}}}
	fmt.Printf("%q %q\n", s.ProgressingReason(), kruise.Status{}.ProgressingReason())
	// Output: "InRolling" ""
}

// Steps must not go backwards, and a workload has one Rollout.
func ExampleValidate() {
	fmt.Println(len(kruise.Validate(shop(), nil, kruise.Options{})))
	backwards, other := shop(), shop()
	backwards.Canary.Steps[0].Replicas = rollout.Percent(100)
	backwards.Canary.Steps[1].Replicas = rollout.Percent(50)
	other.Name = "other"
	for _, e := range kruise.Validate(backwards, []kruise.Rollout{other}, kruise.Options{}) {
		fmt.Println(e.Path)
	}
	// Output:
	// 0
	// Rollout.Canary.Steps[1].Replicas
	// Rollout.WorkloadRef
}

// In the middle of a rollout the workload cannot be exchanged.
func ExampleValidateUpdate() {
	old, updated := shop(), shop()
	updated.WorkloadRef.Name = "api"
	fmt.Println(len(kruise.ValidateUpdate(old, updated, nil, kruise.Options{})))
	old.Status.Phase = kruise.PhaseProgressing
	fmt.Println(kruise.ValidateUpdate(old, updated, nil, kruise.Options{})[0].Path)
	// Output:
	// 0
	// Rollout.WorkloadRef
}

// A step of the older version needs a weight or a number of pods.
func ExampleValidateV1alpha1() {
	twenty := int32(20)
	r := kruise.RolloutV1alpha1{WorkloadRef: shop().WorkloadRef, Steps: []kruise.StepV1alpha1{{Weight: &twenty}}}
	fmt.Println(len(kruise.ValidateV1alpha1(r, kruise.Options{})))
	r.Steps[0].Weight = nil
	fmt.Println(kruise.ValidateV1alpha1(r, kruise.Options{})[0].Path)
	// Output:
	// 0
	// Rollout.Steps[0]
}

// A Deployment that is driven has a new generation: all three have to look at it.
func ExampleWatchedWorkload_Keys() {
	old := web("v1")
	old.StrategyType, old.Paused = "Recreate", true
	old.Annotations = map[string]string{partition.AnnotationControlInfo: workload.ControlInfo("shop", "b1")}
	changed := old
	changed.Generation++
	e := kruise.WatchedWorkload{Old: &old, New: &changed, Rollouts: []kruise.Rollout{shop()}}
	for _, k := range e.Keys() {
		fmt.Println(k.Kind, k.Name)
	}
	// Output:
	// Rollout shop
	// BatchRelease shop
	// Deployment web
}

// A pod has become ready.
func ExampleWatchedPod_Keys() {
	owner := web("v2")
	owner.Annotations = map[string]string{partition.AnnotationControlInfo: workload.ControlInfo("shop", "b1")}
	before, after := workload.Pod{Name: "web-1"}, workload.Pod{Name: "web-1", Ready: true}
	fmt.Println(kruise.WatchedPod{Old: &before, New: &after, Owner: &owner}.Keys())
	fmt.Println(kruise.WatchedPod{Old: &after, New: &after, Owner: &owner}.Keys())
	// Output:
	// [{BatchRelease shop}]
	// []
}

func ExampleWatchedRelease() {
	fmt.Println(kruise.WatchedRelease(batchrelease.Release{Name: "shop"}))
	// Output: [{Rollout shop} {BatchRelease shop}]
}

// The ReplicaSet of a Deployment that is not driven concerns nobody here.
func ExampleWatchedReplicaSet() {
	driven := web("v2")
	driven.StrategyType, driven.Paused = "Recreate", true
	driven.Annotations = map[string]string{partition.AnnotationControlInfo: workload.ControlInfo("shop", "b1")}
	plain := web("v2")
	fmt.Println(kruise.WatchedReplicaSet(&driven), kruise.WatchedReplicaSet(&plain))
	// Output: [{Deployment web}] []
}
