// SPDX-License-Identifier: Apache-2.0

package scheduler_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
	"github.com/kplan-go/kplan/selector"
)

const (
	zone = "topology.kubernetes.io/zone"
	host = "kubernetes.io/hostname"
)

type (
	labels   = map[string]string
	node     = cluster.Node
	template = cluster.Template
)

// in is a node in a zone.
func in(name, of string) node {
	return node{Node: daemonset.Node{Name: name, Labels: labels{zone: of, host: name}}}
}

// tainted is a node with taints.
func tainted(name string, taints ...daemonset.Taint) node {
	return node{Node: daemonset.Node{Name: name, Taints: taints}}
}

// pod is one with a UID as its name.
func pod(name string, of labels, t template) scheduler.Pod {
	return scheduler.Pod{Pod: &podorder.Pod{Name: name, UID: name, Labels: of}, Template: t}
}

func app(name string) labels { return labels{"app": name} }

// selects is a selector of pods of an app.
func selects(name string) *selector.LabelSelector {
	return &selector.LabelSelector{MatchLabels: app(name)}
}

// whys returns why a pod does not fit each node.
func whys(n *scheduler.Nodes, p scheduler.Pod) (list []scheduler.Reason) {
	for i := range n.Len() {
		list = append(list, n.Why(i, p))
	}
	return list
}

type reasons = []scheduler.Reason

func TestNodes(t *testing.T) {
	n := scheduler.New([]node{{Node: daemonset.Node{Name: "a"}, Room: []int64{4}}, {Node: daemonset.Node{Name: "b"}}}, 2)
	require.Equal(t, 2, n.Len())
	require.Equal(t, "b", n.At(1).Name)
	require.Nil(t, n.At(2))
	require.Nil(t, n.At(-1))
	n.Take(pod("p", nil, template{Needs: []int64{3, 5, 7}}), "a")
	require.Equal(t, int64(1), n.Free(0, 0))
	require.Equal(t, int64(math.MaxInt64), n.Free(0, 1), "a resource that the node does not list is unlimited")
	require.Zero(t, n.Free(0, 2), "there is no such resource")
	require.Zero(t, n.Free(2, 0), "there is no such node")
	require.Zero(t, n.Free(0, -1))

	n.Set(node{Node: daemonset.Node{Name: "a"}, Room: []int64{10, 4}})
	require.Equal(t, int64(7), n.Free(0, 0), "the pod stays")
	require.Equal(t, int64(-1), n.Free(0, 1), "it takes more than there is")
	before := n.At(0)
	n.Set(node{Node: daemonset.Node{Name: "c"}})
	n.Remove("a")
	require.Equal(t, "a", before.Name)
	i, ok := n.Index("c")
	require.True(t, ok)
	require.Equal(t, 1, i, "later nodes move up")
	_, ok = n.Index("a")
	require.False(t, ok)
	n.Remove("a")
	n.Set(node{Node: daemonset.Node{Name: "a"}, Room: []int64{10}})
	require.Equal(t, int64(10), n.Free(2, 0), "its pods were forgotten with it")
	n.Release("p")
	require.Equal(t, int64(10), n.Free(2, 0))
}

func TestZero(t *testing.T) {
	var n scheduler.Nodes
	require.Zero(t, n.Len())
	require.Equal(t, -1, n.First(0, scheduler.Pod{}))
	require.Empty(t, scheduler.BinPack(scheduler.Pod{}, &n))
	require.False(t, n.Fits(0, scheduler.Pod{}))
	require.False(t, n.FitsPinned(0, scheduler.Pod{}))
	require.Equal(t, scheduler.Explanation{}, n.Explain(scheduler.Pod{}))
	n.Remove("a")
	n.Release("p")
	n.Relabel("p", nil)
	n.Take(scheduler.Pod{}, "a")
	n.Set(node{Node: daemonset.Node{Name: "a"}})
	require.True(t, n.Fits(0, scheduler.Pod{}))
	require.Equal(t, "a", scheduler.BinPack(scheduler.Pod{Template: template{Needs: []int64{1}}}, &n), "there are no resources")
}

func TestTake(t *testing.T) {
	room := func() *scheduler.Nodes {
		return scheduler.New([]node{{Node: daemonset.Node{Name: "a"}, Room: []int64{4}}, {Node: daemonset.Node{Name: "b"}, Room: []int64{4}}}, 1)
	}
	one := template{Needs: []int64{1}}
	finished := pod("p", nil, one)
	finished.Phase = podorder.Succeeded
	for _, c := range []struct {
		why  string
		do   func(n *scheduler.Nodes)
		free [2]int64
	}{
		{"a pod takes room", func(n *scheduler.Nodes) { n.Take(pod("p", nil, one), "a") }, [2]int64{3, 4}},
		{"a second Take replaces the first", func(n *scheduler.Nodes) {
			n.Take(pod("p", nil, one), "a")
			n.Take(pod("p", nil, template{Needs: []int64{2}}), "b")
		}, [2]int64{4, 2}},
		{"a finished pod takes none", func(n *scheduler.Nodes) {
			n.Take(pod("p", nil, one), "a")
			n.Take(finished, "a")
		}, [2]int64{4, 4}},
		{"a pod without a node takes none", func(n *scheduler.Nodes) {
			n.Take(pod("p", nil, one), "a")
			n.Take(pod("p", nil, one), "")
		}, [2]int64{4, 4}},
		{"a released pod takes none", func(n *scheduler.Nodes) {
			for _, name := range []string{"p", "q", "r"} {
				n.Take(pod(name, nil, one), "a")
			}
			n.Release("p")
			n.Release("r")
			n.Release("p")
		}, [2]int64{3, 4}},
		{"a pod counts when its node is known", func(n *scheduler.Nodes) {
			n.Remove("b")
			n.Take(pod("p", nil, one), "b")
			n.Set(node{Node: daemonset.Node{Name: "b"}, Room: []int64{4}})
		}, [2]int64{4, 3}},
		{"unless it was gone before", func(n *scheduler.Nodes) {
			n.Remove("b")
			n.Take(pod("p", nil, one), "b")
			n.Release("p")
			n.Set(node{Node: daemonset.Node{Name: "b"}, Room: []int64{4}})
		}, [2]int64{4, 4}},
		{"a negative need takes none and gives none", func(n *scheduler.Nodes) {
			n.Take(pod("p", nil, template{Needs: []int64{-3}}), "a")
		}, [2]int64{4, 4}},
	} {
		n := room()
		c.do(n)
		require.Equal(t, c.free, [2]int64{n.Free(0, 0), n.Free(1, 0)}, c.why)
	}
}

// A pod that is being deleted still takes room, but spread constraints do not count it.
func TestTakeDeleted(t *testing.T) {
	n := scheduler.New([]node{in("a", "x"), in("b", "y")}, 0)
	asks := pod("q", app("web"), template{TopologySpread: []cluster.TopologySpread{{MaxSkew: 1, TopologyKey: zone, Selector: selects("web")}}})
	p := pod("p", app("web"), template{HostPorts: []cluster.HostPort{{Port: 80}}})
	n.Take(p, "a")
	require.Equal(t, reasons{scheduler.TopologySpread, ""}, whys(n, asks), "1 pod in x and 0 in y: another in x is 2 more")
	deleted := *p.Pod
	deleted.DeletionTimestamp = time.Unix(1, 0)
	p.Pod = &deleted
	n.Take(p, "a")
	require.Equal(t, reasons{"", ""}, whys(n, asks))
	asks.Template = template{HostPorts: []cluster.HostPort{{Port: 80}}}
	require.Equal(t, reasons{scheduler.HostPort, ""}, whys(n, asks), "its port is in use until it is gone")
}

func TestFirst(t *testing.T) {
	var list []node
	for i := range 9 {
		name := string(rune('a' + i))
		list = append(list, node{Node: daemonset.Node{Name: name, Labels: labels{"odd": map[int]string{0: "no", 1: "yes"}[i%2]}}, Room: []int64{int64(i)}})
	}
	n := scheduler.New(list, 1)
	p := pod("p", nil, template{Needs: []int64{5}})
	require.Equal(t, 5, n.First(0, p), "the first with room for 5")
	require.Equal(t, 5, n.First(-7, p))
	require.Equal(t, 5, n.First(5, p))
	require.Equal(t, 6, n.First(6, p))
	require.Equal(t, -1, n.First(9, p))
	require.Equal(t, -1, n.First(math.MaxInt, p))
	p.Template.NodeSelector = labels{"odd": "no"}
	require.Equal(t, 6, n.First(0, p))
	require.Equal(t, "g", scheduler.BinPack(p, n))
	p.Template.Needs = []int64{9}
	require.Equal(t, -1, n.First(0, p))
	require.Empty(t, scheduler.BinPack(p, n))
	p.Template.Unplaceable = true
	require.Equal(t, reasons{scheduler.Unplaceable}, whys(n, p)[:1])
	require.Equal(t, -1, n.First(0, p))
}

// A tree with more leaves than nodes has no room beside them, also for pods that go to cordoned
// nodes and need nothing.
func TestFirstBeyond(t *testing.T) {
	n := scheduler.New([]node{tainted("a", no), tainted("b", no), tainted("c", no)}, 0)
	p := pod("p", nil, template{Tolerations: []daemonset.Toleration{{Key: "node.kubernetes.io/unschedulable", Operator: daemonset.TolerationExists}}})
	require.Equal(t, -1, n.First(0, p))
}
