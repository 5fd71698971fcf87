// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// TestHeldNew: a pod that is held before it is ready lets the rollout to its own template never end.
func TestHeldNew(t *testing.T) {
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		for _, h := range []cluster.PodHold{unready, unplaced} {
			s := ran(t, owner, "v2", sim.Config{})
			name := hold(&s, 1, h)
			w := goesOn(t, s, owner)
			require.Equal(t, 2, readyOf(w, "v2"), "%s %+v", owner, h)
			require.Equal(t, h, w.View().Held(name))
			require.Equal(t, map[string]cluster.PodHold{name: h}, w.Snapshot().Held)
			require.Equal(t, map[bool]int{true: 1}[h.Unplaced], w.Report().Waiting)
			require.True(t, w.Delete(sim.KindPod, name))
			settled(t, w)
			require.Equal(t, 3, readyOf(w, "v2"), "another pod in its place")
			require.Empty(t, w.Snapshot().Held)
		}
	}
}

// TestHeldUpdatedInPlace: an update in place ends what keeps a pod from being ready, and back to the old
// template it is as any other pod.
func TestHeldUpdatedInPlace(t *testing.T) {
	s := ran(t, "CloneSet in place", "v1", sim.Config{})
	name := hold(&s, 1, unready)
	w := goesOn(t, s, "CloneSet in place")
	require.True(t, w.View().Pod(name).Ready)
	require.Zero(t, w.View().Held(name))
	require.NoError(t, w.Put(owners["CloneSet in place"]("v1")))
	settled(t, w)
	require.Equal(t, 3, readyOf(w, "v1"))
}

// Property: whatever faults strike, a pod that is held does not become ready before it has another template,
// or get a node, or go; its snapshot goes through JSON and says so still; and another workload lives as if
// the pod were not there.
func TestHeldStays(t *testing.T) {
	held := 0
	rapid.Check(t, func(t *rapid.T) {
		owner := rapid.SampledFrom(slices.Sorted(maps.Keys(owners))).Draw(t, "owner")
		c := sim.Config{Seed: rapid.Uint64().Draw(t, "seed"), Times: cluster.Times{Start: cluster.Exactly(7 * time.Second), End: cluster.Exactly(20 * time.Second)}}
		s := ran(t, owner, "v1", c)
		h := rapid.SampledFrom([]cluster.PodHold{unready, unplaced, kept, {Unready: true, Kept: true}}).Draw(t, "hold")
		name := hold(&s, rapid.IntRange(0, 2).Draw(t, "pod"), h)
		require.Equal(t, other(t, s, name), other(t, without(s), name))
		if c.FaultsFor = 5 * time.Minute; rapid.Bool().Draw(t, "faults") {
			c.Faults = sim.AllFaults(1)
		}
		text, err := json.Marshal(s)
		require.NoError(t, err)
		var read cluster.Snapshot
		require.NoError(t, json.Unmarshal(text, &read))
		require.Empty(t, cmp.Diff(s, read))
		w, err := sim.New(read, c)
		require.NoError(t, err)
		uid := podOf(w, name).UID
		require.NoError(t, w.Put(owners[owner]("v2")))
		for range 3_000 {
			more, err := w.Step()
			require.NoError(t, err)
			p := podOf(w, name)
			if p == nil || p.UID != uid || !more {
				require.False(t, h.Kept && (p == nil || p.UID != uid), "gone")
				break
			}
			held++
			require.False(t, w.View().Held(name).Unready && p.Ready, "ready")
			require.False(t, h.Unready && p.Ready && owner != "CloneSet in place", "ready")
			require.False(t, h.Unplaced && p.NodeName != "", "bound")
			require.Equal(t, w.View().Held(name), w.Snapshot().Held[name])
		}
	})
	require.Greater(t, held, 1000)
}

// podOf is the pod with a name, of any owner.
func podOf(w *sim.World, name string) *podorder.Pod {
	if p := w.View().Pod(name); p != nil {
		return p
	}
	for _, p := range w.View().DaemonPods() {
		if p.Name == name {
			return &p.Pod
		}
	}
	return nil
}

// without is a snapshot without its workloads and pods.
func without(s cluster.Snapshot) cluster.Snapshot {
	return cluster.Snapshot{Now: s.Now, Nodes: s.Nodes}
}

// other is how a Deployment lives in a world that goes on from a snapshot, step by step.
func other(t require.TestingT, s cluster.Snapshot, name string) (steps []string) {
	c := sim.Config{Times: cluster.Times{Start: cluster.Exactly(7 * time.Second), End: cluster.Exactly(20 * time.Second)}}
	c.Observe = func(e sim.Change) {
		if e.Kind == sim.KindPod && strings.HasPrefix(e.Name, "other") {
			steps = append(steps, fmt.Sprint(e.Time, e.Verb))
		}
	}
	w, err := sim.New(s, c)
	require.NoError(t, err)
	for _, template := range []string{"o1", "o2"} {
		d := webDeployment(template, 3)
		d.Name, d.UID, d.TemplateLabels, d.Selector = "other", "other", map[string]string{"app": "other"}, nil
		require.NoError(t, w.Put(d))
		_, err = w.Settle(time.Hour)
		require.NoError(t, err)
	}
	return steps
}
