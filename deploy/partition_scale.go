// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"

	"github.com/kplan-go/kplan"
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
	old := in.oldNumbers()
	lost, _, ahead := rollout.RemoveUnavailable(old, policy.Sum(d.total(active)-int64(in.replicas)), policy)
	d.removeUnavailable(old, lost)
	if ahead >= 0 {
		return sizing{changes: d.changes(), holds: []kplan.Hold[Reason]{holdAhead(&in.sets[old[ahead].Age])}, failed: true}
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
	if d.in.newAt < 0 {
		return
	}
	order, sets, sizes := d.newLast()
	d.mend(order, rollout.KeepLimit(sets, sizes, len(order)-1, d.in.limit()))
}

// keepAvailable lets sets keep available pods until the minimum is available: the repair of
// [ScalingTakesAvailable]. New pods that are not go first, since the others were there
// before. There are enough: what sets want is the replicas, or no less than before.
func (d *draft) keepAvailable() {
	order, sets, sizes := d.newLast()
	d.mend(order, rollout.KeepAvailable(d.in.budget, sets, sizes, d.in.policy))
}

// newLast returns the numbers of all sets, the new one last, their counts, and the sizes
// that they are to get.
func (d *draft) newLast() (order []int, sets []rollout.Set, sizes []int32) {
	n := len(d.sizes)
	order, sets, sizes = make([]int, 0, n), make([]rollout.Set, 0, n), make([]int32, 0, n)
	for i, s := range d.in.all {
		order, sets, sizes = append(order, i), append(sets, s.numbers()), append(sizes, d.sizes[i].to)
	}
	return order, sets, sizes
}

// mend gives sets other sizes than their shares: first those that lose pods by it, the new
// one before the others.
func (d *draft) mend(order []int, sizes []int32) {
	for k, i := range slices.Backward(order) {
		if sizes[k] < d.sizes[i].to {
			d.shrinkFirst = true
			d.resize(i, sizes[k], ReasonScaling, false)
		}
	}
	for k, i := range order {
		if sizes[k] > d.sizes[i].to {
			d.shrinkFirst = true
			d.resize(i, sizes[k], ReasonScaling, false)
		}
	}
}
