// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// Pods without their images have a node, and stay Pending; one that runs when its template is found to be so
// goes on.
func TestPodsThatNeverStart(t *testing.T) {
	w := newWorld(t, cluster.Snapshot{Nodes: equalNodes(1, 0)}, sim.Config{Times: lives})
	require.NoError(t, w.Put(webReplicaSet(1)))
	settled(t, w)
	w.PutTemplate("v1", cluster.Template{NeverStarts: true})
	require.True(t, w.Scale(sim.KindReplicaSet, "web", 3))
	require.NoError(t, w.Run(w.Now().Add(time.Hour)))
	require.Equal(t, 1, serving(values(w.View().Pods())))
	phases := map[podorder.Phase]int{}
	for _, p := range w.View().Pods() {
		require.Equal(t, "node-0000", p.NodeName)
		phases[p.Phase]++
	}
	require.Equal(t, map[podorder.Phase]int{podorder.Running: 1, podorder.Pending: 2}, phases)
	require.True(t, w.Scale(sim.KindReplicaSet, "web", 1))
	settled(t, w)
	require.Equal(t, 1, serving(values(w.View().Pods())), "Pending pods go first")
}

// A pod that has finished is gone at once when it is deleted: no kubelet has to end it.
func TestDeletedFinishedPod(t *testing.T) {
	pods := orphans("web", 2)
	pods[0].Phase, pods[0].Ready = podorder.Failed, false
	w := newWorld(t, cluster.Snapshot{Pods: pods}, sim.Config{Times: cluster.Times{End: cluster.Exactly(time.Minute)}})
	for i := range pods {
		require.True(t, w.Delete(sim.KindPod, pods[i].Name))
	}
	require.Nil(t, w.View().Pod("web-0"))
	require.NotNil(t, w.View().Pod("web-1"))
	require.NoError(t, w.Run(w.Now().Add(time.Minute)))
	require.Nil(t, w.View().Pod("web-1"))
}

// Pods that have finished on a node that does not answer are deleted like the others, and are gone at once.
func TestFinishedPodOnLostNode(t *testing.T) {
	w, since := lost(t, cluster.Template{})
	require.True(t, w.Fail(w.View().Pods()[0].Name))
	at(t, w, since, 349*time.Second)
	failed := func() (n int) {
		for _, p := range w.View().Pods() {
			if p.Phase == podorder.Failed {
				n++
			}
		}
		return n
	}
	require.Equal(t, 1, failed())
	at(t, w, since, 351*time.Second)
	require.Zero(t, failed())
}
