// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
)

// TestWaitingTemplates: two pods of one CloneSet, of other templates, wait for a node. That no node takes the
// first one does not keep the second one from the node that comes later.
func TestWaitingTemplates(t *testing.T) {
	of := func(name, template string) podorder.Pod {
		return podorder.Pod{Name: name, ControllerUID: "web", Labels: map[string]string{workload.LabelPodTemplateHash: template}}
	}
	w := newWorld(t, cluster.Snapshot{
		Resources: []string{"pods"}, Nodes: equalNodes(1, 0), Pods: []podorder.Pod{of("a", "v2"), of("b", "v1")},
		Templates: map[string]cluster.Template{"v1": onePod, "v2": {Unplaceable: true}},
	}, sim.Config{})
	require.NoError(t, w.Run(w.Now().Add(time.Minute)))
	require.Equal(t, 2, w.Report().Waiting)
	require.NoError(t, w.Put(cluster.Node{Node: equalNodes(2, 0)[1].Node, Room: []int64{1}}))
	settled(t, w)
	require.Empty(t, w.View().Pod("a").NodeName)
	require.Equal(t, "node-0001", w.View().Pod("b").NodeName)
}
