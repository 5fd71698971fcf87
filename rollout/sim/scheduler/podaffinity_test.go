// SPDX-License-Identifier: Apache-2.0

package scheduler_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
	"github.com/kplan-go/kplan/selector"
)

type term = cluster.PodTerm

// wrong is a selector that cannot be read.
var wrong = &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: "Like"}}}

// three are nodes a and b of zone x, c of zone y, and d without labels.
func three() *scheduler.Nodes {
	return scheduler.New([]node{in("a", "x"), in("b", "x"), in("c", "y"), {Node: daemonset.Node{Name: "d"}}}, 0)
}

// InterPodAffinity: required terms of the pod that asks. The reasons are for a, b, c and d.
func TestPodAffinity(t *testing.T) {
	const far = scheduler.PodAffinity
	for _, c := range []struct {
		because string
		name    string
		labels  labels
		terms   []term
		on      map[string]scheduler.Pod // by node
		want    reasons
	}{
		{
			"a pod of web is on a: all of its zone will do", "p", nil, []term{{Selector: selects("web"), TopologyKey: zone}},
			map[string]scheduler.Pod{"a": pod("w", app("web"), template{})}, reasons{"", "", far, far},
		},
		{
			"its node will do", "p", nil, []term{{Selector: selects("web"), TopologyKey: host}},
			map[string]scheduler.Pod{"a": pod("w", app("web"), template{})}, reasons{"", far, far, far},
		},
		{
			"no pod matches, not even the pod", "p", nil, []term{{Selector: selects("web"), TopologyKey: zone}},
			nil, reasons{far, far, far, far},
		},
		{
			"no pod matches, but the pod itself: it is the first, on a node with the label", "p", app("web"), []term{{Selector: selects("web"), TopologyKey: zone}},
			nil, reasons{"", "", "", far},
		},
		{
			"it is not the first", "p", app("web"), []term{{Selector: selects("web"), TopologyKey: zone}},
			map[string]scheduler.Pod{"c": pod("w", app("web"), template{})}, reasons{far, far, "", far},
		},
		{
			"a pod on a node without the label is in no place, so it is the first", "p", app("web"), []term{{Selector: selects("web"), TopologyKey: zone}},
			map[string]scheduler.Pod{"d": pod("w", app("web"), template{})}, reasons{"", "", "", far},
		},
		{
			"a pod of another namespace does not match", "shop/p", nil, []term{{Selector: selects("web"), TopologyKey: zone}},
			map[string]scheduler.Pod{"a": pod("bank/w", app("web"), template{})}, reasons{far, far, far, far},
		},
		{
			"one of its namespace does", "shop/p", nil, []term{{Selector: selects("web"), TopologyKey: zone}},
			map[string]scheduler.Pod{"a": pod("shop/w", app("web"), template{})}, reasons{"", "", far, far},
		},
		{
			"unless the term names it", "shop/p", nil, []term{{Selector: selects("web"), Namespaces: []string{"inn", "bank"}, TopologyKey: zone}},
			map[string]scheduler.Pod{"a": pod("bank/w", app("web"), template{})}, reasons{"", "", far, far},
		},
		{
			"the pod is not in the namespaces of the term: it is not the first", "shop/p", app("web"), []term{{Selector: selects("web"), Namespaces: []string{"bank"}, TopologyKey: zone}},
			nil, reasons{far, far, far, far},
		},
		{
			"one pod must match all terms", "p", nil, []term{{Selector: selects("web"), TopologyKey: zone}, {Selector: &selector.LabelSelector{MatchLabels: labels{"tier": "front"}}, TopologyKey: zone}},
			map[string]scheduler.Pod{"a": pod("w", app("web"), template{}), "b": pod("f", labels{"tier": "front"}, template{})}, reasons{far, far, far, far},
		},
		{
			"this one does, and is in the zone and on the node", "p", nil, []term{{Selector: selects("web"), TopologyKey: zone}, {Selector: &selector.LabelSelector{MatchLabels: labels{"tier": "front"}}, TopologyKey: host}},
			map[string]scheduler.Pod{"a": pod("w", labels{"app": "web", "tier": "front"}, template{})}, reasons{"", far, far, far},
		},
		{
			"an empty selector selects all pods", "p", nil, []term{{Selector: &selector.LabelSelector{}, TopologyKey: zone}},
			map[string]scheduler.Pod{"c": pod("w", nil, template{})}, reasons{far, far, "", far},
		},
		{
			"no selector selects none", "p", nil, []term{{TopologyKey: zone}},
			map[string]scheduler.Pod{"c": pod("w", nil, template{})}, reasons{far, far, far, far},
		},
		{
			"a wrong selector refuses all nodes", "p", app("web"), []term{{Selector: wrong, TopologyKey: zone}},
			nil, reasons{far, far, far, far},
		},
	} {
		n := three()
		for _, name := range []string{"a", "b", "c", "d"} {
			if p, ok := c.on[name]; ok {
				n.Take(p, name)
			}
		}
		p := pod(c.name, c.labels, template{PodAffinity: c.terms})
		require.Equal(t, c.want, whys(n, p), c.because)
		for i, why := range c.want {
			require.Equal(t, why == "", n.FitsPinned(i, p), c.because)
		}
	}
}

// InterPodAffinity: anti-affinity in both directions.
func TestPodAntiAffinity(t *testing.T) {
	const near = scheduler.PodAntiAffinity
	against := func(app, key string, namespaces ...string) template {
		return template{PodAntiAffinity: []term{{Selector: selects(app), TopologyKey: key, Namespaces: namespaces}}}
	}
	for _, c := range []struct {
		because  string
		on       string
		there, p scheduler.Pod
		want     reasons
	}{
		{"its zone has one of web", "a", pod("w", app("web"), template{}), pod("p", nil, against("web", zone)), reasons{near, near, "", ""}},
		{"its node has", "a", pod("w", app("web"), template{}), pod("p", nil, against("web", host)), reasons{near, "", "", ""}},
		{"a node without the label is in no zone", "d", pod("w", app("web"), template{}), pod("p", nil, against("web", zone)), reasons{"", "", "", ""}},
		{"the one there does not want it", "a", pod("w", nil, against("web", zone)), pod("p", app("web"), template{}), reasons{near, near, "", ""}},
		{"the one there, on a node without the label, is in no zone", "d", pod("w", nil, against("web", zone)), pod("p", app("web"), template{}), reasons{"", "", "", ""}},
		{"the one there does not mind other apps", "a", pod("w", nil, against("web", zone)), pod("p", app("db"), template{}), reasons{"", "", "", ""}},
		{"nor pods of other namespaces", "a", pod("shop/w", nil, against("web", zone)), pod("bank/p", app("web"), template{}), reasons{"", "", "", ""}},
		{"unless its term names them", "a", pod("shop/w", nil, against("web", zone, "bank")), pod("bank/p", app("web"), template{}), reasons{near, near, "", ""}},
		{"pods of one template keep apart", "c", pod("w", app("web"), against("web", host)), pod("p", app("web"), against("web", host)), reasons{"", "", near, ""}},
		{"no selector selects none", "a", pod("w", app("web"), template{}), pod("p", nil, template{PodAntiAffinity: []term{{TopologyKey: zone}}}), reasons{"", "", "", ""}},
		{
			"a selector without a required value", "a", pod("w", nil, template{PodAntiAffinity: []term{{Selector: &selector.LabelSelector{
				MatchExpressions: []selector.Expression{{Key: "app", Operator: selector.Exists}},
			}, TopologyKey: host}}}), pod("p", app("web"), template{}), reasons{near, "", "", ""},
		},
		{"a wrong selector of the pod refuses all nodes", "a", pod("w", nil, template{}), pod("p", nil, template{PodAntiAffinity: []term{{Selector: wrong, TopologyKey: zone}}}), reasons{near, near, near, near}},
		{"a wrong one of a pod there refuses none", "a", pod("w", nil, template{PodAntiAffinity: []term{{Selector: wrong, TopologyKey: zone}}}), pod("p", app("web"), template{}), reasons{"", "", "", ""}},
	} {
		n := three()
		n.Take(c.there, c.on)
		require.Equal(t, c.want, whys(n, c.p), c.because)
		for i, why := range c.want {
			require.Equal(t, why == "", n.FitsPinned(i, c.p), c.because)
		}
		n.Release(c.there.UID)
		want := reasons{"", "", "", ""}
		if c.want[3] == near {
			want = c.want
		}
		require.Equal(t, want, whys(n, c.p), "%s: and is gone", c.because)
	}
}

// Counts follow labels of pods and of nodes.
func TestRelabel(t *testing.T) {
	n := three()
	n.Take(pod("w", app("web"), template{}), "a")
	n.Take(pod("far", app("web"), template{}), "unknown")
	near := pod("p", nil, template{PodAffinity: []term{{Selector: selects("web"), TopologyKey: zone}}})
	require.Equal(t, "a", scheduler.BinPack(near, n))
	n.Relabel("w", app("db"))
	require.Empty(t, scheduler.BinPack(near, n))
	n.Relabel("w", app("web"))
	require.Equal(t, "a", scheduler.BinPack(near, n))
	n.Set(in("a", "y"))
	require.Equal(t, reasons{"", scheduler.PodAffinity, "", scheduler.PodAffinity}, whys(n, near), "its zone is y now")
	n.Remove("a")
	require.Empty(t, scheduler.BinPack(near, n))
	n.Relabel("far", app("db"))
	n.Set(in("unknown", "z"))
	require.Empty(t, scheduler.BinPack(near, n))
	n.Relabel("far", app("web"))
	require.Equal(t, "unknown", scheduler.BinPack(near, n))
}

// The pod that is first in its place is so until another matches.
func TestFirstOfAll(t *testing.T) {
	n := three()
	n.Take(pod("w", app("db"), template{}), "c")
	p := pod("p", app("web"), template{PodAffinity: []term{{Selector: selects("web"), TopologyKey: zone}}})
	require.Equal(t, reasons{"", "", "", scheduler.PodAffinity}, whys(n, p))
	n.Relabel("w", app("web"))
	require.Equal(t, reasons{scheduler.PodAffinity, scheduler.PodAffinity, "", scheduler.PodAffinity}, whys(n, p))
}

// Terms without end are counted again from time to time, and right.
func TestManyTerms(t *testing.T) {
	n := three()
	n.Take(pod("w", app("web"), template{}), "a")
	near := pod("p", nil, template{PodAffinity: []term{{Selector: selects("web"), TopologyKey: zone}}})
	for i := range 5000 {
		other := pod("o", nil, template{PodAffinity: []term{{Selector: selects(strconv.Itoa(i)), TopologyKey: zone}}})
		require.Empty(t, scheduler.BinPack(other, n))
		if i%1000 == 0 {
			require.Equal(t, "a", scheduler.BinPack(near, n))
		}
	}
	n.Take(pod("w", app("web"), template{}), "c")
	require.Equal(t, "c", scheduler.BinPack(near, n))
}
