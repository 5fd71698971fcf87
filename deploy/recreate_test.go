// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/stretchr/testify/require"
)

func TestRecreateTrace(t *testing.T) {
	s := snapshot(web(3, recreate), set(1, 3))
	p := reconcile(t, s)
	require.Equal(t, "web-v1 3->0", sizes(p))
	execute(t, &s, p)

	p = reconcile(t, s)
	require.Equal(t, "none", sizes(p))
	require.Equal(t, []string{"web-v1 OldPodsRemain 3/0"}, holds(p))

	settle(&s)
	s.Pods = []podorder.Pod{{Name: "a", Phase: podorder.Running, DeletionTimestamp: t0, ControllerKind: "ReplicaSet", ControllerName: "web-v1", ControllerUID: "v1"}}
	p = reconcile(t, s)
	require.Equal(t, "none", sizes(p))
	require.Equal(t, []string{"web-v1 OldPodsRemain 1/0"}, holds(p))

	s.Pods = nil
	p = reconcile(t, s)
	require.Equal(t, "create web-v2 3", sizes(p))
	require.Equal(t, "Scaled up replica set web-v2 from 0 to 3", p.Events[0].Message)
}

func TestOldPodsRunning(t *testing.T) {
	owned := func(phase podorder.Phase) podorder.Pod {
		return podorder.Pod{Name: "p", Phase: phase, ControllerKind: "ReplicaSet", ControllerName: "web-v1", ControllerUID: "v1"}
	}
	for _, c := range []struct {
		why  string
		pod  podorder.Pod
		runs bool
	}{
		{"running", owned(podorder.Running), true},
		{"no phase", owned(""), true},
		{"unknown", owned(podorder.Unknown), true},
		{"pending", owned(podorder.Pending), true},
		{"failed", owned(podorder.Failed), false},
		{"succeeded", owned(podorder.Succeeded), false},
		{"of the new one", podorder.Pod{Name: "p", Phase: podorder.Running, ControllerUID: "v2"}, false},
		{"of nobody", podorder.Pod{Name: "p", Phase: podorder.Running}, false},
		{"of another kind with the same UID", podorder.Pod{Name: "p", Phase: podorder.Running, ControllerKind: "Job", ControllerUID: "v1"}, true},
		{"of another name with the same UID", podorder.Pod{Name: "p", Phase: podorder.Running, ControllerName: "x", ControllerUID: "v1"}, true},
	} {
		s := snapshot(web(3, recreate), set(1, 0), set(2, 0))
		s.Pods = []podorder.Pod{c.pod}
		p := reconcile(t, s)
		requireEqual(t, c.why, c.runs, sizes(p) == "none")
	}
}

// TestRecreateBack: the new template may be that of the oldest set.
func TestRecreateBack(t *testing.T) {
	p := reconcile(t, snapshot(web(3, recreate, template("v1")), set(1, 0), set(2, 0)))
	require.Equal(t, "web-v1 0->3", sizes(p))
}

// TestOldPodsRemainWhereTheyAre: only sets with pods are waited for.
func TestOldPodsRemainWhereTheyAre(t *testing.T) {
	p := reconcile(t, snapshot(web(3, recreate), set(1, 0, counts(2, 0)), set(3, 0)))
	require.Equal(t, []string{"web-v1 OldPodsRemain 2/0"}, holds(p))
}

// TestCorrectedRecreateScalesOne: with one active set there is nothing stuck (quirk.RecreateStuckAfterScaling), and
// a change of replicas scales it as by default.
func TestCorrectedRecreateScalesOne(t *testing.T) {
	s := snapshot(web(5, recreate), set(1, 2, sized("3", "3")), set(2, 0))
	require.Equal(t, "web-v1 2->5", sizes(reconcile(t, s)))
	require.Equal(t, "web-v1 2->5", sizes(reconcileWith(t, s, corrected)))
}

func TestRecreateWaitsForAll(t *testing.T) {
	p := reconcile(t, snapshot(web(3, recreate), set(1, 2), set(2, 1), set(3, 4)))
	require.Equal(t, "web-v1 2->0, web-v3 4->0", sizes(p))
	p = reconcile(t, snapshot(web(3, recreate, history(0), reported(3, 3, 3, 3)), []replicaset.ReplicaSet{set(1, 0), set(2, 3)}...))
	require.Equal(t, "delete web-v1", sizes(p))
}
