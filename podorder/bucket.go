// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"math"
	"time"
)

// AgeBucket returns the whole part of the logarithm to base 2 of an age in nanoseconds. It is
// 0 for 1 ns, 29 for 1 s, 35 for 1 min, and 63 for an age of 292 years and more, which does
// not fit. It is -1 for age 0 or a time in the future. A scale-down does not compare the ages
// of pods in one bucket, so that it does not always delete the youngest (KEP-2185).
//
// Like upstream, which computes with floats, it puts ages just below a power of two into the
// next bucket: from 6.5 days on, and by 1 ns to 23 microseconds.
//
// It mirrors logarithmicRankDiff of the controller package of Kubernetes.
func AgeBucket(t, now time.Time) int8 {
	return bucketOf(int64(now.Sub(t))) // saturates
}

// The mantissa of a float64 has 52 bits after the point.
const mantissaBits, exponentBias = 52, 1023

// roundedUp is the number of mantissas below a power of two that upstream puts into the next
// bucket: it adds a whole number and a fraction in a float64, which rounds their logarithms
// to the logarithm of the power. The logarithm of 1-k/2^53 is -1.44k/2^53. Next to a whole
// number from 33 to 64, anything below half a unit of the last place, 1/2^48, is lost: this
// holds for k up to 22.
const roundedUp = 22

// bucketOf returns the value of upstream's int64(math.Log2(float64(age))), without math.Log2:
// libraries may round logarithms differently, and plans must not depend on the platform.
func bucketOf(age int64) int8 {
	if age <= 0 {
		return -1
	}
	return int8((math.Float64bits(float64(age))+roundedUp)>>mantissaBits - exponentBias)
}
