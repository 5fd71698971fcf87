// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
)

// team is a quota of one resource.
func team(resource string, hard int64) cluster.Quota {
	return cluster.Quota{Name: "team", Hard: map[string]int64{resource: hard}}
}

const gi = 1 << 30

// rationed are resources and templates. The pods of v1 take 500m of CPU and 1Gi of memory, those of v2 600m
// and 2Gi.
func rationed(v2 cluster.Template) cluster.Snapshot {
	v2.Needs, v2.Limits = []int64{600}, []int64{0, 2 * gi}
	v1 := cluster.Template{Needs: []int64{500}, Limits: []int64{0, gi}}
	return cluster.Snapshot{Resources: []string{"cpu", "memory"}, Nodes: equalNodes(3, 1<<40), Templates: map[string]cluster.Template{"v1": v1, "v2": v2}}
}

// refusals are what can stop three pods of v1 from becoming three of v2. With one pod more than wanted at
// a time there are 1, 2 and 3 of v2 beside 3, 2 and 1 of v1; with one pod fewer at most three.
var refusals = []struct {
	name     string
	resource string
	surge    int64            // the least amount that lets a rollout end which makes new pods first
	replace  int64            // and one that ends old pods first
	less     int64            // by so much less no rollout ends
	bad      cluster.Template // of it no pod is made at all
	why      string
}{
	{name: "pods", resource: "pods", surge: 4, replace: 3, less: 1, why: "exceeded quota: team, requested: pods=1, used: pods="},
	{name: "requests", resource: "requests.cpu", surge: 500 + 3*600, replace: 3 * 600, less: 1, why: "exceeded quota: team, requested: requests.cpu=600m, used: requests.cpu="},
	{name: "limits", resource: "limits.memory", surge: 7 * gi, replace: 6 * gi, less: 1, why: "exceeded quota: team, requested: limits.memory=2Gi, used: limits.memory="},
	{
		name: "not set", resource: "limits.cpu", bad: cluster.Template{Unset: map[string][]string{"limits.cpu": {"c1"}}},
		why: "failed quota: team: must specify limits.cpu for: c1",
	},
	{
		name: "limit range", resource: "count/pods", surge: 99, replace: 99, bad: cluster.Template{Refused: "maximum cpu usage per Container is 1, but limit is 2"},
		why: "maximum cpu usage per Container is 1, but limit is 2",
	},
}

// kinds roll three pods out.
var kinds = []struct {
	name    string
	surges  bool
	of      func(template string) any
	updated func(w *sim.World) int
}{
	{"Deployment", true, func(template string) any {
		d := webDeployment(template, 3)
		d.MaxSurge, d.MaxUnavailable = rollout.Int(1), rollout.Int(0)
		return d
	}, func(w *sim.World) int { return int(w.View().Deployment("web").Status.UpdatedReplicas) }},
	{"DaemonSet", false, func(template string) any {
		d := webDaemonSet(template)
		d.MaxUnavailable = rollout.Int(1)
		return d
	}, func(w *sim.World) int { return daemons(w, "v2") }},
	{"StatefulSet", false, func(template string) any {
		s := webSet(template, 3)
		s.Ref, s.RollingUpdate = workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "web"}, nil
		return s
	}, func(w *sim.World) int { return int(w.View().Set("web").Status.UpdatedReadyReplicas) }},
}

// rolledOut rolls v2 out under a quota, and lists why pods were refused.
func rolledOut(t *testing.T, of func(template string) any, v2 cluster.Template, q cluster.Quota) (*sim.World, []string) {
	t.Helper()
	var refused []string
	w := newWorld(t, rationed(v2), sim.Config{Trace: func(line string) {
		if _, why, found := strings.Cut(line, " is forbidden: "); found {
			refused = append(refused, why)
		}
	}})
	require.NoError(t, w.Put(of("v1")))
	settled(t, w)
	require.NoError(t, w.Put(q))
	require.NoError(t, w.Put(of("v2")))
	settled(t, w)
	return w, refused
}

// TestRefusals: for each of what refuses pods, and each kind of workload, a rollout that just ends, and one
// that never does, which is found within a minute. What stops it is said in the words of the API server.
func TestRefusals(t *testing.T) {
	for _, r := range refusals {
		for _, k := range kinds {
			t.Run(r.name+"/"+k.name, func(t *testing.T) {
				hard := r.replace
				if k.surges {
					hard = r.surge
				}
				w, _ := rolledOut(t, k.of, cluster.Template{}, team(r.resource, hard))
				require.Equal(t, 3, k.updated(w))
				require.Empty(t, w.Report().Refused)
				w, refused := rolledOut(t, k.of, r.bad, team(r.resource, hard-r.less))
				require.Less(t, w.Now().Sub(w.Start()), time.Minute)
				require.Less(t, k.updated(w), 3)
				require.NotEmpty(t, refused)
				require.Len(t, w.Report().Refused, 1)
				for _, why := range w.Report().Refused {
					require.Contains(t, why, " is forbidden: "+r.why)
				}
				for _, why := range refused {
					require.True(t, strings.HasPrefix(why, r.why), "%q", why)
				}
				if k.surges {
					failure := w.View().Deployment("web").Status.Conditions
					i := len(failure) - 1
					for ; i > 0 && failure[i].Type != deploy.ConditionReplicaFailure; i-- {
					}
					require.Equal(t, "FailedCreate", failure[i].Reason)
					require.Regexp(t, `^pods "web-v2-\w{5}" is forbidden: `, failure[i].Message)
					require.Contains(t, failure[i].Message, r.why)
				}
			})
		}
	}
}

// TestQuota98656: replicas: 3, maxSurge: 1, maxUnavailable: 1, a quota of exactly three pods, and pods that take
// 90 s to end (kubernetes/kubernetes#98656). Nothing but its back-off brings the new ReplicaSet back when an
// old pod ends.
func TestQuota98656(t *testing.T) {
	s := cluster.Snapshot{Quotas: []cluster.Quota{team("pods", 3)}}
	w := newWorld(t, s, sim.Config{Times: cluster.Times{End: cluster.Exactly(90 * time.Second)}})
	d := webDeployment("v1", 3)
	d.MaxSurge, d.MaxUnavailable = rollout.Int(1), rollout.Int(1)
	require.NoError(t, w.Put(d))
	settled(t, w)
	since := w.Now()
	d.Template.ID = "v2"
	require.NoError(t, w.Put(d))
	settled(t, w)
	var created []time.Duration
	for _, p := range w.View().Pods() {
		created = append(created, p.CreationTimestamp.Sub(since))
	}
	// At 0 s it fails four times: when it is created, when its status is written, when an old pod begins to
	// end and it gets the size 2, and when its status is written again. The first of these failures has it
	// tried again at 5 ms, which is the fifth: the next are 5 ms * 2^4, 2^5 and so on later, each at
	// 5 ms + 80 ms * (2^k - 1) for k from 1. The first old pod is gone at 90 s: k = 10 is at 81.845 s, k = 11
	// at 163.765 s. There is room for one of its two pods, so that this is failure 16: again
	// 5 ms * 2^15 = 163.840 s later, when the second old pod is gone since 163.765 s + 90 s. Events of its new
	// pod have let it fail three times and more by then: the next failure is one of 1000 s, the most there
	// is, and the last old pod is gone 90 s into them.
	second := 163_765 * time.Millisecond
	third := second + 163_840*time.Millisecond
	require.Equal(t, []time.Duration{second, third, third + 1000*time.Second}, created)
}

// TestQuotaUsedByOthers: of six pods that a quota says to be used two are of the snapshot, so that four of
// eight are of others, whatever becomes of the two: four are left.
func TestQuotaUsedByOthers(t *testing.T) {
	s := cluster.Snapshot{Quotas: []cluster.Quota{{Name: "team", Hard: map[string]int64{"pods": 8}, Used: map[string]int64{"pods": 6}}}}
	for _, name := range []string{"a", "b"} {
		s.Pods = append(s.Pods, podorder.Pod{Name: name, UID: name, NodeName: "node", Phase: podorder.Running})
	}
	w := newWorld(t, s, sim.Config{})
	require.True(t, w.Delete(sim.KindPod, "a"))
	require.NoError(t, w.Put(webReplicaSet(9)))
	settled(t, w)
	require.Len(t, w.View().PodsOf("web"), 3)
	require.True(t, w.Delete(sim.KindPod, "b"))
	settled(t, w)
	require.Len(t, w.View().PodsOf("web"), 4)
	again := newWorld(t, w.Snapshot(), sim.Config{})
	settled(t, again)
	require.Equal(t, map[string]int64{"pods": 8}, again.Snapshot().Quotas[0].Used, "also in a world that goes on from there")
	require.NoError(t, again.Put(cluster.Quota{Name: "team", Hard: map[string]int64{"pods": 10}}))
	settled(t, again)
	require.Len(t, again.View().PodsOf("web"), 6)
}

// TestQuotaOfLostNode: pods of a node that does not answer are deleted after 350 s and never end. A quota of
// exactly the wanted pods counts them until their grace period has passed once more and quotas are counted again.
func TestQuotaOfLostNode(t *testing.T) {
	for grace, freed := range map[time.Duration]time.Duration{0: 350 + 30 + 300, 60 * time.Second: 350 + 60 + 300} {
		w, since := lost(t, cluster.Template{EndWithin: grace})
		require.NoError(t, w.Put(team("pods", 3)))
		at(t, w, since, freed*time.Second-1)
		require.Equal(t, map[string]int64{"pods": 3}, w.Snapshot().Quotas[0].Used)
		at(t, w, since, freed*time.Second)
		require.Equal(t, map[string]int64{"pods": 0}, w.Snapshot().Quotas[0].Used)
		settled(t, w)
		require.Equal(t, 3, serving(values(w.View().Pods())))
		require.Equal(t, 3, terminating(w))
		w.Answers("node-0000", true)
		settled(t, w)
		require.Equal(t, map[string]int64{"pods": 3}, w.Snapshot().Quotas[0].Used)
	}
}

// TestQuotaJSON: quotas and what templates say for them survive JSON.
func TestQuotaJSON(t *testing.T) {
	s := rationed(cluster.Template{Unset: map[string][]string{"limits.cpu": {"c"}}, Refused: "no", PriorityClass: "high"})
	s.Quotas = []cluster.Quota{{
		Name: "shop/team", Hard: map[string]int64{"pods": 3, "limits.memory": 7 * gi}, Used: map[string]int64{"pods": 1, "limits.memory": 0},
		Scopes: []cluster.QuotaScope{{Name: cluster.ScopePriorityClass, Operator: "In", Values: []string{"high"}}},
	}}
	text, err := json.Marshal(newWorld(t, s, sim.Config{}).Snapshot())
	require.NoError(t, err)
	require.Contains(t, string(text), `"quotas":[{"name":"shop/team","hard":{"limits.memory":7516192768,"pods":3},"used":{"limits.memory":0,"pods":1},"scopes":[{"name":"PriorityClass","operator":"In","values":["high"]}]}]`)
	var back cluster.Snapshot
	require.NoError(t, json.Unmarshal(text, &back))
	require.Empty(t, cmp.Diff(s.Quotas, back.Quotas))
	require.Empty(t, cmp.Diff(s.Templates, back.Templates))
}

// TestQuotaUsage: whatever strikes, what quotas have counted is what a new world counts that is made from
// the same pods.
func TestQuotaUsage(t *testing.T) {
	counted, refused := int64(0), 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 0))
		s := rationed(cluster.Template{})
		for _, within := range []string{"a", "b", "c", "e"} {
			hard := func(amount int64) int64 { return amount * int64(2+r.IntN(8)) }
			s.Quotas = append(s.Quotas,
				cluster.Quota{Name: within + "/pods", Hard: map[string]int64{"pods": hard(1), "count/pods": hard(3)}},
				cluster.Quota{Name: within + "/rest", Hard: map[string]int64{"cpu": hard(600), "limits.memory": hard(2 * gi), "pods": 99}, Scopes: []cluster.QuotaScope{{Name: cluster.ScopeNotBestEffort}}})
		}
		w := newWorld(t, s, sim.Config{Seed: seed, Faults: sim.AllFaults(1), Times: lives, Trace: func(line string) {
			if strings.Contains(line, "exceeded quota") {
				refused++
			}
		}})
		for i, template := range []string{"v1", "v2", "v1"} {
			require.NoError(t, w.Put(everything(template)...))
			for range 20 {
				require.NoError(t, w.Run(w.Now().Add(7*time.Second)))
				now := w.Snapshot()
				want := now.Quotas
				now.Quotas = nil
				for _, q := range want {
					counted += q.Used["limits.memory"]
					q.Used = nil
					now.Quotas = append(now.Quotas, q)
				}
				require.Empty(t, cmp.Diff(want, newWorld(t, now, sim.Config{}).Snapshot().Quotas), "seed %d, template %d", seed, i)
			}
			w.PutTemplate("v1", cluster.Template{Needs: []int64{int64(100 * i)}, Limits: []int64{0, int64(i) * gi}})
		}
	}
	require.NotZero(t, counted)
	require.NotZero(t, refused)
}
