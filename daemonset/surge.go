// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/rollout"
)

// A surgeTally groups the nodes of an update with surge by their next step.
type surgeTally struct {
	blockers []usage       // nodes that surge
	create   []int32       // nodes of surgeCreate
	waiting  []int32       // nodes of surgeWait
	remove   []keyDeletion // old pods to delete
	sunset   []keyPod      // old pods of surgeSunset
	serving  int           // number of nodes with an available pod
	missing  []usage       // nodes of surgeMissing
}

type keyDeletion struct {
	keyPod
	reason kplan.Reason
}

// counts returns the counts that the numbers of creations and deletions follow from.
func (t *surgeTally) counts() rollout.SurgeCounts {
	return rollout.SurgeCounts{
		Surging: len(t.blockers), OldUnavailable: len(t.create), OldAvailable: len(t.waiting), Undesired: len(t.sunset), Available: t.serving,
	}
}

// A surgeStep is the step of an update with surge on a node.
type surgeStep uint8

const (
	surgeNothing surgeStep = iota
	surgeBlocked           // the node surges: it uses up the budget
	surgeCreate            // its old pod is not available: it gets a new pod, whatever the budget
	surgeWait              // its old pod is available: it gets a new pod if the budget allows
	surgeRemove            // its old pod is deleted
	surgeSunset            // it should not run a pod, and its old pod is available: the pod is deleted if enough other nodes are available
	surgeMissing           // it does not exist, and has only an old pod: upstream fails
)

// A surgeUse is the contribution of one node to an update with surge.
type surgeUse struct {
	step   surgeStep
	pod    int32        // the pod to delete, or the pod that the reason is about; from 1, 0 for none
	reason kplan.Reason // of surgeBlocked, surgeRemove and surgeMissing
	serves bool         // the node has an available pod
}

// add adds the contribution of a node.
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

// updateWithSurge is the rolling update with surge: create, and let a later plan delete. It does
// nothing if a node that does not exist has only an old pod, since upstream fails then. Old is the
// number of nodes with an old pod. Marks are the pods that the manage step has found held by the
// hook.
func (st *state) updateWithSurge(budget *Budget, old int, marks []Deletion) updating {
	u := updating{selection: st.selectNodes()}
	t := surgeTally{waiting: make([]int32, 0, old-st.omitted.old()), serving: st.omitted.serving()}
	for _, i := range u.keys {
		t.add(i, st.surgeUseOf(i))
	}
	if len(t.missing) > 0 {
		u.waits, u.leftOut = reason.MissingNode, st.byName(t.missing)
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
		u.limit = cause{reason.MaxSurge, int64(counts.Surging + free + room), int64(budget.Surge)}
		u.blockers = st.blockersOf(t.blockers, func(facts) kplan.Reason { return "" })
	}
	counted := max(room-len(t.waiting), 0) // creations on omitted nodes: they are beyond the burst
	create := append(t.create, t.waiting[:room-counted]...)
	sunset := counts.Removals(st.desired)
	if sunset < len(t.sunset) {
		u.minAvailable = cause{reason.MinAvailable, int64(t.serving - sunset), int64(st.desired)}
	}
	u.changes = st.limited(create, st.surgeDeletions(&t, sunset), marks)
	u.tooManyToCreate = overBurst(len(create)+counted, st.burst())
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
		list = append(list, Deletion{st.pod(k.pod - 1), reason.NotDesired})
	}
	return list
}

// surgeUseOf returns the contribution of a node to an update with surge.
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
		return surgeUse{step: surgeBlocked, reason: reason.TooManyPods}
	}
	n, o := pods.new, pods.old
	serves := o.has(isAvailable) || (!o.exists() && n.has(isAvailable))
	u := surgeUse{serves: serves && (k.node >= 0 || !st.opts.Repair.Has(quirk.MissingNodeStopsSurge))}
	switch {
	case !o.exists():
	case n.exists():
		u.step, u.pod, u.reason = surgePair(n, o)
	case k.node < 0:
		if !st.opts.Repair.Has(quirk.MissingNodeStopsSurge) { // otherwise the pod is left to the garbage collector
			u.step, u.pod, u.reason = surgeMissing, o.number, reason.MissingNode
		}
	case serves && k.run:
		u.step = surgeWait
	case serves:
		u.step, u.pod = surgeSunset, o.number
	case k.run:
		u.step = surgeCreate
	default:
		u.step, u.pod, u.reason = surgeRemove, o.number, reason.NotDesired
	}
	return u
}

// surgePair returns the step for a node with a new and an old pod, with its pod and reason.
func surgePair(n, o podFacts) (step surgeStep, pod int32, why kplan.Reason) {
	if !n.has(isAvailable) {
		return surgeBlocked, n.number, n.whyUnavailable()
	}
	return surgeRemove, o.number, reason.Replaced
}

// surgeOpenKruise returns the contribution of a node by the rules of OpenKruise, which ignore
// whether a node should run a pod, unless quirk.SurgeOnExcludedNodes is in Options.Repair.
func (st *state) surgeOpenKruise(k *nodeKey, pods *nodePods) (u surgeUse) {
	n, o := pods.new, pods.old
	switch {
	case !pods.ok:
		u.step, u.reason = surgeBlocked, reason.TooManyPods
	case o.preparing():
	case st.opts.Repair.Has(quirk.SurgeOnExcludedNodes) && !n.preparing():
		return st.surgeKubernetes(k, pods)
	case !o.exists():
	case !n.exists() && o.has(isAvailable):
		u.step = surgeWait
	case !n.exists():
		u.step = surgeCreate
	case n.has(isAvailable) && n.preparing():
		u.step, u.pod, u.reason = surgeBlocked, n.number, reason.Preparing
	default:
		u.step, u.pod, u.reason = surgePair(n, o)
	}
	return u
}
