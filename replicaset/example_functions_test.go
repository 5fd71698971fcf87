// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// shop is a ReplicaSet that wants so many pods and has two, b younger than a.
func shop(replicas int32) (s replicaset.Snapshot, now time.Time) {
	now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s.ReplicaSet = replicaset.ReplicaSet{Name: "web", UID: "r1", Replicas: &replicas}
	for i, name := range []string{"a", "b"} {
		s.Pods = append(s.Pods, podorder.Pod{
			Name: name, UID: name, ControllerUID: "r1", NodeName: "n" + name, Phase: podorder.Running,
			Ready: true, ReadySince: now.Add(-10 * time.Hour >> (3 * i)),
		})
	}
	return s, now
}

// One action: the pod is marked, and its kubelet ends it later.
func ExampleApply() {
	s, now := shop(1)
	after, err := replicaset.Apply(s, replicaset.DeletePod{Name: "b", UID: "b"}, now)
	fmt.Println(after.Pods[1].Name, after.Pods[1].Terminating(), s.Pods[1].Terminating(), err)
	// Output: b true false <nil>
}

// A complete pass: the missing pods are created, and the status has the counts from before.
func ExamplePlan_Apply() {
	s, now := shop(4)
	plan, _ := replicaset.Reconcile(s, now, replicaset.Options{})
	after, err := plan.Apply(s, now)
	fmt.Println(plan, err)
	fmt.Println(len(after.Pods), "pods,", after.ReplicaSet.Status)
	// Output:
	// Created 2 pods (TooFew) <nil>
	// 4 pods, 2 replicas, 2 ready, 2 available
}

func ExampleActions_Apply() {
	s, now := shop(4)
	after, err := replicaset.Actions{
		replicaset.DeletePod{Name: "a", UID: "a"},
		replicaset.CreatePods{Count: 3},
	}.Apply(s, now)
	fmt.Println(len(after.Pods), "pods, the first of them is being deleted:", after.Pods[0].Terminating(), err)
	// Output: 5 pods, the first of them is being deleted: true <nil>
}

func ExampleAdoptPod_Patch() {
	rs := replicaset.ReplicaSet{Name: "web", UID: "r1"}
	owner := replicaset.Owner(&rs)
	fmt.Printf("%s\n", replicaset.AdoptPod{Name: "a", UID: "p1", Reference: owner.Reference()}.Patch())
	// Output: {"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"r1","controller":true,"blockOwnerDeletion":true}],"uid":"p1"}}
}

func ExampleReleasePod_Patch() {
	fmt.Printf("%s\n", replicaset.ReleasePod{Name: "a", UID: "p1", OwnerUID: "r1"}.Patch())
	// Output: {"metadata":{"uid":"p1","ownerReferences":[{"$patch":"delete","uid":"r1"}]}}
}

// Ten pods, each batch twice as large as the one before.
func ExampleSlowStart() {
	fmt.Println(replicaset.SlowStart(10, 1))
	// Output: [1 2 4 3]
}

func ExampleCreatePods_Batches() {
	fmt.Println(replicaset.CreatePods{Count: 10, Initial: 5}.Batches())
	// Output: [5 5]
}

// Each batch waits for the one before; after a failure there is no further one.
func ExampleCreatePods_NextBatch() {
	create := replicaset.CreatePods{Count: 10}
	done, failed := kplan.Outcome{Answer: kplan.Done}, kplan.Outcome{Answer: kplan.Failed}
	fmt.Println(create.NextBatch(nil))
	fmt.Println(create.NextBatch([]kplan.Outcome{done}))
	fmt.Println(create.NextBatch([]kplan.Outcome{done, done, failed}))
	// Output:
	// 1
	// 2
	// 0
}

// The UID identifies the owner of pods.
func ExampleOwner() {
	rs := replicaset.ReplicaSet{Name: "web", UID: "r1"}
	owner := replicaset.Owner(&rs)
	pod := claim.Child{Name: "a", ControllerUID: "r1"}
	fmt.Println(owner.Kind, owner.Name, pod.ControlledBy(&owner))
	// Output: ReplicaSet web true
}

func ExampleGetCondition() {
	conditions := []kplan.Condition{{Type: "ReplicaFailure", Status: kplan.ConditionTrue, Reason: "FailedCreate"}}
	c, found := replicaset.GetCondition(conditions, "ReplicaFailure")
	fmt.Println(c.Reason, found)
	// Output: FailedCreate true
}

// With the same status and reason nothing changes, not even the message.
func ExampleSetCondition() {
	old := []kplan.Condition{{Type: "ReplicaFailure", Status: kplan.ConditionTrue, Reason: "FailedCreate", Message: "quota"}}
	c := kplan.Condition{Type: "ReplicaFailure", Status: kplan.ConditionTrue, Reason: "FailedCreate", Message: "timeout"}
	fmt.Println(replicaset.SetCondition(old, c)[0].Message)
	c.Reason = "FailedDelete"
	fmt.Println(replicaset.SetCondition(old, c)[0].Message)
	// Output:
	// quota
	// timeout
}

func ExampleRemoveCondition() {
	conditions := []kplan.Condition{{Type: "ReplicaFailure"}}
	fmt.Println(replicaset.RemoveCondition(conditions, "ReplicaFailure") == nil)
	// Output: true
}

func ExampleEntry() {
	three := int32(3)
	e := replicaset.Entry(&replicaset.ReplicaSet{Name: "web-7d4c", UID: "r1", Replicas: &three})
	fmt.Println(e.Name, *e.Replicas, e.Hold())
	// Output: web-7d4c 3 HistoryNotEmpty
}

// Why the younger pod is deleted, and why the older pod stays.
func ExampleExplain() {
	s, now := shop(1)
	explanations, err := replicaset.Explain(s, now, replicaset.Options{})
	for _, e := range explanations {
		fmt.Println(e)
	}
	fmt.Println(err)
	// Output:
	// b goes before a: ReadyTime (2026-03-01T10:45:00Z, 2026-03-01T02:00:00Z)
	// a stays behind b: ReadyTime (2026-03-01T02:00:00Z, 2026-03-01T10:45:00Z)
	// <nil>
}

// All pods in the order of deletion, whatever is wanted.
func ExampleOrder() {
	s, now := shop(2)
	order, candidates, err := replicaset.Order(s, now, replicaset.Options{})
	for _, i := range order.Victims(s.Pods, candidates, len(candidates)) {
		fmt.Print(s.Pods[i].Name, " ")
	}
	fmt.Println(err)
	// Output: b a <nil>
}

// Two of three pods are created, the third call fails: one creation is lowered, two are
// still to be seen, and the pass is tried again.
func ExamplePass_Finish() {
	s, now := shop(5)
	pass, _ := replicaset.NewPass(s, now, replicaset.Options{})
	done := kplan.Outcome{Answer: kplan.Done}
	result := pass.Finish(replicaset.Report{
		Expectations: pass.Plan.Expect(s.Expectations, now),
		Creates:      []kplan.Outcome{done, done, {Answer: kplan.Failed, Err: errors.New("exceeded quota")}},
	})
	fmt.Println(result.Err, result.Expectations.Creations)
	c, _ := replicaset.GetCondition(result.Status.Conditions, "ReplicaFailure")
	fmt.Println(c.Status, c.Reason)
	// Output:
	// exceeded quota 2
	// True FailedCreate
}

// A controller keeps the pass of its plan until the calls are made.
func ExampleNewPass() {
	s, now := shop(3)
	pass, err := replicaset.NewPass(s, now, replicaset.Options{})
	fmt.Println(pass.Plan.Actions, err)
	// Output: [Created 1 pods (TooFew)] <nil>
}

// 5 ms, doubled with each further failure, up to 1000 s.
func ExampleRetryDelay() {
	fmt.Println(replicaset.RetryDelay(1), replicaset.RetryDelay(4), replicaset.RetryDelay(30))
	// Output: 5ms 40ms 16m40s
}

// An unchanged status needs no write, and a changed status does.
func ExampleNeedsWrite() {
	rs := replicaset.ReplicaSet{Generation: 2, Status: replicaset.Status{ObservedGeneration: 2, Replicas: 3}}
	fmt.Println(replicaset.NeedsWrite(rs, rs.Status))
	next := rs.Status
	next.ReadyReplicas = 1
	fmt.Println(replicaset.NeedsWrite(rs, next))
	// Output:
	// false
	// true
}

// Without the garbage collector of Kubernetes 1.5 the oldest ReplicaSet that selects a pod is told
// of it, although another one controls it.
func ExampleEffects15() {
	app := &selector.LabelSelector{MatchLabels: map[string]string{"app": "shop"}}
	sets := []replicaset.ReplicaSet{
		{Name: "new", UID: "2", Selector: app, CreationTimestamp: time.Date(2017, 1, 2, 0, 0, 0, 0, time.UTC)},
		{Name: "old", UID: "1", Selector: app, CreationTimestamp: time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC)},
	}
	pod := podorder.Pod{Name: "a", Labels: map[string]string{"app": "shop"}, ControllerUID: "2"}
	for _, e := range replicaset.Effects15(replicaset.PodEvent{New: &pod}, sets) {
		fmt.Println(e.Name, e.Created)
	}
	// Output: old true
}
