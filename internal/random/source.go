package random

import (
	"encoding/binary"
	"math/rand/v2"

	"pgregory.net/rapid"
)

// A Source answers questions.
type Source interface {
	// Below returns a number that is less than n, which is not 0. The name tells readers of
	// a failing case what was asked. Lower answers are plainer, and what a source makes
	// small.
	Below(name string, n uint64) uint64
}

type rapidSource struct{ t *rapid.T }

// Rapid asks rapid, which prefers low answers and the highest, and makes failing cases
// small.
func Rapid(t *rapid.T) Source { return rapidSource{t} }

func (s rapidSource) Below(name string, n uint64) uint64 {
	switch {
	case n == 1:
		return 0
	case n == 2: // both as often
		if rapid.Bool().Draw(s.t, name) {
			return 1
		}
		return 0
	}
	return rapid.Uint64Range(0, n-1).Draw(s.t, name)
}

type seededSource struct{ r *rand.Rand }

// Seeded gives each answer as often as any other.
func Seeded(seed uint64) Source { return seededSource{rand.New(rand.NewPCG(seed, 0))} }

func (s seededSource) Below(_ string, n uint64) uint64 { return s.r.Uint64N(n) }

type byteSource struct{ left []byte }

// Bytes reads the answers from bytes: one byte each where that is enough, otherwise eight.
// When they are used up, all answers are 0.
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

// Seldom is true once in a while: for the last of n+1 answers.
func Seldom(s Source, name string, n uint64) bool { return s.Below(name, n+1) == n }

// Often is false once in a while: for the first of n+1 answers.
func Often(s Source, name string, n uint64) bool { return s.Below(name, n+1) > 0 }

// anyInt32 returns any number, that of few bits most often if the source prefers those.
func anyInt32(s Source, name string) int32 {
	n := int32(s.Below(name, 1<<31))
	if Bool(s, name+" is negative") {
		return -n - 1
	}
	return n
}
