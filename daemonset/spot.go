// SPDX-License-Identifier: Apache-2.0

package daemonset

// A spot is a node with the facts about its pods that decide whether a plan looks closer.
type spot struct {
	facts     facts // of a single pod
	run, cont bool  // should run, should continue running
	old       bool  // there is an old pod that is not being deleted
}

// A kind determines how closely a plan has to look at a spot.
type kind uint8

const (
	spotIdle   kind = iota // it should run no pod, and has none
	spotEmpty              // it should run a pod, and has none
	spotSingle             // it should run a pod, and has one about which the facts say everything
	spotOdd                // anything else
)

// kindOf returns the kind of a spot. A single pod may be odd for other reasons than its facts.
func (s *spot) kindOf(pods int, dead, odd bool) kind {
	switch {
	case pods == 0 && !s.run:
		return spotIdle
	case dead:
		return spotOdd
	case pods == 0:
		return spotEmpty
	case pods > 1 || odd || !s.run || !s.cont || s.facts.has(isFinished) || s.old && !s.facts.has(isAvailable):
		return spotOdd
	}
	return spotSingle
}
