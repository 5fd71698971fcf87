// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/podorder"
)

func daemonSetWithin(p *DaemonSetPass, after *daemonset.Snapshot, slack int64) []string {
	v := daemonsOf(p)
	later := *p
	later.Snapshot, later.memo = *after, nil
	w := daemonsOf(&later)
	l, over := list(nil), int64(0)
	most := 1
	if v.surgeAllowed {
		most = 2
	}
	for i := range w.nodes {
		before := 0
		if n := v.byName[w.nodes[i].name]; n != nil {
			before = v.running(n)
		}
		over += int64(max(0, w.running(&w.nodes[i])-max(most, before)))
	}
	l.addIf(over > slack, "%d pods too many, at most %d", over, slack)
	safe := !v.busy && !v.stopped && v.surge == 0 && v.rolling && !v.filtered && v.o.SkipDeadNodes == 0 && (!v.kruise || v.o.Repair.Has(quirk.OldUnavailableNotCounted))
	good := slices.ContainsFunc(v.updates(), v.available)
	l.addIf(safe && good && w.unserved() > max(v.unavailable, v.unserved())+slack, "%d nodes serve nobody, at most max(%d, %d)+%d", w.unserved(), v.unavailable, v.unserved(), slack)
	return l
}

func placement(v *daemonView) []string {
	l := list(nil)
	l.addIf(int64(v.p.Plan.Status.DesiredNumberScheduled) != v.desired, "%d nodes are desired, not %d", v.p.Plan.Status.DesiredNumberScheduled, v.desired)
	for _, a := range v.p.Plan.Actions {
		switch a := a.(type) {
		case daemonset.CreatePod:
			n := v.byName[a.Node]
			l.addIf(n == nil || !n.run && !(v.kruise && v.surgeAllowed && !v.o.Repair.Has(quirk.SurgeOnExcludedNodes)), "%v: no pod belongs there", a)
		case daemonset.DeletePod:
			n := v.byName[a.Node]
			l.addIf(a.Reason == reason.Misplaced && (n == nil || n.cont), "%v: it may stay there", a)
		}
	}
	return l
}

func onePodPerNode(v *daemonView) []string {
	l, more := list(nil), map[string]int{}
	for _, name := range v.creations() {
		n := v.byName[name]
		if n == nil {
			continue
		}
		more[name]++
		running := more[name]
		for _, p := range n.pods {
			ended := p.Phase == podorder.Succeeded || p.Phase == podorder.Failed
			goes := !p.DeletionTimestamp.IsZero() || v.kruise && prepared(p)
			if !ended && !(goes && v.surgeAllowed) {
				running++
			}
		}
		most := 1
		if v.surgeAllowed {
			most = 2
		}
		l.addIf(running > most, "%s gets a pod and has %d then, at most %d", name, running, most)
	}
	return l
}

// unavailableNodesBound checks updates without surge that delete available pods.
func unavailableNodesBound(v *daemonView) []string {
	excused := v.kruise && !v.o.Repair.Has(quirk.OldUnavailableNotCounted) && !v.p.Strict
	if v.surge > 0 || !v.rolling || v.filtered || excused {
		return nil
	}
	good := int64(0)
	for _, p := range v.updates() {
		if v.available(p) {
			good++
		}
	}
	down := max(0, v.unserved()-int64(v.o.SkipDeadNodes))
	return one(good > 0 && good+down > v.unavailable, "%d nodes serve nobody, %d more are taken, %d may be", down, good, v.unavailable)
}

// surgingNodesBound checks updates with surge.
func surgingNodesBound(v *daemonView) []string {
	if v.surge == 0 || v.filtered {
		return nil
	}
	surging, fresh := int64(0), int64(0)
	for _, n := range v.all() {
		if n.node == nil && (v.kruise || v.o.Prune) || v.o.Prune && !n.run {
			continue // not part of the update
		}
		both := len(n.old) == 1 && len(n.fresh) == 1
		if len(n.old) > 1 || len(n.fresh) > 1 || both && !v.available(n.fresh[0]) && !prepared(n.old[0]) {
			surging++
		}
	}
	for _, name := range v.creations() {
		if n := v.byName[name]; n != nil && v.sole(n) != nil && v.available(n.old[0]) {
			fresh++
		}
	}
	return one(fresh > max(0, v.surge-surging), "%d nodes surge, %d more do, %d may", surging, fresh, v.surge)
}

func unavailableOldPodsFirst(v *daemonView) []string {
	if v.surge > 0 || !v.rolling {
		return nil
	}
	good, bad, left := int64(0), int64(0), 0
	touched, l := v.touched(), list(nil)
	for _, n := range v.all() {
		p := v.sole(n)
		switch {
		case p == nil:
		case !touched[p.Name]:
			waits := v.d.PreDelete.Holds(p) || n.dead && v.o.SkipDeadNodes > 0 || n.node == nil || v.o.Prune && !n.run
			if !v.available(p) && !waits {
				left++
			}
		case v.available(p):
			good++
		default:
			bad++
		}
	}
	cut := v.filtered || v.holds(reason.Burst) > 0
	l.addIf(good > 0 && left > 0 && !cut, "%d available pods go, and %d that are not available stay", good, left)
	l.addIf(v.o.StrictUnavailable && good+bad > v.unavailable, "%d pods go, %d may", good+bad, v.unavailable)
	return l
}

func deadNodesBound(v *daemonView) []string {
	l, skipped := list(nil), v.holds(reason.DeadNode)
	l.addIf(skipped > int(v.o.SkipDeadNodes), "%d dead nodes are passed over, %d may", skipped, v.o.SkipDeadNodes)
	touched := v.touched()
	for _, h := range v.p.Plan.Holds {
		if h.Reason != reason.DeadNode {
			continue
		}
		n := v.byName[h.Node]
		l.addIf(n == nil || !n.dead, "%s is passed over, and is not dead", h.Node)
		if n != nil {
			p := v.sole(n)
			l.addIf(p != nil && touched[p.Name], "%s is passed over, and its pod %s goes", h.Node, nameOfPod(p))
		}
	}
	return l
}

func nameOfPod(p *daemonset.Pod) string {
	if p == nil {
		return ""
	}
	return p.Name
}

// delayOf returns the delay of a node in a table.
func (v *daemonView) delayOf(b daemonset.Backoff, node string) (e daemonset.BackoffEntry, ok bool) {
	key := daemonset.BackoffKey{UID: v.d.UID, Generation: v.d.Status.ObservedGeneration, Node: node}
	for _, entry := range b {
		if entry.BackoffKey == key && (!ok || entry.Since.After(e.Since)) {
			e, ok = entry, true
		}
	}
	return e, ok
}

func failedPodsBackOff(v *daemonView) []string {
	l, gone := list(nil), map[string]int{}
	for _, a := range v.p.Plan.Actions {
		a, ok := a.(daemonset.DeletePod)
		if !ok || a.Reason != reason.Failed {
			continue
		}
		gone[a.Node]++
		l.addIf(gone[a.Node] > 1, "%d failed pods go from %s at once", gone[a.Node], a.Node)
		before, had := v.delayOf(v.p.Snapshot.Backoff, a.Node)
		after, has := v.delayOf(v.p.Plan.Backoff, a.Node)
		age := v.p.Now.Sub(before.Since)
		fresh := had && age <= 30*time.Minute
		l.addIf(fresh && age < before.Delay, "%v after %v, and the delay is %v", a, age, before.Delay)
		want := time.Second
		if fresh {
			want = min(2*before.Delay, 15*time.Minute)
		}
		l.addIf(!has || !after.Since.Equal(v.p.Now), "the delay of %s does not start", a.Node)
		l.addIf(has && after.Delay != want && before.Delay > 0 && age != 30*time.Minute, "the delay of %s is %v after %v, not %v", a.Node, after.Delay, before.Delay, want)
	}
	return l
}

func misplacedPodsGo(v *daemonView) []string {
	l, touched := list(nil), v.touched()
	if v.still || v.holds(reason.Burst) > 0 {
		return nil
	}
	for i := range v.nodes {
		for _, p := range v.nodes[i].pods {
			stays := p.DeletionTimestamp.IsZero() && !touched[p.Name] && !(v.d.PreDelete.Holds(p) && prepared(p))
			l.addIf(!v.nodes[i].cont && stays, "%s stays on %s, which may not keep it", p.Name, v.nodes[i].name)
		}
	}
	return l
}
