package deploy

import (
	"math"
	"slices"

	"github.com/kplan-go/kplan/rollout"
)

// scalePartitioned distributes the Deployment's replicas, without the surge, over the
// sets of a partitioned Deployment. Pods of old sets that are not available
// go first. If some old set reports more available pods than it wants, upstream ends
// the pass with an error: see [StatusAheadFailsScaling].
//
// By default a new set keeps its share even beyond its partition, and then stays
// there ([ScaledBeyondPartition]), and available pods go beyond the minimum
// ([ScalingTakesAvailable]).
func (st *state) scalePartitioned(active []int) {
	total := int64(0)
	for _, i := range active {
		total += int64(st.sets[i].spec)
	}
	policy := st.policy()
	policy.CapOld = st.opts.Repair.Has(StatusAheadFailsScaling)
	old, places := st.countOld()
	lost, _, ahead := rollout.RemoveUnavailable(old, policy.Sum(total-int64(st.replicas)), policy)
	st.removeUnavailable(places, old, lost)
	if ahead >= 0 {
		st.holdAhead(&st.sets[places[ahead]])
		st.aborted = true
		return
	}
	for i := range st.old {
		st.sets[i].cleaned = st.sets[i].unhealthy
	}
	active = st.activeSets()
	if st.exactly() {
		st.scaleExactly(active)
	} else {
		st.scaleProportionally(active)
	}
	if st.opts.Repair.Has(ScaledBeyondPartition) {
		st.keepToPartition()
	}
	if st.opts.Repair.Has(ScalingTakesAvailable) {
		st.keepAvailable()
	}
}

// keepToPartition gives what the new set would get beyond its partition to the
// largest old one: the repair of [ScaledBeyondPartition].
func (st *state) keepToPartition() {
	s := st.newSet()
	if s == nil {
		return
	}
	surplus := max(0, s.spec-max(s.from, st.limit()))
	if i := st.largestOld(); i >= 0 && surplus > 0 {
		st.shrinkFirst = true
		st.setScale(st.newest, s.spec-surplus, ReasonScaling, false)
		st.setScale(i, int32(min(int64(st.sets[i].spec)+int64(surplus), math.MaxInt32)), ReasonScaling, false)
	}
}

// keepAvailable lets sets keep available pods, and others lose as many that are not
// available, or not yet started, until the minimum is available: the repair of
// [ScalingTakesAvailable]. New
// pods go first, since the others were there before. There are enough: what sets want is
// the replicas, or no less than before.
func (st *state) keepAvailable() {
	order := make([]int, 0, len(st.sets))
	now, left := int64(0), int64(0) // available, and of these not to be removed
	for i, s := range st.all {
		order = append(order, i)
		available := s.wantedAvailable()
		now, left = now+available, left+min(available, int64(s.spec))
	}
	missing := min(st.minAvailable(), now) - left
	if missing <= 0 {
		return
	}
	st.shrinkFirst = true
	take, give := missing, missing
	for _, i := range slices.Backward(order) {
		s := &st.sets[i]
		n := max(0, min(take, int64(s.spec)-s.wantedAvailable()))
		st.setScale(i, s.spec-int32(n), ReasonScaling, false)
		take -= n
	}
	for _, i := range order {
		s := &st.sets[i]
		n := max(0, min(give, s.wantedAvailable()-int64(s.spec)))
		st.setScale(i, s.spec+int32(n), ReasonScaling, false)
		give -= n
	}
}
