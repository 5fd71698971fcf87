// SPDX-License-Identifier: Apache-2.0

package selector

import "math"

// integer reads a decimal int64 with an optional sign. It accepts the same texts as
// strconv.ParseInt, which allocates an error for every label that is not a number.
func integer(s string) (int64, bool) {
	digits, negative := s, false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		digits, negative = s[1:], s[0] == '-'
	}
	if digits == "" {
		return 0, false
	}
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	var n uint64
	for i := range len(digits) {
		d := digits[i] - '0'
		if d > 9 || n > (limit-uint64(d))/10 {
			return 0, false
		}
		n = n*10 + uint64(d)
	}
	if negative {
		return int64(-n), true
	}
	return int64(n), true
}
