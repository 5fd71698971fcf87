package gen

import (
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// maxChoices is the largest number of choices that is drawn from.
const maxChoices = 128

// below[n] draws 0 to n-1. Making a generator costs more than drawing from it.
var below = func() (gs [maxChoices + 1]*rapid.Generator[int]) {
	for n := 1; n <= maxChoices; n++ {
		gs[n] = rapid.IntRange(0, n-1)
	}
	return gs
}()

var (
	anyInt32 = rapid.Int32()
	anySize  = rapid.Int32Range(0, math.MaxInt32)
	tens     = rapid.Int32Range(0, 30)
	hundreds = rapid.Int32Range(100, 1000)
)

// UpTo draws 0 to n-1, for n of at most 128.
func UpTo(t *rapid.T, n int, label string) int { return below[n].Draw(t, label) }

// OneIn is true once in about n draws, and false in the simplest case.
func OneIn(t *rapid.T, n int, label string) bool { return UpTo(t, n, label) == n-1 }

// percent is true in about p of 100 draws, and false in the simplest case.
func percent(t *rapid.T, p int, label string) bool { return UpTo(t, 100, label) >= 100-p }

// pick draws an index, each in proportion to its weight. The sum of the weights is
// at most maxChoices.
func pick(t *rapid.T, label string, weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := UpTo(t, sum, label)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	return 0
}

// from draws one of the values.
func from[T any](t *rapid.T, label string, values ...T) T { return values[UpTo(t, len(values), label)] }

// Size draws a number of pods: 70 % up to 30, and the rest hundreds, sizes around
// the known 32-bit overflows, and any up to the largest.
func Size(t *rapid.T, label string) int32 {
	switch pick(t, label+" class", 45, 25, 10, 6, 6, 4, 4) {
	case 0:
		return int32(UpTo(t, 7, label))
	case 1:
		return tens.Draw(t, label)
	case 2:
		return hundreds.Draw(t, label)
	case 3:
		return from[int32](t, label, 40_000, 45_000, 50_000, 60_000, 95_000, 100_000)
	case 4:
		return anySize.Draw(t, label)
	case 5:
		return math.MaxInt32 - int32(UpTo(t, 3, label))
	}
	return 0
}

// AnyNumber draws a 32-bit number: half of them small, negative ones included.
func AnyNumber(t *rapid.T, label string) int32 {
	if UpTo(t, 2, label+" class") == 0 {
		return int32(UpTo(t, 24, label)) - 4
	}
	return anyInt32.Draw(t, label)
}

// Time draws an instant: 40 % within the last ten seconds, so that equal times and
// equal powers of two are common, the rest from a second to a year ago; 5 % unset,
// 4 % in the future, 3 % now. Whole seconds, as the API stores them, except for 2 %
// whose age is a few nanoseconds around a power of two, and 1 % centuries away.
func Time(t *rapid.T, now time.Time, label string) metav1.Time {
	whole := now.Truncate(time.Second)
	switch pick(t, label+" class", 40, 26, 19, 5, 4, 3, 2, 1) {
	case 0:
		return metav1.NewTime(whole.Add(-time.Duration(UpTo(t, 10, label)) * time.Second))
	case 1:
		return metav1.NewTime(whole.Add(-time.Duration(UpTo(t, 128, label)) * time.Minute))
	case 2:
		return metav1.NewTime(whole.Add(-time.Duration(UpTo(t, 128, label)) * 70 * time.Hour))
	case 3:
		return metav1.Time{}
	case 4:
		return metav1.NewTime(whole.Add(time.Duration(1+UpTo(t, 60, label)) * time.Second))
	case 5:
		return metav1.NewTime(now)
	case 7:
		return metav1.NewTime(time.Date(1600+200*UpTo(t, 5, label), 1, 1, 0, 0, UpTo(t, 2, label+" seconds"), 0, time.UTC))
	}
	power := int64(1) << (47 + UpTo(t, 8, label))
	return metav1.NewTime(now.Add(-time.Duration(power - 3 + int64(UpTo(t, 5, label+" offset")))))
}
