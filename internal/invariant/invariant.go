// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// An Invariant is a statement that holds for every correct controller, and the
// checks that look for a case in which it does not.
type Invariant struct {
	Name  string // such as "surge bound"
	Title string // what holds, in a few words
	// Source is where it comes from: upstream's documents, code or issues.
	Source string
	// Corrected tells that upstream breaks it, so that it holds without exception
	// under Options.Corrected only. Defects name the quirks that break it, such as
	// "deploy.SumsWrapAround". Cases that such a quirk explains are no violations by
	// default, unless the input is strict.
	Corrected bool
	Defects   []string
	// Elsewhere names tests of other packages that prove it too.
	Elsewhere []string

	checks []check
}

// A Violation is an invariant that does not hold, with the numbers that show it.
type Violation struct {
	Name   string
	Detail string
}

// String returns one line such as "surge bound: 14 pods wanted, at most max(10+3, 12)".
func (v Violation) String() string { return v.Name + ": " + v.Detail }

// A check looks at one kind of input.
type check interface{ input() reflect.Type }

// An on is a check of a C. It returns a line for each violation and never panics.
type on[C any] func(c *C) []string

func (on[C]) input() reflect.Type { return reflect.TypeFor[C]() }

// All returns the invariants, group by group.
func All() []Invariant { return slices.Clone(table) }

// Inputs returns the names of the inputs that the checks of an invariant look at.
func (i Invariant) Inputs() []string {
	names := make([]string, len(i.checks))
	for k, c := range i.checks {
		names[k] = inputs[c.input()]
	}
	return names
}

// Run returns every violation that c shows: those of all checks of its type.
func Run[C any](c *C) []Violation {
	var found []Violation
	for i := range table {
		for _, line := range table[i].run(c) {
			found = append(found, Violation{table[i].Name, line})
		}
	}
	return found
}

// Check returns the violations of one invariant that c shows. An invariant that has
// no check for c, or does not exist, has none.
func Check[C any](name string, c *C) []string {
	for i := range table {
		if table[i].Name == name {
			return table[i].run(c)
		}
	}
	return nil
}

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

// table is all invariants. It is built once and never written to.
var table = slices.Concat(universal(), deployment(), replicaSet(), order(), daemonSet(), progressive(), selectors())

// Markdown returns the invariants as a table with a column for what a caller knows
// about each.
func Markdown(heading string, column func(Invariant) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| name | invariant | checked on | corrected only | %s |\n|---|---|---|---|---|\n", heading)
	for _, i := range table {
		where := slices.Concat(i.Inputs(), i.Elsewhere)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", i.Name, i.Title, strings.Join(where, ", "), strings.Join(i.Defects, ", "), column(i))
	}
	return b.String()
}
