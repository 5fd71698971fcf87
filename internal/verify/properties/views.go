// SPDX-License-Identifier: Apache-2.0

package properties

import (
	"math"
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// views are the true states one after another, and how far the cache of a controller has
// come. A cache never goes back, and shows whole states: each lags as much as any other.
type views[S, P any] struct {
	states []S
	drift  []int64 // by how many pods the world has changed each state
	own    []own   // what the controller has changed in it
	seen   int     // the oldest state that the cache can still show
	plan   *P      // the last one that was carried out, nil if all is forgotten
	at     time.Time
	shown  int // the first state that shows what it wrote
}

// own is what a controller has written, and the state that it had seen then.
type own struct {
	from int
	pods int64
}

// Unknown is the drift of a change of what is wanted: no bound is known then.
const Unknown = math.MaxInt64

// lag is how far a cache may lag behind what the controller has written: then a controller
// no longer waits to see it.
const lag = 5 * time.Minute

func (v *views[S, P]) add(state *S, drift int64, by own) {
	v.states, v.drift, v.own = append(v.states, purity.Clone(*state)), append(v.drift, drift), append(v.own, by)
}

// planned notes from which state a plan was made, and by how many pods it has changed the
// last state into another.
func (v *views[S, P]) planned(i int, state *S, pods int64) {
	v.seen = i
	v.add(state, 0, own{i, pods})
}

// wrote notes a plan whose effect the last state shows first.
func (v *views[S, P]) wrote(p *P, at time.Time) {
	v.plan, v.at, v.shown = p, at, len(v.states)-1
}

// restart forgets all, and reads all anew.
func (v *views[S, P]) restart() { v.seen, v.plan = len(v.states)-1, nil }

// blind reports whether a state does not show what was written last.
func (v *views[S, P]) blind(i int) bool { return v.plan != nil && i < v.shown }

// draw draws a state that the cache can show, and by how many pods that is wrong.
func (v *views[S, P]) draw(s random.Source, now time.Time) (i int, drift int64) {
	oldest := v.seen
	if v.plan != nil && now.Sub(v.at) > lag {
		oldest = max(oldest, v.shown)
	}
	i = random.Between(s, "view", oldest, len(v.states)-1)
	for j := i + 1; j < len(v.states); j++ {
		if v.drift[j] == Unknown {
			return i, Unknown
		}
		drift += v.drift[j]
		if v.overtaken(j, i) {
			drift += v.own[j].pods
		}
	}
	return i, drift
}

// overtaken reports whether state i shows another wish than the one for which the write was
// made that led to state j, which it does not show. Made again, that write would be refused:
// what it writes to is there, or has another size. For another template something else is
// written, beside it, and nothing refuses that.
func (v *views[S, P]) overtaken(j, i int) bool {
	return v.own[j].pods > 0 && slices.Contains(v.drift[min(v.own[j].from, i)+1:i+1], Unknown)
}
