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
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/selector"
)

// group gives each Group its size of pods of which it counts those that are its own, at most so
// many in a pass, or creates them again and again.
func group(most int, again bool) sim.Reconciler {
	return sim.Reconciler{Name: "groups", For: "Group", Reconcile: func(v sim.View, name string) (writes []sim.Write, _ time.Duration, err error) {
		o := v.Object(name)
		size, err := strconv.Atoi(o.Spec["size"])
		if !again {
			size -= len(v.PodsOf(o.UID))
		}
		for range min(size, most) {
			writes = append(writes, sim.Write{Verb: sim.Create, Object: &podorder.Pod{ControllerKind: "Group", ControllerName: name, ControllerUID: o.UID}})
		}
		return writes, 0, err
	}}
}

func groupOf(size int) cluster.Object {
	return cluster.Object{Kind: "Group", Name: "g", UID: "g", Spec: map[string]string{"size": strconv.Itoa(size)}}
}

// TestGrowing: controllers that do not come to rest end the world, and soon, even if they create pods
// again and again, which makes the world larger.
func TestGrowing(t *testing.T) {
	blind := sim.Reconciler{Name: "blind", For: "Group", Reconcile: func(v sim.View, name string) (writes []sim.Write, _ time.Duration, _ error) {
		if v.ReplicaSet("r") == nil {
			writes = []sim.Write{{Verb: sim.Create, Object: &replicaset.ReplicaSet{Name: "r", Replicas: ptr.To(int32(3)), Selector: selector.FromLabels(map[string]string{"a": "b"})}}}
		}
		return writes, 0, nil
	}}
	for _, r := range []sim.Reconciler{blind, group(3, true)} {
		w, err := sim.New(cluster.Snapshot{}, sim.Config{Controllers: []sim.Reconciler{r}})
		require.NoError(t, err)
		require.NoError(t, w.Put(groupOf(3)))
		start := time.Now()
		_, err = w.Settle(time.Minute)
		require.ErrorContains(t, err, "no rest", r.Name)
		require.Less(t, len(w.View().Pods()), 50_000, r.Name)
		t.Log(r.Name, len(w.View().Pods()), "pods", time.Since(start))
	}
}

// TestAtOnce: where nothing takes time, many pods are created at an instant, and are ready then, or are
// removed, and the world comes to rest all the same.
func TestAtOnce(t *testing.T) {
	const pods = 8_000
	all := func(w *sim.World, pods int) {
		start := time.Now()
		done, err := w.Settle(time.Minute)
		require.NoError(t, err)
		require.True(t, done)
		require.Len(t, w.View().Pods(), pods)
		require.Equal(t, w.Start(), w.Now())
		t.Log(time.Since(start))
	}
	w := &sim.World{}
	for _, template := range []string{"v1", "v2"} {
		require.NoError(t, w.Put(webDeployment(template, pods)))
		all(w, pods)
	}
	require.NoError(t, w.Put(webDeployment("v2", 3)))
	all(w, 3)
	for _, most := range []int{1, pods / 40} {
		w, err := sim.New(cluster.Snapshot{}, sim.Config{Controllers: []sim.Reconciler{group(most, false)}})
		require.NoError(t, err)
		require.NoError(t, w.Put(groupOf(pods/40)))
		all(w, pods/40)
	}
	w = &sim.World{}
	for _, template := range []string{"v1", "v2"} {
		require.NoError(t, w.Put(many(pods/10, 10, template)...))
		all(w, pods)
	}
}

// TestAgainAtOnce: so it does as often as somebody wants something else once it has.
func TestAgainAtOnce(t *testing.T) {
	w := &sim.World{}
	for i := range 500 {
		require.NoError(t, w.Put(webDeployment("v"+strconv.Itoa(i%2), 3)))
		done, err := w.Settle(time.Minute)
		require.NoError(t, err, i)
		require.True(t, done)
	}
	require.Equal(t, w.Start(), w.Now())
}
