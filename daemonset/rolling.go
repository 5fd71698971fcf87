package daemonset

import (
	"math"
	"slices"

	"github.com/kplan-go/kplan/rollout"
)

// update replaces old pods as the strategy allows. It reports false where upstream
// fails.
func (st *state) update(p *Plan) bool {
	n := st.countOld(st.keys)
	if n == 0 {
		st.ending(p)
		return true
	}
	if st.strategy == OnDelete || st.ds.Paused {
		reason := ReasonOnDelete
		if st.strategy != OnDelete {
			reason = ReasonPaused
		}
		p.hold(Hold{Reason: reason, Have: int64(n)})
		st.ending(p)
		return true
	}
	keys := st.updateKeys(p)
	if p.Budget.Surge > 0 {
		return st.updateWithSurge(p, keys, n)
	}
	st.updateWithoutSurge(p, keys, n)
	return true
}

// countOld counts the nodes with an old pod that is not being deleted.
func (st *state) countOld(keys []nodeKey) int {
	n := 0
	for i := range keys {
		for _, p := range st.podsOf(&keys[i]) {
			if !st.facts[p].has(isTerminating | isCurrent) {
				n++
				break
			}
		}
	}
	return n
}

// A usage is why a node counts as unavailable, or as surging.
type usage struct {
	key    int32
	pod    *Pod // the one that the reason is about, or nil
	reason Reason
}

// A nodeTally is the nodes of an update by what becomes of them.
type nodeTally struct {
	blockers   []usage // nodes that use up the budget
	used       int     // by how much
	replace    []keyPod
	replaced   int // of replace, those that use up the budget
	candidates []keyPod
}

type keyPod struct {
	key int32
	pod *Pod
}

func (c *nodeTally) block(key int32, pod *Pod, reason Reason) {
	c.used++
	c.blockers = append(c.blockers, usage{key, pod, reason})
}

// updateWithoutSurge is the rolling update without surge: delete, and let the next plan
// create. Old is the number of nodes with an old pod.
func (st *state) updateWithoutSurge(p *Plan, keys []int32, old int) {
	c := nodeTally{candidates: make([]keyPod, 0, old)}
	dead := st.deadNodes(p, keys)
	for _, i := range keys {
		if _, skip := slices.BinarySearchFunc(dead, i, st.compareKeys); !skip {
			st.count(&c, i)
		}
	}
	if !st.opts.kruise() || st.ranked {
		compare, order := st.order(), st.inOrder()
		first(c.replace, min(order, len(c.replace)), func(a, b keyPod) int { return compare(a.key, b.key) })
		first(c.candidates, min(order, len(c.candidates)), func(a, b keyPod) int { return compare(a.key, b.key) })
	}
	counts := rollout.NodeCounts{Unavailable: c.used, OfOld: c.replaced, OldUnavailable: len(c.replace), OldAvailable: len(c.candidates)}
	n, room := counts.Removals(p.Budget.Unavailable)
	if st.opts.StrictUnavailable {
		n, room = counts.StrictRemovals(p.Budget.Unavailable)
	}
	replace := c.replace[:n]
	if rest := len(c.replace) - n; rest > 0 {
		p.hold(Hold{Reason: ReasonStrict, Have: int64(rest), Limit: int64(p.Budget.Unavailable)})
	}
	waiting := len(c.candidates) > room
	if waiting {
		p.hold(Hold{Reason: ReasonMaxUnavailable, Have: int64(c.used), Limit: int64(p.Budget.Unavailable)})
	}
	if waiting || len(replace) < len(c.replace) {
		st.explain(p, c.blockers)
	} else {
		st.ending(p)
	}
	remove := make([]Deletion, 0, len(replace)+room)
	for _, k := range replace {
		remove = append(remove, Deletion{k.pod, ReasonOldUnavailable})
	}
	for _, k := range c.candidates[:room] {
		remove = append(remove, Deletion{k.pod, ReasonRollout})
	}
	remove = st.inPlace(p, remove)
	st.sync(p, nil, remove, ReasonRollout)
}

// inOrder returns how many of the pods that an update may delete have to be put in
// order: those beyond the burst are only counted, unless they are updated in place or
// marked.
func (st *state) inOrder() int {
	if st.ds.PreDelete != nil || st.ds.RollingType == InPlaceIfPossible {
		return math.MaxInt
	}
	return st.burst()
}

// countsReplaced reports whether an old pod that is not available uses the budget. In
// OpenKruise it does not.
func (st *state) countsReplaced() bool {
	return !st.opts.kruise() || st.opts.Repair.Has(OldUnavailableNotCounted)
}

// count files a node: whether it uses up the budget, and whether its old pod may go (see
// Update without surge in rules.md).
func (st *state) count(c *nodeTally, key int32) {
	k := &st.keys[key]
	if st.upToDate(k) {
		return
	}
	blocked, replaced := len(c.blockers), c.replaced
	st.countNode(c, key, st.classify(k))
	// The budget is a share of the nodes that should run a pod.
	if st.opts.Repair.Has(OutsideNodesUseBudget) && !k.run {
		c.used -= len(c.blockers) - blocked
		c.blockers, c.replaced = c.blockers[:blocked], replaced
	}
}

// upToDate reports whether a node certainly has nothing but a new pod that is
// available, as most nodes have most of the time.
func (st *state) upToDate(k *nodeKey) bool {
	return k.count == 1 && st.facts[st.grouped[k.first]]&(isTerminating|isPreparing|isCurrent|isAvailable) == isCurrent|isAvailable
}

func (st *state) countNode(c *nodeTally, key int32, pods nodePods) {
	n, o := pods.new, pods.old
	switch {
	case n.preparing() && o.exists() && !o.preparing():
		st.countTwice(c, key, n)
		return
	case !n.exists() && o.preparing():
		c.block(key, o.Pod, ReasonPreparing)
		return
	case n.preparing():
		c.block(key, n.Pod, ReasonPreparing)
		return
	case n.exists() && o.preparing():
		o = podFacts{}
	}
	switch {
	case !pods.ok:
		c.block(key, nil, ReasonTooManyPods)
	case n.exists() && o.exists():
		c.block(key, n.Pod, ReasonNewAndOld)
	case n.exists():
		if !n.has(isAvailable) {
			c.block(key, n.Pod, n.unavailable())
		}
	case !o.exists():
		c.block(key, nil, empty(pods))
	case o.has(isAvailable):
		c.candidates = append(c.candidates, keyPod{key, o.Pod})
	default:
		if st.countsReplaced() {
			c.block(key, o.Pod, o.unavailable())
			c.replaced++
		}
		c.replace = append(c.replace, keyPod{key, o.Pod})
	}
}

// countTwice files a node with a new pod that is about to go beside a normal old one:
// it counts for being about to go, and once more if it is not available, unless
// [DeletedPodCountsTwice] is repaired.
func (st *state) countTwice(c *nodeTally, key int32, n podFacts) {
	c.block(key, n.Pod, ReasonPreparing)
	if !n.has(isAvailable) && !st.opts.Repair.Has(DeletedPodCountsTwice) {
		c.block(key, n.Pod, n.unavailable())
	}
}

func empty(pods nodePods) Reason {
	if pods.all > 0 {
		return ReasonTerminating
	}
	return ReasonEmpty
}

// deadNodes returns, in the order of their names, the nodes that SkipDeadNodes leaves
// out of the update: they do not answer, and their pods use the budget or would be
// replaced.
func (st *state) deadNodes(p *Plan, keys []int32) []int32 {
	if st.opts.SkipDeadNodes == 0 {
		return nil
	}
	var dead []int32
	for _, i := range keys {
		if k := &st.keys[i]; k.node >= 0 && st.nodes[k.node].dead() {
			var c nodeTally
			if st.count(&c, i); c.used+len(c.replace)+len(c.candidates) > 0 {
				dead = append(dead, i)
			}
		}
	}
	slices.SortFunc(dead, st.compareKeys)
	dead = dead[:min(len(dead), int(st.opts.SkipDeadNodes))]
	for _, i := range dead {
		p.hold(Hold{Node: st.keys[i].name, Reason: ReasonDeadNode})
	}
	return dead
}

// ending tells, by name, which nodes wait for nothing but the end of their pods.
func (st *state) ending(p *Plan) {
	var wait []usage
	for i := range st.nodes {
		k := &st.keys[i]
		if k.run && k.count > 0 && !slices.ContainsFunc(st.podsOf(k), func(n int32) bool { return !st.facts[n].has(isTerminating) }) {
			wait = append(wait, usage{int32(i), nil, ReasonTerminating})
		}
	}
	st.explain(p, wait)
}

// explain tells, by name, which nodes use up the budget.
func (st *state) explain(p *Plan, blockers []usage) {
	slices.SortStableFunc(blockers, func(a, b usage) int { return st.compareKeys(a.key, b.key) })
	p.Holds = slices.Grow(p.Holds, len(blockers))
	for _, u := range blockers {
		h := Hold{Node: st.keys[u.key].name, Reason: u.reason}
		if u.pod != nil {
			h.Name = u.pod.Name
		}
		p.hold(h)
	}
}
