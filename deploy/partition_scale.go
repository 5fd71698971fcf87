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
// By default a new set keeps its share even beyond its partition, and stays there
// ([ScaledBeyondPartition]), and fewer pods than the minimum may stay available
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

// keepToPartition gives pods of the new set beyond its partition to the largest old set:
// the repair of [ScaledBeyondPartition].
func (d *draft) keepToPartition() {
	if d.in.newAt < 0 {
		return
	}
	order, sets, sizes := d.newLast()
	d.mend(order, rollout.KeepLimit(sets, sizes, len(order)-1, d.in.limit()))
}

// keepAvailable lets sets keep available pods until the minimum is available: the repair of
// [ScalingTakesAvailable]. Unavailable new pods go first, since the other pods were there
// before. There are enough: the sets want all replicas, or no fewer than before.
func (d *draft) keepAvailable() {
	order, sets, sizes := d.newLast()
	d.mend(order, rollout.KeepAvailable(d.in.budget, sets, sizes, d.in.policy))
}

// newLast returns the indexes of all sets, the new one last, their counts, and their next
// sizes.
func (d *draft) newLast() (order []int, sets []rollout.Set, sizes []int32) {
	n := len(d.sizes)
	order, sets, sizes = make([]int, 0, n), make([]rollout.Set, 0, n), make([]int32, 0, n)
	for i, s := range d.in.all {
		order, sets, sizes = append(order, i), append(sets, s.numbers()), append(sizes, d.sizes[i].to)
	}
	return order, sets, sizes
}

// mend replaces shares by the given sizes: first of the sets that lose pods by it,
// beginning with the new one.
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
