// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"math/rand/v2"
	"time"
)

// A span is a distribution of delays: even between two bounds.
type span struct{ least, most time.Duration }

// A pace is how long the parts of a pod's life take.
type pace struct {
	schedule, start, end, long span
	startIn                    func(draw float64) time.Duration // in place of start, or nil
}

func somePace(r *rand.Rand) pace {
	upTo := func(most time.Duration) span { return span{0, time.Duration(r.Int64N(int64(most)))} }
	return pace{
		schedule: upTo(time.Second), start: upTo(8 * time.Second), end: upTo(10 * time.Second), long: span{20 * time.Second, 90 * time.Second},
	}
}
