// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// TestQuotaForEver: a ReplicaSet that a quota keeps from its pods tries again and again, 1000 s apart in
// the end. That this never ends is found once a repetition has changed nothing, and not after a day.
func TestQuotaForEver(t *testing.T) {
	w := newWorld(t, cluster.Snapshot{Quotas: []cluster.Quota{{Name: "q", Hard: map[string]int64{"pods": 2}}}}, sim.Config{})
	require.NoError(t, w.Put(webReplicaSet(3)))
	done, err := w.Settle(365 * 24 * time.Hour)
	require.NoError(t, err)
	require.True(t, done)
	require.Less(t, w.Now().Sub(w.Start()), time.Minute)
	require.Equal(t, 2, serving(values(w.View().Pods())))
	require.True(t, w.Delete(sim.KindPod, w.View().Pods()[0].Name))
	require.NoError(t, w.Put(cluster.Quota{Name: "q", Hard: map[string]int64{"pods": 3}}))
	settled(t, w)
	require.Equal(t, 3, serving(values(w.View().Pods())))
}

// TestQuotaWaits: pods of another ReplicaSet end after ten minutes. No event tells the ReplicaSet that waits
// for them: it creates its pod when it tries again, which it has done 5 ms after the first failure and
// 20 ms, 40 ms and so on after the next ones. The second failure was at once, because the write of its status woke it.
func TestQuotaWaits(t *testing.T) {
	w := newWorld(t, cluster.Snapshot{Quotas: []cluster.Quota{{Name: "q", Hard: map[string]int64{"pods": 1}}}}, sim.Config{Times: cluster.Times{End: cluster.Exactly(10 * time.Minute)}})
	require.NoError(t, w.Put(webReplicaSet(1)))
	settled(t, w)
	other := webReplicaSet(1)
	other.Name, other.UID = "other", "other"
	require.NoError(t, w.Put(webReplicaSet(0)))
	require.NoError(t, w.Run(w.Now()))
	require.NoError(t, w.Put(other))
	settled(t, w)
	require.Equal(t, 655345*time.Millisecond, w.View().PodsOf("other")[0].CreationTimestamp.Sub(w.Start()), "5 ms + 20 ms * (2^15 - 1)")
}

// A quota that refuses a pod again and again is no end while time alone makes another pod available: the
// world goes on until that has been seen, by the next repetition.
func TestRefusedAndWaiting(t *testing.T) {
	rs := webReplicaSet(2)
	rs.MinReadySeconds = 3600
	w := newWorld(t, cluster.Snapshot{Quotas: []cluster.Quota{{Name: "q", Hard: map[string]int64{"pods": 1}}}}, sim.Config{Times: lives})
	require.NoError(t, w.Put(rs))
	settled(t, w)
	require.Equal(t, int32(1), w.View().ReplicaSet(rs.Name).Status.AvailableReplicas)
	require.Greater(t, w.Now().Sub(w.Start()), time.Hour)
	require.Less(t, w.Now().Sub(w.Start()), time.Hour+3*replicaset.RetryDelay(100), "after one that sees it, and one that changes nothing")
}

// TestQuotaWaitsForBarePod: nor does an event tell it of a pod without an owner that ends, whatever its labels.
func TestQuotaWaitsForBarePod(t *testing.T) {
	for _, labels := range []map[string]string{nil, {"app": "other"}} {
		bare := podorder.Pod{Name: "bare", UID: "bare", Labels: labels, NodeName: "node", Phase: podorder.Running}
		w := newWorld(t, cluster.Snapshot{
			Pods: []podorder.Pod{bare}, Quotas: []cluster.Quota{{Name: "q", Hard: map[string]int64{"pods": 1}}},
		}, sim.Config{Times: cluster.Times{End: cluster.Exactly(10 * time.Minute)}})
		settled(t, w)
		require.True(t, w.Delete(sim.KindPod, "bare"))
		require.NoError(t, w.Put(webReplicaSet(1)))
		settled(t, w)
		require.Equal(t, 655345*time.Millisecond, w.View().PodsOf("web")[0].CreationTimestamp.Sub(w.Start()), "5 ms + 20 ms * (2^15 - 1)")
	}
}
