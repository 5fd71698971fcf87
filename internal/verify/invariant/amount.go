// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"math"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/rollout"
)

// amount resolves a value to a number out of total, rounded up or down, with exact arithmetic. It
// parses the value's text, to be independent of the planners' code.
func amount(v rollout.IntOrPercent, total int64, up bool) int64 {
	text, percent := strings.CutSuffix(v.String(), "%")
	n, _ := strconv.ParseInt(text, 10, 64)
	if !percent {
		return n
	}
	product := n * total // both fit in 32 bits
	quotient, rest := product/100, product%100
	if up && rest > 0 {
		quotient++
	}
	return quotient
}

// orDefault returns v, or a default if v is unset.
func orDefault(v rollout.IntOrPercent, unset rollout.IntOrPercent) rollout.IntOrPercent {
	if v.IsZero() {
		return unset
	}
	return v
}

// isAll reports whether a partition covers every pod: 100% or a number that large.
func isAll(v rollout.IntOrPercent, replicas int64) bool {
	if strings.HasSuffix(v.String(), "%") {
		return v.String() == "100%"
	}
	return amount(v, replicas, true) >= replicas
}

// leaves32 reports whether a number does not fit in 32 bits.
func leaves32(n int64) bool { return n > math.MaxInt32 || n < math.MinInt32 }

func between(n, low, high int64) int64 { return max(low, min(n, high)) }
