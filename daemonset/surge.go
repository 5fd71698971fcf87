package daemonset

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan/rollout"
)

// A surgeTally is the nodes of an update with surge by what becomes of them.
type surgeTally struct {
	nodeTally         // blockers are the nodes that surge
	create    []int32 // not limited: the old pod serves nobody
	waiting   []int32 // limited by the surge
	remove    []keyDeletion
	sunset    []keyPod // limited by what is available
	serving   int      // nodes with an available pod
	failed    bool     // an old pod is on a node that does not exist, so that upstream fails
}

// counts are the numbers that the budget is compared with.
func (c *surgeTally) counts() rollout.SurgeCounts {
	return rollout.SurgeCounts{
		Surging: c.used, OldUnavailable: len(c.create), OldAvailable: len(c.waiting), Undesired: len(c.sunset), Available: c.serving,
	}
}

type keyDeletion struct {
	key int32
	Deletion
}

// updateWithSurge is the rolling update with surge: create, and let a later plan
// delete. It reports false, and does nothing, if an old pod without a new one is on a
// node that does not exist: upstream fails then.
func (st *state) updateWithSurge(p *Plan, keys []int32, old int) bool {
	c := surgeTally{waiting: make([]int32, 0, old)}
	for _, i := range keys {
		if st.opts.kruise() {
			st.surgeOpenKruise(p, &c, i)
		} else {
			st.surgeKubernetes(p, &c, i)
		}
	}
	if c.failed {
		slices.SortFunc(p.Holds, func(a, b Hold) int { return strings.Compare(a.Node, b.Node) })
		return false // it goes on when the pod is gone
	}
	if !st.opts.kruise() || st.ranked {
		first(c.create, min(st.burst(), len(c.create)), st.order())
		first(c.waiting, min(st.burst(), len(c.waiting)), st.order())
	}
	_, room := c.counts().Additions(p.Budget.Surge)
	if room < len(c.waiting) {
		p.hold(Hold{Reason: ReasonMaxSurge, Have: int64(c.used), Limit: int64(p.Budget.Surge)})
		st.explain(p, c.blockers)
	}
	st.sync(p, append(c.create, c.waiting[:room]...), st.surgeDeletions(p, &c), ReasonRollout)
	return true
}

// surgeDeletions returns the pods that go: those whose work is done, and of those on
// nodes that should no longer run one as many as others make up for.
func (st *state) surgeDeletions(p *Plan, c *surgeTally) []Deletion {
	compare := st.order()
	slices.SortFunc(c.remove, func(a, b keyDeletion) int { return compare(a.key, b.key) })
	slices.SortFunc(c.sunset, func(a, b keyPod) int { return compare(a.key, b.key) })
	list := make([]Deletion, 0, len(c.remove)+len(c.sunset))
	for _, d := range c.remove {
		list = append(list, d.Deletion)
	}
	n := c.counts().Removals(st.desired)
	for _, k := range c.sunset[:n] {
		list = append(list, Deletion{k.pod, ReasonNotDesired})
	}
	if n < len(c.sunset) {
		p.hold(Hold{Reason: ReasonMinAvailable, Have: int64(c.serving), Limit: int64(st.desired)})
	}
	return list
}

// surgeKubernetes files a node by the rules of Kubernetes (see Update with surge in
// rules.md).
func (st *state) surgeKubernetes(p *Plan, c *surgeTally, key int32) {
	k := &st.keys[key]
	pods := st.classify(k)
	if !pods.ok {
		c.block(key, nil, ReasonTooManyPods)
		return
	}
	n, o := pods.new, pods.old
	serves := o.has(isAvailable) || (!o.exists() && n.has(isAvailable))
	if serves && (k.node >= 0 || !st.opts.Repair.Has(MissingNodeStopsSurge)) {
		c.serving++
	}
	switch {
	case !o.exists():
	case n.exists():
		st.surgePair(c, key, n, o)
	case k.node < 0:
		if !st.opts.Repair.Has(MissingNodeStopsSurge) { // with it, the pod is left to the garbage collector
			c.failed = true
			p.hold(Hold{Node: k.name, Name: o.Name, Reason: ReasonMissingNode})
		}
	case serves && k.run:
		c.waiting = append(c.waiting, key)
	case serves:
		c.sunset = append(c.sunset, keyPod{key, o.Pod})
	case k.run:
		c.create = append(c.create, key)
	default:
		c.remove = append(c.remove, keyDeletion{key, Deletion{o.Pod, ReasonNotDesired}})
	}
}

// surgePair files a node with a new and an old pod.
func (st *state) surgePair(c *surgeTally, key int32, n, o podFacts) {
	if !n.has(isAvailable) {
		c.block(key, n.Pod, n.unavailable())
		return
	}
	c.remove = append(c.remove, keyDeletion{key, Deletion{o.Pod, ReasonReplaced}})
}

// surgeOpenKruise files a node by the rules of OpenKruise, which do not look at
// whether it should run a pod, unless [SurgeOnExcludedNodes] is repaired.
func (st *state) surgeOpenKruise(p *Plan, c *surgeTally, key int32) {
	pods := st.classify(&st.keys[key])
	n, o := pods.new, pods.old
	switch {
	case !pods.ok:
		c.block(key, nil, ReasonTooManyPods)
	case o.preparing():
	case st.opts.Repair.Has(SurgeOnExcludedNodes) && !n.preparing():
		st.surgeKubernetes(p, c, key)
	case !o.exists():
	case !n.exists() && o.has(isAvailable):
		c.waiting = append(c.waiting, key)
	case !n.exists():
		c.create = append(c.create, key)
	case n.has(isAvailable) && n.preparing():
		c.block(key, n.Pod, ReasonPreparing)
	default:
		st.surgePair(c, key, n, o)
	}
}
