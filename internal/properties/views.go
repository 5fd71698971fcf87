// SPDX-License-Identifier: Apache-2.0

package properties

import (
	"math"
	"time"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/internal/random"
)

// views are the true states one after another, and how far the cache of a controller has
// come. A cache never goes back, and shows whole states: each lags as much as any other.
type views[S, P any] struct {
	states []S
	drift  []int64 // by how many pods the world has changed each state
	seen   int     // the oldest state that the cache can still show
	plan   *P      // the last one that was carried out, nil if all is forgotten
	at     time.Time
	shown  int // the first state that shows what it wrote
}

// Unknown is the drift of a change of what is wanted: no bound is known then.
const Unknown = math.MaxInt64

// lag is how far a cache may lag behind what the controller has written: then a controller
// no longer waits to see it.
const lag = 5 * time.Minute

func (v *views[S, P]) add(state *S, drift int64) {
	v.states, v.drift = append(v.states, purity.Clone(*state)), append(v.drift, drift)
}

// planned notes from which state a plan was made.
func (v *views[S, P]) planned(i int) { v.seen = i }

// wrote notes a plan whose effect the last state shows first.
func (v *views[S, P]) wrote(p *P, at time.Time) {
	v.plan, v.at, v.shown = p, at, len(v.states)-1
}

// restart forgets all, and reads all anew.
func (v *views[S, P]) restart() { v.seen, v.plan = len(v.states)-1, nil }

// blind reports whether a state does not show what was written last.
func (v *views[S, P]) blind(i int) bool { return v.plan != nil && i < v.shown }

// draw draws a state that the cache can show, and what the world has changed since then.
func (v *views[S, P]) draw(s random.Source, now time.Time) (i int, drift int64) {
	oldest := v.seen
	if v.plan != nil && now.Sub(v.at) > lag {
		oldest = max(oldest, v.shown)
	}
	i = random.Between(s, "view", oldest, len(v.states)-1)
	for _, d := range v.drift[i+1:] {
		if d == Unknown {
			return i, Unknown
		}
		drift += d
	}
	return i, drift
}
