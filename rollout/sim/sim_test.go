// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	daemonsetquirk "github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
	"github.com/kplan-go/kplan/rollout/workload"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
	"github.com/kplan-go/kplan/selector"
)

func newWorld(t testing.TB, s cluster.Snapshot, c sim.Config) *sim.World {
	t.Helper()
	w, err := sim.New(s, c)
	require.NoError(t, err)
	return w
}

func settled(t testing.TB, w *sim.World) {
	t.Helper()
	done, err := w.Settle(24 * time.Hour)
	require.NoError(t, err)
	require.True(t, done)
}

// The equality of all kinds at once, in one world.
func everything(template string) []any {
	d, set, ds, rs, rc := webDeployment(template, 6), webSet(template, 4), webDaemonSet(template), webReplicaSet(3), webController("web", 2)
	d.Name, d.UID, set.Name, set.UID, ds.Name, ds.UID, rs.Name, rs.UID, rc.Name = "a/d", "d", "b/s", "s", "c/ds", "ds", "e/rs", "rs", "g/rs"
	return []any{d, set, ds, rs, rc, cluster.Object{Kind: "Fleet", Name: "f", UID: "f", Spec: map[string]string{"size": "2"}}}
}

// Property: equal seeds give equal traces, with and without faults; other seeds give others.
func TestEqualSeeds(t *testing.T) {
	trace := func(seed uint64, faults sim.Faults) string {
		text := ""
		w := newWorld(t, cluster.Snapshot{Nodes: equalNodes(6, 0)}, sim.Config{
			Seed: seed, Faults: faults, FaultsFor: 5 * time.Minute, Times: lives,
			Trace: func(line string) { text += line + "\n" }, Observe: func(e sim.Change) {
				e.Object = nil // where it lies differs
				text += fmt.Sprintln(e)
			},
		})
		for _, template := range []string{"v1", "v2"} {
			require.NoError(t, w.Put(everything(template)...))
			require.NoError(t, w.Run(w.Now().Add(2*time.Minute)))
		}
		settled(t, w)
		return text
	}
	for _, faults := range []sim.Faults{{}, sim.AllFaults(1)} {
		for seed := range uint64(3) {
			one := trace(seed, faults)
			require.Equal(t, one, trace(seed, faults))
			require.NotEqual(t, one, trace(seed+1, faults))
			require.Greater(t, len(one), 10_000)
		}
	}
}

// A snapshot goes through JSON without loss, at any instant, and another world goes on from it
// to the same end.
func TestSnapshotJSON(t *testing.T) {
	c := sim.Config{Seed: 3, Times: lives}
	w := newWorld(t, cluster.Snapshot{Resources: []string{"pods"}, Nodes: equalNodes(6, 9), Templates: map[string]cluster.Template{"v1": onePod, "v2": onePod}}, c)
	require.NoError(t, w.Put(everything("v1")...))
	settled(t, w)
	require.NoError(t, w.Put(everything("v2")...))
	for range 12 {
		text, err := json.Marshal(w.Snapshot())
		require.NoError(t, err)
		var s cluster.Snapshot
		require.NoError(t, json.Unmarshal(text, &s))
		again := newWorld(t, s, c)
		require.Empty(t, cmp.Diff(w.Snapshot(), again.Snapshot(), versions), "it holds what was written")
		settled(t, again)
		end := again.View()
		require.True(t, deploy.Complete(end.Deployments()[0].Status, 6, end.Deployments()[0].Generation))
		require.Equal(t, int32(4), end.Sets()[0].Status.UpdatedReadyReplicas)
		require.Equal(t, int32(6), end.DaemonSets()[0].Status.UpdatedNumberScheduled)
		require.EqualValues(t, 2, end.ReplicationController("g/rs").Status.AvailableReplicas)
		for _, p := range end.Pods() {
			require.True(t, p.Active())
		}
		for i := range again.Snapshot().Nodes {
			require.NotEmpty(t, again.Snapshot().Nodes[i].Name)
		}
		require.NoError(t, w.Run(w.Now().Add(5*time.Second)))
	}
}

// versions are not compared: each world has its own.
var versions = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".ResourceVersion" }, cmp.Ignore())

// The room of nodes is kept: no node ever has more pods than it has room for, and those that
// find none wait for others to end.
func TestRoom(t *testing.T) {
	bound := map[string]map[string]bool{}
	var w *sim.World
	most := 0
	place := func(p scheduler.Pod, nodes *scheduler.Nodes) string {
		for i := range nodes.Len() {
			require.Equal(t, int64(5-len(bound[nodes.At(i).Name])), nodes.Free(i, 0))
		}
		return scheduler.BinPack(p, nodes)
	}
	observe := func(e sim.Change) {
		switch {
		case e.Kind != sim.KindPod:
		case e.Verb == sim.Scheduled:
			node := w.View().Pod(e.Name).NodeName
			if bound[node] == nil {
				bound[node] = map[string]bool{}
			}
			bound[node][e.Name] = true
			most = max(most, len(bound[node]))
		case e.Verb == sim.Remove:
			for _, pods := range bound {
				delete(pods, e.Name)
			}
		}
	}
	w = newWorld(t, cluster.Snapshot{Resources: []string{"pods"}, Nodes: equalNodes(2, 5), Templates: map[string]cluster.Template{"v1": onePod, "v2": onePod}},
		sim.Config{Place: place, Observe: observe, Times: lives})
	require.NoError(t, w.Put(webDeployment("v1", 9)))
	settled(t, w)
	require.NoError(t, w.Put(webDeployment("v2", 9)))
	require.NoError(t, w.Run(w.Now().Add(time.Second)))
	require.Positive(t, w.Report().Waiting)
	settled(t, w)
	require.Equal(t, 5, most)
	require.Zero(t, w.Report().Waiting)
	require.Len(t, w.View().Pods(), 9)
}

// A pod that is placed where it does not fit ends the world, and so does a node that is not
// there.
func TestMisplaced(t *testing.T) {
	for _, name := range []string{"node-0001", "nowhere"} {
		w := newWorld(t, cluster.Snapshot{Resources: []string{"pods"}, Nodes: equalNodes(2, 1), Templates: map[string]cluster.Template{"v1": onePod}},
			sim.Config{Place: func(scheduler.Pod, *scheduler.Nodes) string { return name }})
		require.NoError(t, w.Put(webDeployment("v1", 2)))
		_, err := w.Settle(time.Hour)
		require.ErrorIs(t, err, kplan.ErrInvalid)
		require.ErrorContains(t, err, name)
		_, again := w.Step()
		require.Equal(t, err, again)
	}
}

// The life of a pod, with a node that has to pull once.
func TestLife(t *testing.T) {
	var seen []sim.Verb
	w := newWorld(t, cluster.Snapshot{}, sim.Config{
		Times: cluster.Times{Schedule: cluster.Exactly(time.Second), Pull: cluster.Exactly(10 * time.Second), Start: cluster.Exactly(2 * time.Second), Ready: cluster.Exactly(3 * time.Second), End: cluster.Exactly(4 * time.Second)},
		Observe: func(e sim.Change) {
			if e.Kind == sim.KindPod {
				seen = append(seen, e.Verb)
			}
		},
	})
	require.NoError(t, w.Put(webReplicaSet(1)))
	settled(t, w)
	require.True(t, w.Fail(w.View().Pods()[0].Name))
	settled(t, w)
	require.Equal(t, []sim.Verb{
		sim.Create, sim.Scheduled, sim.Pulled, sim.Started, sim.Ready, sim.Failed, sim.Create, sim.Scheduled, sim.Started, sim.Ready,
	}, seen[:10])
	require.NoError(t, w.Evict(serviceable(w)))
	settled(t, w)
	require.Equal(t, []sim.Verb{sim.Evicted, sim.Create, sim.Scheduled, sim.Started, sim.Remove, sim.Ready}, seen[10:])
	require.Equal(t, time.Duration(16+6+6)*time.Second, w.Now().Sub(w.Start()))
}

// serviceable is a pod that serves.
func serviceable(w *sim.World) string {
	for _, p := range w.View().Pods() {
		if p.Active() && p.Ready {
			return p.Name
		}
	}
	return ""
}

// A drain evicts what the budget allows, and the rest when others serve in its place.
func TestDrain(t *testing.T) {
	least := 4
	var w *sim.World
	w = newWorld(t, cluster.Snapshot{
		Nodes: equalNodes(2, 0), Budgets: []cluster.Budget{{Name: "web", Selector: selector.FromLabels(map[string]string{"app": "web"}), MaxUnavailable: rollout.Int(1)}},
	}, sim.Config{Times: lives, Observe: func(e sim.Change) {
		if w != nil && w.Now().After(w.Start().Add(time.Hour)) {
			least = min(least, serving(values(w.View().Pods())))
		}
	}})
	require.NoError(t, w.Put(webDeployment("v1", 4)))
	settled(t, w)
	require.NoError(t, w.Run(w.Start().Add(2*time.Hour)))
	require.True(t, w.Drain("node-0000"))
	require.False(t, w.Drain("nowhere"))
	settled(t, w)
	for _, p := range w.View().Pods() {
		require.Equal(t, "node-0001", p.NodeName)
	}
	require.Equal(t, 3, least, "one at a time")
	require.Len(t, w.View().Pods(), 4)
	require.ErrorIs(t, w.Evict("nobody"), kplan.ErrInvalid)
	w.Uncordon("node-0000")
	require.Empty(t, w.View().Nodes()[0].Taints)
}

func values[T any](list []*T) (copied []T) {
	for _, o := range list {
		copied = append(copied, *o)
	}
	return copied
}

// A quota keeps a surge away, and lets pods be when others have ended.
func TestQuota(t *testing.T) {
	most := 0
	w := newWorld(t, cluster.Snapshot{Quotas: []cluster.Quota{{Name: "a/q", Hard: map[string]int64{"pods": 6}}}}, sim.Config{Times: lives})
	require.NoError(t, w.Put(everything("v1")...))
	settled(t, w)
	require.NoError(t, w.Put(everything("v2")...))
	for {
		more, err := w.Step()
		require.NoError(t, err)
		if !more {
			break
		}
		n := 0
		for _, p := range w.View().Pods() {
			if p.Name[:2] == "a/" {
				n++
			}
		}
		most = max(most, n)
	}
	require.Equal(t, 6, most)
	d := w.View().Deployment("a/d")
	require.True(t, deploy.Complete(d.Status, 6, d.Generation))
}

// Namespaces: what has the same labels elsewhere is neither adopted nor counted.
func TestNamespaces(t *testing.T) {
	w := newWorld(t, cluster.Snapshot{}, sim.Config{})
	for _, name := range []string{"a/web", "b/web", "web"} {
		d := webDeployment("v1", 2)
		d.Name, d.UID = name, name
		require.NoError(t, w.Put(d))
	}
	orphan := podorder.Pod{Name: "b/orphan", Labels: map[string]string{"app": "web", "pod-template-hash": "v1"}, Phase: podorder.Running, NodeName: "node", Ready: true}
	require.NoError(t, w.Put(orphan))
	settled(t, w)
	require.Len(t, w.View().Pods(), 6, "the orphan pod is one of the two of its namespace")
	require.Equal(t, "b/web-v1", w.View().Pod("b/orphan").ControllerName)
	require.True(t, w.Delete(sim.KindDeployment, "b/web"))
	settled(t, w)
	require.Len(t, w.View().Pods(), 4)
	require.Len(t, w.View().ReplicaSets(), 2)
}

// What a world cannot hold is an error.
func TestInvalid(t *testing.T) {
	for _, s := range []cluster.Snapshot{
		{Deployments: []deploy.Deployment{{}}}, {Objects: []cluster.Object{{Name: "a"}, {Name: "a"}}},
		{Nodes: []cluster.Node{{}}}, {Pods: []podorder.Pod{{Name: "p"}, {Name: "p"}}}, {DaemonSets: []daemonset.DaemonSet{{}}},
	} {
		_, err := sim.New(s, sim.Config{})
		require.ErrorIs(t, err, kplan.ErrInvalid)
	}
	for _, faults := range []sim.Faults{{Crash: -1}, {Skip: math.NaN()}, {Flaky: 101}} {
		_, err := sim.New(cluster.Snapshot{}, sim.Config{Faults: faults})
		require.ErrorIs(t, err, kplan.ErrInvalid)
	}
	w := newWorld(t, cluster.Snapshot{}, sim.Config{})
	require.ErrorIs(t, w.Put(7), kplan.ErrInvalid)
	require.ErrorIs(t, w.Put(nil), kplan.ErrInvalid)
	require.ErrorIs(t, w.Put(deploy.Deployment{}), kplan.ErrInvalid)
	var zero sim.World
	require.NoError(t, zero.Put(webDeployment("v1", 1)))
	settled(t, &zero)
	require.Len(t, zero.View().Pods(), 1)
}

// A controller that is not to run does not, and a planner in the place of one of ours decides.
func TestOwnPlanner(t *testing.T) {
	w := newWorld(t, cluster.Snapshot{}, sim.Config{Without: []sim.Kind{sim.KindReplicaSet}})
	require.NoError(t, w.Put(webDeployment("v1", 3)))
	settled(t, w)
	require.Empty(t, w.View().Pods())
	require.Len(t, w.View().ReplicaSets(), 1)
	broken := errors.New("no plan")
	w = newWorld(t, cluster.Snapshot{}, sim.Config{PlanDeployment: func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error) { return deploy.Plan{}, broken }})
	require.NoError(t, w.Put(webDeployment("v1", 3)))
	_, err := w.Settle(time.Hour)
	require.ErrorIs(t, err, broken)
}

// Silent faults are told of.
func TestSilent(t *testing.T) {
	w := newWorld(t, cluster.Snapshot{}, sim.Config{Faults: sim.Faults{Flaky: 1, NodeFaults: 1}})
	require.NoError(t, w.Put(webDeployment("v1", 9)))
	require.NoError(t, w.Run(w.Now().Add(time.Minute)))
	r := w.Report()
	require.Equal(t, []string{"NodeFaults"}, r.Silent, "there are no nodes")
	require.Positive(t, r.Fired["Flaky"])
	require.Len(t, r.Fired, 1)
}

func TestSpread(t *testing.T) {
	s := cluster.Spread{{Share: 0, Time: 2 * time.Second}, {Share: 0.5, Time: 8 * time.Second}, {Share: 0.9, Time: 30 * time.Second}, {Share: 0.99, Time: 90 * time.Second}, {Share: 1, Time: 2 * time.Minute}}
	for share, want := range map[float64]time.Duration{
		-1: 2 * time.Second, 0: 2 * time.Second, 0.25: 5 * time.Second, 0.5: 8 * time.Second, 0.7: 19 * time.Second, 0.9: 30 * time.Second, 1: 2 * time.Minute, 9: 2 * time.Minute,
	} {
		require.InDelta(t, want.Seconds(), s.At(share).Seconds(), 1e-6)
	}
	require.Zero(t, cluster.Spread(nil).At(0.5))
	require.Zero(t, cluster.Exactly(-time.Second).At(0.5))
}

// A Rollout releases a DaemonSet step by step, one of Kubernetes or of OpenKruise, and waits for
// a person when half of the nodes are new.
func TestReleasedDaemonSet(t *testing.T) {
	for _, apiVersion := range []string{"apps/v1", "apps.kruise.io/v1alpha1"} {
		t.Run(apiVersion, func(t *testing.T) {
			of := workload.Ref{APIVersion: apiVersion, Kind: daemonset.Kind, Name: "web"}
			w := newWorld(t, cluster.Snapshot{Nodes: equalNodes(6, 0), DaemonSets: []daemonset.DaemonSet{webDaemonSet("v1")}}, sim.Config{
				Times: lives, DaemonSet: daemonset.Options{Repair: daemonsetquirk.All}, Rollout: kruise.Options{Repair: workloadquirk.All},
			})
			r := webRollout(of)
			r.Canary.Steps[1].Pause.Duration, r.Canary.Steps[1].Replicas = nil, rollout.Percent(50)
			require.NoError(t, w.Put(r))
			settled(t, w)
			require.NoError(t, w.Put(webDaemonSet("v2")))
			settled(t, w)
			require.Equal(t, 3, daemons(w, "v2"), "half of six nodes")
			require.Equal(t, 1, w.Approve())
			settled(t, w)
			require.Equal(t, 6, daemons(w, "v2"))
			require.Equal(t, kruise.PhaseHealthy, w.View().Rollouts()[0].Status.Phase)
		})
	}
}

// daemons is how many ready pods of DaemonSets have a template.
func daemons(w *sim.World, template string) (n int) {
	for _, p := range w.View().DaemonPods() {
		if p.Labels[daemonset.LabelHash] == template && p.Active() && p.Ready {
			n++
		}
	}
	return n
}
