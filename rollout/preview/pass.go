// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// pass makes one pass of the controller of a Deployment that is updated by partition: it
// grows the new ReplicaSet; or else grows the largest old one, if old pods are missing; or else
// shrinks old ones as far as enough pods stay available.
func (v *simulation) pass() {
	old := v.others()
	total := old + int64(v.newPods)
	if grown := partition.NewSize(v.partition, v.budget, total, v.newPods); grown != v.newPods {
		v.newPods = grown
		return
	}
	limit := partition.OldLimit(v.partition, v.budget.Replicas, old, v.newPods)
	if limit <= 0 {
		v.old[v.largest()] -= int32(limit)
		return
	}
	room := min(total-int64(v.budget.MinAvailable()), limit, old)
	for _, i := range v.order() {
		n := min(max(0, room), int64(v.old[i]))
		v.old[i] -= int32(n)
		room -= n
	}
}

// others returns the number of pods of all old templates.
func (v *simulation) others() (n int64) {
	for _, size := range v.old {
		n += int64(size)
	}
	return n
}

// largest returns the index of the old template with the most pods, the first of equals.
func (v *simulation) largest() int {
	at := 0
	for i, n := range v.old {
		if n > v.old[at] {
			at = i
		}
	}
	return at
}

// order returns the indexes of the old templates in the order in which they lose pods: the stable
// one last. Upstream sorts a list so, but then appends the new ReplicaSet and sorts the result by
// age. Unless the list was full, which it is if the number of old templates with pods is a power of
// two, both share their memory, and the oldest loses pods first
// ([quirk.MiddleTemplatesOutOfOrder]).
func (v *simulation) order() []int {
	var list []int
	active := 0
	for i := len(v.old) - 1; i >= 0; i-- {
		list = append(list, i)
		if v.old[i] > 0 {
			active++
		}
	}
	if v.opts.Repair.Has(quirk.MiddleTemplatesOutOfOrder) || active&(active-1) == 0 {
		return list
	}
	for i := range list {
		list[i] = i
	}
	return list
}
