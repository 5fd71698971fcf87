// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"errors"
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// The workloads that are rolled out here.
var (
	web   = workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	db    = workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "db"}
	cache = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "cache"}
)

// A CloneSet is updated by partition, and blue-green by its surge. A StatefulSet knows no
// blue-green.
func ExampleDriverOf() {
	fmt.Println(workload.DriverOf(cache, ""))
	fmt.Println(workload.DriverOf(cache, workload.BlueGreen))
	_, err := workload.DriverOf(db, workload.BlueGreen)
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output:
	// CloneSet <nil>
	// BlueGreenCloneSet <nil>
	// true
}

func ExampleDriver_Beside() {
	fmt.Println(workload.DriverCanary.Beside(), workload.DriverDeployment.Beside())
	// Output: true false
}

func ExampleDriver_KeepsShare() {
	fmt.Println(workload.DriverCloneSet.KeepsShare(), workload.DriverStatefulSet.KeepsShare())
	// Output: true false
}

func ExampleDriver_SizesReplicaSets() {
	fmt.Println(workload.DriverDeployment.SizesReplicaSets(), workload.DriverCanary.SizesReplicaSets())
	// Output: true false
}

// A CloneSet of ten pods is to be updated from one revision to another. Until its controller
// has seen the last change nothing is known.
func ExampleInspect() {
	ten := int32(10)
	w := workload.Workload{
		Ref: cache, Generation: 2, Replicas: &ten, StableRevision: "cache-66cf", UpdateRevision: "cache-7d4c", Status: workload.Status{ObservedGeneration: 1},
	}
	fmt.Println(workload.Inspect(workload.InspectSnapshot{Workload: w}).Consistent)
	w.Status.ObservedGeneration = 2
	state := workload.Inspect(workload.InspectSnapshot{Workload: w})
	fmt.Println(state.Consistent, state.Replicas, state.StableRevision, state.CanaryRevision, state.InRollback)
	// Output:
	// false
	// true 10 66cf 7d4c false
}

func ExampleRef_Group() {
	fmt.Println(cache.Group(), web.Group())
	// Output: apps.kruise.io apps
}

func ExampleRef_GroupKind() {
	fmt.Println(cache.GroupKind())
	// Output: apps.kruise.io/CloneSet
}

// A Job is not rolled out.
func ExampleRef_Known() {
	fmt.Println(web.Known(), workload.Ref{APIVersion: "batch/v1", Kind: "Job", Name: "import"}.Known())
	// Output: true false
}

// The version of the API does not matter.
func ExampleRef_Same() {
	fmt.Println(cache.Same(workload.Ref{APIVersion: "apps.kruise.io/v1beta1", Kind: "CloneSet", Name: "cache"}), cache.Same(web))
	// Output: true false
}

func ExampleRef_Traits() {
	fmt.Println(web.Traits().Paused, web.Traits().ExtraCanary, web.Traits().RollbackInBatches)
	fmt.Println(cache.Traits().Paused, cache.Traits().ExtraCanary, cache.Traits().RollbackInBatches)
	// Output:
	// true true false
	// false false true
}

// What changes about a workload. Each kind has its own place for it.
func ExamplePatch_Body() {
	p := workload.Patch{Partition: rollout.Int(8)}
	fmt.Println(p.Body(db))
	fmt.Println(p.Body(cache))
	// Output:
	// {"spec":{"updateStrategy":{"rollingUpdate":{"partition":8}}}}
	// {"spec":{"updateStrategy":{"partition":8}}}
}

func ExamplePatch_Annotate() {
	var p workload.Patch
	p.Annotate(workload.AnnotationInProgress, `{"rolloutName":"web"}`)
	fmt.Println(p.Body(web))
	// Output: {"metadata":{"annotations":{"rollouts.kruise.io/in-progressing":"{\"rolloutName\":\"web\"}"}}}
}

func ExamplePatch_RemoveAnnotations() {
	var p workload.Patch
	p.RemoveAnnotations(workload.AnnotationInProgress)
	fmt.Println(p.Body(web))
	// Output: {"metadata":{"annotations":{"rollouts.kruise.io/in-progressing":null}}}
}

func ExamplePatch_Label() {
	var p workload.Patch
	stable := "66cf"
	p.Label(workload.LabelStableRevision, &stable)
	p.Label(workload.LabelNoNeedUpdate, nil)
	fmt.Println(p.Body(web))
	// Output: {"metadata":{"labels":{"rollouts.kruise.io/no-need-update":null,"rollouts.kruise.io/stable-revision":"66cf"}}}
}

// The generation rises with the spec, and the object that was given stays as it is.
func ExampleWorkload_Patched() {
	w := workload.Workload{Ref: db, Generation: 4, StrategyType: "RollingUpdate"}
	next := w.Patched(workload.Patch{Partition: rollout.Int(8)})
	fmt.Println(next.Partition, next.Generation, w.Generation)
	// Output: 8 5 4
}

// Behind a change of the spec nothing is known until the controller has seen it.
func ExampleState_Patched() {
	s := workload.State{Ref: db, Generation: 4, Consistent: true}
	var annotation workload.Patch
	annotation.Annotate("team", "shop")
	fmt.Println(s.Patched(annotation).Consistent, s.Patched(workload.Patch{Partition: rollout.Int(8)}).Consistent)
	// Output: true false
}

// A CloneSet keeps all its pods, a StatefulSet every ordinal below 32767.
func ExampleWorkload_HoldBack() {
	c, s := workload.Workload{Ref: cache}, workload.Workload{Ref: db}
	c.HoldBack(0)
	s.HoldBack(0)
	fmt.Println(c.Partition, s.Partition)
	// Output: 100% 32767
}

func ExampleWorkload_DesiredReplicas() {
	ten := int32(10)
	w, unset := workload.Workload{Replicas: &ten}, workload.Workload{}
	fmt.Println(w.DesiredReplicas(), unset.DesiredReplicas())
	// Output: 10 1
}

func ExampleWorkload_Limits() {
	w := workload.Workload{RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Percent(25)}}
	fmt.Println(w.Limits().MaxSurge, w.Limits().MaxUnavailable.IsZero())
	// Output: 25% true
}

// driven is web under the control of the BatchRelease of its name.
func driven() workload.Workload {
	return workload.Workload{
		Ref: web, StrategyType: "Recreate", Paused: true,
		Annotations: map[string]string{partition.AnnotationControlInfo: workload.ControlInfo("web", "b1")},
	}
}

func ExampleControlInfo() {
	fmt.Println(workload.ControlInfo("web", "b1"))
	// Output: {"apiVersion":"rollouts.kruise.io/v1beta1","kind":"BatchRelease","name":"web","uid":"b1","controller":true,"blockOwnerDeletion":true}
}

func ExampleWorkload_ControlledBy() {
	fmt.Printf("%q %q\n", driven().ControlledBy(), workload.Workload{Ref: web}.ControlledBy())
	// Output: "b1" ""
}

func ExampleWorkload_DrivenBy() {
	w := driven()
	fmt.Println(w.DrivenBy())
	// Output: web
}

// A Deployment that somebody resumes is no longer updated by partition.
func ExampleWorkload_UnderPartition() {
	w := driven()
	fmt.Println(w.UnderPartition())
	w.Paused = false
	fmt.Println(w.UnderPartition())
	// Output:
	// true
	// false
}

// What a blue-green release has to restore.
func ExampleParseOriginal() {
	o := workload.ParseOriginal(`{"maxSurge":"25%","minReadySeconds":10,"progressDeadlineSeconds":600}`)
	fmt.Println(o.MaxSurge, o.MinReadySeconds, *o.ProgressDeadlineSeconds)
	// Output: 25% 10 600
}

func ExampleSet_MayHavePods() {
	for _, s := range []workload.Set{{Replicas: 3, Template: revision.Template{Hash: "7d4c"}}, {Replicas: 0, Template: revision.Template{Hash: "66cf"}}} {
		fmt.Println(s.Template.Hash, s.MayHavePods())
	}
	// Output:
	// 7d4c true
	// 66cf false
}

// A release has the id that a person gave it, or else that of its revision.
func ExampleState_RolloutID() {
	s := workload.State{CanaryRevision: "7d4c"}
	fmt.Println(s.RolloutID(0))
	s.InRollback = true
	fmt.Println(s.RolloutID(0))
	s.Labels = map[string]string{workload.LabelRolloutID: "v2"}
	fmt.Println(s.RolloutID(0))
	// Output:
	// 7d4c
	// rollback-7d4c
	// v2
}

// The label counts, and the annotation only if that is repaired.
func ExampleNamedRelease() {
	annotations := map[string]string{workload.LabelRolloutID: "v2"}
	fmt.Printf("%q %q\n", workload.NamedRelease(nil, annotations, 0), workload.NamedRelease(nil, annotations, quirk.RolloutIDReadDifferently))
	// Output: "" "v2"
}

func ExampleLastPart() {
	fmt.Println(workload.LastPart("cache-7d4c665cf7"))
	// Output: 7d4c665cf7
}

// The hash 4c is the end of another one.
func ExampleMatchesHash() {
	fmt.Println(workload.MatchesHash("cache-7d4c", "7d4c", 0), workload.MatchesHash("cache-7d4c", "4c", 0))
	fmt.Println(workload.MatchesHash("cache-7d4c", "4c", quirk.HashSuffixMatches))
	// Output:
	// true true
	// false
}

func ExamplePod_OfRevision() {
	p := workload.Pod{Name: "web-1", Labels: map[string]string{workload.LabelPodTemplateHash: "7d4c"}}
	fmt.Println(p.OfRevision("7d4c", 0), p.OfRevision("66cf", 0))
	// Output: true false
}

func ExampleTemplateMetadata_Clone() {
	m := &workload.TemplateMetadata{Labels: map[string]string{"track": "canary"}}
	c := m.Clone()
	c.Labels["track"] = "stable"
	fmt.Println(m.Labels["track"])
	// Output: canary
}
