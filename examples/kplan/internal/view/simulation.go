// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// A Simulation is how a workload was rolled out in a simulated cluster, whatever its kind.
type Simulation struct {
	Of        Telling // the words of its kind
	Namespace string
	Name      string
	Start     time.Time
	Steps     []record.Step   // at least one: the last is the end; names are without the namespace
	Sizes     []record.Sizes  // before the first plan, and at each instant at which they have changed
	History   *record.History // of the cluster; nil unless it was asked for
	Done      bool            // whether it is complete
	GaveUp    time.Duration   // the time limit if that ended the simulation; 0 if nothing was left to happen
	Policies  []string        // the flags that depart from the original
	Assumed   []string        // assumptions that decide the result
	Waiting   []string        // pods without a node at the end, and why none takes them
	Caveats   []Caveat        // what the controller does not see

	sets []record.Part // what shownSets returns, once it has looked at all steps
}

// A Telling has the words and columns that are particular to one kind of workload.
type Telling interface {
	subject(namespace, name string) Subject
	original() string // whose controller it is
	// head says what is wanted, after the name.
	head(s *Simulation) string
	// legend writes what the columns are, if that does not go without saying.
	legend(w *terminal.Writer, s *Simulation)
	columns(s *Simulation) []column
	// limits are how many pods may be wanted at most, and have to be available at least; nil is no limit.
	limits(s *Simulation) (most, least *int32)
	// does lists the actions of a plan, and waits its holds.
	does(s *Simulation, p *record.Step) []timeline.Occurrence
	waits(s *Simulation, p *record.Step) []timeline.Occurrence
	// stage is how far a Rollout is; "" for all of another workload.
	stage(z *record.Sizes) string
	// rests says why it does not go on though nothing is wrong, or how far it has come; "" if there is
	// nothing to say.
	rests(s *Simulation) string
}

// Told returns how a workload was rolled out, with what pictures need if that was kept.
func Told(b *world.Beginning, r *world.Run, of Telling) Simulation {
	within := inside(b.Namespace)
	s := Simulation{
		Of: of, Namespace: b.Namespace, Name: b.Plain(), Start: b.Now, Done: r.Done, GaveUp: r.GaveUp,
		Steps: within.steps(r.Steps), Sizes: within.sizes(r.Sizes), History: r.History,
	}
	within.history(s.History)
	if !s.Done {
		s.Waiting = r.Waiting(b.Namespace)
	}
	return s
}

// end is the last step, which does nothing.
func (s *Simulation) end() *record.Step { return &s.Steps[len(s.Steps)-1] }

// at is when a step is, since the start, in full milliseconds: what is over behind an instant is so a
// nanosecond later.
func (s *Simulation) at(z *record.Sizes) time.Duration {
	return z.Time.Sub(s.Start).Truncate(time.Millisecond)
}

// took is how long it took to the end.
func (s *Simulation) took() time.Duration { return s.at(&s.end().Sizes) }

// total is how many pods are wanted.
func total(z *record.Sizes) (n int32) {
	for i := range z.Parts {
		n += z.Parts[i].Wanted
	}
	return n
}

// Subject returns the workload.
func (s Simulation) Subject() Subject { return s.Of.subject(s.Namespace, s.Name) }

// Unfinished returns why the rollout has not been completed, or "".
func (s Simulation) Unfinished() string {
	if s.Done {
		return ""
	}
	if text := s.Of.rests(&s); text != "" {
		return text
	}
	return "the rollout has not finished" + s.whyEnded()
}

func (s *Simulation) whyEnded() string { return whyEnded(s.GaveUp, s.took()) }

// whyEnded says why a simulation that has not finished has ended: the time limit was over, or
// nothing was left to happen after its last event.
func whyEnded(limit, last time.Duration) string {
	if limit > 0 {
		return fmt.Sprintf(" within the time limit of %s", clock(limit))
	}
	return fmt.Sprintf(", and nothing changes any more after %s", clock(last))
}

// acted reports whether a step, but the last, did anything.
func (s *Simulation) acted() bool { return len(s.Steps) > 1 }

// Verdict returns what becomes of the workload.
func (s Simulation) Verdict() Verdict {
	if s.Unfinished() != "" {
		return Fails
	}
	before, last := map[string]int32{}, s.end()
	some, rolls, scales := false, false, false
	created, deleted := false, false
	for i := range s.Steps {
		created, deleted = created || s.Steps[i].Created > 0, deleted || s.Steps[i].Deleted > 0
	}
	for _, p := range s.Sizes[0].Parts {
		before[p.Name] = p.Wanted
		some = some || p.Wanted > 0
	}
	for _, p := range last.Parts {
		was := before[p.Name]
		scales = scales || was != p.Wanted
		rolls = rolls || was == 0 && p.Wanted > 0 || was > 0 && p.Wanted == 0 && total(&last.Sizes) > 0
	}
	switch {
	case rolls && some:
		return Rolls
	case rolls:
		return Starts
	case created && deleted && !scales: // a restart
		return Rolls
	case scales, created, deleted:
		return Scales
	case s.took() > 0:
		return Progresses
	}
	return Stays
}

// Within returns how near the rollout comes to its bounds, and how long it takes.
func (s Simulation) Within() ([]Reach, time.Duration) {
	var list []Reach
	most, least := s.Of.limits(&s)
	reach := func(bound string, limit *int32, of func(*record.Sizes) int32, further func(...int32) int32) {
		if limit == nil {
			return
		}
		n := of(&s.Steps[0].Sizes)
		for i := range s.Steps {
			n = further(n, of(&s.Steps[i].Sizes))
		}
		list = append(list, Reach{bound, *limit, bound == "available", n})
	}
	reach("wanted", most, total, func(n ...int32) int32 { return max(n[0], n[1]) })
	reach("available", least, func(z *record.Sizes) int32 { return z.Available }, func(n ...int32) int32 { return min(n[0], n[1]) })
	return list, s.took()
}

// lines returns what a step did and why, and what a Rollout waits for then or, at the end, what remains.
func (s *Simulation) lines(i int) []timeline.Occurrence {
	p := &s.Steps[i]
	if i < len(s.Steps)-1 {
		lines := s.Of.does(s, p)
		if !s.Drawn() || !s.Steps[i+1].Time.After(p.Time) {
			return lines
		}
		var waits []timeline.Occurrence
		if len(lines) == 0 { // its own plan may say what it waits for
			waits = s.Of.waits(s, p)
		}
		if idle := *p; len(waits) == 0 && p.Idle != nil {
			idle.Plan = p.Idle
			waits = s.Of.waits(s, &idle)
		}
		return append(lines, waits...)
	}
	if s.Done {
		if len(s.Caveats) > 0 {
			return []timeline.Occurrence{{What: "complete", Why: "all pods count as new, and are available"}}
		}
		return []timeline.Occurrence{{What: "complete", Why: "all pods are new and available"}}
	}
	if lines := s.Of.waits(s, p); len(lines) > 0 {
		return lines
	}
	return []timeline.Occurrence{{What: "nothing", Why: "nothing more will happen"}}
}

// A stepRow is steps of one instant that lead to the same sizes.
type stepRow struct {
	first, last int // steps
	lines       []timeline.Occurrence
}

// rows are the steps as people read them: one in which nothing was done is not told if another follows at
// once.
func (s *Simulation) rows() (list []stepRow) {
	for i := range s.Steps {
		lines := s.lines(i)
		if n := len(list); n > 0 && s.alike(list[n-1].last, i) {
			list[n-1].last = i
			list[n-1].lines = append(list[n-1].lines, lines...)
			continue
		}
		if n := len(list); n > 0 && len(list[n-1].lines) == 0 && s.Steps[list[n-1].last].Time.Equal(s.Steps[i].Time) {
			list = list[:n-1]
		}
		list = append(list, stepRow{i, i, lines})
	}
	return list
}

// alike reports whether two steps are of one instant, and lead to the same sizes.
func (s *Simulation) alike(i, j int) bool {
	a, b := &s.Steps[i].Sizes, &s.Steps[j].Sizes
	return a.Time.Equal(b.Time) && slices.Equal(s.cells(a), s.cells(b)) && j < len(s.Steps)-1
}
