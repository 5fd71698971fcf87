// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/selector"
)

// webController is a ReplicationController of the name of webReplicaSet, for pods of an app.
func webController(app string, replicas int32) replicaset.ReplicaSet {
	rc, labels := webReplicaSet(replicas), map[string]string{"app": app}
	rc.Kind, rc.UID, rc.TemplateLabels, rc.Selector = replicaset.KindController, "rc", labels, selector.FromLabels(labels)
	return rc
}

// orphans are running pods of an app that nobody controls.
func orphans(app string, n int) (pods []podorder.Pod) {
	for i := range n {
		name := app + "-" + strconv.Itoa(i)
		pods = append(pods, podorder.Pod{
			Name: name, UID: name, NodeName: "node", Labels: map[string]string{"app": app}, Phase: podorder.Running, Ready: true,
		})
	}
	return pods
}

// A ReplicationController gets its pods, grows, shrinks, and goes with its pods. Who wrote what is
// told by its own kind and role.
func TestReplicationController(t *testing.T) {
	created, collected := map[string]int{}, 0
	w := newWorld(t, cluster.Snapshot{}, sim.Config{Times: lives, Observe: func(e sim.Change) {
		switch {
		case e.Kind == sim.KindPod && e.Verb == sim.Create:
			created[e.By]++
		case e.Kind == sim.KindPod && e.Verb == sim.Delete && e.By == "garbage collector":
			collected++
		case e.Verb == sim.UpdateStatus:
			require.Equal(t, []any{sim.KindReplicationController, "web", "replication manager"}, []any{e.Kind, e.Name, e.By})
		}
	}})
	require.NoError(t, w.Put(webController("web", 3)))
	for _, size := range []int32{3, 300, 2} {
		require.True(t, w.Scale(sim.KindReplicationController, "web", size))
		settled(t, w)
		rc := w.View().ReplicationController("web")
		require.Equal(t, []int32{size, size}, []int32{rc.Status.Replicas, rc.Status.AvailableReplicas})
		require.Nil(t, rc.Status.TerminatingReplicas, "its status has none")
		require.Len(t, w.View().PodsOf("rc"), int(size))
	}
	require.Equal(t, map[string]int{"replication manager": 300}, created)
	for _, p := range w.View().Pods() {
		require.Equal(t, []string{"ReplicationController", "web", "rc"}, []string{p.ControllerKind, p.ControllerName, p.ControllerUID})
	}
	require.False(t, w.Scale(sim.KindReplicaSet, "web", 1))
	require.False(t, w.Delete(sim.KindReplicaSet, "web"))
	require.True(t, w.Delete(sim.KindReplicationController, "web"))
	settled(t, w)
	require.Empty(t, w.View().Pods())
	require.Equal(t, 2, collected)
}

// A ReplicaSet and a ReplicationController of one name have pods of their own, and what becomes of
// one leaves the other alone.
func TestSameNameOfTwoKinds(t *testing.T) {
	for _, faults := range []sim.Faults{{}, sim.AllFaults(1)} {
		w := newWorld(t, cluster.Snapshot{}, sim.Config{Seed: 5, Times: lives, Faults: faults, FaultsFor: 5 * time.Minute})
		require.NoError(t, w.Put(webReplicaSet(3), webController("old", 2)))
		require.True(t, w.Scale(sim.KindReplicationController, "web", 4))
		settled(t, w)
		v := w.View()
		require.Equal(t, []int32{3, 4}, []int32{v.ReplicaSet("web").Status.AvailableReplicas, v.ReplicationController("web").Status.AvailableReplicas})
		for uid, kind := range map[string]string{"web": "ReplicaSet", "rc": "ReplicationController"} {
			for _, p := range v.PodsOf(uid) {
				require.Equal(t, kind, p.ControllerKind)
			}
		}
		require.True(t, w.Delete(sim.KindReplicaSet, "web"))
		settled(t, w)
		v = w.View()
		require.Nil(t, v.ReplicaSet("web"))
		require.Equal(t, 4, serving(v.PodsOf("rc")))
		require.Len(t, v.Pods(), 4)
	}
}

// Orphans that a ReplicationController selects become its own, and those that it no longer selects
// are released.
func TestControllerAdoptsAndReleases(t *testing.T) {
	w := newWorld(t, cluster.Snapshot{Pods: orphans("web", 2)}, sim.Config{Times: lives})
	require.NoError(t, w.Put(webController("web", 3)))
	settled(t, w)
	require.Len(t, w.View().Pods(), 3)
	require.Equal(t, []string{"ReplicationController", "web", "rc"}, []string{
		w.View().Pod("web-0").ControllerKind, w.View().Pod("web-1").ControllerName, w.View().Pod("web-1").ControllerUID,
	})
	require.NoError(t, w.Put(webController("other", 1)))
	settled(t, w)
	require.Len(t, w.View().PodsOf("rc"), 1)
	require.Len(t, w.View().PodsOf(""), 3)
	require.Empty(t, w.View().Pod("web-0").ControllerKind)
}

// Orphans that a ReplicaSet and a ReplicationController select are adopted by one of them each, and
// neither takes a pod of the other.
func TestTwoKindsAdopt(t *testing.T) {
	for seed := range uint64(5) {
		w := newWorld(t, cluster.Snapshot{
			Pods: orphans("web", 4), ReplicaSets: []replicaset.ReplicaSet{webReplicaSet(3)}, ReplicationControllers: []replicaset.ReplicaSet{webController("web", 3)},
		}, sim.Config{Seed: seed, Times: lives, Faults: sim.Faults{Stale: 1, Flaky: 1}, FaultsFor: time.Minute})
		settled(t, w)
		require.Equal(t, []int{3, 3, 6}, []int{len(w.View().PodsOf("web")), len(w.View().PodsOf("rc")), len(w.View().Pods())})
	}
}

// A controller of somebody's own stands in for ours: it sees the first ReplicationController, which
// comes late, creates its pods and writes its status. Its objects own ReplicationControllers, which
// go with them.
func TestControllerStandIn(t *testing.T) {
	manager := sim.Reconciler{Name: "own", For: sim.KindReplicationController, Reconcile: func(v sim.View, name string) (writes []sim.Write, _ time.Duration, _ error) {
		rc := v.ReplicationController(name)
		if rc == nil {
			return nil, 0, nil
		}
		pods := v.PodsOf(rc.UID)
		for i := range int(*rc.Replicas) - len(pods) {
			writes = append(writes, sim.Write{Verb: sim.Create, Object: &podorder.Pod{
				Name: name + "-" + strconv.Itoa(len(pods)+i), ControllerKind: rc.Kind, ControllerName: name, ControllerUID: rc.UID,
			}})
		}
		if after := *rc; after.Status.Replicas != int32(len(pods)) {
			after.Status.Replicas = int32(len(pods))
			writes = append(writes, sim.Write{Verb: sim.UpdateStatus, Object: &after})
		}
		return writes, 0, nil
	}}
	configs := sim.Reconciler{Name: "configs", For: "Config", Reconcile: func(v sim.View, name string) (writes []sim.Write, _ time.Duration, _ error) {
		o, rc := v.Object(name), v.ReplicationController(name)
		switch size := int32(2); {
		case o != nil && rc == nil:
			rc := webController(name, size)
			rc.Name, rc.ControllerKind, rc.ControllerName, rc.ControllerUID = name, "Config", name, o.UID
			return []sim.Write{{Verb: sim.Create, Object: &rc}}, 0, nil
		case o != nil && *rc.Replicas != size:
			grown := *rc
			grown.Replicas = &size
			return []sim.Write{{Verb: sim.Update, Object: &grown}}, 0, nil
		}
		return nil, 0, nil
	}}
	for _, faults := range []sim.Faults{{}, {Stale: 2}} {
		w := newWorld(t, cluster.Snapshot{}, sim.Config{
			Seed: 2, Faults: faults, FaultsFor: time.Minute, Times: lives, Controllers: []sim.Reconciler{manager, configs}, Without: []sim.Kind{sim.KindReplicationController},
		})
		require.NoError(t, w.Put(webReplicaSet(1)))
		require.NoError(t, w.Run(w.Now().Add(10*time.Second)))
		require.NoError(t, w.Put(cluster.Object{Kind: "Config", Name: "shop", UID: "shop"}))
		settled(t, w)
		require.EqualValues(t, 2, w.View().ReplicationController("shop").Status.Replicas)
		require.True(t, w.Scale(sim.KindReplicationController, "shop", 1))
		settled(t, w)
		require.EqualValues(t, 2, *w.View().ReplicationController("shop").Replicas, "its owner is told")
		require.True(t, w.Delete("Config", "shop"))
		settled(t, w)
		require.Empty(t, w.View().ReplicationControllers())
		require.Len(t, w.View().Pods(), 1, "that of the ReplicaSet")
	}
}

// A budget counts the pods that a ReplicationController wants: of three that it wants two are ready,
// and two must stay. Each owner counts once, whichever of its pods comes first.
func TestBudgetOfController(t *testing.T) {
	labels := map[string]string{"app": "web"}
	pods := orphans("web", 2)
	pods[0].ControllerKind, pods[0].ControllerName, pods[0].ControllerUID = "ReplicationController", "web", "rc"
	s := cluster.Snapshot{
		Pods: pods, ReplicationControllers: []replicaset.ReplicaSet{webController("web", 3)},
		Budgets: []cluster.Budget{{Name: "web", Selector: selector.FromLabels(labels), MinAvailable: rollout.Percent(50)}},
	}
	c := sim.Config{Without: []sim.Kind{sim.KindReplicationController, sim.KindReplicaSet}}
	require.ErrorContains(t, newWorld(t, s, c).Evict("web-0"), "budget web", "3 are wanted")
	s.ReplicationControllers[0].Replicas = ptr.To(int32(2))
	require.NoError(t, newWorld(t, s, c).Evict("web-0"), "the pod without an owner does not count")
	s.ReplicationControllers[0].Replicas = new(int32)
	require.ErrorContains(t, newWorld(t, s, c).Evict("web-0"), "budget web", "none is wanted")

	// Two owners of one UID want 4 and 0 pods.
	four := int32(4)
	set := webReplicaSet(four)
	set.UID, set.Name = "rc", "set"
	s.ReplicaSets = []replicaset.ReplicaSet{set}
	s.Pods[1].ControllerKind, s.Pods[1].ControllerName, s.Pods[1].ControllerUID = "ReplicaSet", "set", "rc"
	for range 50 {
		require.Error(t, newWorld(t, s, c).Evict("web-0"))
	}
}
