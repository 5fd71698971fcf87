// SPDX-License-Identifier: Apache-2.0

package podorder

// Witness returns three pods on which compare is not an order: it is not antisymmetric, not
// transitive, or its ties are not transitive. It is for diagnosis and takes cubic time.
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

// transitive reports whether the sign of a to c follows from a to b and b to c, if these
// determine it: in a chain of ties and steps forward, a single step puts c after a.
func transitive(ab, bc, ac int) bool {
	if ab > 0 || bc > 0 {
		return true // seen from the other end
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
