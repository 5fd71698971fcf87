// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/selector"
)

// TestSiblingWithoutSelector: beside a ReplicaSet with a selector, a sibling without
// one selects nothing, so that its pods are no neighbours. Beside one without, its own
// pods are.
func TestSiblingWithoutSelector(t *testing.T) {
	sibling := replicaset.ReplicaSet{Name: "old", UID: "old-uid", ControllerUID: "deployment"}
	label := labelled("web")
	all := []podorder.Pod{
		pod("a", label, on("n2")), pod("b", label, on("n1")), pod("c", label, on("n1")),
		pod("z", on("n2"), owner("ReplicaSet", "old", "old-uid")), pod("y", on("n2"), owner("ReplicaSet", "old", "old-uid")),
	}
	deployed := func(rs *replicaset.ReplicaSet) { rs.ControllerUID = "deployment" }
	for _, c := range []struct {
		why  string
		rs   replicaset.ReplicaSet
		want string
	}{
		{"with a selector: two neighbours on n1", web(2, deployed, selecting), "b"},
		{"without: three on n2", web(2, deployed), "a"},
	} {
		p := reconcile(t, replicaset.Snapshot{ReplicaSet: c.rs, Pods: all, Siblings: []replicaset.ReplicaSet{sibling}}, replicaset.Options{})
		require.Len(t, p.Actions, 1, c.why)
		require.Equal(t, c.want, p.Actions[0].(replicaset.DeletePod).Name, c.why)
	}
}

// Property: the order chooses the pods that a plan deletes, without counting neighbours
// again.
func TestPropertyOrder(t *testing.T) {
	deletions, ranked := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s, opts := anything(t), options(t)
		s.ReplicaSet.DeletionTimestamp, s.Expectations = time.Time{}, expect.Expectations{}
		s.ReplicaSet.Replicas = ptr.To(rapid.Int32Range(0, 2).Draw(t, "few"))
		s.ReplicaSet.Status.Replicas = rapid.Int32Range(0, 4).Draw(t, "observed") // tells whether to be prepared
		plan := mustPlan(t, s, opts)
		order, candidates, err := replicaset.Order(s, t0, opts)
		if err != nil || order.Related != nil {
			t.Fatal(err, "or neighbours are not counted")
		}
		var names, want []string
		for _, a := range plan.Actions {
			if a, ok := a.(replicaset.DeletePod); ok {
				want = append(want, a.Name)
			}
		}
		victims := order.Victims(s.Pods, candidates, len(want))
		for _, v := range victims {
			names = append(names, s.Pods[v].Name)
		}
		if !slices.Equal(names, want) {
			t.Fatalf("the order deletes %v, and the plan %v", names, want)
		}
		deletions += len(want)
		ranked += len(order.Neighbours)
	})
	require.NotZero(t, deletions)
	require.NotZero(t, ranked)
}

func TestOrder(t *testing.T) {
	_, _, err := replicaset.Order(replicaset.Snapshot{}, t0, replicaset.Options{})
	require.ErrorContains(t, err, "ReplicaSet.Name")
	wrong := web(0)
	wrong.Selector = &selector.LabelSelector{MatchLabels: map[string]string{"-": ""}}
	_, candidates, err := replicaset.Order(replicaset.Snapshot{ReplicaSet: wrong, Pods: pods(3)}, t0, replicaset.Options{})
	require.NoError(t, err)
	require.Empty(t, candidates, "a selector that cannot be used selects nothing")
}
