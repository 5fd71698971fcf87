// SPDX-License-Identifier: Apache-2.0

package partition

import (
	"strconv"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
)

// decimals is how many digits a fraction of a percent may have.
const decimals = 7

// LimitOfShare is [Limit] for a percentage with a fraction such as "33.3%", as in the partition
// of a CloneSet. For whole percentages both give the same result. Upstream computes in float64,
// and its result may be larger by 1.
//
//	LimitOfShare("33.3%", 10)  // 4
//	LimitOfShare("99.9%", 10)  // 9
//
// The error is a [kplan.FieldError] with an empty path: the text has other characters than
// digits, one point and a final "%", no digits before the point, or more than 7 after it.
func LimitOfShare(share string, replicas int32) (int32, error) {
	digits, isShare := strings.CutSuffix(share, "%")
	whole, fraction, _ := strings.Cut(digits, ".")
	n, err := strconv.ParseUint(whole+fraction, 10, 63)
	if !isShare || whole == "" || err != nil || len(fraction) > decimals {
		return 0, &kplan.FieldError{Value: share, Detail: "must be a percentage such as 33.3%", Err: err}
	}
	all := uint64(100)
	for range fraction {
		all *= 10
	}
	most := max(0, replicas)
	switch {
	case n == all || most == 0:
		return most, nil
	case n > all:
		return Limit(rollout.Percent(101), most), nil
	}
	limit := int32((n*uint64(most) + all - 1) / all) // below 2^62, since n is below 10^9
	if most > 1 {
		limit = min(limit, most-1)
	}
	return limit, nil
}
