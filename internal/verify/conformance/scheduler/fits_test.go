// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
	"github.com/kplan-go/kplan/selector"
)

func fromEnv(name string, unset uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil && n > 0 {
		return n
	}
	return unset
}

// TestFits runs the scheduler's filters and ours on the same random nodes and pods. Each reason
// must occur.
func TestFits(t *testing.T) {
	seed := fromEnv("KPLAN_SEED", 3) // in which constraints with one key and other policies meet
	census := map[scheduler.Reason]int{}
	pinned := map[bool]int{}
	for i := range fromEnv("KPLAN_CASES", 10_000) {
		c := draw{rand.New(rand.NewPCG(seed, i))}.world()
		compare(t, c, fmt.Sprintf("KPLAN_SEED=%d, case %d", seed, i), census, pinned)
		if t.Failed() {
			return
		}
	}
	t.Log(census, pinned)
	for _, r := range []scheduler.Reason{
		"", scheduler.Unschedulable, scheduler.NotReady, scheduler.TaintNotTolerated, scheduler.NodeAffinity, scheduler.HostPort,
		scheduler.Insufficient, scheduler.VolumeInUse, scheduler.TopologySpread, scheduler.PodAffinity, scheduler.PodAntiAffinity,
	} {
		require.Positive(t, census[r], "%q has not occurred", r)
	}
	require.Positive(t, pinned[true])
	require.Positive(t, pinned[false])
}

// A world is the input of both sides: nodes, pods on them, and a pod to place.
type world struct {
	Nodes []cluster.Node
	Pods  []scheduler.Pod // on the nodes that they name
	Asks  scheduler.Pod
}

// compare demands the same reason of both sides for each node. A node that does not answer has
// taints upstream.
func compare(t *testing.T, c world, which string, census map[scheduler.Reason]int, pinned map[bool]int) {
	n := scheduler.New(c.Nodes, len(resources))
	var all []*corev1.Node
	var placed []*corev1.Pod
	for i := range c.Nodes {
		all = append(all, apiNode(&c.Nodes[i]))
	}
	for _, p := range c.Pods {
		n.Take(p, p.NodeName)
		placed = append(placed, apiPod(p))
	}
	asks := apiPod(c.Asks)
	theirs := whys(all, placed, asks, false)
	fast := whys(all, placed, asks, true)
	for i := range c.Nodes {
		ours := n.Why(i, c.Asks)
		census[ours]++
		if ours == scheduler.NotReady {
			ours = scheduler.TaintNotTolerated
		}
		if ours == theirs[i] && ours == "" {
			// Upstream's other method for kubernetes.io/hostname also counts pods on nodes without
			// that label; otherwise it is the same.
			require.Contains(t, []scheduler.Reason{"", scheduler.PodAffinity}, fast[i])
		}
		if ours != theirs[i] {
			text, _ := json.MarshalIndent(c, "", " ")
			require.Equal(t, theirs[i], ours, "%s, node %d of\n%s", which, i, text)
		}
		switch ours {
		case scheduler.Unschedulable, scheduler.TaintNotTolerated, scheduler.NodeAffinity:
			continue // decided by the controller of a DaemonSet
		}
		fits := whys(all, placed, pin(asks, c.Nodes[i].Name), false)[i] == ""
		pinned[fits]++
		if fits != n.FitsPinned(i, c.Asks) {
			text, _ := json.MarshalIndent(c, "", " ")
			require.Equal(t, fits, n.FitsPinned(i, c.Asks), "%s, pinned to node %d of\n%s", which, i, text)
		}
	}
}

// A draw draws worlds in which a filter more or less shows.
type draw struct{ *rand.Rand }

func one[T any](d draw, list ...T) T { return list[d.IntN(len(list))] }

const (
	zone = "topology.kubernetes.io/zone"
	host = corev1.LabelHostname
)

func (d draw) world() (c world) {
	for i := range 1 + d.IntN(5) {
		c.Nodes = append(c.Nodes, d.node(string(rune('a'+i))))
	}
	for i := range d.IntN(9) {
		p := d.pod(i, d.IntN(2))
		p.NodeName = one(d, c.Nodes...).Name
		c.Pods = append(c.Pods, p)
	}
	c.Asks = d.pod(9, 1+d.IntN(2))
	c.Asks.DeletionTimestamp = time.Time{}
	return c
}

func (d draw) node(name string) (n cluster.Node) {
	n.Name, n.Labels = name, map[string]string{}
	if z := one(d, "", "x", "x", "y", "z", "w"); z != "" {
		n.Labels[zone] = z
	}
	if d.IntN(4) > 0 {
		n.Labels[host] = name
	}
	for range d.IntN(len(resources) + 1) {
		n.Room = append(n.Room, d.Int64N(8))
	}
	switch d.IntN(12) {
	case 0:
		n.Cordoned = true
	case 1:
		n.NotReady = true
	case 2, 3:
		n.Taints = append(n.Taints, taint(one(d, "NoSchedule", "NoExecute", "PreferNoSchedule")))
	}
	return n
}

func (d draw) labels() map[string]string {
	return one(d, nil, map[string]string{"app": "web"}, map[string]string{"app": "web"}, map[string]string{"app": "db"}, map[string]string{"app": "web", "tier": "front"})
}

func (d draw) selector() *selector.LabelSelector {
	web := map[string]string{"app": "web"}
	return one(d, nil, &selector.LabelSelector{}, &selector.LabelSelector{MatchLabels: web}, &selector.LabelSelector{MatchLabels: web},
		&selector.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
		&selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: selector.NotIn, Values: []string{"web"}}}},
		&selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "tier", Operator: selector.Exists}}})
}

func (d draw) terms() (list []cluster.PodTerm) {
	for range 1 + d.IntN(2) {
		list = append(list, cluster.PodTerm{
			Selector: d.selector(), Namespaces: one(d, nil, nil, nil, []string{"shop"}, []string{"shop", "bank"}), TopologyKey: one(d, zone, host),
		})
	}
	return list
}

func (d draw) spreads() (list []cluster.TopologySpread) {
	for range 1 + d.IntN(2) {
		list = append(list, cluster.TopologySpread{
			MaxSkew: 1 + d.Int32N(2), MinDomains: d.Int32N(4), TopologyKey: one(d, zone, zone, host),
			Selector: d.selector(), IgnoreAffinity: d.IntN(2) == 0, HonorTaints: d.IntN(2) == 0,
		})
	}
	return list
}

// pod draws one with a few demands.
func (d draw) pod(i, demands int) (p scheduler.Pod) {
	namespace := one(d, "", "", "shop", "bank")
	p = named(namespace, i)
	p.Labels = d.labels()
	if d.IntN(5) == 0 {
		p.DeletionTimestamp = time.Unix(1, 0)
	}
	t := &p.Template
	for range demands {
		switch d.IntN(10) {
		case 0:
			t.Needs = nil
			for range d.IntN(len(resources) + 1) {
				t.Needs = append(t.Needs, d.Int64N(5))
			}
		case 1:
			for range 1 + d.IntN(2) {
				t.HostPorts = append(t.HostPorts, cluster.HostPort{
					Port: one[int32](d, 80, 80, 81), Protocol: one(d, "", "TCP", "UDP"), IP: one(d, "", "0.0.0.0", "10.0.0.1", "10.0.0.2"),
				})
			}
		case 2:
			t.Claims = []cluster.Claim{{Name: namespace + "/data", OnePod: true}}
		case 3:
			t.Tolerations = append(t.Tolerations, toleration(
				one(d, "", "dedicated", "node.kubernetes.io/unschedulable", "node.kubernetes.io/unreachable"), one(d, "", "", "NoSchedule", "NoExecute"),
			))
		case 4:
			t.NodeSelector = map[string]string{zone: "x"}
		case 5:
			t.Affinity = zonesOf(d)
		case 6:
			t.PodAffinity = d.terms()
		case 7:
			t.PodAntiAffinity = d.terms()
		default:
			t.TopologySpread = d.spreads()
		}
	}
	return p
}

func zonesOf(d draw) *selector.NodeSelector {
	e := one(d,
		selector.Expression{Key: zone, Operator: selector.In, Values: []string{"x", "y"}},
		selector.Expression{Key: zone, Operator: selector.NotIn, Values: []string{"x"}},
		selector.Expression{Key: host, Operator: selector.Exists})
	return &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{MatchExpressions: []selector.Expression{e}}}}
}
