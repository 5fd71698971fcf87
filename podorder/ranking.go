package podorder

import (
	"cmp"
	"slices"
)

// A ranking is an order applied to a list of pods. It reads the list in place.
type ranking struct {
	order  *Order
	pods   []Pod
	exact  bool // compares exact times, not buckets
	now    int64
	counts *census
	stages []Stage // nil means those of the chain, which are in the keys
	values []int64 // of the stages, one row for each key
}

func (o *Order) ranking(pods []Pod) *ranking {
	r := &ranking{order: o, pods: pods, exact: o.isExact(), now: instant(o.Now), stages: o.resolved()}
	if o.Related != nil && !(o.Chain.legacy() && o.Stages == nil) {
		r.counts = countNodes(pods, o.Related)
	}
	return r
}

// rank returns the keys of the candidates that may be deleted, and how many may
// not. Numbers that no pod has are ignored.
func (r *ranking) rank(candidates []int) (keys []key, protected int) {
	n := len(candidates)
	if candidates == nil {
		n = len(r.pods)
	}
	keys = make([]key, 0, n)
	for i := range n {
		index := i
		if candidates != nil {
			index = candidates[i]
		}
		switch {
		case index < 0 || index >= len(r.pods):
		case r.order.Protected != nil && r.order.Protected(&r.pods[index]):
			protected++
		default:
			keys = append(keys, r.key(&r.pods[index], index))
		}
	}
	r.fill(keys, candidates)
	return keys, protected
}

// fill computes the values of the stages.
func (r *ranking) fill(keys []key, candidates []int) {
	if len(r.stages) == 0 {
		return
	}
	width := len(r.stages)
	r.values = make([]int64, len(keys)*width)
	for i := range keys {
		keys[i].row = int32(i)
		row, p := r.row(&keys[i]), r.pod(&keys[i])
		for s := range r.stages {
			row[s] = r.order.value(&r.stages[s], p, r.counts)
		}
	}
	for s := width - 1; s >= 0; s-- { // the inner domains first
		if r.stages[s].spreads() {
			r.spread(s, keys, candidates)
		}
	}
}

func (r *ranking) pod(k *key) *Pod { return &r.pods[k.index] }

func (r *ranking) row(k *key) []int64 {
	width := len(r.stages)
	return r.values[int(k.row)*width : (int(k.row)+1)*width]
}

// compareGroup compares what never leads to a cycle: the stages, readiness and,
// among ready pods, the bucket of the ready time.
func (r *ranking) compareGroup(a, b *key) int {
	switch {
	case a.health != b.health:
		return cmp.Compare(a.health, b.health)
	case a.neighbours != b.neighbours:
		return cmp.Compare(b.neighbours, a.neighbours)
	}
	if r.values != nil {
		if c := slices.Compare(r.row(a), r.row(b)); c != 0 {
			return c
		}
	}
	if a.ready != b.ready {
		return cmp.Compare(truth(a.ready), truth(b.ready))
	}
	return cmp.Compare(a.readyAge, b.readyAge)
}

// compareBase orders pods by group, then by part, then within the part.
func (r *ranking) compareBase(a, b *key) int {
	if c := r.compareGroup(a, b); c != 0 {
		return c
	}
	if c := newerFirst(a.readySince, b.readySince); c != 0 {
		return c
	}
	return r.comparePart(a, b)
}

// comparePart orders pods that became ready at the same instant.
func (r *ranking) comparePart(a, b *key) int {
	if c := compareRestarts(a, b); c != 0 {
		return c
	}
	if a.created != b.created {
		c, tie := r.compareTimes(a.created, b.created, a.createdAge, b.createdAge)
		if tie {
			c = r.compareUID(a, b)
		}
		if c != 0 {
			return c
		}
	}
	if a.annotated != b.annotated && r.order.Chain.legacy() {
		return truthFirst(a.annotated) // a tie of the proposal goes to the annotated pod
	}
	return r.compareID(a, b)
}

// compareTimes compares two different times: by bucket if both are set and the order
// knows the time, otherwise exactly. Within a bucket it is a tie, and the UID stands
// in for a coin.
func (r *ranking) compareTimes(a, b int64, ageA, ageB int8) (c int, tie bool) {
	if r.exact || ageA == noAge || ageB == noAge {
		return newerFirst(a, b), false
	}
	return cmp.Compare(ageA, ageB), ageA == ageB
}

func (r *ranking) compareUID(a, b *key) int {
	if a.early != b.early {
		return cmp.Compare(a.early, b.early)
	}
	return cmp.Compare(r.pod(a).UID, r.pod(b).UID)
}

// compareID is the last resort of every order. Names are unique in a namespace.
func (r *ranking) compareID(a, b *key) int {
	if c := r.compareUID(a, b); c != 0 {
		return c
	}
	return cmp.Compare(r.pod(a).Name, r.pod(b).Name)
}

// compareLeader orders the leaders of parts. The UID decides; that of two parts is
// the same only in a snapshot that holds a pod twice.
func (r *ranking) compareLeader(a, b *key) int {
	if c := r.compareID(a, b); c != 0 {
		return c
	}
	return newerFirst(a.readySince, b.readySince)
}

// merges reports whether the group of k has parts to be merged by UID: that of
// ready pods whose ready times are set.
func (r *ranking) merges(k *key) bool { return !r.exact && k.ready && k.readyAge != noAge }

func truthFirst(a bool) int {
	if a {
		return -1
	}
	return 1
}
