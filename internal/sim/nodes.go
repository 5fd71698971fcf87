// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
)

// maxNodes is how many nodes there are at most.
const maxNodes = 7

// nodeDisturbances are what happens to nodes.
func nodeDisturbances() []disturbance {
	return []disturbance{
		{Nodes, 0.8, func(w *World) {
			if len(w.store.nodes.all()) < maxNodes {
				w.count(NodeAdded)
				w.addNode()
			}
		}},
		{Nodes, 0.4, onNode(NodeRemoved, (*World).removeNode)},
		{Nodes, 0.5, onNode(NodeCordoned, (*World).cordon)},
		{Nodes, 0.5, onNode(NodeTainted, (*World).taintNode)},
		{Nodes, 0.7, onNode(NodeNotReady, (*World).makeNotReady)},
		{Nodes, 0.2, (*World).loseZone},
		{Nodes, 0.4, onNode(NodeDrained, (*World).drain)},
	}
}

func onNode(t Trouble, f func(*World, *Node)) func(*World) {
	return func(w *World) {
		if rows := w.store.nodes.all(); len(rows) > 0 {
			w.count(t)
			f(w, rows[w.random.IntN(len(rows))])
		}
	}
}

func (w *World) addNode() {
	w.serial++
	zone := string(rune('a' + w.random.IntN(2)))
	name := "node-" + strconv.Itoa(w.serial)
	create(w, &w.store.nodes, by(User), &Node{Node: daemonset.Node{Name: name, Labels: map[string]string{"zone": zone}}, Zone: zone})
}

func (w *World) removeNode(n *Node) {
	r := by(User)
	r.name = n.Name
	remove(w, &w.store.nodes, r)
}

func (w *World) changeNode(name string, f func(*Node)) {
	r := by(NodeAgent)
	r.name = name
	update(w, &w.store.nodes, r, f)
}

// taint adds or removes a taint.
func taint(n *Node, t daemonset.Taint, on bool) {
	n.Taints = slices.DeleteFunc(slices.Clone(n.Taints), func(o daemonset.Taint) bool { return o.Key == t.Key && o.Effect == t.Effect })
	if on {
		n.Taints = append(n.Taints, t)
	}
}

func (w *World) cordon(n *Node) {
	w.changeNode(n.Name, func(n *Node) {
		n.Cordoned = !n.Cordoned
		taint(n, daemonset.Taint{Key: "node.kubernetes.io/unschedulable", Effect: daemonset.NoSchedule}, n.Cordoned)
	})
}

func (w *World) taintNode(n *Node) {
	effect := []daemonset.Effect{daemonset.NoSchedule, daemonset.NoExecute, daemonset.PreferNoSchedule}[w.random.IntN(3)]
	w.changeNode(n.Name, func(n *Node) {
		has := slices.ContainsFunc(n.Taints, func(t daemonset.Taint) bool { return t.Key == "team" && t.Effect == effect })
		taint(n, daemonset.Taint{Key: "team", Value: "x", Effect: effect}, !has)
	})
}

// makeNotReady makes a node stop to answer for a while: its pods are not ready meanwhile.
func (w *World) makeNotReady(n *Node) {
	if n.NotReady {
		return
	}
	w.stopAnswering(n)
	w.schedule(w.now.Add(w.delay(w.pace.long)), nodeBack, errand{name: n.Name})
}

// stopAnswering makes a node stop to answer.
func (w *World) stopAnswering(n *Node) {
	w.changeNode(n.Name, func(n *Node) {
		n.NotReady = true
		taint(n, daemonset.Taint{Key: daemonset.TaintNotReady, Effect: daemonset.NoExecute}, true)
	})
	for _, p := range w.store.allPods() {
		if p.NodeName == n.Name && p.Ready {
			w.changePod(p, by(NodeAgent), func(p *podorder.Pod) { p.Ready, p.ReadySince = false, w.now })
			w.schedulePod(p, start, w.delay(w.pace.long))
		}
	}
}

// nodeAnswers lets a node answer again.
func (w *World) nodeAnswers(name string) {
	w.changeNode(name, func(n *Node) {
		n.NotReady = false
		taint(n, daemonset.Taint{Key: daemonset.TaintNotReady, Effect: daemonset.NoExecute}, false)
	})
}

func (w *World) loseZone() {
	if len(w.store.nodes.all()) == 0 {
		return
	}
	w.count(ZoneLost)
	zone := w.store.nodes.all()[0].Zone
	for _, n := range w.store.nodes.all() {
		if n.Zone == zone {
			w.makeNotReady(n)
		}
	}
}

// drain cordons a node and evicts its pods, as long as more than one pod is ready
// elsewhere: that is what a disruption budget asks for.
func (w *World) drain(n *Node) {
	if !n.Cordoned {
		w.cordon(n)
	}
	for _, p := range w.store.allPods() {
		if p.NodeName != n.Name || !p.DeletionTimestamp.IsZero() {
			continue
		}
		elsewhere := 0
		for _, o := range w.store.allPods() {
			if o.Ready && o.NodeName != n.Name {
				elsewhere++
			}
		}
		if elsewhere > 1 {
			w.deletePod(p, by(Monkey))
		}
	}
}

// healNodes lets all nodes answer and take pods.
func (w *World) healNodes() {
	for _, n := range w.store.nodes.all() {
		if n.NotReady {
			w.nodeAnswers(n.Name)
		}
	}
	if len(w.store.nodes.all()) == 0 {
		w.addNode()
	}
}
