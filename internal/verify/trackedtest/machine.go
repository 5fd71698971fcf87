// SPDX-License-Identifier: Apache-2.0

package trackedtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// A Machine changes a Tracker in random ways, and compares its plans with those of Reconcile. A
// test embeds it and draws the changes. W is a Tracker with the snapshot that it should have.
type Machine[W any] struct {
	T       purity.T
	S       random.Source
	Worlds  []W // clones of each other
	Now     time.Time
	Step    int
	Clone   func(W) W
	Compare func(W) // compares the plan of a Tracker with the plan for its snapshot
}

// One reports true once in n draws.
func (m *Machine[W]) One(name string, n uint64) bool { return m.S.Below(name, n) == 0 }

// Take makes steps. Each step calls step for one of the clones, and compares its plan; every eighth
// compares the plans of all clones. If step returns false, nothing is compared.
func (m *Machine[W]) Take(steps int, step func(k int, w W) bool) {
	for ; steps > 0; steps-- {
		m.Step++
		k := random.Below(m.S, "which clone", len(m.Worlds))
		w := m.Worlds[k]
		if !step(k, w) {
			continue
		}
		m.Compare(w)
		if m.Step%8 == 0 {
			for _, w := range m.Worlds {
				m.Compare(w)
			}
		}
	}
}

// AddClone adds a clone of world k, and replaces world k if there are three already.
func (m *Machine[W]) AddClone(k int) {
	if m.Worlds = append(m.Worlds, m.Clone(m.Worlds[k])); len(m.Worlds) > 3 {
		m.Worlds = slices.Delete(m.Worlds, k, k+1)
	}
}

// Refused reports whether a Tracker has refused a change. It fails unless a wrong change has a
// [kplan.FieldError], and other changes have no error.
func (m *Machine[W]) Refused(change any, wrong bool, err error) bool {
	var fieldError *kplan.FieldError
	if wrong != (err != nil) || wrong && (!errors.Is(err, kplan.ErrInvalid) || !errors.As(err, &fieldError)) {
		m.T.Fatalf("after %d steps: %+v: wrong is %v, but the error is %v", m.Step, change, wrong, err)
	}
	return wrong
}

// ThroughJSON encodes a Tracker and decodes it into another one.
func (m *Machine[W]) ThroughJSON(from, into any) {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		m.T.Fatalf("after %d steps: %v", m.Step, err)
	}
}

// Outcomes draws an outcome for each of n actions.
func (m *Machine[W]) Outcomes(n int, answers ...kplan.ServerAnswer) (list []kplan.Outcome) {
	for range n {
		list = append(list, kplan.Outcome{Answer: random.OneOf(m.S, "answer", answers...), Err: errors.New("no")})
	}
	return list
}

// SameErrors compares the errors of two results by their texts.
func (m *Machine[W]) SameErrors(got, want []error) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		m.T.Fatalf("after %d steps: %v, want %v", m.Step, got, want)
	}
}

// Same compares two values.
func (m *Machine[W]) Same(got, want any, opts ...cmp.Option) {
	if !Equal(want, got, opts...) {
		m.T.Fatalf("after %d steps:\n%s", m.Step, cmp.Diff(want, got, opts...))
	}
}

// SamePlan compares a plan and its error with the wanted ones, for a snapshot.
func (m *Machine[W]) SamePlan(got any, err error, want any, wrong error, snapshot any, opts ...cmp.Option) {
	if fmt.Sprint(err) != fmt.Sprint(wrong) || !Equal(got, want, opts...) {
		m.T.Fatalf("after %d steps: %v, want %v\n%s\n%+v", m.Step, err, wrong, cmp.Diff(want, got), snapshot)
	}
}

// SameObjects fails with the differences between a Tracker's snapshot and the wanted one.
func (m *Machine[W]) SameObjects(diff string) {
	if diff != "" {
		m.T.Fatalf("after %d steps:\n%s", m.Step, diff)
	}
}

// Changes returns the events that turn the objects from into to.
func Changes[T any](from, to []T, name func(*T) string, same func(a, b *T) bool) (events []Event[T]) {
	left := map[string]*T{}
	for i := range from {
		left[name(&from[i])] = &from[i]
	}
	for i := range to {
		n := &to[i]
		if was := left[name(n)]; was == nil || !same(was, n) {
			events = append(events, Event[T]{was, n})
		}
		delete(left, name(n))
	}
	for i := range from {
		if was := left[name(&from[i])]; was != nil {
			events = append(events, Event[T]{was, nil})
		}
	}
	return events
}

// From sets the number of steps made so far.
func (m *Machine[W]) From(step int) { m.Step = step }

// Property runs machines with at most most steps each.
func Property[M interface{ Run(steps int) }](t *testing.T, most int, begin func(purity.T, random.Source) M) {
	random.Check(t, func(s random.T) { begin(s, s).Run(random.Between(s, "steps", 1, most)) })
}

// LongRun runs machines for KPLAN_STEPS steps, or few: see [Steps].
func LongRun[M interface {
	Run(steps int)
	From(step int)
}](t *testing.T, few int, begin func(purity.T, random.Source) M) {
	Steps(t, few, func(seed uint64, before int) func() {
		m := begin(t, random.Seeded(seed))
		m.From(before)
		return func() { m.Run(1) }
	})
}
