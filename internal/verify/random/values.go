// SPDX-License-Identifier: Apache-2.0

package random

import (
	"math"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/rollout"
)

// Size draws a number of pods: 70 % up to 30, and the rest hundreds, sizes around the known
// 32-bit overflows, and any up to the largest.
func Size(s Source, name string) int32 {
	switch Weighted(s, name+" class", 45, 25, 10, 6, 6, 4, 4) {
	case 0:
		return Between[int32](s, name, 0, 6)
	case 1:
		return Between[int32](s, name, 0, 30)
	case 2:
		return Between[int32](s, name, 100, 1000)
	case 3:
		return OneOf[int32](s, name, 40_000, 45_000, 50_000, 60_000, 95_000, 100_000)
	case 4:
		return Between[int32](s, name, 0, math.MaxInt32)
	case 5:
		return math.MaxInt32 - Between[int32](s, name, 0, 2)
	}
	return 0
}

// Number draws a 32-bit number: half of them small, negative ones included.
func Number(s Source, name string) int32 {
	if Bool(s, name+" is any") {
		return anyInt32(s, name)
	}
	return Between[int32](s, name, 0, 23) - 4
}

// Time draws an instant: 40 % within the last ten seconds, so that equal times and equal powers of
// two are common, the rest from a second to a year ago; 5 % unset, 4 % in the future, 3 % now. They
// are whole seconds, as the API stores them, except for 2 % with an age of a few nanoseconds around
// a power of two, and 1 % centuries away.
func Time(s Source, name string, now time.Time) time.Time {
	whole := now.Truncate(time.Second)
	switch Weighted(s, name+" class", 40, 26, 19, 5, 4, 3, 2, 1) {
	case 0:
		return whole.Add(-time.Duration(Below(s, name, 10)) * time.Second)
	case 1:
		return whole.Add(-time.Duration(Below(s, name, 128)) * time.Minute)
	case 2:
		return whole.Add(-time.Duration(Below(s, name, 128)) * 70 * time.Hour)
	case 3:
		return time.Time{}
	case 4:
		return whole.Add(time.Duration(1+Below(s, name, 60)) * time.Second)
	case 5:
		return now
	case 7:
		return time.Date(1600+200*Below(s, name, 5), 1, 1, 0, 0, Below(s, name+" seconds", 2), 0, time.UTC)
	}
	power := int64(1) << (47 + Below(s, name, 8))
	return now.Add(-time.Duration(power - 3 + int64(Below(s, name+" offset", 5))))
}

// Limit draws maxSurge or maxUnavailable as the API server accepts them: small numbers, ordinary
// percentages, and 5 % any number.
func Limit(s Source, name string) rollout.IntOrPercent {
	switch Weighted(s, name+" class", 45, 50, 5) {
	case 0:
		return rollout.Int(Between[int32](s, name, 0, 6))
	case 1:
		return rollout.Percent(OneOf[int32](s, name, 25, 0, 1, 10, 34, 50, 75, 99, 100))
	}
	return rollout.Int(Between[int32](s, name, 0, math.MaxInt32))
}

// SizeText draws an annotation with a size: 55 % right, 20 % stale, the rest tampered with.
func SizeText(s Source, name string, right int32) (text string, present bool) {
	switch Weighted(s, name+" class", 55, 20, 12, 13) {
	case 0:
		return strconv.Itoa(int(right)), true
	case 1:
		return strconv.Itoa(int(Size(s, name))), true
	case 2:
		return "", false
	}
	return OneOf(s, name, "0", "", "-1", "+5", " 5", "zz", "007", "3.0", "2147483647", "2147483648", "4294967299"), true
}

// Revision draws a revision annotation: mostly a small number, so that equal ones are
// common, 12 % missing, 12 % unusable or extreme.
func Revision(s Source, name string) (text string, present bool) {
	switch Weighted(s, name+" class", 76, 12, 12) {
	case 0:
		return strconv.Itoa(1 + Below(s, name, 7)), true
	case 1:
		return "", false
	}
	return OneOf(s, name, "", "bad", "-3", "+4", " 4", "007", "1e3", "9223372036854775807", "9223372036854775808"), true
}

// History draws a revision-history annotation: mostly short, at times longer than any
// limit.
func History(s Source, name string) (text string, present bool) {
	switch Weighted(s, name+" class", 50, 30, 15, 5) {
	case 0:
		return "", false
	case 1:
		return OneOf(s, name, "1", "1,2", "8,9,10", "1,2,3"), true
	case 2:
		return OneOf(s, name, "", ",9", ",", "1,,2", "bad", "1,2,"), true
	}
	long := make([]byte, 0, 2100)
	for n := 1980 + Below(s, name, 40); len(long) < n; {
		long = append(long, "1234,"...)
	}
	return string(long[:len(long)-1-Below(s, name+" cut", 6)]), true
}

// Cost draws the text of a deletion cost: 60 % small numbers, the rest barely valid or invalid.
func Cost(s Source) string {
	if Weighted(s, "cost class", 60, 40) == 0 {
		return strconv.Itoa(Below(s, "cost", 5) - 2)
	}
	return OneOf(s, "cost", "0", "-0", "-00", "-01", "00", "007", "", "-", "--1", "+1", " 1", "1 ", "1e3", "1.0", "0x10", "1_000",
		"2147483647", "-2147483648", "2147483648", "-2147483649", "१")
}

// Text draws a short text of any characters, or a long plain one.
func Text(s Source, name string) string {
	if OneIn(s, name+" long", 4) {
		b := make([]byte, 230+Below(s, name, 60))
		for i := range b {
			b[i] = "web.-x"[i%6]
		}
		return string(b)
	}
	text := make([]rune, Below(s, name+" length", 21))
	for i := range text {
		switch Weighted(s, name+" class", 2, 1, 1) {
		case 0:
			text[i] = OneOf(s, name, 'a', 'b', 'z', 'A', '0', '9', '-', '_', '.', '/', ' ')
		case 1:
			text[i] = rune(Below(s, name, 128))
		case 2:
			text[i] = Between(s, name, 128, rune(0x10ffff)) // surrogates become U+FFFD
		}
	}
	return string(text)
}
