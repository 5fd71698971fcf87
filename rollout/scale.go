// SPDX-License-Identifier: Apache-2.0

package rollout

// Scale returns the sizes of sets after replicas have changed. Pass only sets that want pods.
// newest is the index of the new set, or -1 if it is not among them.
//
//	to add = replicas + surge - wanted of all         -wanted of all if replicas = 0
//	size(i) as Proportional has it                    by default, and if pods are removed
//	size(newest) = wanted(newest) + to add            if pods are added and p.ScaleNewest
//
// With ScaleNewest and without a new set no pods are added. By default Scale mirrors scale of
// the deployment controller of Kubernetes. With ScaleNewest it mirrors scale of
// machine-controller-manager (commit 54caf546), which creates no machine of an old template,
// because it would soon replace it.
func Scale(b Budget, sets []Set, newest int, p Policy) []int32 {
	sizes, toAdd := make([]int32, len(sets)), int64(0)
	if b.Replicas > 0 {
		toAdd = p.MaxTotal(b)
	}
	for i, s := range sets {
		sizes[i] = s.Wanted
		toAdd = p.Sum(toAdd - int64(s.Wanted))
	}
	if toAdd > 0 && p.ScaleNewest {
		if newest >= 0 && newest < len(sets) {
			sizes[newest] = p.Size(int64(sizes[newest]) + toAdd)
		}
		return sizes
	}
	order := BySize(sets, toAdd)
	sorted := make([]Set, len(sets))
	for k, i := range order {
		sorted[k] = sets[i]
	}
	for k, size := range Proportional(sorted, b, toAdd, p.Counting) {
		sizes[order[k]] = size
	}
	return sizes
}
