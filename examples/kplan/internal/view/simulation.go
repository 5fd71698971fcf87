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

// A Simulation is a rollout of a workload of any kind in a simulated cluster.
type Simulation struct {
	Of        Telling // words for its kind
	Namespace string
	Name      string
	Start     time.Time
	Steps     []record.Step   // at least one; the last is the end. Names have no namespace
	Sizes     []record.Sizes  // before the first plan, and after every change
	History   *record.History // nil unless it was asked for
	Done      bool            // whether the rollout is complete
	GaveUp    time.Duration   // the time limit if that ended the simulation; 0 if not
	Policies  []string        // flags that make it differ from the original
	Assumed   []string        // assumptions that decide the result
	Waiting   []string        // pods without a node at the end, and why no node takes them
	Caveats   []Caveat        // facts that the controller ignores

	sets []record.Part // cache of shownSets
}

// A Telling has the words and columns for a kind of workload.
type Telling interface {
	subject(namespace, name string) Subject
	original() string // project of the original controller
	// head returns the text after the name: the wanted state.
	head(s *Simulation) string
	// legend writes an explanation of the columns, if they need one.
	legend(w *terminal.Writer, s *Simulation)
	columns(s *Simulation) []column
	// limits returns the maximum of wanted pods and the minimum of available pods, nil for no
	// limit.
	limits(s *Simulation) (most, least *int32)
	// does lists the actions of a plan, and waits lists its holds.
	does(s *Simulation, p *record.Step) []timeline.Occurrence
	waits(s *Simulation, p *record.Step) []timeline.Occurrence
	// stage returns the progress of a Rollout, or "" for other kinds.
	stage(z *record.Sizes) string
	// rests returns the reason why a rollout does not go on, or its progress at the end; "" if
	// there is nothing to say.
	rests(s *Simulation) string
}

// Told returns the simulation of a workload in the words of its kind.
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

// end returns the last step, which does nothing.
func (s *Simulation) end() *record.Step { return &s.Steps[len(s.Steps)-1] }

// at returns the time since the start in whole milliseconds. Truncation removes the nanosecond by
// which some events come after the end of a duration.
func (s *Simulation) at(z *record.Sizes) time.Duration {
	return z.Time.Sub(s.Start).Truncate(time.Millisecond)
}

// took returns the time from the start to the end.
func (s *Simulation) took() time.Duration { return s.at(&s.end().Sizes) }

// total returns the number of wanted pods.
func total(z *record.Sizes) (n int32) {
	for i := range z.Parts {
		n += z.Parts[i].Wanted
	}
	return n
}

// Subject returns the workload.
func (s Simulation) Subject() Subject { return s.Of.subject(s.Namespace, s.Name) }

// Unfinished returns the reason why the rollout is not complete, or "".
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

// whyEnded returns the reason why an incomplete simulation has ended: at the time limit or, if
// limit is 0, because nothing was left to happen after the last event.
func whyEnded(limit, last time.Duration) string {
	if limit > 0 {
		return fmt.Sprintf(" within the time limit of %s", clock(limit))
	}
	return fmt.Sprintf(", and nothing changes any more after %s", clock(last))
}

// acted reports whether any step did something.
func (s *Simulation) acted() bool { return len(s.Steps) > 1 }

// Verdict returns the result for the workload.
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

// Within returns how close the rollout comes to its bounds, and the time that it takes.
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

// lines returns the actions of a step with their reasons, the holds of a Rollout after it and, for
// the last step, the result.
func (s *Simulation) lines(i int) []timeline.Occurrence {
	p := &s.Steps[i]
	if i < len(s.Steps)-1 {
		lines := s.Of.does(s, p)
		if !s.Drawn() || !s.Steps[i+1].Time.After(p.Time) {
			return lines
		}
		var waits []timeline.Occurrence
		if len(lines) == 0 { // its plan may have holds
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

// A stepRow is a group of steps at the same time that lead to the same sizes.
type stepRow struct {
	first, last int // steps
	lines       []timeline.Occurrence
}

// rows returns the steps for people. It leaves out a step without actions if another one follows at
// the same time.
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

// alike reports whether two steps are at the same time and lead to the same sizes.
func (s *Simulation) alike(i, j int) bool {
	a, b := &s.Steps[i].Sizes, &s.Steps[j].Sizes
	return a.Time.Equal(b.Time) && slices.Equal(s.cells(a), s.cells(b)) && j < len(s.Steps)-1
}
