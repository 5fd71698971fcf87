// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"math"
	"time"
)

// AgeBucket groups ages whose logarithm to base 2, in nanoseconds, has the same whole part.
// It is 0 for 1 ns, 29 for 1 s, 35 for 1 min, and 63 for an age of 292 years and more,
// which does not fit. It is -1 for no age or a time in the future. A scale-down treats the
// pods of a bucket alike, so that it does not always hit the youngest (KEP-2185).
//
// As upstream, which computes with floats, it puts ages just below a power of two into
// the next bucket: from 6.5 days on, and by 1 ns to 23 microseconds.
//
// It mirrors logarithmicRankDiff of the controller package of Kubernetes.
func AgeBucket(t, now time.Time) int8 {
	return bucketOf(int64(now.Sub(t))) // saturates
}

// The mantissa of a float64 has 52 bits behind the point.
const mantissaBits, exponentBias = 52, 1023

// roundedUp is how many mantissas below a power of two have a logarithm that upstream's
// sum of a whole number and a fraction, which is a float64, cannot tell from that of
// the power. The logarithm of 1-k/2^53 is -1.44k/2^53; beside a whole number from 33 to
// 64 what is below half a unit of the last place, 1/2^48, is lost, which is so for k up
// to 22.
const roundedUp = 22

// bucketOf returns what upstream's int64(math.Log2(float64(age))) is, without that: a
// library may round a logarithm as it likes, and plans must not depend on the platform.
func bucketOf(age int64) int8 {
	if age <= 0 {
		return -1
	}
	return int8((math.Float64bits(float64(age))+roundedUp)>>mantissaBits - exponentBias)
}
