// SPDX-License-Identifier: Apache-2.0

package daemonsettest

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/plantest"
	"github.com/kplan-go/kplan/selector"
)

// Our own planner passes all checks, whatever is drawn.
func TestReconcile(t *testing.T) {
	room.Sound(t, daemonset.Options{Repair: quirk.All})
}

// fleet is a DaemonSet that has one pod on two nodes.
func fleet() daemonset.Snapshot {
	labels := map[string]string{"app": "agent", daemonset.LabelHash: "v1"}
	return daemonset.Snapshot{
		DaemonSet: daemonset.DaemonSet{
			Name: "agent", UID: "d1", Selector: selector.FromLabels(map[string]string{"app": "agent"}),
			Template: daemonset.Template{Hash: "v1", Data: []byte("{}"), Labels: map[string]string{"app": "agent"}},
		},
		Nodes: []daemonset.Node{{Name: "n1"}, {Name: "n2"}},
		Pods:  []daemonset.Pod{{Pod: podorder.Pod{Name: "agent-a", UID: "p1", ControllerUID: "d1", Labels: labels, NodeName: "n1", Phase: podorder.Running}}},
	}
}

// forgetful does not count the pods that are there.
func forgetful(s daemonset.Snapshot, now time.Time, opts daemonset.Options) (daemonset.Plan, error) {
	s.Pods = nil
	return daemonset.Reconcile(s, now, opts)
}

// A planner that forgets its pods is told each violation, and no other.
func TestFindings(t *testing.T) {
	plan, err := forgetful(fleet(), plantest.Now(), daemonset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := plan.Apply(fleet(), plantest.Now())
	if err != nil {
		t.Fatal(err)
	}
	pass := plantest.Pass[daemonset.Snapshot, daemonset.Options, daemonset.Plan]{Snapshot: fleet(), Now: plantest.Now(), Plan: plan}
	change := plantest.Change[daemonset.Snapshot, daemonset.Options]{Before: fleet(), After: after, Now: plantest.Now()}
	room.Finds(t, `
    one pod per node: n1 gets a pod and has 2 then, at most 1
`, func(t rapid.TB) { Kit().Only("one pod per node").CheckPass(t, pass) })
	room.Finds(t, `
    DaemonSet status recount: 0 nodes have a pod, not 1
    DaemonSet status recount: 0 nodes are updated, not 1
`, func(t rapid.TB) { Kit().Except("one pod per node").CheckPass(t, pass) })
	room.Finds(t, `
    bounds after every prefix: 1 pods too many, at most 0
    one pod per node: n1 gets a pod and has 2 then, at most 1
`, func(t rapid.TB) { Kit().CheckChange(t, change) })
}
