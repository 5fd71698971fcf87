package daemonset

import "slices"

// A surgeCensus is the nodes of an update with surge by what becomes of them.
type surgeCensus struct {
	census           // blockers are the nodes that surge
	create   []int32 // not limited: the old pod serves nobody
	waiting  []int32 // limited by the surge
	remove   []keyDeletion
	sunset   []keyPod // limited by what is available
	serving  int      // nodes with an available pod
	homeless bool     // an old pod is on a node that does not exist
}

type keyDeletion struct {
	key int32
	Deletion
}

// updateWithSurge is the rolling update with surge: create, and let a later plan
// delete (rules S-1 to S-4).
func (st *state) updateWithSurge(p *Plan, keys []int32) {
	var c surgeCensus
	for _, i := range keys {
		if st.opts.kruise() {
			st.surgeOpenKruise(&c, i)
		} else {
			st.surgeKubernetes(p, &c, i)
		}
	}
	if c.homeless {
		slices.SortFunc(p.Holds, func(a, b Hold) int { return compareStrings(a.Node, b.Node) })
		return // upstream fails; it goes on when the pod is gone
	}
	if !st.opts.kruise() || st.ranked() {
		slices.SortFunc(c.create, st.compareRanks)
		slices.SortFunc(c.waiting, st.compareRanks)
	}
	room := min(max(int(p.Budget.Surge)-c.used, 0), len(c.waiting))
	if room < len(c.waiting) {
		p.hold(Hold{Reason: ReasonMaxSurge, Have: int64(c.used), Limit: int64(p.Budget.Surge)})
		st.explain(p, c.blockers)
	}
	st.sync(p, append(c.create, c.waiting[:room]...), st.surgeDeletions(p, &c), ReasonRollout)
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// surgeDeletions returns the pods that go: those whose work is done, and of those on
// nodes that should no longer run one as many as others make up for (rule S-4).
func (st *state) surgeDeletions(p *Plan, c *surgeCensus) []Deletion {
	slices.SortFunc(c.remove, func(a, b keyDeletion) int { return st.compareRanks(a.key, b.key) })
	slices.SortFunc(c.sunset, func(a, b keyPod) int { return st.compareRanks(a.key, b.key) })
	list := make([]Deletion, 0, len(c.remove)+len(c.sunset))
	for _, d := range c.remove {
		list = append(list, d.Deletion)
	}
	n := min(max(c.serving-int(st.desired), 0), len(c.sunset))
	for _, k := range c.sunset[:n] {
		list = append(list, Deletion{k.pod, ReasonNotDesired})
	}
	if n < len(c.sunset) {
		p.hold(Hold{Reason: ReasonMinAvailable, Have: int64(c.serving), Limit: int64(st.desired)})
	}
	return list
}

// surgeKubernetes files a node by the rules of Kubernetes (rule S-1).
func (st *state) surgeKubernetes(p *Plan, c *surgeCensus, key int32) {
	k := &st.keys[key]
	pods := st.classify(k)
	if !pods.ok {
		c.block(key, nil, ReasonTooManyPods)
		return
	}
	n, o := pods.new, pods.old
	available := (o != nil && st.availability.Available(o)) || (o == nil && n != nil && st.availability.Available(n))
	if available && !(st.opts.Corrected && k.node < 0) {
		c.serving++
	}
	switch {
	case o == nil:
	case n != nil:
		st.surgePair(c, key, n, o)
	case k.node < 0:
		if !st.opts.Corrected { // with it, the pod is left to the collector (D-6)
			c.homeless = true
			p.hold(Hold{Node: k.name, Pod: o.Name, Reason: ReasonMissingNode})
		}
	case available && k.run:
		c.waiting = append(c.waiting, key)
	case available:
		c.sunset = append(c.sunset, keyPod{key, o})
	case k.run:
		c.create = append(c.create, key)
	default:
		c.remove = append(c.remove, keyDeletion{key, Deletion{o, ReasonNotDesired}})
	}
}

// surgePair files a node with a new and an old pod.
func (st *state) surgePair(c *surgeCensus, key int32, n, o *Pod) {
	if !st.availability.Available(n) {
		c.block(key, n, unavailable(n))
		return
	}
	c.remove = append(c.remove, keyDeletion{key, Deletion{o, ReasonReplaced}})
}

// surgeOpenKruise files a node by the rules of OpenKruise, which do not look at
// whether it should run a pod (rule S-2).
func (st *state) surgeOpenKruise(c *surgeCensus, key int32) {
	pods := st.classify(&st.keys[key])
	n, o := pods.new, pods.old
	switch {
	case !pods.ok:
		c.block(key, nil, ReasonTooManyPods)
	case o == nil || o.preparing():
	case n == nil && st.availability.Available(o):
		c.waiting = append(c.waiting, key)
	case n == nil:
		c.create = append(c.create, key)
	case st.availability.Available(n) && n.preparing():
		c.block(key, n, ReasonPreparing)
	default:
		st.surgePair(c, key, n, o)
	}
}
