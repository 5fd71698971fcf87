package rollout

// OnDelete returns the sizes of the new set and of old ones, oldest first, where old pods
// stay until somebody deletes them: the new set takes their places, and no more.
//
//	size    = replicas                                                 if wanted > replicas
//	size    = wanted + max(0, replicas - the sum of max(wanted, there))    otherwise
//	size(i) = min(wanted(i), there(i))       an old set gives up what it does not have
//
// What all together have beyond the replicas then goes, oldest set first. A set that loses
// pods this way is reckoned from what it wanted, so that those it has given up are lost
// twice over in the sum and stay as many more:
//
//	size(i) = wanted(i) - min(size(i), what is left)
//
// It mirrors the planner for OnDelete of Cluster API (commit ae7ff047), which needs it.
func OnDelete(replicas int32, newSet Set, old []Set) (size int32, sizes []int32) {
	larger := Policy{CountLarger: true}
	existing, sizes, left := larger.Existing(newSet), make([]int32, len(old)), -int64(replicas)
	for i, s := range old {
		existing += larger.Existing(s)
		sizes[i] = min(s.Wanted, s.There)
		left += int64(sizes[i])
	}
	size = replicas
	if newSet.Wanted <= replicas {
		size = saturate(int64(newSet.Wanted) + max(0, int64(replicas)-existing))
	}
	left += int64(size)
	for i, s := range old {
		if n := min(left, int64(sizes[i])); n > 0 {
			sizes[i] = saturate(int64(s.Wanted) - n)
			left -= n
		}
	}
	return size, sizes
}
