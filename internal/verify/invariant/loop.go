// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/verify/purity"
)

// pace is the time between two passes of a fair run: longer than any delay after a failure, so that
// only a deadline of hours could interfere.
const pace = 40 * time.Minute

// longest is the largest number of passes of a run; longer ones are left to the simulation.
const longest = 300

func models(checks modelChecks) []check {
	return []check{on[DeploymentPlanner](checks.deployment), on[ReplicaSetPlanner](checks.replicaSet), on[DaemonSetPlanner](checks.daemonSet), on[ArgoPlanner](checks.argo)}
}

// modelChecks holds an instance of one generic check for each planner that has a model.
type modelChecks struct {
	deployment func(*DeploymentPlanner) []string
	replicaSet func(*ReplicaSetPlanner) []string
	daemonSet  func(*DaemonSetPlanner) []string
	argo       func(*ArgoPlanner) []string
}

func (m *model[S, O, P]) pass(c *Planner[S, O, P], s S, now time.Time) (*Pass[S, O, P], error) {
	p, err := tryPlan(c, s, now)
	return &Pass[S, O, P]{Snapshot: s, Now: now, Options: c.Options, Plan: p, Strict: c.Strict}, err
}

// run plans and carries out in a fair cluster until nothing changes any more, or for some passes
// more than the bound. It returns false if a write is refused because the name of a new object is
// taken, which is not fair, or if the bound is above longest.
func (m *model[S, O, P]) run(c *Planner[S, O, P], s S, now time.Time) (trace Trace[S, O, P], ok bool) {
	s = purity.Clone(s)
	trace = Trace[S, O, P]{Fair: true, Strict: c.Strict}
	bound, quiet, last := m.bound(&s, c.Options), 0, ""
	if bound > longest {
		return trace, false
	}
	for range bound + 10 {
		p, err := m.pass(c, purity.Clone(s), now)
		if err != nil {
			return trace, false
		}
		trace.Passes = append(trace.Passes, *p)
		actions := m.actions(&p.Plan)
		if m.apply(&s, actions, now) != nil {
			return trace, false
		}
		m.finish(&s, &p.Plan)
		now = now.Add(pace)
		m.settle(&s, now)
		text := m.counts(&s, now)
		if quiet++; len(actions) > 0 || text != last {
			quiet = 0
		}
		if last = text; quiet == 3 {
			return trace, true
		}
	}
	return trace, true
}

// actionsTakeEffectOf returns a check that each action of a plan changes the state, and that the
// next plan does not request a completed action again.
func actionsTakeEffectOf[S, O, P any](m *model[S, O, P]) func(*Planner[S, O, P]) []string {
	return func(c *Planner[S, O, P]) (lines []string) {
		s := purity.Clone(c.Snapshot)
		for round := range 2 {
			p, err := m.pass(c, purity.Clone(s), c.Now)
			if err != nil {
				return lines
			}
			for _, a := range m.actions(&p.Plan) {
				before := encode(s)
				if m.apply(&s, []fmt.Stringer{a}, c.Now) != nil {
					return lines // the precondition failed
				}
				known := m.repeats != nil && m.repeats(&s, c.Options) && !c.Strict || m.unseen != nil && m.unseen(a)
				if encode(s) == before && !known {
					lines = append(lines, fmt.Sprintf("plan %d: %v changes nothing", round+1, a))
				}
			}
			m.finish(&s, &p.Plan)
		}
		return lines
	}
}

// convergenceOf returns a check that a fair run comes to rest.
func convergenceOf[S, O, P any](m *model[S, O, P]) func(*Planner[S, O, P]) []string {
	return func(c *Planner[S, O, P]) []string {
		trace, ok := m.run(c, c.Snapshot, c.Now)
		if !ok || m.forEver(&c.Snapshot, c.Options, c.Strict) {
			return nil
		}
		bound := m.bound(&c.Snapshot, c.Options)
		busy := -1
		for i := range trace.Passes {
			if len(m.actions(&trace.Passes[i].Plan)) > 0 {
				busy = i
			}
		}
		return one(busy >= bound, "%d passes, at most %d should act; the last: %v", busy+1, bound, text(&trace.Passes[max(busy, 0)].Plan))
	}
}

func text(v any) string {
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	return encode(v)
}

func (m *model[S, O, P]) forEver(s *S, o O, strict bool) bool {
	return m.endless != nil && m.endless(s, o) && !strict
}

// noRepeatedState returns a check that a fair trace never returns to earlier counts.
func noRepeatedState[S, O, P any](m *model[S, O, P]) func(*Trace[S, O, P]) []string {
	return func(t *Trace[S, O, P]) (lines []string) {
		if !t.Fair {
			return nil
		}
		seen, last := map[string]int{}, ""
		for i := range t.Passes {
			p := &t.Passes[i]
			counts := m.counts(&p.Snapshot, p.Now)
			if at, again := seen[counts]; again && counts != last && !m.forEver(&p.Snapshot, p.Options, t.Strict) {
				lines = append(lines, fmt.Sprintf("pass %d finds the counts of pass %d again: %s", i+1, at+1, counts))
			}
			seen[counts], last = i, counts
		}
		return lines
	}
}

// after returns s after actions, or s and the error of the first refused one.
func (m *model[S, O, P]) after(s S, actions []fmt.Stringer, now time.Time) (S, error) {
	s = purity.Clone(s)
	err := m.apply(&s, actions, now)
	return s, err
}

// end returns the guaranteed part of the last state of a fair run from s.
func (m *model[S, O, P]) end(c *Planner[S, O, P], p *Pass[S, O, P], s S) (string, bool) {
	t, ok := m.run(c, s, c.Now.Add(time.Second))
	if !ok || len(t.Passes) == 0 || len(m.actions(&t.Passes[len(t.Passes)-1].Plan)) > 0 {
		return "", false
	}
	return m.ends(p, &t.Passes[len(t.Passes)-1].Snapshot), true
}

// prefixes returns the lengths of the prefixes to try.
func prefixes(n int) []int {
	all := []int{0, 1, 2, 3, n / 2, n - 1, n}
	all = slices.DeleteFunc(all, func(k int) bool { return k < 0 || k > n })
	slices.Sort(all)
	return slices.Compact(all)
}

// boundsAfterEveryPrefixOf returns a check that bounds hold after prefixes of a plan, and that the
// end is the same.
func boundsAfterEveryPrefixOf[S, O, P any](m *model[S, O, P]) func(*Planner[S, O, P]) []string {
	return func(c *Planner[S, O, P]) (lines []string) {
		p, err := m.pass(c, c.Snapshot, c.Now)
		if err != nil {
			return nil
		}
		actions := m.actions(&p.Plan)
		want, comparable := "", false
		for _, k := range prefixes(len(actions)) {
			s, err := m.after(c.Snapshot, actions[:k], c.Now)
			if err != nil {
				return lines
			}
			for _, line := range m.within(p, &s, 0) {
				lines = append(lines, fmt.Sprintf("after %d of %d actions: %s", k, len(actions), line))
			}
			got, ok := m.end(c, p, s)
			if !comparable {
				want, comparable = got, ok
			}
			if ok && got != want && (m.lost == nil || !m.lost(p)) {
				lines = append(lines, fmt.Sprintf("after %d of %d actions the end is %s, not %s", k, len(actions), got, want))
			}
		}
		return lines
	}
}

// parts returns subsets of n actions: all but one, one, and every other one.
func parts(n int) (all [][]int) {
	pick := func(keep func(i int) bool) {
		var part []int
		for i := range n {
			if keep(i) {
				part = append(part, i)
			}
		}
		all = append(all, part)
	}
	for k := range min(n, 12) {
		pick(func(i int) bool { return i != k })
		pick(func(i int) bool { return i == k })
	}
	pick(func(i int) bool { return i%2 == 0 })
	pick(func(i int) bool { return i%2 == 1 })
	return all
}

// boundsAfterEveryPart returns a check that bounds hold after parts of a plan that its order
// allows.
func boundsAfterEveryPart[S, O, P any](m *model[S, O, P]) func(*Planner[S, O, P]) []string {
	return func(c *Planner[S, O, P]) (lines []string) {
		p, err := m.pass(c, c.Snapshot, c.Now)
		if err != nil {
			return nil
		}
		var before, rest []fmt.Stringer
		for _, a := range m.actions(&p.Plan) {
			if m.first != nil && m.first(a) {
				before = append(before, a)
			} else {
				rest = append(rest, a)
			}
		}
		for _, part := range m.allowed(len(rest)) {
			actions := slices.Clone(before)
			for _, i := range part {
				actions = append(actions, rest[i])
			}
			s, err := m.after(c.Snapshot, actions, c.Now)
			if err != nil {
				return lines
			}
			for _, line := range m.within(p, &s, 0) {
				lines = append(lines, fmt.Sprintf("after actions %v only: %s", part, line))
			}
		}
		return lines
	}
}

// allowed returns subsets of n actions, or prefixes if the order matters.
func (m *model[S, O, P]) allowed(n int) [][]int {
	if !m.strictly {
		return parts(n)
	}
	all := make([][]int, n+1)
	for k := range all {
		for i := range k {
			all[k] = append(all[k], i)
		}
	}
	return all
}

// boundsFromStaleViewsOf returns a check of a plan that is carried out twice, because its effect
// was not seen, and of the next plan of a controller that remembers the first.
func boundsFromStaleViewsOf[S, O, P any](m *model[S, O, P]) func(*Planner[S, O, P]) []string {
	return func(c *Planner[S, O, P]) (lines []string) {
		p, err := m.pass(c, c.Snapshot, c.Now)
		if err != nil {
			return nil
		}
		actions := m.actions(&p.Plan)
		s, err := m.after(c.Snapshot, actions, c.Now)
		if err != nil {
			return nil
		}
		for _, a := range actions {
			_ = m.apply(&s, []fmt.Stringer{a}, c.Now.Add(1)) // preconditions may refuse it
		}
		slack := int64(0)
		if m.creations != nil {
			slack = m.creations(&p.Plan)
		}
		for _, line := range m.within(p, &s, slack) {
			lines = append(lines, "carried out twice: "+line)
		}
		if m.blind == nil || m.moves(&p.Plan) == 0 {
			return lines
		}
		blind := purity.Clone(c.Snapshot)
		m.blind(&blind, &p.Plan, c.Now)
		if again, err := m.pass(c, blind, c.Now.Add(1)); err == nil && m.moves(&again.Plan) > 0 {
			lines = append(lines, fmt.Sprintf("%d pods are created, deleted or updated although earlier writes are not seen: %v", m.moves(&again.Plan), text(&again.Plan)))
		}
		return lines
	}
}

// changes returns the checks of changes of the true state, with slack or without.
func changes(slack bool) []check {
	return []check{on[DeploymentChange](changed(&deploymentModel, slack)), on[ReplicaSetChange](changed(&replicaSetModel, slack)),
		on[DaemonSetChange](changed(&daemonSetModel, slack)), on[ArgoChange](changed(&argoModel, slack))}
}

func changed[S, O, P any](m *model[S, O, P], slack bool) func(*Change[S, O, P]) []string {
	return func(c *Change[S, O, P]) []string {
		if slack != (c.Slack > 0) {
			return nil
		}
		p := c.Pass
		p.Snapshot, p.memo = c.Before, nil
		return m.within(&p, &c.After, c.Slack)
	}
}
