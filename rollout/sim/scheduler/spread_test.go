// SPDX-License-Identifier: Apache-2.0

package scheduler_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
	"github.com/kplan-go/kplan/selector"
)

type spread = cluster.TopologySpread

// PodTopologySpread. The nodes are a and b of zone x, c of zone y, e of zone z, and d without
// labels, with some pods of web on each.
func TestTopologySpread(t *testing.T) {
	const uneven = scheduler.TopologySpread
	web := selects("web")
	for _, c := range []struct {
		because string
		pods    [5]int // on a, b, c, e, d
		t       template
		want    reasons
	}{
		{"2, 1 and 1 pods: another one in x is 2 more than in y", [5]int{1, 1, 1, 1, 0}, template{TopologySpread: []spread{{MaxSkew: 1, TopologyKey: zone, Selector: web}}}, reasons{uneven, uneven, "", "", uneven}},
		{"which maxSkew 2 allows", [5]int{1, 1, 1, 1, 0}, template{TopologySpread: []spread{{MaxSkew: 2, TopologyKey: zone, Selector: web}}}, reasons{"", "", "", "", uneven}},
		{"pods on a node without the label do not count", [5]int{0, 0, 0, 0, 9}, template{TopologySpread: []spread{{MaxSkew: 1, TopologyKey: zone, Selector: web}}}, reasons{"", "", "", "", uneven}},
		{"by node: a and b have 1 more than c", [5]int{1, 1, 0, 1, 0}, template{TopologySpread: []spread{{MaxSkew: 1, TopologyKey: host, Selector: web}}}, reasons{uneven, uneven, "", uneven, uneven}},
		{"1, 1 and 1 pods, but 4 zones are wanted: there may be 1 in each", [5]int{1, 0, 1, 1, 0}, template{TopologySpread: []spread{{MaxSkew: 1, MinDomains: 4, TopologyKey: zone, Selector: web}}}, reasons{uneven, uneven, uneven, uneven, uneven}},
		{"3 zones are", [5]int{1, 0, 1, 1, 0}, template{TopologySpread: []spread{{MaxSkew: 1, MinDomains: 3, TopologyKey: zone, Selector: web}}}, reasons{"", "", "", "", uneven}},
		{"a second constraint, for pods of db, changes nothing for this one", [5]int{1, 0, 1, 0, 0}, template{TopologySpread: []spread{{MaxSkew: 1, TopologyKey: zone, Selector: web}, {MaxSkew: 1, TopologyKey: host, Selector: selects("db")}}}, reasons{uneven, uneven, uneven, "", uneven}},
		{"an empty selector counts only the pod", [5]int{9, 0, 0, 0, 0}, template{TopologySpread: []spread{{MaxSkew: 1, TopologyKey: zone, Selector: &selector.LabelSelector{}}}}, reasons{"", "", "", "", uneven}},
		{"no selector counts none", [5]int{9, 0, 0, 0, 0}, template{TopologySpread: []spread{{MaxSkew: 1, TopologyKey: zone}}}, reasons{"", "", "", "", uneven}},
		{"a wrong selector refuses all", [5]int{}, template{TopologySpread: []spread{{MaxSkew: 1, TopologyKey: zone, Selector: wrong}}}, reasons{uneven, uneven, uneven, uneven, uneven}},
		{
			"nodes of other zones do not count if the pod cannot go there: x has 2, y 1", [5]int{1, 1, 1, 0, 0},
			template{Affinity: zones("x", "y"), TopologySpread: []spread{{MaxSkew: 1, TopologyKey: zone, Selector: web}}}, reasons{uneven, uneven, "", scheduler.NodeAffinity, scheduler.NodeAffinity},
		},
		{
			"they do if node affinity is ignored: z has 0", [5]int{1, 1, 1, 0, 0},
			template{Affinity: zones("x", "y"), TopologySpread: []spread{{MaxSkew: 1, TopologyKey: zone, Selector: web, IgnoreAffinity: true}}}, reasons{uneven, uneven, uneven, scheduler.NodeAffinity, scheduler.NodeAffinity},
		},
	} {
		n := scheduler.New([]node{in("a", "x"), in("b", "x"), in("c", "y"), in("e", "z"), {Node: daemonset.Node{Name: "d"}}}, 0)
		fill(n, c.pods)
		require.Equal(t, c.want, whys(n, pod("p", app("web"), c.t)), c.because)
	}
}

// fill puts pods of web on the nodes.
func fill(n *scheduler.Nodes, pods [5]int) {
	for i, of := range pods {
		for j := range of {
			n.Take(pod(strconv.Itoa(i)+"-"+strconv.Itoa(j), app("web"), template{}), n.At(i).Name)
		}
	}
}

func zones(list ...string) *selector.NodeSelector {
	return &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{MatchExpressions: []selector.Expression{{Key: zone, Operator: selector.In, Values: list}}}}}
}

// PodTopologySpread: nodeTaintsPolicy.
func TestSpreadTaints(t *testing.T) {
	web := selects("web")
	taint := in("c", "y")
	taint.Taints = []daemonset.Taint{no}
	cordon := in("c", "y")
	cordon.Cordoned = true
	for _, c := range []struct {
		node    node
		honor   bool
		of      []daemonset.Toleration
		why     scheduler.Reason // of a
		because string
	}{
		{taint, false, nil, scheduler.TopologySpread, "y counts, with no pods: a second one in x is 2 more"},
		{taint, true, nil, "", "y does not count, so that x is the only zone"},
		{taint, true, []daemonset.Toleration{{Operator: daemonset.TolerationExists}}, scheduler.TopologySpread, "the taint is tolerated"},
		{cordon, false, nil, scheduler.TopologySpread, "a cordoned node counts"},
		{cordon, true, nil, "", "unless taints are honored: it has one"},
	} {
		n := scheduler.New([]node{in("a", "x"), c.node}, 0)
		n.Take(pod("w", app("web"), template{}), "a")
		p := pod("p", app("web"), template{Tolerations: c.of, TopologySpread: []spread{{MaxSkew: 1, TopologyKey: zone, Selector: web, HonorTaints: c.honor}}})
		require.Equal(t, c.why, n.Why(0, p), c.because)

		p.Template.Tolerations = []daemonset.Toleration{{Operator: daemonset.TolerationExists}}
		require.Equal(t, scheduler.TopologySpread, n.Why(0, p), "%s: y counts for a pod that tolerates all", c.because)
		p.Template.NodeSelector = labels{zone: "x"}
		require.Empty(t, n.Why(0, p), "%s: not for one that cannot go there", c.because)
	}
}

// A pod of a DaemonSet has the affinity for its node, which is then the only one that counts.
func TestSpreadPinned(t *testing.T) {
	n := scheduler.New([]node{in("a", "x"), in("b", "x"), in("c", "y"), in("e", "z"), {Node: daemonset.Node{Name: "d"}}}, 0)
	fill(n, [5]int{2, 2, 0, 0, 0})
	of := func(s spread) scheduler.Pod {
		s.TopologyKey, s.Selector = zone, selects("web")
		return pod("p", app("web"), template{TopologySpread: []spread{s}})
	}
	require.False(t, n.Fits(0, of(spread{MaxSkew: 1})), "5 in x and 0 in y")
	require.True(t, n.FitsPinned(0, of(spread{MaxSkew: 1})), "3 here, and nowhere less than 2")
	require.False(t, n.FitsPinned(0, of(spread{MaxSkew: 1, IgnoreAffinity: true})), "all zones count")
	require.False(t, n.FitsPinned(0, of(spread{MaxSkew: 2, MinDomains: 2})), "one zone of two: 3 pods are too many")
	require.True(t, n.FitsPinned(0, of(spread{MaxSkew: 3, MinDomains: 2})))
	require.False(t, n.FitsPinned(4, of(spread{MaxSkew: 1})), "it has no label")
}

// A node without the label of one constraint does not count for any.
func TestSpreadLabels(t *testing.T) {
	bare := in("b", "y")
	delete(bare.Labels, host)
	n := scheduler.New([]node{in("a", "x"), bare}, 0)
	n.Take(pod("w", app("web"), template{}), "a")
	byZone := spread{MaxSkew: 1, TopologyKey: zone, Selector: selects("web")}
	byHost := spread{MaxSkew: 1, TopologyKey: host, Selector: selects("web")}
	require.Equal(t, reasons{scheduler.TopologySpread, ""}, whys(n, pod("p", app("web"), template{TopologySpread: []spread{byZone}})), "y has 0")
	require.Equal(t, reasons{"", scheduler.TopologySpread}, whys(n, pod("p", app("web"), template{TopologySpread: []spread{byZone, byHost}})), "y does not count, as b is no place by name")
}

// TestSpreadPolicies: two constraints with one key and one selector, of which the first does not count the
// tainted node. The places of the second one are x, y and z, and z has one pod too many.
func TestSpreadPolicies(t *testing.T) {
	web := selector.FromLabels(map[string]string{"app": "web"})
	var list []cluster.Node
	for name, zone := range map[string]string{"a": "x", "b": "y", "c": "z"} {
		list = append(list, cluster.Node{Node: daemonset.Node{Name: name, Labels: map[string]string{"zone": zone}}})
	}
	slices.SortFunc(list, func(a, b cluster.Node) int { return strings.Compare(a.Name, b.Name) })
	list[0].Taints = []daemonset.Taint{{Key: "dedicated", Effect: daemonset.NoSchedule}}
	n := scheduler.New(list, 0)
	n.Take(scheduler.Pod{Pod: &podorder.Pod{Name: "p", UID: "p", Labels: map[string]string{"app": "web"}}}, "c")
	asks := scheduler.Pod{Pod: &podorder.Pod{Name: "q", UID: "q", Labels: map[string]string{"app": "web"}}, Template: cluster.Template{TopologySpread: []cluster.TopologySpread{
		{MaxSkew: 2, MinDomains: 3, TopologyKey: "zone", Selector: web, HonorTaints: true}, {MaxSkew: 1, TopologyKey: "zone", Selector: web},
	}}}
	require.True(t, n.Fits(1, asks))
	require.False(t, n.Fits(2, asks))
	asks.Template.TopologySpread[1].MaxSkew = 2
	require.True(t, n.Fits(2, asks))
}
