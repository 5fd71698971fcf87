// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"
	"reflect"
)

// An Invariant is a statement about every correct controller, and the checks that look for
// counterexamples.
type Invariant struct {
	Name  string // such as "surge bound"
	Title string // the statement, in a few words
	// Source is the origin: upstream's documents, code or issues.
	Source string
	// Corrected is set if upstream violates it, so that it holds without exception only with all
	// quirks repaired (Options.Repair). Defects name the quirks, such as "quirk.SumsWrapAround".
	// Cases that such a quirk explains are no violations by default, unless the input is strict.
	Corrected bool
	Defects   []string
	// Elsewhere names tests of other packages that check it too.
	Elsewhere []string

	checks []check
}

// A Violation is an invariant that does not hold, with the numbers that prove it.
type Violation struct {
	Name   string
	Detail string
}

// String returns one line such as "surge bound: 14 pods wanted, at most max(10+3, 12)".
func (v Violation) String() string { return v.Name + ": " + v.Detail }

// A check has one type of input.
type check interface{ input() reflect.Type }

// An on is a check of a C. It returns a line for each violation and never panics.
type on[C any] func(c *C) []string

func (on[C]) input() reflect.Type { return reflect.TypeFor[C]() }

func (i *Invariant) run(c any) (lines []string) {
	for _, k := range i.checks {
		if r, ok := k.(interface{ call(c any) []string }); ok {
			lines = append(lines, r.call(c)...)
		}
	}
	return lines
}

func (f on[C]) call(c any) []string {
	if c, ok := c.(*C); ok {
		return f(c)
	}
	return nil
}

// one returns a single violation if broken is true.
func one(broken bool, format string, args ...any) []string {
	if !broken {
		return nil
	}
	return []string{fmt.Sprintf(format, args...)}
}

// A list collects violations.
type list []string

func (l *list) add(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

func (l *list) addIf(broken bool, format string, args ...any) {
	if broken {
		l.add(format, args...)
	}
}
