// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/rollout"
)

// One action: the new pod is pinned to its node until the scheduler binds it.
func ExampleApply() {
	after, err := daemonset.Apply(logs(), daemonset.CreatePod{Node: "node-c", Hash: "66cf68d45"}, noon)
	p := after.Pods[2]
	fmt.Printf("%d pods, on %q, pinned to %q, %v\n", len(after.Pods), p.NodeName, p.PinnedNode, err)
	// Output: 3 pods, on "", pinned to "node-c", <nil>
}

// A whole pass, its status included.
func ExamplePlan_Apply() {
	s := logs()
	plan, _ := daemonset.Reconcile(s, noon, daemonset.Options{})
	after, err := plan.Apply(s, noon)
	fmt.Println(len(after.Pods), "pods;", after.DaemonSet.Status, err)
	// Output: 3 pods; 3 desired, 2 current, 2 ready, 2 updated, 2 available, 0 misscheduled <nil>
}

// The first error ends it: there is no such pod.
func ExampleActions_Apply() {
	_, err := daemonset.Actions{
		daemonset.DeletePod{Object: daemonset.Object{Name: "logs-on-node-a"}, Node: "node-a"},
		daemonset.DeletePod{Object: daemonset.Object{Name: "logs-on-node-x"}, Node: "node-x"},
	}.Apply(logs(), noon)
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output: true
}

func ExampleObjectOf() {
	o, ok := daemonset.ObjectOf(daemonset.DeletePod{Object: daemonset.Object{Name: "logs-on-node-a", UID: "p1"}})
	fmt.Println(o.Name, o.UID, ok)
	_, ok = daemonset.ObjectOf(daemonset.CreatePod{Node: "node-c"})
	fmt.Println(ok)
	// Output:
	// logs-on-node-a p1 true
	// false
}

func ExamplePlan_Empty() {
	plan, _ := daemonset.Reconcile(logs(), noon, daemonset.Options{})
	fmt.Println(plan, plan.Empty())
	s := logs()
	s.Nodes = s.Nodes[:2]
	plan, _ = daemonset.Reconcile(s, noon, daemonset.Options{})
	fmt.Println(plan.Empty())
	// Output:
	// Created pod on node node-c (Missing) false
	// true
}

// Until the cache shows the pod that is created, the next plan only reports a status.
func ExamplePlan_Expect() {
	plan, _ := daemonset.Reconcile(logs(), noon, daemonset.Options{})
	e := plan.Expect(expect.Expectations{}, noon)
	fmt.Println(e.Creations, "expected, satisfied:", e.Satisfied(noon), "and once seen:", e.CreationObserved().Satisfied(noon))
	// Output: 1 expected, satisfied: false and once seen: true
}

// The pod could not be created: it is not expected any more, and the pass is tried again.
func ExamplePass_Finish() {
	pass, _ := daemonset.NewPass(logs(), noon, daemonset.Options{})
	result := pass.Finish(daemonset.Report{
		Outcomes:     []kplan.Outcome{{Answer: kplan.Failed, Err: errors.New("exceeded quota")}},
		Expectations: pass.Plan.Expect(expect.Expectations{}, noon),
	})
	fmt.Println(result.Err, result.Expectations.Creations, result.WriteStatus)
	// Output: exceeded quota 0 true
}

// A controller keeps the pass of its plan until the calls are made.
func ExampleNewPass() {
	pass, err := daemonset.NewPass(logs(), noon, daemonset.Options{})
	fmt.Println(pass.Plan.Actions, err)
	// Output: [Created pod on node node-c (Missing)] <nil>
}

// Of 30 nodes 5% are 1.5, and a DaemonSet rounds up. With two zeros nothing could move.
func ExampleResolve() {
	fmt.Println(daemonset.Resolve(daemonset.RollingUpdate, rollout.Int(0), rollout.Percent(5), 30))
	fmt.Println(daemonset.Resolve(daemonset.RollingUpdate, rollout.Int(0), rollout.Int(0), 30).Unavailable)
	// Output:
	// 30 nodes, at most 2 unavailable
	// 1
}

func ExampleSurgeAllowed() {
	fmt.Println(daemonset.SurgeAllowed(daemonset.RollingUpdate, rollout.Percent(10)), daemonset.SurgeAllowed(daemonset.OnDelete, rollout.Percent(10)))
	// Output: true false
}

// 10% of 25 nodes are rounded down.
func ExampleBurst() {
	fmt.Println(daemonset.Burst(rollout.IntOrPercent{}, 25), daemonset.Burst(rollout.Percent(10), 25))
	// Output: 250 2
}

// A pod that is not bound yet belongs to the node that its affinity names.
func ExampleTargetNode() {
	fmt.Println(daemonset.TargetNode("node-a", nil))
	fmt.Println(daemonset.TargetNode("", daemonset.Pin("node-b")))
	_, err := daemonset.TargetNode("", nil)
	fmt.Println(err)
	// Output:
	// node-a <nil>
	// node-b <nil>
	// no required node affinity
}

func ExamplePin() {
	fmt.Println(daemonset.Pin("node-b").Terms[0].MatchFields)
	// Output: [{metadata.name In [node-b]}]
}

// What every daemon tolerates, and with the network of the host one more.
func ExampleDefaultTolerations() {
	for _, t := range daemonset.DefaultTolerations(nil, true) {
		fmt.Println(t.Key, t.Effect)
	}
	// Output:
	// node.kubernetes.io/not-ready NoExecute
	// node.kubernetes.io/unreachable NoExecute
	// node.kubernetes.io/disk-pressure NoSchedule
	// node.kubernetes.io/memory-pressure NoSchedule
	// node.kubernetes.io/pid-pressure NoSchedule
	// node.kubernetes.io/unschedulable NoSchedule
	// node.kubernetes.io/network-unavailable NoSchedule
}

// The template wants its pods to go a minute after the node has failed. A default takes
// its place and they stay, unless the user's toleration is kept.
func ExampleTolerations() {
	minute := int64(60)
	t := daemonset.Template{Tolerations: []daemonset.Toleration{{
		Key: daemonset.TaintNotReady, Operator: daemonset.TolerationExists, Effect: daemonset.NoExecute, Seconds: &minute,
	}}}
	fmt.Println(daemonset.Tolerations(&t, daemonset.Options{})[0].Seconds == nil)
	fmt.Println(*daemonset.Tolerations(&t, daemonset.Options{KeepUserTolerations: true})[0].Seconds)
	// Output:
	// true
	// 60
}

// Without an effect a toleration covers all of them.
func ExampleToleration_Tolerates() {
	t := daemonset.Toleration{Key: "gpu", Operator: daemonset.TolerationExists}
	fmt.Println(t.Tolerates(daemonset.Taint{Key: "gpu", Value: "a100", Effect: daemonset.NoSchedule}))
	fmt.Println(t.Tolerates(daemonset.Taint{Key: "maintenance", Effect: daemonset.NoSchedule}))
	// Output:
	// true
	// false
}

// The agent runs on nodes of a pool.
func ExampleNewPlacer() {
	placer := daemonset.NewPlacer(&daemonset.Template{NodeSelector: map[string]string{"pool": "gpu"}}, daemonset.Options{})
	for _, n := range []daemonset.Node{{Name: "n1", Labels: map[string]string{"pool": "gpu"}}, {Name: "n2"}} {
		p := placer.Place(&n)
		fmt.Printf("%s %v %s %q\n", n.Name, p.ShouldRun, p.Reason, p.Key)
	}
	// Output:
	// n1 true Fits ""
	// n2 false NodeSelector "pool"
}

// A pod that runs already stays on a node that takes no further ones.
func ExamplePlacer_Place() {
	placer := daemonset.NewPlacer(&daemonset.Template{}, daemonset.Options{})
	for _, effect := range []daemonset.Effect{daemonset.NoSchedule, daemonset.NoExecute} {
		p := placer.Place(&daemonset.Node{Name: "n1", Taints: []daemonset.Taint{{Key: "maintenance", Effect: effect}}})
		fmt.Println(p.Reason, p.ShouldRun, p.ShouldContinueRunning)
	}
	// Output:
	// TaintNoSchedule false true
	// TaintNoExecute false false
}

// A node without a pod gets one, and of two pods on a node the younger one goes.
func ExampleNodeRules_Decide() {
	rules := daemonset.NodeRules{Version: daemonset.NewVersion("7d4c", nil), Availability: daemonset.Availability{Now: noon}}
	fmt.Println(rules.Decide(&daemonset.NodeCase{ShouldRun: true, ShouldContinueRunning: true}).Create)
	older := daemonset.Pod{Pod: podorder.Pod{Name: "older", NodeName: "n1", CreationTimestamp: noon.Add(-time.Hour)}}
	younger := daemonset.Pod{Pod: podorder.Pod{Name: "younger", NodeName: "n1", CreationTimestamp: noon}}
	d := rules.Decide(&daemonset.NodeCase{ShouldRun: true, ShouldContinueRunning: true, Exists: true, Pods: []*daemonset.Pod{&younger, &older}})
	fmt.Println(d.Create, d.Delete[0].Pod.Name, d.Delete[0].Reason)
	// Output:
	// true
	// false younger Duplicate
}

func ExampleTemplateGeneration() {
	fmt.Println(daemonset.TemplateGeneration(map[string]string{daemonset.AnnotationGeneration: "3"}))
	fmt.Println(daemonset.TemplateGeneration(nil))
	// Output:
	// 3 true
	// 0 false
}

// The label with the hash tells new pods from old ones.
func ExampleNewVersion() {
	v := daemonset.NewVersion("7d4c", nil)
	fmt.Println(v.Current(map[string]string{daemonset.LabelHash: "7d4c"}), v.Current(map[string]string{daemonset.LabelHash: "66cf"}))
	// Output: true false
}

// A DaemonSet that carries a template generation takes a pod of that generation for a new
// one, whatever its hash.
func ExampleVersion_Current() {
	v := daemonset.NewVersion("7d4c", map[string]string{daemonset.AnnotationGeneration: "3"})
	fmt.Println(v.Current(map[string]string{daemonset.LabelHash: "66cf", daemonset.LabelGeneration: "3"}))
	fmt.Println(v.Current(map[string]string{daemonset.LabelHash: "66cf", daemonset.LabelGeneration: "2"}))
	// Output:
	// true
	// false
}

// Ready at noon and to stay so for ten seconds: at the tenth second it is available, and
// just behind it for OpenKruise.
func ExampleAvailability_Available() {
	p := daemonset.Pod{Pod: podorder.Pod{Ready: true, ReadySince: noon}}
	for _, strict := range []bool{false, true} {
		a := daemonset.Availability{MinReadySeconds: 10, Now: noon.Add(10 * time.Second), Strict: strict}
		fmt.Println(a.Available(&p))
	}
	// Output:
	// true
	// false
}

func ExampleAvailability_At() {
	a := daemonset.Availability{MinReadySeconds: 10, Now: noon}
	at, ok := a.At(&daemonset.Pod{Pod: podorder.Pod{Ready: true, ReadySince: noon}})
	fmt.Println(at.Format(time.TimeOnly), ok)
	_, ok = a.At(&daemonset.Pod{})
	fmt.Println(ok)
	// Output:
	// 12:00:10 true
	// false
}

// A pod whose update in place is under way has closed its gate: it counts as available to
// the update alone.
func ExampleAvailability_StatusAvailable() {
	p := daemonset.Pod{
		Pod:            podorder.Pod{Ready: true, ReadySince: noon.Add(-time.Hour)},
		ReadinessGates: []string{inplace.Gate}, InPlace: &inplace.ReadyCondition{True: false},
	}
	a := daemonset.Availability{Now: noon}
	fmt.Println(a.Available(&p), a.StatusAvailable(&p))
	// Output: true false
}

func ExamplePreDelete_Holds() {
	h := daemonset.PreDelete{Labels: map[string]string{"backup": "running"}}
	busy := daemonset.Pod{Pod: podorder.Pod{Labels: map[string]string{"backup": "running"}}}
	fmt.Println(h.Holds(&busy), h.Holds(&daemonset.Pod{}))
	// Output: true false
}

func ExamplePod_InPlacePod() {
	p := daemonset.Pod{Containers: []inplace.Container{{Name: "logs", Image: "logs:1"}}}
	fmt.Println(p.InPlacePod().Containers[0].Image, inplace.Completed(p.InPlacePod()))
	// Output: logs:1 true
}
