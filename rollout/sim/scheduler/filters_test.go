// SPDX-License-Identifier: Apache-2.0

package scheduler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
	"github.com/kplan-go/kplan/selector"
)

var (
	no  = daemonset.Taint{Key: "dedicated", Value: "db", Effect: daemonset.NoSchedule}
	out = daemonset.Taint{Key: "dedicated", Value: "db", Effect: daemonset.NoExecute}
)

// NodeResourcesFit: a request is at most the room that is left, and one of 0 needs none.
func TestRoom(t *testing.T) {
	for _, c := range []struct {
		room, taken, needs []int64
		why                scheduler.Reason
		short              []int
		because            string
	}{
		{[]int64{4, 8}, nil, []int64{4, 8}, "", nil, "all of it"},
		{[]int64{4, 8}, nil, []int64{5, 8}, scheduler.Insufficient, []int{0}, "4 is less than 5"},
		{[]int64{4, 8}, []int64{1, 1}, []int64{4, 8}, scheduler.Insufficient, []int{0, 1}, "3 and 7 are left"},
		{[]int64{4, 8}, []int64{6, 0}, []int64{0, 8}, "", nil, "of -2 none is needed"},
		{[]int64{4, 8}, []int64{6, 0}, []int64{1, 8}, scheduler.Insufficient, []int{0}, "-2 is less than 1"},
		{[]int64{0, 8}, nil, nil, "", nil, "needs that are not listed are 0"},
		{[]int64{4}, []int64{0, 1 << 62}, []int64{4, 1 << 62}, "", nil, "a resource that the node does not list is unlimited"},
		{[]int64{4, 8, 0}, nil, []int64{4, 8, 1}, "", nil, "there is no third resource"},
	} {
		n := scheduler.New([]node{{Node: daemonset.Node{Name: "a"}, Room: c.room}}, 2)
		n.Take(pod("there", nil, template{Needs: c.taken}), "a")
		p := pod("p", nil, template{Needs: c.needs})
		require.Equal(t, c.why, n.Why(0, p), c.because)
		require.Equal(t, c.short, n.Short(0, p), c.because)
		require.Equal(t, c.why == "", n.FitsPinned(0, p), "%s: pods of DaemonSets need room too", c.because)
		require.Equal(t, c.why == "", n.First(0, p) == 0, c.because)
	}
	require.Nil(t, scheduler.New(nil, 1).Short(0, pod("p", nil, template{Needs: []int64{1}})))
}

// NodeUnschedulable and TaintToleration.
func TestTaints(t *testing.T) {
	exists := func(key string) []daemonset.Toleration {
		return []daemonset.Toleration{{Key: key, Operator: daemonset.TolerationExists}}
	}
	soft := daemonset.Taint{Key: "dedicated", Effect: "PreferNoSchedule"}
	for _, c := range []struct {
		node    node
		of      []daemonset.Toleration
		why     scheduler.Reason
		because string
	}{
		{node{}, nil, "", "a node that takes pods"},
		{node{Cordoned: true}, nil, scheduler.Unschedulable, "cordoned"},
		{node{Cordoned: true}, exists("node.kubernetes.io/unschedulable"), "", "the taint of cordoned nodes is tolerated"},
		{node{Cordoned: true}, exists("node.kubernetes.io/unreachable"), scheduler.Unschedulable, "another is"},
		{node{NotReady: true}, nil, scheduler.NotReady, "does not answer"},
		{node{NotReady: true}, exists("node.kubernetes.io/unreachable"), "", "the taints of such a node are tolerated"},
		{node{NotReady: true}, []daemonset.Toleration{{Key: "node.kubernetes.io/unreachable", Operator: daemonset.TolerationExists, Effect: daemonset.NoExecute}},
			scheduler.NotReady, "one of the two is, as by default"},
		{node{NotReady: true, Cordoned: true}, exists("node.kubernetes.io/unreachable"), scheduler.Unschedulable, "cordoned too"},
		{node{NotReady: true, Cordoned: true}, exists(""), "", "all taints are tolerated"},
		{tainted("", no), nil, scheduler.TaintNotTolerated, "NoSchedule"},
		{tainted("", out), nil, scheduler.TaintNotTolerated, "NoExecute"},
		{tainted("", soft), nil, "", "PreferNoSchedule is no filter"},
		{tainted("", soft, no), nil, scheduler.TaintNotTolerated, "the second counts too"},
		{tainted("", no), exists("dedicated"), "", "any value is tolerated"},
		{tainted("", no), []daemonset.Toleration{{Key: "dedicated", Value: "db"}}, "", "this value is"},
		{tainted("", no), []daemonset.Toleration{{Key: "dedicated", Value: "web"}}, scheduler.TaintNotTolerated, "another value is"},
		{tainted("", no, out), []daemonset.Toleration{{Key: "dedicated", Value: "db", Effect: daemonset.NoExecute}}, scheduler.TaintNotTolerated, "one effect of two is"},
	} {
		n := scheduler.New([]node{c.node}, 0)
		p := pod("p", nil, template{Tolerations: c.of})
		require.Equal(t, c.why, n.Why(0, p), c.because)
		require.Equal(t, c.why == "", n.First(0, p) == 0, c.because)
		require.Equal(t, c.why == "" || c.why == scheduler.Unschedulable, n.FitsPinned(0, p), "%s: pods of DaemonSets tolerate that a node is cordoned", c.because)
	}
}

// NodeAffinity: the node selector and the required affinity must both hold.
func TestNodeAffinity(t *testing.T) {
	ssd := &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{MatchExpressions: []selector.Expression{{Key: "disk", Operator: selector.In, Values: []string{"ssd"}}}}}}
	named := &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{MatchFields: []selector.Expression{{Key: "metadata.name", Operator: selector.In, Values: []string{"a"}}}}}}
	wrong := &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{MatchExpressions: []selector.Expression{{Key: "disk", Operator: "Like", Values: []string{"ssd"}}}}}}
	a := node{Node: daemonset.Node{Name: "a", Labels: labels{"disk": "ssd", zone: "x"}}}
	for _, c := range []struct {
		t       template
		why     scheduler.Reason
		because string
	}{
		{template{}, "", "asks for nothing"},
		{template{NodeSelector: labels{zone: "x"}}, "", "has the label"},
		{template{NodeSelector: labels{zone: "y"}}, scheduler.NodeAffinity, "has another value"},
		{template{NodeSelector: labels{"arch": ""}}, scheduler.NodeAffinity, "has no such label"},
		{template{Affinity: ssd}, "", "has a value of the list"},
		{template{Affinity: ssd, NodeSelector: labels{zone: "y"}}, scheduler.NodeAffinity, "both must hold"},
		{template{Affinity: named}, "", "has the name"},
		{template{Affinity: &selector.NodeSelector{}}, scheduler.NodeAffinity, "one without terms selects none"},
		{template{Affinity: wrong}, scheduler.NodeAffinity, "a wrong term selects none"},
	} {
		n := scheduler.New([]node{a}, 0)
		p := pod("p", nil, c.t)
		require.Equal(t, c.why, n.Why(0, p), c.because)
		require.True(t, n.FitsPinned(0, p), c.because)
	}
}

// NodePorts: the same number and protocol conflict on the same address, and on all.
func TestHostPorts(t *testing.T) {
	type port = cluster.HostPort
	for _, c := range []struct {
		used, wanted port
		why          scheduler.Reason
		because      string
	}{
		{port{Port: 80}, port{Port: 80}, scheduler.HostPort, "the same"},
		{port{Port: 80}, port{Port: 81}, "", "another number"},
		{port{Port: 80}, port{Port: 80, Protocol: "TCP"}, scheduler.HostPort, "TCP is the default"},
		{port{Port: 80}, port{Port: 80, Protocol: "UDP"}, "", "another protocol"},
		{port{Port: 80, IP: "10.0.0.1"}, port{Port: 80, IP: "10.0.0.2"}, "", "another address"},
		{port{Port: 80, IP: "10.0.0.1"}, port{Port: 80, IP: "10.0.0.1"}, scheduler.HostPort, "the same address"},
		{port{Port: 80, IP: "10.0.0.1"}, port{Port: 80, IP: "0.0.0.0"}, scheduler.HostPort, "all addresses are wanted"},
		{port{Port: 80, IP: "10.0.0.1"}, port{Port: 80}, scheduler.HostPort, "which is the default"},
		{port{Port: 80}, port{Port: 80, IP: "10.0.0.1"}, scheduler.HostPort, "all addresses are used"},
		{port{Port: 0}, port{Port: 0}, "", "0 is no port"},
	} {
		n := scheduler.New([]node{in("a", "x"), in("b", "x")}, 0)
		n.Take(pod("there", nil, template{HostPorts: []port{c.used}}), "a")
		p := pod("p", nil, template{HostPorts: []port{{Port: 9}, c.wanted}})
		require.Equal(t, reasons{c.why, ""}, whys(n, p), c.because)
		require.Equal(t, c.why == "", n.FitsPinned(0, p), c.because)
		n.Release("there")
		require.Equal(t, reasons{"", ""}, whys(n, p), "%s: the port is given back", c.because)
	}

	n := scheduler.New([]node{in("a", "x")}, 0)
	of80 := template{HostPorts: []port{{Port: 80}}}
	n.Take(pod("p", nil, of80), "a")
	n.Take(pod("q", nil, of80), "a")
	n.Release("p")
	require.Equal(t, scheduler.HostPort, n.Why(0, pod("r", nil, of80)), "two pods have used it, and one still does")
}

// VolumeRestrictions, and volumes that one node can attach.
func TestClaims(t *testing.T) {
	of := func(one bool) template { return template{Claims: []cluster.Claim{{Name: "shop/data", OnePod: one}}} }
	for _, c := range []struct {
		used, wanted template
		want         reasons
		because      string
	}{
		{of(false), of(false), reasons{"", scheduler.VolumeInUse}, "ReadWriteOnce: pods of one node"},
		{of(true), of(true), reasons{scheduler.VolumeInUse, scheduler.VolumeInUse}, "ReadWriteOncePod: one pod"},
		{of(true), template{}, reasons{"", ""}, "a pod that does not use it"},
		{template{Claims: []cluster.Claim{{Name: "other/data", OnePod: true}}}, of(true), reasons{"", ""}, "one of another namespace"},
	} {
		n := scheduler.New([]node{in("a", "x"), in("b", "x")}, 0)
		n.Take(pod("there", nil, c.used), "a")
		p := pod("p", nil, c.wanted)
		require.Equal(t, c.want, whys(n, p), c.because)
		for i, why := range c.want {
			require.Equal(t, why == "", n.FitsPinned(i, p), c.because)
			require.Equal(t, why == "", n.First(i, p) == i, c.because)
		}
		n.Release("there")
		require.Equal(t, reasons{"", ""}, whys(n, p), "%s: it is given back", c.because)
	}
	n := scheduler.New([]node{in("a", "x"), in("b", "x")}, 0)
	n.Take(pod("p", nil, of(false)), "a")
	n.Take(pod("q", nil, of(false)), "b")
	require.Equal(t, reasons{scheduler.VolumeInUse, scheduler.VolumeInUse}, whys(n, pod("r", nil, of(false))), "each is another node for the other")
}

// Filters are asked in the order of the scheduler.
func TestOrder(t *testing.T) {
	bad := in("a", "x")
	bad.Cordoned, bad.NotReady, bad.Taints, bad.Room = true, true, []daemonset.Taint{no}, []int64{0}
	p := pod("p", app("web"), template{
		Needs: []int64{1}, NodeSelector: labels{zone: "y"}, HostPorts: []cluster.HostPort{{Port: 80}},
		Claims:          []cluster.Claim{{Name: "data", OnePod: true}},
		TopologySpread:  []cluster.TopologySpread{{MaxSkew: 1, TopologyKey: "rack"}},
		PodAffinity:     []cluster.PodTerm{{TopologyKey: zone, Selector: selects("none")}},
		PodAntiAffinity: []cluster.PodTerm{{TopologyKey: zone, Selector: selects("web")}},
		Unplaceable:     true,
	})
	n := scheduler.New([]node{bad}, 1)
	n.Take(pod("there", app("web"), template{HostPorts: []cluster.HostPort{{Port: 80}}, Claims: []cluster.Claim{{Name: "data"}}}), "a")
	for _, step := range []struct {
		why    scheduler.Reason
		mended func()
	}{
		{scheduler.Unplaceable, func() { p.Template.Unplaceable = false }},
		{scheduler.Unschedulable, func() { bad.Cordoned = false }},
		{scheduler.NotReady, func() { bad.NotReady = false }},
		{scheduler.TaintNotTolerated, func() { bad.Taints = nil }},
		{scheduler.NodeAffinity, func() { p.Template.NodeSelector = nil }},
		{scheduler.HostPort, func() { p.Template.HostPorts = nil }},
		{scheduler.Insufficient, func() { p.Template.Needs = nil }},
		{scheduler.VolumeInUse, func() { p.Template.Claims = nil }},
		{scheduler.TopologySpread, func() { p.Template.TopologySpread = nil }},
		{scheduler.PodAffinity, func() { p.Template.PodAffinity = nil }},
		{scheduler.PodAntiAffinity, func() { p.Template.PodAntiAffinity = nil }},
		{"", func() {}},
	} {
		require.Equal(t, step.why, n.Why(0, p))
		step.mended()
		n.Set(bad)
	}
}

func TestExplain(t *testing.T) {
	small, wide := in("a", "x"), in("d", "x")
	small.Room, wide.Room = []int64{1, 1}, []int64{9, 1}
	other := small
	other.Name = "b"
	n := scheduler.New([]node{small, other, tainted("c", no), wide, in("e", "x")}, 2)
	p := pod("p", nil, template{Needs: []int64{2, 2}})
	e := n.Explain(p)
	require.Equal(t, scheduler.Explanation{Nodes: 5, Fit: 1, Refusals: []scheduler.Refusal{
		{Reason: scheduler.Insufficient, Resource: 1, Nodes: 3},
		{Reason: scheduler.Insufficient, Resource: 0, Nodes: 2},
		{Reason: scheduler.TaintNotTolerated, Nodes: 1},
	}}, e)
	require.Equal(t, "1/5 nodes are available: 3 Insufficient memory, 2 Insufficient cpu, 1 node(s) had untolerated taint(s).", e.Text([]string{"cpu", "memory"}))
	require.Equal(t, "1/5 nodes are available: 3 Insufficient resource 1, 2 Insufficient resource 0, 1 node(s) had untolerated taint(s).", e.Text(nil))
	require.Equal(t, "0/0 nodes are available.", scheduler.Explanation{}.Text(nil))

	list := []scheduler.Reason{scheduler.Unplaceable, scheduler.Unschedulable, scheduler.NotReady, scheduler.NodeAffinity, scheduler.HostPort, scheduler.VolumeInUse, scheduler.TopologySpread, scheduler.PodAffinity, scheduler.PodAntiAffinity}
	e, texts := scheduler.Explanation{Nodes: len(list)}, map[string]bool{}
	for _, r := range list {
		e.Refusals = []scheduler.Refusal{{Reason: r, Nodes: 1}}
		texts[e.Text(nil)] = true
	}
	require.Len(t, texts, len(list), "each reason has a text")
}
