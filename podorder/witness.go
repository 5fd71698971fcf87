// SPDX-License-Identifier: Apache-2.0

package podorder

// Witness returns three pods that show that compare is not an order: it is not antisymmetric
// for a and b, in which case c is b; or compare or its ties are not transitive for a, b and c.
// found is false if there are no such pods. Witness is for diagnosis: for N pods it takes
// O(N³) time.
func Witness(pods []Pod, compare func(a, b Pod) int) (a, b, c Pod, found bool) {
	n := len(pods)
	signs := make([]int, n*n)
	for i := range pods {
		for j := range pods {
			signs[i*n+j] = sign(compare(pods[i], pods[j]))
		}
	}
	for i := range n {
		for j := range n {
			if signs[i*n+j] != -signs[j*n+i] {
				return pods[i], pods[j], pods[j], true
			}
			for k := range n {
				if !transitive(signs[i*n+j], signs[j*n+k], signs[i*n+k]) {
					return pods[i], pods[j], pods[k], true
				}
			}
		}
	}
	return Pod{}, Pod{}, Pod{}, false
}

// transitive reports whether the comparison ac of a and c agrees with the comparisons ab and bc.
// If neither is positive, ac must be negative if one of them is, and otherwise 0.
func transitive(ab, bc, ac int) bool {
	if ab > 0 || bc > 0 {
		return true // found for the reverse order of the pods, or not determined
	}
	return ac == min(ab, bc)
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}
