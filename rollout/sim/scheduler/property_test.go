// SPDX-License-Identifier: Apache-2.0

package scheduler_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
	"github.com/kplan-go/kplan/selector"
)

// A model has the last word on each node and pod.
type model struct {
	nodes []node
	pods  map[string]scheduler.Pod
	on    map[string]string // the node of each pod
}

// fresh makes nodes of the model alone.
func (m *model) fresh() *scheduler.Nodes {
	n := scheduler.New(m.nodes, 2)
	for _, uid := range slices.Sorted(maps.Keys(m.pods)) {
		n.Take(m.pods[uid], m.on[uid])
	}
	return n
}

func (m *model) remove(name string) {
	m.nodes = slices.DeleteFunc(m.nodes, func(n node) bool { return n.Name == name })
	maps.DeleteFunc(m.pods, func(uid string, _ scheduler.Pod) bool { return m.on[uid] == name })
}

func (m *model) set(of node) {
	if i := slices.IndexFunc(m.nodes, func(n node) bool { return n.Name == of.Name }); i >= 0 {
		m.nodes[i] = of
	} else {
		m.nodes = append(m.nodes, of)
	}
}

func oneOf[T any](t *rapid.T, list ...T) T { return rapid.SampledFrom(list).Draw(t, "one") }

func drawLabels(t *rapid.T) labels {
	return oneOf(t, nil, app("web"), app("db"), labels{"app": "web", "tier": "front"})
}

func drawSelector(t *rapid.T) *selector.LabelSelector {
	return oneOf(t, nil, &selector.LabelSelector{}, selects("web"), selects("db"),
		&selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: selector.NotIn, Values: []string{"web"}}}},
		&selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "tier", Operator: selector.Exists}}})
}

var drawTerm = rapid.Custom(func(t *rapid.T) term {
	return term{Selector: drawSelector(t), Namespaces: oneOf(t, nil, nil, []string{"shop"}, []string{"shop", "bank"}), TopologyKey: oneOf(t, zone, zone, host)}
})

var drawSpread = rapid.Custom(func(t *rapid.T) spread {
	return spread{
		MaxSkew: rapid.Int32Range(1, 2).Draw(t, "skew"), MinDomains: rapid.Int32Range(0, 3).Draw(t, "domains"),
		TopologyKey: oneOf(t, zone, zone, host), Selector: drawSelector(t),
		IgnoreAffinity: rapid.Bool().Draw(t, "ignore"), HonorTaints: rapid.Bool().Draw(t, "honor"),
	}
})

var drawPort = rapid.Custom(func(t *rapid.T) cluster.HostPort {
	return cluster.HostPort{Port: oneOf[int32](t, 80, 80, 81), Protocol: oneOf(t, "", "TCP", "UDP"), IP: oneOf(t, "", "0.0.0.0", "10.0.0.1", "10.0.0.2")}
})

var drawClaim = rapid.Custom(func(t *rapid.T) cluster.Claim {
	return cluster.Claim{Name: oneOf(t, "data", "logs"), OnePod: rapid.Bool().Draw(t, "one")}
})

var drawToleration = rapid.Custom(func(t *rapid.T) daemonset.Toleration {
	return daemonset.Toleration{Key: oneOf(t, "", "dedicated", "node.kubernetes.io/unschedulable"), Operator: daemonset.TolerationExists, Effect: oneOf(t, "", daemonset.NoSchedule)}
})

// drawTemplate draws one that asks for at least so much, but little, so that a filter more or less shows.
func drawTemplate(t *rapid.T, least int) (of template) {
	for _, demand := range rapid.SliceOfN(rapid.SampledFrom([]int{8, 7, 6, 5, 4, 3, 2, 1, 0}), least, 2).Draw(t, "demands") {
		switch demand {
		case 0:
			of.Needs = rapid.SliceOfN(rapid.Int64Range(0, 3), 0, 3).Draw(t, "needs")
		case 1:
			of.HostPorts = rapid.SliceOfN(drawPort, 1, 2).Draw(t, "ports")
		case 2:
			of.Claims = rapid.SliceOfN(drawClaim, 1, 2).Draw(t, "claims")
		case 3:
			of.Tolerations = rapid.SliceOfN(drawToleration, 1, 2).Draw(t, "tolerations")
		case 4:
			of.NodeSelector = labels{zone: "x"}
		case 5:
			of.Affinity = zones("x", "y")
		case 6:
			of.PodAffinity = rapid.SliceOfN(drawTerm, 1, 2).Draw(t, "near")
		case 7:
			of.PodAntiAffinity = rapid.SliceOfN(drawTerm, 1, 2).Draw(t, "apart")
		default:
			of.TopologySpread = rapid.SliceOfN(drawSpread, 1, 2).Draw(t, "spread")
		}
	}
	return of
}

func drawPod(t *rapid.T, least int) scheduler.Pod {
	uid := fmt.Sprint(rapid.IntRange(0, 7).Draw(t, "uid"))
	p := &podorder.Pod{Name: oneOf(t, "", "shop/", "bank/") + uid, UID: uid, Labels: drawLabels(t)}
	if rapid.IntRange(0, 5).Draw(t, "deleted") == 0 {
		p.DeletionTimestamp = time.Unix(1, 0)
	}
	return scheduler.Pod{Pod: p, Template: drawTemplate(t, least)}
}

func drawNode(t *rapid.T) node {
	of := node{Node: daemonset.Node{Name: oneOf(t, "a", "b", "c", "d", "e"), Labels: labels{}}}
	if z := oneOf(t, "", "x", "y", "z"); z != "" {
		of.Labels[zone] = z
	}
	if rapid.Bool().Draw(t, "host") {
		of.Labels[host] = of.Name
	}
	of.Room = rapid.SliceOfN(rapid.Int64Range(0, 9), 0, 3).Draw(t, "room")
	rare := rapid.IntRange(0, 12).Draw(t, "rare")
	of.Cordoned, of.NotReady = rare == 0, rare == 1
	if rare == 2 {
		of.Taints = []daemonset.Taint{no}
	}
	return of
}

// step does one thing to nodes and their model.
func step(t *rapid.T, n *scheduler.Nodes, m *model) {
	switch oneOf(t, 5, 5, 5, 5, 4, 3, 2, 1, 1) {
	case 1:
		of := drawNode(t)
		n.Set(of)
		m.set(of)
	case 2:
		name := oneOf(t, "a", "b", "c", "d", "e")
		n.Remove(name)
		m.remove(name)
	case 3:
		uid := fmt.Sprint(rapid.IntRange(0, 7).Draw(t, "uid"))
		n.Release(uid)
		delete(m.pods, uid)
	case 4:
		uid := fmt.Sprint(rapid.IntRange(0, 7).Draw(t, "uid"))
		of := drawLabels(t)
		n.Relabel(uid, of)
		if p, ok := m.pods[uid]; ok {
			relabelled := *p.Pod
			relabelled.Labels = of
			p.Pod = &relabelled
			m.pods[uid] = p
		}
	default:
		p, on := drawPod(t, 0), oneOf(t, "a", "b", "c", "d", "e")
		n.Take(p, on)
		m.pods[p.UID], m.on[p.UID] = p, on
	}
}

// After any changes, nodes answer as fresh ones do. First is the first
// that fits.
func TestFresh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := scheduler.New(nil, 2), &model{pods: map[string]scheduler.Pod{}, on: map[string]string{}}
		ask := []scheduler.Pod{drawPod(t, 1), drawPod(t, 1), drawPod(t, 1), drawPod(t, 1)}
		for range rapid.IntRange(20, 40).Draw(t, "steps") {
			step(t, n, m)
			fresh := m.fresh()
			require.Equal(t, len(m.nodes), n.Len())
			for _, p := range ask {
				same(t, fresh, n, p)
			}
			slices.Reverse(ask) // the last to ask is the first after the next step
		}
	})
}

// same demands the same answers about a pod.
func same(t *rapid.T, want, got *scheduler.Nodes, p scheduler.Pod) {
	first := -1
	for i := range got.Len() {
		require.Equal(t, want.At(i), got.At(i))
		require.Equal(t, want.Why(i, p), got.Why(i, p), "node %d", i)
		require.Equal(t, want.FitsPinned(i, p), got.FitsPinned(i, p), "node %d", i)
		for r := range 2 {
			require.Equal(t, want.Free(i, r), got.Free(i, r), "node %d", i)
		}
		if first < 0 && got.Fits(i, p) {
			first = i
		}
	}
	require.Equal(t, first, got.First(0, p))
	require.Equal(t, want.Explain(p), got.Explain(p))
}
