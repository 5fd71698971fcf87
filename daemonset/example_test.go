// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// template returns the stored template of a log agent with an image.
func template(image string) []byte {
	return []byte(`{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"logs"}},"spec":{"containers":[{"image":"` + image + `","name":"logs"}]}}}}`)
}

// logs is a DaemonSet on three nodes, one of which has just joined the cluster.
func logs() daemonset.Snapshot {
	s := daemonset.Snapshot{
		DaemonSet: daemonset.DaemonSet{
			Name: "logs", UID: "d1", Generation: 1,
			Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "logs"}},
			Template: daemonset.Template{Hash: "66cf68d45", Data: template("logs:1"), Labels: map[string]string{"app": "logs"}},
		},
		Nodes: []daemonset.Node{{Name: "node-a"}, {Name: "node-b"}, {Name: "node-c"}},
		Revisions: []revision.ControllerRevision{{
			Name: "logs-66cf68d45", ControllerUID: "d1", Data: template("logs:1"), Revision: 1,
			Labels: map[string]string{"app": "logs", daemonset.LabelHash: "66cf68d45"},
		}},
	}
	for _, node := range []string{"node-a", "node-b"} {
		s.Pods = append(s.Pods, daemonset.Pod{Pod: podorder.Pod{
			Name: "logs-on-" + node, ControllerUID: "d1", NodeName: node, Phase: podorder.Running, Ready: true, ReadySince: noon.Add(-time.Hour),
			Labels: map[string]string{"app": "logs", daemonset.LabelHash: "66cf68d45"},
		}})
	}
	return s
}

// edited is the same DaemonSet after the new node got its pod and the template a new
// image.
func edited() daemonset.Snapshot {
	s := logs()
	p := s.Pods[0]
	p.Name, p.NodeName = "logs-on-node-c", "node-c"
	s.Pods = append(s.Pods, p)
	s.DaemonSet.Template.Hash, s.DaemonSet.Template.Data = "7d4c665cf7", template("logs:2")
	s.DaemonSet.Status.DesiredNumberScheduled = 3
	return s
}

func show(s daemonset.Snapshot, opts daemonset.Options) {
	plan, err := daemonset.Reconcile(s, noon, opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan)
}

// A node has been added.
func Example() {
	plan, err := daemonset.Reconcile(logs(), noon, daemonset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan)
	fmt.Println(plan.Status)
	// Output:
	// Created pod on node node-c (Missing)
	// 3 desired, 2 current, 2 ready, 2 updated, 2 available, 0 misscheduled
}

// A node has been tainted: pods that do not tolerate it go if its effect is NoExecute.
// The default tolerations cover neither effect of other taints.
func ExampleReconcile_tainted() {
	s := logs()
	s.Nodes[0].Taints = []daemonset.Taint{{Key: "maintenance", Effect: daemonset.NoExecute}}
	s.Nodes[2].Taints = []daemonset.Taint{{Key: "maintenance", Effect: daemonset.NoSchedule}}
	show(s, daemonset.Options{})

	placer := daemonset.NewPlacer(&s.DaemonSet.Template, daemonset.Options{})
	for i := range s.Nodes {
		p := placer.Place(&s.Nodes[i])
		fmt.Println(s.Nodes[i].Name, p.ShouldRun, p.ShouldContinueRunning, p.Reason)
	}
	// Output:
	// Deleted pod: logs-on-node-a on node node-a (Misplaced)
	// node-a false false TaintNoExecute
	// node-b true true Fits
	// node-c false true TaintNoSchedule
}

// A rolling update with surge: the new pod starts beside the old one.
func ExampleReconcile_surge() {
	s := edited()
	s.DaemonSet.MaxSurge, s.DaemonSet.MaxUnavailable = rollout.Int(1), rollout.Int(0)
	show(s, daemonset.Options{})
	// Output:
	// Created controller revision logs-7d4c665cf7, number 2 (NewTemplate)
	// Created pod on node node-a (Rollout)
	// held back: MaxSurge (1 of 1)
}

// An update of one node in three, then of two: the partition keeps the others as they
// are, however many may be unavailable.
func ExampleReconcile_partition() {
	s := edited()
	s.DaemonSet.MaxUnavailable = rollout.Percent(100)
	for _, partition := range []int32{67, 34} {
		s.DaemonSet.Partition = rollout.Percent(partition)
		show(s, daemonset.Options{Dialect: daemonset.OpenKruise})
	}
	// Output:
	// Created controller revision logs-7d4c665cf7, number 2 (NewTemplate)
	// Deleted pod: logs-on-node-c on node node-c (Rollout)
	// held back: Partition (2 of 2)
	// Created controller revision logs-7d4c665cf7, number 2 (NewTemplate)
	// Deleted pod: logs-on-node-c on node node-c (Rollout)
	// Deleted pod: logs-on-node-b on node node-b (Rollout)
	// held back: Partition (1 of 1)
}

// Only the image has changed, so that pods with the readiness gate need not be
// recreated.
func ExampleReconcile_inPlace() {
	s := edited()
	s.DaemonSet.RollingType = daemonset.InPlaceIfPossible
	for i := range s.Pods {
		s.Pods[i].ReadinessGates = []string{inplace.Gate}
		s.Pods[i].InPlace = &inplace.ReadyCondition{True: true}
		s.Pods[i].Containers = []inplace.Container{{Name: "logs", Image: "logs:1"}}
	}
	show(s, daemonset.Options{Dialect: daemonset.OpenKruise})
	// Output:
	// Created controller revision logs-7d4c665cf7, number 2 (NewTemplate)
	// Updated pod logs-on-node-c on node node-c in place: logs=logs:2 (Rollout)
	// held back: MaxUnavailable (1 of 1)
}

// An update that does not move says which node is in the way, and what the others wait
// for.
func ExampleExplain() {
	s := edited()
	s.Revisions = append(s.Revisions, revision.ControllerRevision{
		Name: "logs-7d4c665cf7", ControllerUID: "d1", Data: template("logs:2"), Revision: 2,
		Labels: map[string]string{"app": "logs", daemonset.LabelHash: "7d4c665cf7"},
	})
	s.Pods[1].Labels = map[string]string{"app": "logs", daemonset.LabelHash: "7d4c665cf7"}
	s.Pods[1].Ready = false // the new image does not start
	show(s, daemonset.Options{})

	reports, err := daemonset.Explain(s, noon, daemonset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range reports {
		fmt.Println(r)
	}
	// Output:
	// held back: MaxUnavailable (1 of 1)
	// logs-on-node-b on node-b held back: NotReady
	// node-a: desired, old pod logs-on-node-a, waits (MaxUnavailable)
	// node-b: desired, new pod logs-on-node-b, uses the budget (NotReady)
	// node-c: desired, old pod logs-on-node-c, waits (MaxUnavailable)
}

func ExampleReconcile_invalid() {
	s := logs()
	s.Nodes[2].Name = "node-a"
	_, err := daemonset.Reconcile(s, noon, daemonset.Options{})
	var field *kplan.FieldError
	if errors.As(err, &field) {
		fmt.Println(field.Path, "-", field.Detail)
	}
	// Output: Nodes["node-a"].Name - must be unique
}

func ExampleActions_MarshalJSON() {
	plan, err := daemonset.Reconcile(logs(), noon, daemonset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := json.Marshal(plan.Actions)
	fmt.Println(string(data), err)
	// Output: [{"createPod":{"node":"node-c","hash":"66cf68d45","reason":"Missing"}}] <nil>
}

func ExampleSlowStart() {
	for size, left := 0, 10; left > 0; left -= size {
		size = daemonset.SlowStart(size, left)
		fmt.Println(size)
	}
	// Output:
	// 1
	// 2
	// 4
	// 3
}
