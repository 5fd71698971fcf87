// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// tried is a world in which all kinds of things are done with whatever a snapshot holds. It must
// come to an end, and each error must name a field, but for that of controllers which do not
// come to rest. It returns how many steps there were, and what it holds in the end.
func tried(t *testing.T, s cluster.Snapshot, c sim.Config) (steps int, end cluster.Snapshot) {
	c.MaxPods = 60
	w, err := sim.New(s, c)
	named := func(err error) {
		var field *kplan.FieldError
		if err == nil || w != nil && !errors.Is(err, kplan.ErrInvalid) {
			return // they do not come to rest
		}
		require.ErrorIs(t, err, kplan.ErrInvalid)
		require.True(t, errors.As(err, &field) && field.Path != "", "no field: %v", err)
	}
	if err != nil {
		named(err)
		return 0, cluster.Snapshot{}
	}
	run := func() {
		for until := w.Now().Add(time.Hour); steps < 3000 && w.Now().Before(until); steps++ {
			more, err := w.Step()
			if named(err); err != nil || !more {
				return
			}
		}
	}
	run()
	for _, d := range s.Deployments {
		d.Template.ID += "2"
		_ = w.Put(d)
		w.Scale(sim.KindDeployment, d.Name, math.MaxInt32)
	}
	for _, n := range s.Nodes {
		w.Answers(n.Name, false)
		w.Drain(n.Name)
	}
	for _, p := range w.View().Pods() {
		_ = w.Evict(p.Name)
		w.Fail(p.Name)
	}
	w.Approve()
	run()
	for _, k := range []sim.Kind{sim.KindDaemonSet, sim.KindReplicaSet, sim.KindReplicationController, sim.KindRollout, sim.KindNode, "", "else"} {
		for _, name := range []string{"web", "", "a/web"} {
			w.Delete(k, name)
		}
	}
	w.Heal()
	run()
	return steps, w.Snapshot()
}

// hostile are snapshots with numbers and names that no cluster has.
func hostile() (list []cluster.Snapshot) {
	for _, n := range []int32{math.MinInt32, -1, 0, 1, 3, math.MaxInt32} {
		d, set, ds, rs, r := webDeployment("v1", n), webSet("", n), webDaemonSet("v1"), webReplicaSet(n), argoCanary("v1", n)
		d.MinReadySeconds, d.MaxSurge, d.MaxUnavailable = n, rollout.Int(n), rollout.Percent(n)
		d.ProgressDeadlineSeconds, d.RevisionHistoryLimit = &n, &n
		ds.MinReadySeconds, ds.MaxUnavailable, ds.MaxSurge = n, rollout.Percent(n), rollout.Int(n)
		set.ScaleUnavailable, r.MinReadySeconds, r.ProgressDeadlineSeconds = rollout.Int(n), n, &n
		k := webRollout(workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"})
		k.Canary.Steps[0].Replicas, k.Canary.Steps[1].Pause.Duration = rollout.Int(n), &n
		list = append(list, cluster.Snapshot{
			Resources: []string{"pods"}, Nodes: equalNodes(2, int64(n)), Templates: map[string]cluster.Template{"v1": {Needs: []int64{int64(n)}}, "": {}},
			Deployments: []deploy.Deployment{d}, ReplicaSets: []replicaset.ReplicaSet{rs}, Sets: []cluster.Set{set}, DaemonSets: []daemonset.DaemonSet{ds},
			ArgoRollouts: []cluster.ArgoRollout{r}, Rollouts: []kruise.Rollout{k}, Quotas: []cluster.Quota{{Name: "q", Hard: map[string]int64{"pods": int64(n), "limits.cpu": int64(n)}}},
			Budgets: []cluster.Budget{{Name: "b", Selector: selector.FromLabels(map[string]string{"app": "web"}), MinAvailable: rollout.Percent(n)}},
			// Two own each other, and a pod is on no node.
			Objects: []cluster.Object{{Kind: "x", Name: "a", UID: "a", ControllerUID: "b"}, {Kind: "x", Name: "b", UID: "b", ControllerUID: "a"}},
			Pods:    []podorder.Pod{{Name: "p", UID: "web", NodeName: "nowhere", ControllerUID: "alone", ControllerName: "alone", Phase: "else"}},
		})
		list[len(list)-1].ReplicationControllers = []replicaset.ReplicaSet{rs}
		rs.Name, rs.UID = "alone", "alone"
		list[len(list)-1].ReplicaSets = []replicaset.ReplicaSet{rs}
	}
	return list
}

// A world survives whatever it is given: it is an error with a field, or something defined
// happens, the same each time.
func TestTotal(t *testing.T) {
	for _, s := range hostile() {
		for _, c := range []sim.Config{{Times: lives}, {Seed: 3, Faults: sim.AllFaults(3), FaultsFor: time.Minute}} {
			steps, end := tried(t, s, c)
			again, same := tried(t, s, c)
			require.Equal(t, steps, again)
			require.Empty(t, cmp.Diff(end, same))
		}
	}
}

// Two controllers that undo what the other does, at one instant, end the world.
func TestNoRest(t *testing.T) {
	write := func(spec string) func(sim.View, string) ([]sim.Write, time.Duration, error) {
		return func(v sim.View, name string) ([]sim.Write, time.Duration, error) {
			o := *v.Object(name)
			if o.Spec["is"] == spec {
				return nil, 0, nil
			}
			o.Spec = map[string]string{"is": spec}
			return []sim.Write{{Verb: sim.Update, Object: &o}}, 0, nil
		}
	}
	w := newWorld(t, cluster.Snapshot{Objects: []cluster.Object{{Kind: "x", Name: "x"}}}, sim.Config{Controllers: []sim.Reconciler{
		{Name: "one", For: "x", Reconcile: write("one")}, {Name: "other", For: "x", Reconcile: write("other")},
	}})
	_, err := w.Settle(time.Hour)
	require.ErrorContains(t, err, "no rest")
	require.Less(t, w.Report().Writes, 20_000)
}

// A write of nothing, or of what no controller writes, ends the world.
func TestNoObject(t *testing.T) {
	for _, object := range []any{
		nil, 7, (*podorder.Pod)(nil), (*replicaset.ReplicaSet)(nil), (*deploy.Deployment)(nil), (*cluster.Object)(nil), (*cluster.Set)(nil), (*daemonset.DaemonSet)(nil),
		(*daemonset.Pod)(nil), (*revision.ControllerRevision)(nil), &kruise.Rollout{},
	} {
		for _, verb := range []sim.Verb{sim.Create, sim.Update, sim.Delete} {
			w := newWorld(t, cluster.Snapshot{Objects: []cluster.Object{{Kind: "x", Name: "x"}}}, sim.Config{Controllers: []sim.Reconciler{{
				Name: "own", For: "x", Reconcile: func(sim.View, string) ([]sim.Write, time.Duration, error) {
					return []sim.Write{{Verb: verb, Object: object}}, 0, nil
				},
			}}})
			_, err := w.Settle(time.Hour)
			require.ErrorContains(t, err, "own cannot write a ", "%s %T", verb, object)
		}
	}
}

// FuzzSnapshot reads snapshots from JSON, with and without faults.
func FuzzSnapshot(f *testing.F) {
	for _, s := range hostile() {
		text, err := json.Marshal(s)
		require.NoError(f, err)
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text []byte, faulty bool) {
		var s cluster.Snapshot
		if json.Unmarshal(text, &s) != nil {
			return
		}
		c := sim.Config{Seed: 1}
		if faulty {
			c.Faults = sim.AllFaults(1)
		}
		tried(t, s, c)
	})
}
