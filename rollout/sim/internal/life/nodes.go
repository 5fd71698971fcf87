// SPDX-License-Identifier: Apache-2.0

package life

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// What happens to a node that stops answering, and to its pods:
//
//	0 s              its kubelet is silent: pods there do not start, become ready, or end
//	50 s             the node is not ready and gets the unreachable taints; its pods are unready
//	50 s + t         its pods are deleted, and stay Terminating; t is the toleration of a pod, by
//	                 default 300 s, and pods of a DaemonSet stay
//	it answers       the taints go, deleted pods end, the others become ready again
//	it is deleted    its pods are removed 40 s later (controllers/collector.go)
//
// It mirrors the node lifecycle controller, the taint eviction controller, and the admission plugin
// DefaultTolerationSeconds of Kubernetes 1.37, with the defaults of their flags.
const (
	nodeMonitorGracePeriod = 50 * time.Second
	defaultToleration      = 300 * time.Second
)

// nodeChanged updates the nodes that the scheduler knows, after a node was added, changed or removed,
// and lets waiting pods look again.
func (l *Pods) nodeChanged(old, n *store.Node) {
	switch {
	case n == nil:
		l.Nodes.Remove(old.Name)
		delete(l.silent, old.Name)
		return
	case old == nil && n.NotReady: // it was not ready when it was added
		l.silent[n.Name] = true
		l.Agenda.After(0, agenda.Life, func() { l.evictAll(n.Name) })
	}
	l.Nodes.Set(n.Node)
	l.Room()
}

// stalls reports whether the node of a pod does not answer. Then it keeps goOn until the node answers.
func (l *Pods) stalls(e *pod, goOn func()) bool {
	node := e.Now.NodeName
	if !l.silent[node] {
		return false
	}
	l.stalled[node] = append(l.stalled[node], goOn)
	return true
}

// changeNode applies a function to a copy of a node and stores it.
func (l *Pods) changeNode(by store.Role, name string, f func(*store.Node)) {
	e := l.Server.Nodes.Entry(name)
	if e == nil {
		return
	}
	n := *e.Now
	f(&n)
	l.Server.Nodes.Replace(store.Cause{By: by, Verb: store.Update}, e, &n)
}

// taint adds or removes a taint.
func taint(n *store.Node, t daemonset.Taint, on bool) {
	n.Taints = slices.DeleteFunc(slices.Clone(n.Taints), func(o daemonset.Taint) bool { return o.Key == t.Key && o.Effect == t.Effect })
	if on {
		n.Taints = append(n.Taints, t)
	}
}

// Cordon keeps new pods off a node, or admits them again.
func (l *Pods) Cordon(name string, on bool) {
	l.changeNode(store.User, name, func(n *store.Node) {
		n.Cordoned = on
		taint(n, daemonset.Taint{Key: "node.kubernetes.io/unschedulable", Effect: daemonset.NoSchedule}, on)
	})
}

// unreachable are the taints of a node that does not answer.
var unreachable = [...]daemonset.Taint{
	{Key: daemonset.TaintUnreachable, Effect: daemonset.NoSchedule}, {Key: daemonset.TaintUnreachable, Effect: daemonset.NoExecute},
}

// StopAnswering makes a node stop answering.
func (l *Pods) StopAnswering(name string) {
	if l.Server.Nodes.Get(name) == nil || l.silent[name] {
		return
	}
	l.silent[name] = true
	since := l.Agenda.Now()
	l.since[name] = since
	l.Agenda.After(nodeMonitorGracePeriod, agenda.Life, func() {
		if l.silent[name] && l.since[name].Equal(since) {
			l.lost(name)
		}
	})
}

// lost marks a node as not ready: the node controller has noticed that it does not answer.
func (l *Pods) lost(name string) {
	l.changeNode(store.NodeController, name, func(n *store.Node) {
		n.NotReady, n.NotReadySince = true, l.Agenda.Now()
		for _, t := range unreachable {
			taint(n, t, true)
		}
	})
	for _, e := range l.on(name) {
		if e.Now.Ready {
			l.unready(e)
			l.stalls(e, func() {
				if alive(e) && !e.Now.Ready {
					l.becomesReady(e)
				}
			})
		}
	}
	l.evictAll(name)
}

// on returns the pods of a node.
func (l *Pods) on(node string) (list []*pod) {
	for _, p := range l.Server.Pods.All() {
		if p.NodeName == node {
			list = append(list, l.Server.Pods.Entry(p.Name))
		}
	}
	return list
}

// evictAll schedules the deletion of the pods of a node that does not answer, except pods that
// tolerate it for ever.
func (l *Pods) evictAll(node string) {
	n := l.Server.Nodes.Get(node)
	if n == nil {
		return
	}
	since := l.since[node]
	for _, e := range l.on(node) {
		after, evicted := l.tolerates(e.Now)
		if !evicted {
			continue
		}
		l.Agenda.At(n.NotReadySince.Add(after), agenda.Life, func() {
			if l.silent[node] && l.since[node].Equal(since) && e.Now != nil && e.Now.DeletionTimestamp.IsZero() { // finished ones, too
				r := apiserver.By(store.NodeController, e.Now.Name)
				r.Verb = store.Delete
				l.DeletePod(r)
			}
		})
	}
}

// tolerates returns how long a pod stays on a node that does not answer. evicted is false if it stays
// for ever.
func (l *Pods) tolerates(p *store.Pod) (after time.Duration, evicted bool) {
	if p.OfDaemonSet {
		return 0, false
	}
	taint, after := unreachable[1], time.Duration(-1)
	for _, t := range l.template(p).Tolerations {
		switch {
		case !t.Tolerates(taint):
		case t.Seconds == nil:
			return 0, false
		default:
			if d := time.Duration(max(0, *t.Seconds)) * time.Second; after < 0 || d < after {
				after = d
			}
		}
	}
	if after < 0 {
		after = defaultToleration
	}
	return after, true
}

// Answer makes a node answer again.
func (l *Pods) Answer(name string) {
	if !l.silent[name] {
		return
	}
	delete(l.silent, name)
	if n := l.Server.Nodes.Get(name); n != nil && n.NotReady {
		l.changeNode(store.NodeController, name, func(n *store.Node) {
			n.NotReady, n.NotReadySince = false, time.Time{}
			for _, t := range unreachable {
				taint(n, t, false)
			}
			// Of a node that was not ready when it was added.
			taint(n, daemonset.Taint{Key: daemonset.TaintNotReady, Effect: daemonset.NoExecute}, false)
		})
	}
	goOn := l.stalled[name]
	delete(l.stalled, name)
	for _, f := range goOn {
		f()
	}
}
