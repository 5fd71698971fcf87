// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxInteger is the largest integer that a label value can spell. A label value has no sign,
// so only the integers from 0 to maxInteger have a legal spelling. An integer of d digits has
// 64-d spellings, with up to 63-d leading zeros: excluding 1 does not exclude 01.
const maxInteger = math.MaxInt64

// maxValue is the length of the longest label value.
const maxValue = 63

func isBetween(value string, lo, hi int64) bool {
	n, err := strconv.ParseInt(value, 10, 64)
	return err == nil && lo <= n && n <= hi
}

// spelling returns the shortest spelling of the smallest integer from lo to hi that has a
// spelling that is not excluded. Lo is not negative, and excluded is sorted. Each failed
// spelling is an excluded one, so it tries at most one more than these.
func spelling(lo, hi int64, excluded []string) (string, bool) {
	for n := lo; n <= hi; n++ {
		if s, ok := spellingOf(n, excluded); ok {
			return s, true
		}
		if n == maxInteger {
			break
		}
	}
	return "", false
}

func spellingOf(n int64, excluded []string) (string, bool) {
	digits := strconv.FormatInt(n, 10)
	for zeros := 0; zeros+len(digits) <= maxValue; zeros++ {
		s := strings.Repeat("0", zeros) + digits
		if _, found := slices.BinarySearch(excluded, s); !found {
			return s, true
		}
	}
	return "", false
}

// tightened returns the range without the integers at its ends whose spellings are all
// excluded.
func tightened(lo, hi int64, excluded []string) (int64, int64) {
	for lo <= hi {
		if _, ok := spellingOf(lo, excluded); ok {
			break
		}
		lo++
	}
	for hi > lo {
		if _, ok := spellingOf(hi, excluded); ok {
			break
		}
		hi--
	}
	return lo, hi
}

// fresh returns a legal value that is not in excluded, which is sorted: the first of the
// empty value, v1, v2 and so on. None of them is an integer.
func fresh(excluded []string) string {
	value := ""
	for i := 1; ; i++ {
		if _, found := slices.BinarySearch(excluded, value); !found {
			return value
		}
		value = "v" + strconv.Itoa(i)
	}
}
