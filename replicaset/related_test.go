package replicaset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
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
