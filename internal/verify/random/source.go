// SPDX-License-Identifier: Apache-2.0

package random

import (
	"encoding/binary"
	"math/rand/v2"

	"pgregory.net/rapid"
)

// A Source answers questions.
type Source interface {
	// Below returns a number less than n, which is not 0. The name is the question, for readers of
	// a failing case. Lower answers are simpler, and sources shrink towards them.
	Below(name string, n uint64) uint64
}

// T is a test of rapid, and a source: rapid prefers low answers and the highest, and shrinks
// failing cases.
type T struct{ *rapid.T }

// Rapid asks rapid.
func Rapid(t *rapid.T) T { return T{t} }

// Check checks a property with rapid.
func Check(tb rapid.TB, property func(T)) {
	tb.Helper()
	rapid.Check(tb, func(t *rapid.T) { property(T{t}) })
}

// Custom returns a generator of rapid for a function.
func Custom[V any](draw func(T) V) *rapid.Generator[V] {
	return rapid.Custom(func(t *rapid.T) V { return draw(T{t}) })
}

// below[n] draws 0 to n-1. The generators are made once, since that costs more than a draw.
var below = func() (gs [129]*rapid.Generator[uint64]) {
	for n := range uint64(128) {
		gs[n+1] = rapid.Uint64Range(0, n)
	}
	return gs
}()

func (t T) Below(name string, n uint64) uint64 {
	switch {
	case n == 1:
		return 0
	case n == 2: // equally often
		if rapid.Bool().Draw(t.T, name) {
			return 1
		}
		return 0
	case n < uint64(len(below)):
		return below[n].Draw(t.T, name)
	}
	return rapid.Uint64Range(0, n-1).Draw(t.T, name)
}

type seededSource struct{ r *rand.Rand }

// Seeded returns a source of uniform answers.
func Seeded(seed uint64) Source { return seededSource{rand.New(rand.NewPCG(seed, 0))} }

func (s seededSource) Below(_ string, n uint64) uint64 { return s.r.Uint64N(n) }

type byteSource struct{ left []byte }

// Bytes reads the answers from bytes: one byte each where that is enough, otherwise eight. After
// the last byte, all answers are 0.
func Bytes(data []byte) Source { return &byteSource{data} }

func (s *byteSource) Below(_ string, n uint64) uint64 {
	var word [8]byte
	size := 8
	if n <= 1<<8 {
		size = 1
	}
	size = copy(word[:size], s.left)
	s.left = s.left[size:]
	return binary.LittleEndian.Uint64(word[:]) % n
}

// OneOf returns one of some values.
func OneOf[T any](s Source, name string, values ...T) T {
	return values[s.Below(name, uint64(len(values)))]
}

// Between returns a number from low to high.
func Between[N ~int | ~int32 | ~int64 | ~uint64](s Source, name string, low, high N) N {
	return low + N(s.Below(name, uint64(high)-uint64(low)+1))
}

// Bool returns false or true, each as often.
func Bool(s Source, name string) bool { return s.Below(name, 2) == 1 }

// Below returns 0 to n-1.
func Below(s Source, name string, n int) int { return int(s.Below(name, uint64(n))) }

// OneIn is true once in n draws: for the last of n answers.
func OneIn(s Source, name string, n uint64) bool { return s.Below(name, n) == n-1 }

// Percent is true in p of 100 draws, for the last answers.
func Percent(s Source, name string, p uint64) bool { return s.Below(name, 100) >= 100-p }

// Weighted returns an index, each in proportion to its weight.
func Weighted(s Source, name string, weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := Below(s, name, sum)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	return 0
}

// Often is true in n of n+1 draws: for all answers but the first.
func Often(s Source, name string, n uint64) bool { return s.Below(name, n+1) > 0 }

// Perm draws a permutation of 0 to n-1.
func Perm(s Source, n int) []int {
	order := make([]int, n)
	for i := range order {
		k := i - Below(s, "place", i+1)
		order[i], order[k] = order[k], i
	}
	return order
}

// anyInt32 returns any number, mostly with few bits if the source prefers low answers.
func anyInt32(s Source, name string) int32 {
	n := int32(s.Below(name, 1<<31))
	if Bool(s, name+" is negative") {
		return -n - 1
	}
	return n
}
