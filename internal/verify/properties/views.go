// SPDX-License-Identifier: Apache-2.0

package properties

import (
	"math"
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// views is the history of true states, and the position of a controller's cache in it. A cache
// never goes back, and shows whole states: all objects are equally old.
type views[S, P any] struct {
	states []S
	drift  []int64 // number of pods by which the World changed each state
	own    []own   // the controller's write that led to each state
	seen   int     // the oldest state that the cache can still show
	plan   *P      // the last plan carried out, nil after a restart
	at     time.Time
	shown  int // the first state that shows its effect
}

// own is a controller's write: the state from which it was planned, and the number of pods that it
// moved.
type own struct {
	from int
	pods int64
}

// Unknown is the drift of a change of the desired state: then no bound is known.
const Unknown = math.MaxInt64

// lag is the greatest age of a cache in relation to the controller's writes: later, a controller no
// longer waits to see them.
const lag = 5 * time.Minute

func (v *views[S, P]) add(state *S, drift int64, by own) {
	v.states, v.drift, v.own = append(v.states, purity.Clone(*state)), append(v.drift, drift), append(v.own, by)
}

// planned records that a plan was made from state i, changed pods pods, and led to state.
func (v *views[S, P]) planned(i int, state *S, pods int64) {
	v.seen = i
	v.add(state, 0, own{i, pods})
}

// wrote records the plan that led to the last state.
func (v *views[S, P]) wrote(p *P, at time.Time) {
	v.plan, v.at, v.shown = p, at, len(v.states)-1
}

// restart drops the controller's memory, and lets its cache show the last state.
func (v *views[S, P]) restart() { v.seen, v.plan = len(v.states)-1, nil }

// blind reports whether state i does not show the last write yet.
func (v *views[S, P]) blind(i int) bool { return v.plan != nil && i < v.shown }

// draw draws a state that the cache can show, and returns its drift from the true state.
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

// overtaken reports whether the desired state changed between state i and the state from which the
// write of state j was planned. If it did not, a planner that sees state i would repeat that write,
// and the API server would refuse it: the object exists, or has another size. For another template
// the planner writes another object, which is not refused.
func (v *views[S, P]) overtaken(j, i int) bool {
	return v.own[j].pods > 0 && slices.Contains(v.drift[min(v.own[j].from, i)+1:i+1], Unknown)
}
