// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/selector"
)

// slowScheduler binds a pod after an hour, long after the pods of these tests are ready.
var slowScheduler = cluster.Times{Schedule: cluster.Exactly(time.Hour), Ready: cluster.Exactly(time.Second)}

// Pods of a template with nodeName are created on that node, full or not: no scheduler binds them.
func TestTemplateNamesNode(t *testing.T) {
	for _, c := range []struct {
		why, node string
		ready     int
		on        string
	}{
		{"the second node, which has room for none", "node-0001", 3, "node-0001"},
		{"a missing node: no kubelet starts them", "gone", 0, "gone"},
		{"no node: the scheduler is slow", "", 0, ""},
	} {
		nodes := equalNodes(2, 3)
		nodes[1].Room[0] = 0
		w := newWorld(t, cluster.Snapshot{
			Resources: []string{"pods"}, Nodes: nodes, Templates: map[string]cluster.Template{"v1": {Needs: []int64{1}, NodeName: c.node}},
		}, sim.Config{Times: slowScheduler})
		require.NoError(t, w.Put(webReplicaSet(3)))
		require.NoError(t, w.Run(w.Now().Add(time.Minute)))
		pods := values(w.View().Pods())
		require.Len(t, pods, 3, c.why)
		require.Equal(t, c.ready, serving(pods), c.why)
		for _, p := range pods {
			require.Equal(t, c.on, p.NodeName, c.why)
			require.Equal(t, c.ready == 0, p.Phase == podorder.Pending, c.why)
		}
	}
}

// The pods of a DaemonSet whose template names a node, or that binds its pods itself, wait for no
// scheduler either.
func TestDaemonSetBindsPods(t *testing.T) {
	for _, c := range []struct {
		why     string
		node    string
		options daemonset.Options
		ready   int
	}{
		{"its template names one of two nodes", "node-0001", daemonset.Options{}, 1},
		{"it binds pods to both", "", daemonset.Options{BindDirectly: true}, 2},
		{"it pins pods, and the scheduler is slow", "", daemonset.Options{}, 0},
	} {
		labels := map[string]string{"app": "agent"}
		w := newWorld(t, cluster.Snapshot{Nodes: equalNodes(2, 3)}, sim.Config{Times: slowScheduler, DaemonSet: c.options})
		require.NoError(t, w.Put(daemonset.DaemonSet{
			Name: "agent", UID: "agent", Selector: selector.FromLabels(labels),
			Template: daemonset.Template{Hash: "v1", Labels: labels, NodeName: c.node},
		}))
		require.NoError(t, w.Run(w.Now().Add(time.Minute)))
		ready := 0
		for _, p := range w.Snapshot().DaemonPods {
			if p.Ready {
				ready++
			}
		}
		require.Equal(t, c.ready, ready, c.why)
	}
}
