// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan/revision"
)

// uidPrefix is what the UIDs of new objects begin with in a [Cluster]. Their number follows.
const uidPrefix = "sim-"

// Serial returns the number in a UID that a world has given, 0 if it has not.
func Serial(uid string) (n int) {
	digits, ok := strings.CutPrefix(uid, uidPrefix)
	if !ok || digits == "" || digits[0] == '0' || len(digits) > 9 {
		return 0
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// nameSuffix returns what the name of a pod ends with, of the digits of its UID.
func nameSuffix(text string) string {
	return "-" + revision.SafeEncode("00000"[min(len(text), 5):]+text)
}

// Serials are the numbers that a store knows pods by, from 1, by those in their UIDs: of pods whose
// names are made of that, too, so that no two have one, and none needs to be listed by its name.
type serials struct {
	least   int // the first one that was noted
	numbers []int32
}

// grow makes room for more pods.
func (s *serials) grow(n int) { s.numbers = slices.Grow(s.numbers, n) }

// note notes a pod, unless its serial is so far from the others that a list would be mostly empty. Four
// of five entries may be, and another thousand in any store, which are little.
func (s *serials) note(serial int, number int32) bool {
	if len(s.numbers) == 0 {
		s.least = serial
	}
	at := serial - s.least
	if at < 0 || at > 1024+4*int(number) {
		return false
	}
	for at >= len(s.numbers) {
		s.numbers = append(s.numbers, 0)
	}
	s.numbers[at] = number + 1
	return true
}

// number returns the number of the pod with a serial, or gone if none was noted.
func (s *serials) number(serial int) int32 {
	at := serial - s.least
	if at < 0 || at >= len(s.numbers) {
		return gone
	}
	return s.numbers[at] - 1
}
