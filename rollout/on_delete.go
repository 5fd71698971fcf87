// SPDX-License-Identifier: Apache-2.0

package rollout

// OnDelete returns the sizes of the new set and of the old sets, oldest first, if old pods stay
// until a user deletes them: the new set replaces only pods that are gone.
//
//	size    = replicas                                                 if wanted > replicas
//	size    = wanted + max(0, replicas - the sum of max(wanted, there))    otherwise
//	size(i) = min(wanted(i), there(i))       an old set does not create missing pods
//
// Then the surplus, the pods beyond the replicas, is deleted, oldest set first. As upstream
// does, this computes the size of a set from the pods it wanted. So a set with missing pods
// loses fewer pods than it should:
//
//	size(i) = wanted(i) - min(size(i), remaining surplus)
//
// OnDelete mirrors the planner for OnDelete of Cluster API (commit ae7ff047).
//
//proof:requires 0 <= newSet.Wanted && 0 <= newSet.There && 0 <= replicas
//proof:requires all(k, 0, len(old), 0 <= old[k].Wanted && 0 <= old[k].There)
//proof:ensures len(sizes) == len(old) && all(k, 0, len(old), 0 <= sizes[k] && sizes[k] <= old[k].Wanted)
//proof:ensures newSet.Wanted > replicas || newSet.Wanted <= size && size <= replicas
//proof:ensures sum(k, len(old), min(old[k].Wanted, old[k].There))+size > replicas || all(k, 0, len(old), sizes[k] == min(old[k].Wanted, old[k].There))
//proof:ensures size <= replicas && implies(all(k, 0, len(old), old[k].Wanted <= old[k].There), sum(k, len(old), sizes[k]) == min(sum(k, len(old), old[k].Wanted), replicas-size))
//proof:ensures size <= newSet.Wanted || size-newSet.Wanted+max(newSet.Wanted, newSet.There)+sum(k, len(old), max(old[k].Wanted, old[k].There)) <= replicas
func OnDelete(replicas int32, newSet Set, old []Set) (size int32, sizes []int32) {
	larger := Policy{CountLarger: true}
	existing, sizes, left := larger.Existing(newSet), make([]int32, len(old)), -int64(replicas)
	//proof:keeps existing == max(newSet.Wanted, newSet.There)+sum(k, done, max(old[k].Wanted, old[k].There))
	//proof:keeps 0 <= existing && existing <= 2147483647*(done+1)
	//proof:keeps -2147483648 <= left && left <= 2147483647*done
	//proof:keeps left == sum(k, done, min(old[k].Wanted, old[k].There)) - replicas && left == sum(k, done, sizes[k]) - replicas
	//proof:keeps all(k, 0, done, sizes[k] == min(old[k].Wanted, old[k].There))
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
	//proof:keeps all(k, 0, len(old), 0 <= sizes[k] && sizes[k] <= old[k].Wanted) && all(k, done, len(old), sizes[k] == min(old[k].Wanted, old[k].There))
	//proof:keeps sum(k, len(old), min(old[k].Wanted, old[k].There))+size > replicas || left <= 0 && all(k, 0, len(old), sizes[k] == min(old[k].Wanted, old[k].There))
	//proof:keeps implies(all(k, 0, len(old), old[k].Wanted <= old[k].There), sum(k, len(old), sizes[k]) == left+replicas-size)
	//proof:keeps left <= 0 || implies(all(k, 0, len(old), old[k].Wanted <= old[k].There), all(k, 0, done, sizes[k] == 0))
	//proof:keeps left >= 0 || all(k, 0, len(old), sizes[k] == min(old[k].Wanted, old[k].There))
	for i, s := range old {
		if n := min(left, int64(sizes[i])); n > 0 {
			sizes[i] = saturate(int64(s.Wanted) - n)
			left -= n
		}
	}
	return size, sizes
}
