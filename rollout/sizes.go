// SPDX-License-Identifier: Apache-2.0

package rollout

// Sizes returns the sizes of old sets after both losses of s.
//
//	wanted(i) - unavailable(i) - available(i)
func (s Shrinking) Sizes(old []Set) []int32 {
	sizes := Remaining(old, s.Unavailable)
	for i := range min(len(sizes), len(s.Available)) {
		sizes[i] = saturate(int64(sizes[i]) - int64(s.Available[i]))
	}
	return sizes
}
