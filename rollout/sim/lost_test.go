// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// at lets time pass until some time after an instant.
func at(t *testing.T, w *sim.World, since time.Time, d time.Duration) {
	t.Helper()
	require.NoError(t, w.Run(since.Add(d)))
}

// terminating is how many pods are being deleted.
func terminating(w *sim.World) (n int) {
	for _, p := range w.View().Pods() {
		if !p.DeletionTimestamp.IsZero() {
			n++
		}
	}
	return n
}

// lost is a world with two nodes, and three pods on the first one, which has stopped to answer.
func lost(t *testing.T, template cluster.Template) (w *sim.World, since time.Time) {
	t.Helper()
	w = newWorld(t, cluster.Snapshot{Nodes: equalNodes(2, 0), Templates: map[string]cluster.Template{"v1": template}}, sim.Config{})
	require.NoError(t, w.Put(webReplicaSet(3)))
	settled(t, w)
	require.Equal(t, 3, serving(values(w.View().Pods())))
	w.Answers("node-0000", false)
	return w, w.Now()
}

// A node that does not answer: it is noticed after 50 s, the pods that do not tolerate it are deleted 300 s
// later and stay, others run elsewhere, and when it answers again they are gone.
func TestLostNode(t *testing.T) {
	w, since := lost(t, cluster.Template{})
	at(t, w, since, 49*time.Second)
	require.Equal(t, 3, serving(values(w.View().Pods())), "nobody has noticed")
	require.False(t, w.View().Nodes()[0].NotReady)
	at(t, w, since, 50*time.Second)
	require.Zero(t, serving(values(w.View().Pods())))
	require.True(t, w.View().Nodes()[0].NotReady)
	require.Len(t, w.View().Nodes()[0].Taints, 2)
	at(t, w, since, 349*time.Second)
	require.Zero(t, terminating(w))
	at(t, w, since, 350*time.Second)
	require.Equal(t, 3, terminating(w))
	require.Equal(t, 3, serving(values(w.View().Pods())), "on the other node")
	at(t, w, since, time.Hour)
	require.Equal(t, 3, terminating(w), "no kubelet ends them")
	w.Answers("node-0000", true)
	settled(t, w)
	require.Len(t, w.View().Pods(), 3)
	require.Empty(t, w.View().Nodes()[0].Taints)
}

// A node that answers again in time is not noticed, and one that does so twice is noticed by its last
// silence only.
func TestNodeBack(t *testing.T) {
	w, since := lost(t, cluster.Template{})
	at(t, w, since, 40*time.Second)
	w.Answers("node-0000", true)
	at(t, w, since, 45*time.Second)
	w.Answers("node-0000", false)
	at(t, w, since, 94*time.Second)
	require.Equal(t, 3, serving(values(w.View().Pods())))
	at(t, w, since, 95*time.Second)
	require.Zero(t, serving(values(w.View().Pods())))
	at(t, w, since, 100*time.Second)
	w.Answers("node-0000", true)
	settled(t, w)
	require.Equal(t, 3, serving(values(w.View().Pods())), "the same pods are ready again")
	require.Zero(t, terminating(w))
}

// How long pods stay says the toleration of their template: always without seconds.
func TestToleratesUnreachable(t *testing.T) {
	toleration := daemonset.Toleration{Key: daemonset.TaintUnreachable, Operator: daemonset.TolerationExists, Effect: daemonset.NoExecute}
	w, since := lost(t, cluster.Template{Tolerations: []daemonset.Toleration{toleration}})
	at(t, w, since, 24*time.Hour)
	require.Zero(t, terminating(w))
	toleration.Seconds = ptr.To(int64(10))
	w, since = lost(t, cluster.Template{Tolerations: []daemonset.Toleration{toleration}})
	at(t, w, since, 59*time.Second)
	require.Zero(t, terminating(w))
	at(t, w, since, time.Minute)
	require.Equal(t, 3, terminating(w))
}

// The pods of a node that is deleted are gone 40 s later.
func TestDeletedNode(t *testing.T) {
	w, since := lost(t, cluster.Template{})
	at(t, w, since, time.Hour)
	require.Equal(t, 3, terminating(w))
	require.True(t, w.Delete(sim.KindNode, "node-0000"))
	at(t, w, since, time.Hour+39*time.Second)
	require.Equal(t, 3, terminating(w))
	at(t, w, since, time.Hour+40*time.Second)
	require.Zero(t, terminating(w))
	require.Len(t, w.View().Pods(), 3)
}

// Pods do not become ready on a node that does not answer, before it answers again.
func TestStartOnLostNode(t *testing.T) {
	w := newWorld(t, cluster.Snapshot{Nodes: equalNodes(1, 0)}, sim.Config{Times: cluster.Times{Schedule: cluster.Exactly(time.Second), Start: cluster.Exactly(time.Minute)}})
	require.NoError(t, w.Put(webReplicaSet(3)))
	since := w.Now()
	at(t, w, since, 30*time.Second)
	w.Answers("node-0000", false)
	at(t, w, since, 5*time.Minute)
	require.Zero(t, serving(values(w.View().Pods())))
	w.Answers("node-0000", true)
	settled(t, w)
	require.Equal(t, 3, serving(values(w.View().Pods())))
	require.Equal(t, since.Add(5*time.Minute), w.View().Pods()[0].ReadySince)
}

// A pod that is being deleted ends at its deletion timestamp; one whose time has passed when the world begins
// is stuck, as it was in the cluster from which it came.
func TestDeletionTimestamp(t *testing.T) {
	w := newWorld(t, cluster.Snapshot{}, sim.Config{Times: cluster.Times{End: cluster.Exactly(30 * time.Second)}})
	require.NoError(t, w.Put(webReplicaSet(1)))
	settled(t, w)
	since := w.Now()
	require.True(t, w.Delete(sim.KindPod, w.View().Pods()[0].Name))
	require.Equal(t, since.Add(30*time.Second), w.View().Pods()[0].DeletionTimestamp)
	for _, tt := range []struct {
		name string
		now  time.Duration // when the next world begins
		gone time.Duration // when the pod is gone, 0 for never
	}{{"in time", 10 * time.Second, 30 * time.Second}, {"at its end", 30 * time.Second, 30 * time.Second}, {"late", 31 * time.Second, 0}} {
		t.Run(tt.name, func(t *testing.T) {
			s := w.Snapshot()
			s.Now = since.Add(tt.now)
			again := newWorld(t, s, sim.Config{})
			settled(t, again)
			if tt.gone == 0 {
				require.Equal(t, 1, terminating(again))
				return
			}
			require.Zero(t, terminating(again))
		})
	}
}
