// SPDX-License-Identifier: Apache-2.0

package rollout

// Sizes returns the sizes of old sets after both losses of s. A set keeps its size if it would be
// below 0, because its number of available pods is below 0.
//
//	wanted(i) - unavailable(i) - available(i)
func (s Shrinking) Sizes(old []Set) []int32 {
	sizes := make([]int32, len(old))
	for i := range old {
		sizes[i] = s.size(old, i)
	}
	return sizes
}

func (s Shrinking) size(old []Set, i int) int32 {
	size := old[i].Wanted
	if i < len(s.Unavailable) && size-s.Unavailable[i] >= 0 {
		size -= s.Unavailable[i]
	}
	if i < len(s.Available) {
		size = saturate(int64(size) - int64(s.Available[i]))
	}
	return size
}
