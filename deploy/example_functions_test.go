// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/selector"
)

// show prints what each ReplicaSet wants.
func show(s deploy.Snapshot) {
	for _, rs := range s.ReplicaSets {
		fmt.Println(rs.Name, *rs.Replicas)
	}
}

// One action, as a simulator carries it out.
func ExampleApply() {
	s := shop()
	plan, _ := deploy.Reconcile(s, noon, deploy.Options{})
	after, err := deploy.Apply(s, plan.Actions[0], noon)
	fmt.Println(plan.Actions[0], err)
	show(after)
	// Output:
	// Scaled up replica set web-7d4c665cf7 from 0 to 3 (NewTemplate, revision 2) <nil>
	// web-66cf68d45 10
	// web-7d4c665cf7 3
}

// A whole pass, its status included: ten old pods are there and available.
func ExamplePlan_Apply() {
	s := shop()
	plan, _ := deploy.Reconcile(s, noon, deploy.Options{})
	after, err := plan.Apply(s, noon)
	show(after)
	fmt.Println(after.Deployment.Annotations[revision.AnnotationRevision], after.Deployment.Status.AvailableReplicas, err)
	// Output:
	// web-66cf68d45 8
	// web-7d4c665cf7 3
	// 2 10 <nil>
}

// The first error ends it: nothing has the size from which it is to be scaled.
func ExampleActions_Apply() {
	actions := deploy.Actions{
		deploy.ScaleReplicaSet{Name: "web-66cf68d45", UID: "r1", From: 10, To: 8},
		deploy.ScaleReplicaSet{Name: "web-66cf68d45", UID: "r1", From: 10, To: 6},
	}
	after, err := actions[:1].Apply(shop(), noon)
	show(after)
	fmt.Println(err)
	_, err = actions.Apply(shop(), noon)
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output:
	// web-66cf68d45 8
	// <nil>
	// true
}

// The quota is used up: the pass has failed, and the Deployment says so.
func ExamplePass_Finish() {
	pass, _ := deploy.NewPass(shop(), noon, deploy.Options{})
	result := pass.Finish(deploy.Report{Outcomes: []kplan.Outcome{{Answer: kplan.Failed, Err: errors.New("exceeded quota")}}})
	c, _ := deploy.GetCondition(result.Status.Conditions, deploy.ConditionProgressing)
	fmt.Println(result.Err)
	fmt.Println(c.Status, c.Reason, c.Message)
	fmt.Println(result.WriteStatus, "and plan again after", replicaset.RetryDelay(1))
	// Output:
	// Scaled up replica set web-7d4c665cf7 from 0 to 3 (NewTemplate, revision 2): exceeded quota
	// False ReplicaSetCreateError Failed to create new replica set "web-7d4c665cf7": exceeded quota
	// true and plan again after 5ms
}

// A controller keeps the pass of its plan until the writes are made.
func ExampleNewPass() {
	pass, err := deploy.NewPass(shop(), noon, deploy.Options{})
	fmt.Println(pass.Plan.Actions[0], err)
	// Output: Scaled up replica set web-7d4c665cf7 from 0 to 3 (NewTemplate, revision 2) <nil>
}

func ExamplePlan_Empty() {
	rollout, _ := deploy.Reconcile(shop(), noon, deploy.Options{})
	fmt.Println(len(rollout.Actions), rollout.Empty())
	fmt.Println(deploy.Plan{}.Empty())
	// Output:
	// 3 false
	// true
}

// A rollout is complete when all pods are new and available, and the status is about the
// present spec.
func ExampleComplete() {
	s := deploy.Status{ObservedGeneration: 7, Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 3}
	fmt.Println(deploy.Complete(s, 3, 7), deploy.Complete(s, 3, 8))
	s.Replicas = 4 // an old pod is left
	fmt.Println(deploy.Complete(s, 3, 7))
	// Output:
	// true false
	// false
}

// One more new pod is progress, one less that is available is none.
func ExampleProgressed() {
	before := deploy.Status{Replicas: 10, UpdatedReplicas: 3, ReadyReplicas: 10, AvailableReplicas: 10}
	after := before
	after.UpdatedReplicas = 4
	fmt.Println(deploy.Progressed(before, after))
	after = before
	after.AvailableReplicas = 9
	fmt.Println(deploy.Progressed(before, after))
	// Output:
	// true
	// false
}

// The tenth minute is still in time.
func ExampleTimedOut() {
	c := kplan.Condition{Type: deploy.ConditionProgressing, Status: kplan.ConditionTrue, Reason: "ReplicaSetUpdated", LastUpdateTime: noon}
	fmt.Println(deploy.TimedOut(&c, 600, noon.Add(10*time.Minute)), deploy.TimedOut(&c, 600, noon.Add(10*time.Minute+time.Second)))
	c.Reason = "NewReplicaSetAvailable" // it has once been complete
	fmt.Println(deploy.TimedOut(&c, 600, noon.Add(24*time.Hour)))
	// Output:
	// false true
	// false
}

// The rollout was complete, and then a node went away with two pods.
func ExampleStalled() {
	d := shop().Deployment
	d.Status = deploy.Status{Replicas: 10, UpdatedReplicas: 10, AvailableReplicas: 10, Conditions: []kplan.Condition{
		{Type: deploy.ConditionProgressing, Status: kplan.ConditionTrue, Reason: "NewReplicaSetAvailable"},
	}}
	fmt.Println(deploy.Stalled(d))
	d.Status.AvailableReplicas = 8
	fmt.Println(deploy.Stalled(d))
	// Output:
	// false
	// true
}

// An orphan concerns all that select it, and a pod that is gone only a Deployment that waits
// for its pods to end.
func ExampleEffects() {
	labels := map[string]string{"app": "web"}
	deployments := []deploy.Deployment{
		{Name: "web", UID: "d1", Selector: selector.FromLabels(labels), Strategy: deploy.Recreate},
		{Name: "web-2", UID: "d2", Selector: selector.FromLabels(labels)},
	}
	sets := []replicaset.ReplicaSet{{Name: "web-1", UID: "r1", ControllerUID: "d1"}, {Name: "web-2-1", UID: "r2", ControllerUID: "d2"}}
	tell := func(c deploy.Change) {
		var names []string
		for _, e := range deploy.Effects(c, deployments, sets) {
			names = append(names, e.Name)
		}
		fmt.Println(names)
	}
	tell(deploy.Change{ReplicaSet: deploy.ReplicaSetEvent{New: &replicaset.ReplicaSet{Name: "orphan", Labels: labels}}})
	for _, owner := range []string{"r1", "r2"} {
		tell(deploy.Change{Pod: replicaset.PodEvent{Old: &podorder.Pod{Name: "p", ControllerUID: owner}}})
	}
	// Output:
	// [web web-2]
	// [web]
	// []
}

// Recreate waits for pods that run, and not for one that has failed and is left over.
func ExampleOldPodsRunning() {
	s := shop()
	s.ReplicaSets[0].Status = replicaset.Status{} // it no longer reports pods
	s.Pods = []podorder.Pod{{Name: "web-a", UID: "p1", ControllerUID: "r1", Phase: podorder.Failed}}
	fmt.Println(deploy.OldPodsRunning(s, noon, deploy.Options{}))
	s.Pods[0].Phase = podorder.Running
	fmt.Println(deploy.OldPodsRunning(s, noon, deploy.Options{}))
	// Output:
	// false <nil>
	// true <nil>
}

// What OpenKruise has taken over: it is paused, of the strategy Recreate, and marked.
func ExamplePartitionedBy() {
	d := shop().Deployment
	fmt.Println(deploy.PartitionedBy(d) == nil)
	d.Strategy, d.Paused = deploy.Recreate, true
	d.Annotations = map[string]string{
		partition.AnnotationControlInfo: `{"kind":"BatchRelease","name":"web"}`,
		partition.AnnotationStrategy:    `{"rollingStyle":"Partition","partition":"20%"}`,
	}
	d.Partitioned = deploy.PartitionedBy(d)
	fmt.Println(partition.Limit(d.Partitioned.Partition, *d.Replicas), "of", *d.Replicas, "pods may be new")
	// Output:
	// true
	// 2 of 10 pods may be new
}

func ExampleGetCondition() {
	conditions := []kplan.Condition{{Type: deploy.ConditionAvailable, Status: kplan.ConditionTrue}}
	c, found := deploy.GetCondition(conditions, deploy.ConditionAvailable)
	fmt.Println(c.Status, found)
	_, found = deploy.GetCondition(conditions, deploy.ConditionProgressing)
	fmt.Println(found)
	// Output:
	// True true
	// false
}

// With the same status and reason nothing changes; with another reason the time of the
// transition stays.
func ExampleSetCondition() {
	old := []kplan.Condition{{Type: deploy.ConditionProgressing, Status: kplan.ConditionTrue, Reason: "NewReplicaSetCreated", LastTransitionTime: noon}}
	next := kplan.Condition{Type: deploy.ConditionProgressing, Status: kplan.ConditionTrue, Reason: "ReplicaSetUpdated", LastTransitionTime: noon.Add(time.Hour)}
	c := deploy.SetCondition(old, next)[0]
	fmt.Println(c.Reason, c.LastTransitionTime.Format(time.TimeOnly))
	// Output: ReplicaSetUpdated 12:00:00
}

func ExampleRemoveCondition() {
	conditions := []kplan.Condition{{Type: deploy.ConditionAvailable}, {Type: deploy.ConditionReplicaFailure}}
	for _, c := range deploy.RemoveCondition(conditions, deploy.ConditionReplicaFailure) {
		fmt.Println(c.Type)
	}
	// Output: Available
}

// A kind of one's own may ask for a rollback by an annotation of its own.
func ExampleClearRollback_Annotation() {
	fmt.Println(deploy.ClearRollback{}.Annotation())
	fmt.Println(deploy.ClearRollback{Key: "fleet.example.com/back-to"}.Annotation())
	// Output:
	// deprecated.deployment.rollback.to
	// fleet.example.com/back-to
}

// A ReplicaSet is scaled down, and its spec has another generation.
func ExampleScaleReplicaSet_ApplyTo() {
	three := int32(3)
	rs := replicaset.ReplicaSet{Name: "web-v1", UID: "1", Generation: 1, Replicas: &three}
	scaled, err := deploy.ScaleReplicaSet{Name: "web-v1", UID: "1", From: 3, To: 2}.ApplyTo(rs)
	fmt.Println(*rs.Replicas, "->", *scaled.Replicas, scaled.Generation, err)
	_, err = deploy.ScaleReplicaSet{Name: "web-v1", UID: "1", From: 3, To: 1}.ApplyTo(scaled)
	fmt.Println(err)
	// Output:
	// 3 -> 2 2 <nil>
	// Action.From: "3": must be the size of the ReplicaSet
}
