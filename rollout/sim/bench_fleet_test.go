// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// fleet are 4 Deployments for each node and 0.4 StatefulSets, of five pods each, in 20 namespaces, and 20
// DaemonSets, so that the pods double with the nodes.
func fleet(nodes int, template string) (list []any) {
	five, tenth := ptr.To(int32(5)), rollout.Percent(10)
	for i := range 4 * nodes {
		name := fmt.Sprintf("n%02d/app-%05d", i%20, i)
		list = append(list, deploy.Deployment{
			Name: name, UID: name, Replicas: five, Template: revision.Template{ID: template}, TemplateLabels: map[string]string{"app": name[4:]},
			MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25),
		})
	}
	for i := range 2 * nodes / 5 {
		name := fmt.Sprintf("n%02d/set-%05d", i%20, i)
		list = append(list, cluster.Set{TemplateLabels: map[string]string{"app": name[4:]}, Workload: workload.Workload{
			Ref: workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: name}, UID: name, Replicas: five,
			Template: revision.Template{ID: template}, RollingUpdate: &partition.RollingUpdate{},
		}})
	}
	for i := range 20 {
		name := fmt.Sprintf("n%02d/agent", i)
		list = append(list, daemonset.DaemonSet{
			Name: name, UID: name, Selector: selector.FromLabels(map[string]string{"app": "agent"}), MaxUnavailable: tenth,
			Template: daemonset.Template{Hash: template, Data: []byte(`{"spec":{"template":{"id":"` + template + `"}}}`), Labels: map[string]string{"app": "agent"}},
		})
	}
	return list
}

// BenchmarkFleet rolls workloads of all kinds out, and then all of them to another template at once, with a
// budget for each Deployment and a quota for each namespace. With 500 nodes these are 2,000 Deployments,
// 200 StatefulSets and 20 DaemonSets, of 21,000 pods.
func BenchmarkFleet(b *testing.B) {
	for _, nodes := range []int{250, 500, 1_000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			b.ReportAllocs()
			s := cluster.Snapshot{Resources: []string{"pods"}, Nodes: equalNodes(nodes, 60), Templates: map[string]cluster.Template{"v1": onePod, "v2": onePod}}
			for i := range 4 * nodes {
				name := fmt.Sprintf("n%02d/app-%05d", i%20, i)
				s.Budgets = append(s.Budgets, cluster.Budget{Name: name, Selector: selector.FromLabels(map[string]string{"app": name[4:]}), MaxUnavailable: rollout.Int(1)})
			}
			for i := range 20 {
				s.Quotas = append(s.Quotas, cluster.Quota{Name: fmt.Sprintf("n%02d/quota", i), Hard: map[string]int64{"pods": int64(4 * nodes)}})
			}
			for b.Loop() {
				w := newWorld(b, s, sim.Config{Seed: 1, Times: lives})
				for _, template := range []string{"v1", "v2"} {
					require.NoError(b, w.Put(fleet(nodes, template)...))
					settled(b, w)
				}
				require.Equal(b, 22*nodes, len(w.View().Pods())) // but for those of DaemonSets
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(42*nodes), "us/pod")
		})
	}
}

// BenchmarkEviction evicts pods of one ReplicaSet, which a budget guards, one after the other, with other
// pods beside them.
func BenchmarkEviction(b *testing.B) {
	for _, others := range []int32{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(others), func(b *testing.B) {
			b.ReportAllocs()
			set := func(name string, replicas int32) replicaset.ReplicaSet {
				labels := map[string]string{"app": name}
				return replicaset.ReplicaSet{Name: name, UID: name, Replicas: &replicas, Selector: selector.FromLabels(labels), TemplateLabels: labels}
			}
			w := newWorld(b, cluster.Snapshot{
				Nodes: equalNodes(1, 0), Budgets: []cluster.Budget{{Name: "web", Selector: set("web", 0).Selector, MaxUnavailable: rollout.Int(1)}},
			}, sim.Config{ReplicaSet: replicaset.Options{Burst: others}})
			require.NoError(b, w.Put(set("web", 10), set("other", others)))
			settled(b, w)
			for b.Loop() {
				require.NoError(b, w.Evict(w.View().PodsOf("web")[0].Name))
				settled(b, w)
			}
			require.Len(b, w.View().PodsOf("web"), 10)
		})
	}
}
