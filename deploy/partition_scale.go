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
func (in *input) scalePartitioned(c *counts, d *draft, active []int) sizing {
	policy, z := in.policy, sizing{}
	policy.CapOld = in.opts.Repair.Has(StatusAheadFailsScaling)
	old, places := in.countOld()
	lost, _, ahead := rollout.RemoveUnavailable(old, policy.Sum(d.total(active)-int64(in.replicas)), policy)
	d.removeUnavailable(places, old, lost)
	if ahead >= 0 {
		return sizing{changes: d.changes(), holds: []Hold{holdAhead(&in.sets[places[ahead]])}, failed: true}
	}
	for i, s := range in.old {
		d.sizes[i].cleaned = d.sizes[i].unhealthy
		z.cleaned += int64(s.size) - int64(s.size-d.sizes[i].cleaned)
	}
	d.share(c, d.active())
	if in.opts.Repair.Has(ScaledBeyondPartition) {
		d.keepToPartition()
	}
	if in.opts.Repair.Has(ScalingTakesAvailable) {
		d.keepAvailable()
	}
	z.changes, z.shrinkFirst = d.changes(), d.shrinkFirst
	return z
}

// keepToPartition gives what the new set would get beyond its partition to the
// largest old one: the repair of [ScaledBeyondPartition].
func (d *draft) keepToPartition() {
	in, s := d.in, d.in.newSet()
	if s == nil {
		return
	}
	to := d.sizes[in.newAt].to
	surplus := max(0, to-max(s.size, in.limit()))
	i := d.largestOld()
	if i < 0 || surplus == 0 {
		return
	}
	d.shrinkFirst = true
	d.scale(in.newAt, to-surplus, ReasonScaling, false)
	d.scale(i, int32(min(int64(d.sizes[i].to)+int64(surplus), math.MaxInt32)), ReasonScaling, false)
}

// keepAvailable lets sets keep available pods, and others lose as many that are not
// available, or not yet started, until the minimum is available: the repair of
// [ScalingTakesAvailable]. New
// pods go first, since the others were there before. There are enough: what sets want is
// the replicas, or no less than before.
func (d *draft) keepAvailable() {
	order := make([]int, 0, len(d.sizes))
	now, left := int64(0), int64(0) // available, and of these not to be removed
	for i, s := range d.in.all {
		order = append(order, i)
		available := s.wantedAvailable()
		now, left = now+available, left+min(available, int64(d.sizes[i].to))
	}
	missing := min(d.in.policy.MinAvailable(d.in.budget), now) - left
	if missing <= 0 {
		return
	}
	d.shrinkFirst = true
	take, give := missing, missing
	for _, i := range slices.Backward(order) {
		n := max(0, min(take, int64(d.sizes[i].to)-d.in.sets[i].wantedAvailable()))
		d.scale(i, d.sizes[i].to-int32(n), ReasonScaling, false)
		take -= n
	}
	for _, i := range order {
		n := max(0, min(give, d.in.sets[i].wantedAvailable()-int64(d.sizes[i].to)))
		d.scale(i, d.sizes[i].to+int32(n), ReasonScaling, false)
		give -= n
	}
}
