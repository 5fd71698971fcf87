// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"slices"

	"github.com/kplan-go/kplan/rollout"
)

// A surgeTally groups the nodes of an update with surge by their next step.
type surgeTally struct {
	blockers []usage // nodes that surge
	create   []int32 // not limited: the old pod is not available
	waiting  []int32 // limited by the surge
	remove   []keyDeletion
	sunset   []keyPod // limited by the number of available nodes
	serving  int      // nodes with an available pod
	missing  []usage  // nodes that do not exist, with an old pod: upstream fails
}

type keyDeletion struct {
	keyPod
	reason Reason
}

// counts returns the numbers that the budget is compared with.
func (t *surgeTally) counts() rollout.SurgeCounts {
	return rollout.SurgeCounts{
		Surging: len(t.blockers), OldUnavailable: len(t.create), OldAvailable: len(t.waiting), Undesired: len(t.sunset), Available: t.serving,
	}
}

// A surgeStep is the step of an update with surge on a node.
type surgeStep uint8

const (
	surgeNothing surgeStep = iota
	surgeBlocked           // the node surges, for a reason
	surgeCreate            // it gets a second pod at once
	surgeWait              // it gets one as far as the surge allows
	surgeRemove            // its old pod is deleted, for a reason
	surgeSunset            // its old pod is deleted as far as other nodes make up for it
	surgeMissing           // the node does not exist, and upstream fails
)

// A surgeUse is the contribution of one node to an update with surge.
type surgeUse struct {
	step   surgeStep
	pod    int32 // the number of the pod meant, from 1; 0 for none
	reason Reason
	serves bool // a pod of the node is available
}

// add files a node.
func (t *surgeTally) add(key int32, u surgeUse) {
	if u.serves {
		t.serving++
	}
	switch u.step {
	case surgeBlocked:
		t.blockers = append(t.blockers, usage{key, u.pod, u.reason})
	case surgeCreate:
		t.create = append(t.create, key)
	case surgeWait:
		t.waiting = append(t.waiting, key)
	case surgeRemove:
		t.remove = append(t.remove, keyDeletion{keyPod{key, u.pod}, u.reason})
	case surgeSunset:
		t.sunset = append(t.sunset, keyPod{key, u.pod})
	case surgeMissing:
		t.missing = append(t.missing, usage{key, u.pod, u.reason})
	}
}

// updateWithSurge is the rolling update with surge: create, and let a later plan delete. It
// does nothing if an old pod without a new one is on a node that does not exist, where
// upstream fails. Old is the number of nodes with an old pod, and marks are the pods that the
// hook holds already.
func (st *state) updateWithSurge(budget *Budget, old int, marks []Deletion) updating {
	u := updating{selection: st.selectNodes()}
	t := surgeTally{waiting: make([]int32, 0, old-st.omitted.old()), serving: st.omitted.serving()}
	for _, i := range u.keys {
		t.add(i, st.surgeUseOf(i))
	}
	if len(t.missing) > 0 {
		u.waits, u.leftOut = ReasonMissingNode, st.byName(t.missing)
		return u // the update goes on when the pod is gone
	}
	if !st.opts.kruise() || st.ranked {
		first(t.create, min(st.burst(), len(t.create)), st.order())
		first(t.waiting, min(st.burst(), len(t.waiting)), st.order())
	}
	counts := t.counts()
	counts.OldAvailable += st.omitted.old()
	free, room := counts.Additions(budget.Surge)
	if room < counts.OldAvailable {
		u.limit = cause{ReasonMaxSurge, int64(counts.Surging + free + room), int64(budget.Surge)}
		u.blockers = st.because(t.blockers, func(facts) Reason { return "" })
	}
	counted := max(room-len(t.waiting), 0) // of the nodes left out: beyond the burst
	create := append(t.create, t.waiting[:room-counted]...)
	gone := counts.Removals(st.desired)
	if gone < len(t.sunset) {
		u.minAvailable = cause{ReasonMinAvailable, int64(t.serving - gone), int64(st.desired)}
	}
	u.changes = st.limited(create, st.surgeDeletions(&t, gone), marks)
	u.tooManyToCreate = beyond(len(create)+counted, st.burst())
	return u
}

// surgeDeletions returns the pods to delete: all pods of t.remove, and the first pods of
// t.sunset, up to the number sunset.
func (st *state) surgeDeletions(t *surgeTally, sunset int) []Deletion {
	compare := st.order()
	slices.SortFunc(t.remove, func(a, b keyDeletion) int { return compare(a.key, b.key) })
	slices.SortFunc(t.sunset, func(a, b keyPod) int { return compare(a.key, b.key) })
	list := make([]Deletion, 0, len(t.remove)+len(t.sunset))
	for _, d := range t.remove {
		list = append(list, Deletion{st.pod(d.pod - 1), d.reason})
	}
	for _, k := range t.sunset[:sunset] {
		list = append(list, Deletion{st.pod(k.pod - 1), ReasonNotDesired})
	}
	return list
}

func (st *state) surgeUseOf(key int32) surgeUse {
	k := &st.keys[key]
	pods := st.classify(k)
	if st.opts.kruise() {
		return st.surgeOpenKruise(k, &pods)
	}
	return st.surgeKubernetes(k, &pods)
}

// surgeKubernetes returns the contribution of a node by the rules of Kubernetes (see Update
// with surge in rules.md).
func (st *state) surgeKubernetes(k *nodeKey, pods *nodePods) surgeUse {
	if !pods.ok {
		return surgeUse{step: surgeBlocked, reason: ReasonTooManyPods}
	}
	n, o := pods.new, pods.old
	serves := o.has(isAvailable) || (!o.exists() && n.has(isAvailable))
	u := surgeUse{serves: serves && (k.node >= 0 || !st.opts.Repair.Has(MissingNodeStopsSurge))}
	switch {
	case !o.exists():
	case n.exists():
		u.step, u.pod, u.reason = surgePair(n, o)
	case k.node < 0:
		if !st.opts.Repair.Has(MissingNodeStopsSurge) { // with it, the pod is left to the garbage collector
			u.step, u.pod, u.reason = surgeMissing, o.number, ReasonMissingNode
		}
	case serves && k.run:
		u.step = surgeWait
	case serves:
		u.step, u.pod = surgeSunset, o.number
	case k.run:
		u.step = surgeCreate
	default:
		u.step, u.pod, u.reason = surgeRemove, o.number, ReasonNotDesired
	}
	return u
}

// surgePair returns the step for a node with a new and an old pod.
func surgePair(n, o podFacts) (step surgeStep, pod int32, reason Reason) {
	if !n.has(isAvailable) {
		return surgeBlocked, n.number, n.whyUnavailable()
	}
	return surgeRemove, o.number, ReasonReplaced
}

// surgeOpenKruise returns the contribution of a node by the rules of OpenKruise, which ignore
// whether a node should run a pod, unless [SurgeOnExcludedNodes] is repaired.
func (st *state) surgeOpenKruise(k *nodeKey, pods *nodePods) (u surgeUse) {
	n, o := pods.new, pods.old
	switch {
	case !pods.ok:
		u.step, u.reason = surgeBlocked, ReasonTooManyPods
	case o.preparing():
	case st.opts.Repair.Has(SurgeOnExcludedNodes) && !n.preparing():
		return st.surgeKubernetes(k, pods)
	case !o.exists():
	case !n.exists() && o.has(isAvailable):
		u.step = surgeWait
	case !n.exists():
		u.step = surgeCreate
	case n.has(isAvailable) && n.preparing():
		u.step, u.pod, u.reason = surgeBlocked, n.number, ReasonPreparing
	default:
		u.step, u.pod, u.reason = surgePair(n, o)
	}
	return u
}
