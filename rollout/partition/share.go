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

// LimitOfShare is [Limit] for a share such as "33.3%", as in the partition of a CloneSet:
// rounded up, and with at least one old pod of several unless it is 100%. For whole
// percents it is the same as [Limit]. Upstream computes it in float64, and may round up an
// exact number.
//
//	LimitOfShare("33.3%", 10)  // 4
//	LimitOfShare("99.9%", 10)  // 9
//
// The error is a [kplan.FieldError] with an empty path: for text that is not a percentage
// in digits, or with more than 7 digits after the point.
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
