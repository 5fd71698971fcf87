// SPDX-License-Identifier: Apache-2.0

// Package trouble decides whether a fault strikes, and counts the faults of each kind.
//
// A [Fault] is a kind of trouble, and a [Trouble] one way in which it shows. A [Source] draws
// from one seed, until it is healed.
package trouble

import (
	"math/rand/v2"
	"time"
)

// A Source of trouble draws whether faults strike, and all else that is random in a world.
type Source struct {
	*rand.Rand
	Rates Rates
	Counts
	healed bool
}

// New returns a source of trouble.
func New(seed uint64, rates Rates) *Source {
	s := &Source{Rand: rand.New(rand.NewPCG(seed, 0x6b706c616e)), Rates: rates}
	s.healed = rates == Rates{}
	return s
}

// Calm reports whether no fault strikes any more, or ever has.
func (s *Source) Calm() bool { return s.healed }

// Heal ends all faults.
func (s *Source) Heal() { s.healed = true }

// Strikes reports whether a fault strikes, given the probability at the rate 1.
func (s *Source) Strikes(f Fault, p float64) bool {
	return !s.healed && s.Rates[f] > 0 && s.Float64() < p*s.Rates[f]
}

// Count counts a trouble.
func (s *Source) Count(t Trouble) { s.Counts[t]++ }

// Between draws a time from one on, up to another.
func (s *Source) Between(least, most time.Duration) time.Duration {
	if most <= least {
		return least
	}
	return least + time.Duration(s.Int64N(int64(most-least)))
}

// Struck is how often each fault has struck. Answers that are not success may follow from anything,
// and do not count.
func (s *Source) Struck() (struck [faults]int) {
	for t, n := range s.Counts {
		switch t := Trouble(t); t {
		case AnsweredConflict, AnsweredExists, AnsweredNotFound, AnsweredForbidden:
		default:
			struck[t.Fault()] += n
		}
	}
	return struck
}
