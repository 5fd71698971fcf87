// SPDX-License-Identifier: Apache-2.0

package scheduler_test

import (
	"fmt"
	"testing"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// full are nodes with 30 pods of a template each, of which the last node takes one more.
func full(size int, t template) (*scheduler.Nodes, []scheduler.Pod) {
	list := make([]node, size)
	for i := range list {
		list[i] = in(fmt.Sprint("node-", i), fmt.Sprint("zone-", i%3))
		list[i].Room = []int64{30, 30}
	}
	list[size-1].Room = []int64{31, 31}
	n := scheduler.New(list, 2)
	var pods []scheduler.Pod
	for i := range 30 * size {
		p := pod(fmt.Sprint("pod-", i), app(fmt.Sprint("app-", i%30)), t)
		n.Take(p, list[i/30].Name)
		pods = append(pods, p)
	}
	return n, pods
}

// BenchmarkTurn releases a pod and takes another, on the first node that it fits: the last one at
// first.
func BenchmarkTurn(b *testing.B) {
	needs := []int64{1, 1}
	for _, kind := range []struct {
		name string
		of   template
	}{
		{"room", template{Needs: needs}},
		{"apart", template{Needs: needs, PodAntiAffinity: []term{{Selector: selects("app-0"), TopologyKey: "rack"}}}},
		{"spread", template{Needs: needs, TopologySpread: []cluster.TopologySpread{{MaxSkew: 1 << 20, TopologyKey: host, Selector: selects("app-0")}}}},
	} {
		for _, size := range []int{50, 500, 5000} {
			n, pods := full(size, kind.of)
			b.Run(fmt.Sprintf("%s/nodes=%d", kind.name, size), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					p := pods[i*7919%len(pods)]
					n.Release(p.UID)
					n.Take(p, n.At(n.First(0, p)).Name)
				}
			})
		}
	}
}

// BenchmarkSet cordons a node and takes that back.
func BenchmarkSet(b *testing.B) {
	n, _ := full(5000, template{Needs: []int64{1, 1}})
	of := *n.At(2500)
	b.ReportAllocs()
	for b.Loop() {
		of.Cordoned = !of.Cordoned
		n.Set(of)
	}
}

// BenchmarkFits asks about all nodes one by one, as schedulers do that weigh them.
func BenchmarkFits(b *testing.B) {
	n, _ := full(500, template{Needs: []int64{1, 1}})
	p := pod("p", app("app-0"), template{
		Affinity: zones("zone-0", "zone-1"), Tolerations: []daemonset.Toleration{{Key: "dedicated"}},
		TopologySpread: []cluster.TopologySpread{{MaxSkew: 1, TopologyKey: host, Selector: selects("app-0")}},
	})
	b.ReportAllocs()
	for b.Loop() {
		for i := range n.Len() {
			n.Fits(i, p)
		}
	}
}
