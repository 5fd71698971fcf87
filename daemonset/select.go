package daemonset

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/rollout"
)

// progressive cuts the nodes to create pods on down to those that the partition has
// released. They come, and stay, in the order of their names.
func (st *state) progressive(p *Plan, create []int32) []int32 {
	reserved := st.reserved()
	if st.strategy != RollingUpdate || reserved == 0 || !st.ds.Progressive || len(create) == 0 {
		return create
	}
	k := int(rollout.NodesNeedingPods(st.newPods(), st.desired, reserved))
	if k < len(create) {
		p.hold(Hold{Reason: ReasonProgressive, Have: int64(len(create) - k), Limit: int64(reserved)})
		create = create[:k]
	}
	return create
}

// newPods counts the nodes with a new pod.
func (st *state) newPods() int32 {
	n := int32(0)
	for i := range st.nodes {
		if c := st.classify(&st.keys[i]); c.ok && c.new.exists() {
			n++
		}
	}
	return n
}

// reserved returns on how many nodes old pods stay.
func (st *state) reserved() int32 { return max(st.ds.Partition.Of(st.base()), 0) }

// A nodePods is the pods of a node that are not being deleted, by version.
type nodePods struct {
	new, old podFacts
	ok       bool // at most one of each
	all      int  // pods that belong to the node, whatever their state
}

// classify divides the pods of a key that are not being deleted into a new and an old
// one. With two of a kind the node is not in order.
func (st *state) classify(k *nodeKey) nodePods {
	c := nodePods{ok: true, all: int(k.count)}
	for _, n := range st.podsOf(k) {
		p := podFacts{&st.pods[n], st.facts[n]}
		switch {
		case p.has(isTerminating):
		case p.has(isCurrent):
			c.ok = c.ok && !c.new.exists()
			c.new = p
		default:
			c.ok = c.ok && !c.old.exists()
			c.old = p
		}
	}
	if !c.ok {
		c.new, c.old = podFacts{}, podFacts{}
	}
	return c
}

// updateKeys returns the nodes that the update looks at, in the order in which they are
// chosen.
func (st *state) updateKeys(p *Plan) []int32 {
	keys := make([]int32, 0, len(st.keys))
	filtered := st.opts.kruise() || st.reserved() > 0 || st.ds.NodeSelector != nil
	for i := range st.keys {
		k := &st.keys[i]
		switch {
		case k.count == 0 && !k.run: // nothing there, and nothing should be
		case k.node < 0 && (filtered || st.opts.Prune):
		case st.opts.Prune && !k.run:
		default:
			keys = append(keys, int32(i))
		}
	}
	if filtered {
		return st.filter(p, keys)
	}
	return keys
}

// filter keeps the nodes that partition and selector admit. Nodes that have been
// updated take their share.
func (st *state) filter(p *Plan, keys []int32) []int32 {
	const updated, updating, selected, rest = 0, 1, 2, 3
	reserved := st.reserved()
	var lists [4][]int32
	for _, i := range keys {
		k := &st.keys[i]
		list := rest
		switch c := st.classify(k); {
		case !c.ok || c.new.exists():
			list = updated
		case !c.old.exists() || c.old.preparing():
			list = updating
		case st.ds.NodeSelector != nil && st.nodeSelector.Matches(st.nodes[k.node].Labels):
			list = selected
		}
		lists[list] = append(lists[list], i)
	}
	order := append(st.descending(lists[updated]), st.descending(lists[updating])...)
	if st.ds.NodeSelector != nil {
		if n := len(lists[rest]); n > 0 {
			p.hold(Hold{Reason: ReasonNotSelected, Have: int64(n)})
		}
		order = append(order, st.descending(lists[selected])...)
	} else {
		order = append(order, st.descending(lists[rest])...)
	}
	if limit := rollout.NodesToUpdate(len(keys), reserved); limit < len(order) {
		p.hold(Hold{Reason: ReasonPartition, Have: int64(len(order) - limit), Limit: int64(reserved)})
		order = order[:limit]
	}
	return order
}

// descending sorts keys by rank, and by name from the last.
func (st *state) descending(keys []int32) []int32 {
	slices.SortFunc(keys, func(a, b int32) int {
		return cmp.Or(cmp.Compare(st.rank(a), st.rank(b)), st.compareKeys(b, a))
	})
	return keys
}
