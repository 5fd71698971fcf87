// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// TestBothDialects: a pod of each of two DaemonSets has succeeded on the only node. Kubernetes replaces its
// own, OpenKruise does not, also in a world that goes on from a snapshot, and after the DaemonSet is put again.
func TestBothDialects(t *testing.T) {
	s := cluster.Snapshot{Nodes: equalNodes(1, 0)}
	add := func(name string) daemonset.DaemonSet {
		d := webDaemonSet("v1")
		d.Name, d.UID = name, name
		s.DaemonPods = append(s.DaemonPods, daemonset.Pod{Pod: podorder.Pod{
			Name: name + "-old", UID: name + "-old", Labels: map[string]string{"app": "web", daemonset.LabelHash: "v1"}, ControllerKind: daemonset.Kind,
			ControllerName: name, ControllerUID: name, NodeName: s.Nodes[0].Name, Phase: podorder.Succeeded,
		}})
		return d
	}
	s.DaemonSets = []daemonset.DaemonSet{add("kubernetes")}
	s.AdvancedDaemonSets = []cluster.AdvancedDaemonSet{{DaemonSet: add("openkruise")}}
	replaced := func(w *sim.World, name string) bool {
		pods := w.View().DaemonPodsOf(name)
		require.Len(t, pods, 1)
		return pods[0].Ready
	}
	for range 2 {
		w := newWorld(t, s, sim.Config{})
		_, err := w.Settle(time.Hour)
		require.NoError(t, err)
		require.True(t, replaced(w, "kubernetes"))
		require.False(t, replaced(w, "openkruise"))
		s.AdvancedDaemonSets[0].MinReadySeconds = 5
		require.NoError(t, w.Put(s.AdvancedDaemonSets[0].DaemonSet))
		_, err = w.Settle(time.Hour)
		require.NoError(t, err)
		require.False(t, replaced(w, "openkruise"))
		s = w.Snapshot()
		require.Equal(t, int64(2), s.AdvancedDaemonSets[0].Generation)
		require.Equal(t, int64(1), s.DaemonSets[0].Generation)
	}
}

// TestAdvancedTaken: both kinds of DaemonSets have names of one table, and select their own pods.
func TestAdvancedTaken(t *testing.T) {
	d := webDaemonSet("v1")
	_, err := sim.New(cluster.Snapshot{DaemonSets: []daemonset.DaemonSet{d}, AdvancedDaemonSets: []cluster.AdvancedDaemonSet{{DaemonSet: d}}}, sim.Config{})
	require.ErrorContains(t, err, `DaemonSets["web"].Name: "web": must not occur twice`)
	d.Template.Labels = nil
	w := newWorld(t, cluster.Snapshot{}, sim.Config{})
	require.ErrorIs(t, w.Put(cluster.AdvancedDaemonSet{DaemonSet: d}), kplan.ErrInvalid)
}
