package podorder

import (
	"math"
	"math/bits"
	"time"
)

// AgeBucket groups ages whose logarithm to base 2, in nanoseconds, has the same
// whole part: -1 for no age or a time in the future, 0 for 1 ns, 29 for 1 s, 35
// for 1 min, 63 for an age of 292 years and more, which does not fit. A scale-down
// treats the pods of a bucket alike, so that it does not always hit the youngest
// (KEP-2185).
func AgeBucket(t, now time.Time) int8 {
	return bucketOf(int64(now.Sub(t))) // saturates
}

func bucketOf(age int64) int8 {
	if age == math.MaxInt64 {
		return 63 // upstream rounds 2^63-1 to 2^63
	}
	return int8(bits.Len64(uint64(max(age, 0))) - 1)
}
