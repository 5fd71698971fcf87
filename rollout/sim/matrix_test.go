// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	daemonsetquirk "github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/deploy"
	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	replicasetquirk "github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	argoquirk "github.com/kplan-go/kplan/rollout/argo/quirk"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
	"github.com/kplan-go/kplan/selector"
)

// A scenario is a row of the robustness matrix that Kubernetes runs for two of its controllers
// on a real API server, with the faults that have to strike.
type scenario struct {
	name   string
	faults sim.Faults
	// expires tells that expectations must have been given up.
	expires bool
	// every is the time between two changes, and faultsFor how long faults strike.
	every, faultsFor time.Duration
	own              stranger
}

// A stranger is a controller that is not ours, and those of ours for which it stands in.
type stranger struct {
	begin   func() sim.Reconciler // nil for none
	instead []sim.Kind
}

func (s stranger) controllers() []sim.Reconciler {
	if s.begin == nil {
		return nil
	}
	return []sim.Reconciler{s.begin()}
}

var scenarios = []scenario{
	{name: "baseline"},
	{name: "write conflicts", faults: sim.Faults{Conflict: 4}},
	{name: "cache lag", faults: sim.Faults{Stale: 1.5, Skip: 1}},
	{name: "flaky API server", faults: sim.Faults{Flaky: 4}},
	{name: "expectations time out", faults: sim.Faults{LostEvents: 8}, expires: true},
	{name: "combined chaos", faults: sim.AllFaults(1)},
}

// A subject is a workload under test: what is there at first, how it is changed again and
// again, and what must be so in the end.
type subject struct {
	name string
	// expects tells that its controllers keep expectations.
	expects bool
	seeds   uint64 // how many worlds there are for each scenario
	begin   func() []any
	change  func(i int) []any
	check   func(t *testing.T, v sim.View)
}

func webDeployment(template string, replicas int32) deploy.Deployment {
	return deploy.Deployment{
		Name: "web", UID: "web", Replicas: &replicas, Template: revision.Template{ID: template}, TemplateLabels: map[string]string{"app": "web"},
		Selector: selector.FromLabels(map[string]string{"app": "web"}), MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25),
	}
}

func webSet(template string, replicas int32) cluster.Set {
	return cluster.Set{TemplateLabels: map[string]string{"app": "web"}, Workload: workload.Workload{
		Ref: workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "web"}, UID: "web", Replicas: &replicas,
		Template: revision.Template{ID: template}, RollingUpdate: &partition.RollingUpdate{MaxUnavailable: rollout.Int(2)},
	}}
}

func webDaemonSet(template string) daemonset.DaemonSet {
	return daemonset.DaemonSet{
		Name: "web", UID: "web", Selector: selector.FromLabels(map[string]string{"app": "web"}), MaxUnavailable: rollout.Int(2),
		Template: daemonset.Template{Hash: template, Data: []byte(`{"spec":{"template":{"id":"` + template + `"}}}`), Labels: map[string]string{"app": "web"}},
	}
}

func webRollout(of workload.Ref) kruise.Rollout {
	now := kruise.Pause{Duration: ptr.To(int32(5))}
	return kruise.Rollout{Name: "web", UID: "rollout", WorkloadRef: of, Canary: &kruise.Strategy{Steps: []kruise.Step{
		{Replicas: rollout.Percent(20), Pause: now}, {Replicas: rollout.Percent(60), Pause: now}, {Replicas: rollout.Percent(100), Pause: now},
	}}}
}

func template(i int) string { return fmt.Sprint("v", i+2) }

// sizes are what the workloads grow and shrink to.
func size(i int) int32 { return []int32{12, 5, 9, 14}[i%4] }

var subjects = []subject{
	{
		name: "Deployment", expects: true, seeds: 3,
		begin:  func() []any { return []any{webDeployment("v1", 10)} },
		change: func(i int) []any { return []any{webDeployment(template(i), size(i))} },
		check:  func(t *testing.T, v sim.View) { complete(t, v, size(last)) },
	},
	{
		name: "ReplicaSet", expects: true, seeds: 3,
		begin:  func() []any { return []any{webReplicaSet(10)} },
		change: func(i int) []any { return []any{webReplicaSet(size(i))} },
		check: func(t *testing.T, v sim.View) {
			rs := v.ReplicaSet("web")
			require.Equal(t, size(last), rs.Status.AvailableReplicas)
			require.Equal(t, int(size(last)), serving(v.PodsOf("web")))
		},
	},
	{
		name: "ReplicationController", expects: true, seeds: 3,
		begin:  func() []any { return []any{webController("web", 10)} },
		change: func(i int) []any { return []any{webController("web", size(i))} },
		check: func(t *testing.T, v sim.View) {
			require.Equal(t, size(last), v.ReplicationController("web").Status.AvailableReplicas)
			require.Equal(t, int(size(last)), serving(v.PodsOf("rc")))
		},
	},
	{
		name: "DaemonSet", expects: true, seeds: 3,
		begin:  func() []any { return []any{webDaemonSet("v1")} },
		change: func(i int) []any { return []any{webDaemonSet(template(i))} },
		check: func(t *testing.T, v sim.View) {
			s := v.DaemonSets()[0].Status
			require.Equal(t, []int32{8, 8, 8}, []int32{s.DesiredNumberScheduled, s.UpdatedNumberScheduled, s.NumberAvailable})
			for _, p := range v.DaemonPods() {
				require.Equal(t, template(last), p.Labels[daemonset.LabelHash])
			}
		},
	},
	{
		name: "CloneSet", seeds: 3,
		begin:  func() []any { return []any{webSet("v1", 10)} },
		change: func(i int) []any { return []any{webSet(template(i), size(i))} },
		check: func(t *testing.T, v sim.View) {
			s := v.Sets()[0].Status
			require.Equal(t, []int32{size(last), size(last)}, []int32{s.UpdatedReadyReplicas, s.Replicas})
		},
	},
	{
		name: "Rollout", expects: true, seeds: 2,
		begin: func() []any {
			d := webDeployment("v1", 10)
			return []any{d, webRollout(workload.Ref{APIVersion: "apps/v1", Kind: deploy.Kind, Name: "web"})}
		},
		change: func(i int) []any { return []any{webDeployment(template(i), size(i))} },
		check: func(t *testing.T, v sim.View) {
			complete(t, v, size(last))
			require.Equal(t, kruise.PhaseHealthy, v.Rollouts()[0].Status.Phase)
		},
	},
	{
		name: "Rollout of a CloneSet", seeds: 1,
		begin: func() []any {
			o := webSet("v1", 10)
			return []any{o, webRollout(o.Ref)}
		},
		change: func(i int) []any { return []any{webSet(template(i), 10)} },
		check: func(t *testing.T, v sim.View) {
			s := v.Sets()[0].Status
			require.Equal(t, []int32{10, 10}, []int32{s.UpdatedReadyReplicas, s.Replicas})
			require.Equal(t, kruise.PhaseHealthy, v.Rollouts()[0].Status.Phase)
		},
	},
	releasedDaemons("Rollout of a DaemonSet", "apps/v1"),
	releasedDaemons("Rollout of a DaemonSet of OpenKruise", "apps.kruise.io/v1alpha1"),
	ofArgo("canary of Argo", func(template string, replicas int32) cluster.ArgoRollout {
		r := argoCanary(template, replicas)
		r.Steps = r.Steps[:3] // for nobody approves
		return r
	}),
	ofArgo("blue-green update of Argo", func(template string, replicas int32) cluster.ArgoRollout {
		r := blueGreen(template, replicas)
		r.BlueGreen.AutoPromotionEnabled = nil
		return r
	}),
}

// ofArgo wants room for both templates at once.
func ofArgo(name string, rollout func(template string, replicas int32) cluster.ArgoRollout) subject {
	return subject{
		name: name, expects: true, seeds: 3,
		begin:  func() []any { return []any{rollout("v1", 10)} },
		change: func(i int) []any { return []any{rollout(template(i), size(i))} },
		check: func(t *testing.T, v sim.View) {
			r := v.ArgoRollouts()[0]
			require.Equal(t, argo.PhaseHealthy, r.Status.Phase, r.Status.Message)
			require.Equal(t, template(last), r.Status.StableRS)
			require.Equal(t, map[string]int{template(last): int(size(last))}, ofTemplates(v))
		},
	}
}

func releasedDaemons(name, apiVersion string) subject {
	return subject{
		name: name, expects: true, seeds: 1,
		begin: func() []any {
			return []any{webDaemonSet("v1"), webRollout(workload.Ref{APIVersion: apiVersion, Kind: daemonset.Kind, Name: "web"})}
		},
		change: func(i int) []any { return []any{webDaemonSet(template(i))} },
		check: func(t *testing.T, v sim.View) {
			s := v.DaemonSets()[0].Status
			require.Equal(t, []int32{8, 8, 8}, []int32{s.DesiredNumberScheduled, s.UpdatedNumberScheduled, s.NumberAvailable})
			require.Equal(t, kruise.PhaseHealthy, v.Rollouts()[0].Status.Phase)
		},
	}
}

func webReplicaSet(replicas int32) replicaset.ReplicaSet {
	labels := map[string]string{"app": "web"}
	return replicaset.ReplicaSet{
		Name: "web", UID: "web", Replicas: &replicas, Selector: selector.FromLabels(labels), TemplateLabels: labels, Template: revision.Template{ID: "v1"},
	}
}

func serving(pods []podorder.Pod) (n int) {
	for _, p := range pods {
		if p.Active() && p.Ready {
			n++
		}
	}
	return n
}

// complete: the Deployment runs what is wanted, and nothing else.
func complete(t *testing.T, v sim.View, replicas int32) {
	t.Helper()
	d := v.Deployment("web")
	require.True(t, deploy.Complete(d.Status, replicas, d.Generation), "%+v", d.Status)
	for _, rs := range v.ReplicaSets() {
		want := int32(0)
		if rs.Template.ID == template(last) {
			want = replicas
		}
		require.Equal(t, want, *rs.Replicas, rs.Name)
		require.Equal(t, int(want), serving(v.PodsOf(rs.UID)), rs.Name)
	}
}

// last is the last change of a subject.
const last = 3

// run runs a subject under the faults of a scenario until all is at rest, and returns what has
// happened, and how many pods were created beyond what was ever wanted.
func (s *scenario) run(t *testing.T, sub *subject, seed uint64, trace func(string)) (sim.Report, int) {
	t.Helper()
	beyond := excess{most: map[string]int32{}}
	w, err := sim.New(cluster.Snapshot{
		Resources: []string{"pods"}, Nodes: equalNodes(8, 5), Services: argoServices(), Templates: map[string]cluster.Template{"v1": onePod, "v2": onePod, "v3": onePod, "v4": onePod, "v5": onePod},
	}, sim.Config{
		Seed: seed, Faults: s.faults, Trace: trace, FaultsFor: s.faultsFor, Observe: beyond.saw,
		Controllers: s.own.controllers(), Without: s.own.instead,
		Times: cluster.Times{Schedule: cluster.Exactly(time.Second), Start: cluster.Between(time.Second, 8*time.Second), End: cluster.Between(0, 10*time.Second)},
		// No defect of the originals is tried here, but what faults do to sound plans.
		Deployment: deploy.Options{Repair: deployquirk.All}, ReplicaSet: replicaset.Options{Repair: replicasetquirk.All},
		DaemonSet: daemonset.Options{Repair: daemonsetquirk.All}, Rollout: kruise.Options{Repair: workloadquirk.All}, Argo: argo.Options{Repair: argoquirk.All},
	})
	require.NoError(t, err)
	beyond.w = w
	begun := w.Now()
	require.NoError(t, w.Put(sub.begin()...))
	for i := range last + 1 {
		require.NoError(t, w.Run(begun.Add(time.Duration(i+1)*s.every)))
		require.NoError(t, w.Put(sub.change(i)...))
	}
	done, err := w.Settle(3 * time.Hour)
	require.NoError(t, err)
	require.True(t, done, "no rest")
	sub.check(t, w.View())
	return w.Report(), beyond.pods
}

// TestRobustness: all controllers come to rest with what is wanted after each kind of trouble,
// and each kind has struck. What is too many in between is gone in the end, so that only
// the row in which expectations time out sees a controller that has none: see TestExpectations.
func TestRobustness(t *testing.T) {
	for i := range scenarios {
		for j := range subjects {
			s, sub := scenarios[i], &subjects[j]
			s.every, s.faultsFor = 2*time.Minute, 10*time.Minute+time.Second
			t.Run(s.name+"/"+sub.name, func(t *testing.T) {
				fired, silent, expired := map[string]int{}, map[string]int{}, 0
				for seed := range sub.seeds {
					r, _ := s.run(t, sub, seed, nil)
					for f, n := range r.Fired {
						fired[f] += n
					}
					for _, f := range r.Silent {
						silent[f]++
					}
					expired += r.Expired
				}
				for f, n := range silent {
					require.Less(t, n, int(sub.seeds), "%s has never struck", f)
				}
				if s.expires && sub.expects {
					require.Positive(t, expired, "no expectation was given up")
				}
				for f := range fired {
					require.Positive(t, reflect.ValueOf(s.faults).FieldByName(f).Float(), "%s strikes without a rate", f)
				}
				t.Log(fired, expired)
			})
		}
	}
}
