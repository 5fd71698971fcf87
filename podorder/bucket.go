// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"math"
	"time"
)

// AgeBucket returns the integer part of log2(age), where age = now - t in nanoseconds. It is
// 0 for 1 ns, 29 for 1 s, 35 for 1 min, and 63 for 292 years or more, the largest
// time.Duration. It is -1 for age 0 or a time t in the future. A scale-down treats ages in
// one bucket as equal: otherwise it would always delete the youngest pods (KEP-2185).
//
// Like upstream, which computes with floats, it puts some ages just below a power of two into
// the next bucket: ages of 6.5 days or more that are at most 1 ns to 23 µs below the power,
// depending on the age.
//
// It mirrors logarithmicRankDiff of the controller package of Kubernetes.
func AgeBucket(t, now time.Time) int8 {
	return bucketOf(int64(now.Sub(t))) // Sub returns the largest Duration for more than 292 years
}

// The bits of a float64: 52 of the mantissa, and an exponent to which 1023 is added.
const mantissaBits, exponentBias = 52, 1023

// roundedUp is the number of float64 values just below a power of two that upstream puts into
// the next bucket, because math.Log2 rounds their logarithm up to an integer. The k-th float64
// below the power is the power times 1-k/2^53, and its logarithm is lower by 1.44k/2^53. The
// logarithm of an age from 2^32 to 2^63 ns lies from 32 to 63, where a float64 has a last place of
// 1/2^47: a difference below half of it, 1/2^48, is rounded away. 1.44k/2^53 < 1/2^48 for k up to
// 22. No whole number of nanoseconds below 2^48 is that close to a larger power.
const roundedUp = 22

// bucketOf returns the value of upstream's int64(math.Log2(float64(age))), or -1 for an age of 0
// or less. It does not call math.Log2, which may round differently on another platform: plans
// must not depend on the platform.
func bucketOf(age int64) int8 {
	if age <= 0 {
		return -1
	}
	return int8((math.Float64bits(float64(age))+roundedUp)>>mantissaBits - exponentBias)
}
