// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/rollout"
)

// A nodeTally groups the nodes of an update without surge by their next step.
type nodeTally struct {
	blockers   []usage  // nodes that use up the budget; a node may occur twice, see useOfPods
	used       int      // how much of the budget they use up, with omitted nodes
	replace    []keyPod // unavailable old pods
	replaced   int      // number of nodes in replace that use up the budget
	candidates []keyPod // available old pods
}

// A keyPod is a pod of a key; the number of the pod counts from 1.
type keyPod struct{ key, pod int32 }

// counts returns the counts that the numbers of deletions follow from.
func (t *nodeTally) counts() rollout.NodeCounts {
	return rollout.NodeCounts{Unavailable: t.used, OfOld: t.replaced, OldUnavailable: len(t.replace), OldAvailable: len(t.candidates)}
}

// add adds the contribution of a node.
func (t *nodeTally) add(key int32, u *nodeUse) {
	t.used += u.used
	t.blockers = append(t.blockers, u.blockers[:u.used]...)
	switch {
	case u.old == 0:
	case u.available:
		t.candidates = append(t.candidates, keyPod{key, u.old})
	default:
		t.replace = append(t.replace, keyPod{key, u.old})
		if u.used > 0 {
			t.replaced++
		}
	}
}

// updateWithoutSurge is the rolling update without surge: delete, and let the next plan
// create. Old is the number of nodes with an old pod. Marks are the pods that the manage step has
// found held by the hook.
func (st *state) updateWithoutSurge(budget *Budget, old int, marks []Deletion) updating {
	u := updating{selection: st.selectNodes()}
	u.leftOut = st.deadNodes(u.keys)
	t := st.tally(u.keys, u.leftOut, old)
	if !st.opts.kruise() || st.ranked {
		compare, order := st.order(), st.inOrder()
		first(t.replace, min(order, len(t.replace)), func(a, b keyPod) int { return compare(a.key, b.key) })
		first(t.candidates, min(order, len(t.candidates)), func(a, b keyPod) int { return compare(a.key, b.key) })
	}
	counts := t.counts()
	counts.OldAvailable += st.omitted.old()
	unavailable, available := counts.Removals(budget.Unavailable)
	if st.opts.StrictUnavailable {
		unavailable, available = counts.StrictRemovals(budget.Unavailable)
	}
	if unavailable < len(t.replace) {
		u.strict = cause{reason.Strict, int64(len(t.replace)), int64(unavailable)}
	}
	waiting := available < counts.OldAvailable
	if waiting {
		taken := t.used - t.replaced + max(t.replaced, unavailable) + available
		u.limit = cause{reason.MaxUnavailable, int64(taken), int64(budget.Unavailable)}
	}
	if waiting || unavailable < len(t.replace) {
		u.blockers = st.blockersOf(t.blockers, facts.blockerReason)
	} else {
		u.blockers = st.terminatingNodes()
	}
	counted := max(available-len(t.candidates), 0) // deletions on omitted nodes: they are beyond the burst
	available -= counted
	remove := make([]Deletion, 0, unavailable+available)
	for _, k := range t.replace[:unavailable] {
		remove = append(remove, Deletion{st.pod(k.pod - 1), reason.OldUnavailable})
	}
	for _, k := range t.candidates[:available] {
		remove = append(remove, Deletion{st.pod(k.pod - 1), reason.Rollout})
	}
	remove, u.inPlace, u.tooManyInPlace = st.divideInPlace(remove)
	u.changes = st.limited(nil, remove, marks)
	if counted > 0 {
		u.tooManyToRemove = overBurst(len(remove)+counted, st.burst())
	}
	return u
}

// tally groups the nodes with these keys, except the nodes in leftOut, which are sorted by name.
// Old is the number of nodes with an old pod.
func (st *state) tally(keys []int32, leftOut []usage, old int) nodeTally {
	t := nodeTally{candidates: make([]keyPod, 0, old-st.omitted.old()), used: st.omitted.blocking()}
	for _, i := range keys {
		if len(leftOut) > 0 {
			if _, skip := slices.BinarySearchFunc(leftOut, i, func(u usage, i int32) int { return st.compareKeys(u.key, i) }); skip {
				continue
			}
		}
		if !st.upToDate(&st.keys[i]) {
			u := st.useOf(i)
			t.add(i, &u)
		}
	}
	return t
}

// upToDate reports whether a node has one pod, and it is new and available. This is true of most
// nodes most of the time.
func (st *state) upToDate(k *nodeKey) bool {
	return k.count == 1 && st.facts[st.grouped[k.first]].upToDate()
}

// A nodeUse is the contribution of one node to an update without surge.
type nodeUse struct {
	blockers  [2]usage // the reasons why it uses up the budget: the first used ones
	used      int      // how much of the budget it uses up: 0, 1 or 2
	old       int32    // the number of the old pod that may be deleted, from 1; 0 for none
	available bool     // the old pod is available, so that the budget limits its deletion
}

// block adds a reason why the node uses up the budget.
func (u *nodeUse) block(key, pod int32, reason kplan.Reason) {
	u.blockers[u.used] = usage{key, pod, reason}
	u.used++
}

// useOf returns the contribution of a node: whether it uses up the budget, and whether its old
// pod may be deleted (see Update without surge in rules.md).
func (st *state) useOf(key int32) nodeUse {
	k := &st.keys[key]
	u := st.useOfPods(key, st.classify(k))
	if st.opts.Repair.Has(quirk.OutsideNodesUseBudget) && !k.run {
		u.used = 0
	}
	return u
}

// useOfPods is useOf by the pods of the node alone.
func (st *state) useOfPods(key int32, pods nodePods) (u nodeUse) {
	n, o := pods.new, pods.old
	switch {
	case n.preparing() && o.exists() && !o.preparing():
		// The new pod counts because it is prepared for deletion, and in OpenKruise once more if it
		// is not available.
		u.block(key, n.number, reason.Preparing)
		if !n.has(isAvailable) && !st.opts.Repair.Has(quirk.DeletedPodCountsTwice) {
			u.block(key, n.number, n.whyUnavailable())
		}
		return u
	case !n.exists() && o.preparing():
		u.block(key, o.number, reason.Preparing)
		return u
	case n.preparing():
		u.block(key, n.number, reason.Preparing)
		return u
	case n.exists() && o.preparing():
		o = podFacts{} // as if there were only the new pod
	}
	switch {
	case !pods.ok:
		u.block(key, 0, reason.TooManyPods)
	case n.exists() && o.exists():
		u.block(key, n.number, reason.NewAndOld)
	case n.exists():
		if !n.has(isAvailable) {
			u.block(key, n.number, n.whyUnavailable())
		}
	case !o.exists():
		u.block(key, 0, whyEmpty(pods))
	default:
		u.old, u.available = o.number, o.has(isAvailable)
		if !u.available && st.countsReplaced() {
			u.block(key, o.number, o.whyUnavailable())
		}
	}
	return u
}

// countsReplaced reports whether an old pod that is not available uses up the budget. In OpenKruise
// it does not, unless quirk.OldUnavailableNotCounted is in Options.Repair.
func (st *state) countsReplaced() bool {
	return !st.opts.kruise() || st.opts.Repair.Has(quirk.OldUnavailableNotCounted)
}

// whyEmpty returns the reason why a node has neither a new nor an old pod.
func whyEmpty(pods nodePods) kplan.Reason {
	if pods.all > 0 {
		return reason.Terminating
	}
	return reason.Empty
}

// deadNodes returns the nodes that SkipDeadNodes leaves out of the update, sorted by name: the
// first dead nodes that would use up the budget or lose an old pod.
func (st *state) deadNodes(keys []int32) (dead []usage) {
	if st.opts.SkipDeadNodes == 0 {
		return nil
	}
	for _, i := range keys {
		if k := &st.keys[i]; k.node >= 0 && !st.upToDate(k) && st.nodes[k.node].dead() {
			if u := st.useOf(i); u.used > 0 || u.old > 0 {
				dead = append(dead, usage{i, 0, reason.DeadNode})
			}
		}
	}
	dead = st.byName(dead)
	return dead[:min(len(dead), int(st.opts.SkipDeadNodes))]
}

// terminatingNodes returns the nodes that should run a pod and only have pods that are being
// deleted.
func (st *state) terminatingNodes() blockers {
	var list []usage
	for i := range st.nodes {
		k := &st.keys[i]
		if k.run && k.count > 0 && !slices.ContainsFunc(st.podsOf(k), func(n int32) bool { return !st.facts[n].has(isTerminating) }) {
			list = append(list, usage{int32(i), 0, reason.Terminating})
		}
	}
	return st.blockersOf(list, facts.terminatingReason)
}

// A usage is the reason why a node counts as unavailable, or as surging, or is left out.
type usage struct {
	key    int32
	pod    int32 // the number of the pod that the reason is about, from 1; 0 for none
	reason kplan.Reason
}

// blockers are the nodes that block the update of other nodes.
type blockers struct {
	named  []usage // each node, by name
	summed []cause // with SumHolds instead: the number of nodes for each reason, by reason
}

// byName sorts nodes by name, and keeps the order of several usages of one node.
func (st *state) byName(list []usage) []usage {
	slices.SortStableFunc(list, func(a, b usage) int { return st.compareKeys(a.key, b.key) })
	return list
}

// blockersOf returns the listed nodes as blockers, and adds the omitted nodes that block, which
// there are only with SumHolds. Only the facts of their pods are known: reasonOf returns the reason
// why such a node blocks, "" if it does not.
func (st *state) blockersOf(list []usage, reasonOf func(facts) kplan.Reason) blockers {
	if !st.opts.SumHolds {
		return blockers{named: st.byName(list)}
	}
	var b blockers
	for _, u := range list {
		b.add(u.reason, 1)
	}
	for f, n := range st.omitted.single.all {
		if reason := reasonOf(f); reason != "" {
			b.add(reason, int64(n))
		}
	}
	return b
}

// add counts n more nodes for a reason, and keeps the reasons sorted.
func (b *blockers) add(reason kplan.Reason, n int64) {
	i, found := slices.BinarySearchFunc(b.summed, reason, func(c cause, r kplan.Reason) int { return cmp.Compare(c.reason, r) })
	if !found {
		b.summed = slices.Insert(b.summed, i, cause{reason: reason})
	}
	b.summed[i].have += n
}
