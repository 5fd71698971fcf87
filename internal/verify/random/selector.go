// SPDX-License-Identifier: Apache-2.0

package random

import (
	"os"
	"strconv"
	"testing"

	"github.com/kplan-go/kplan/selector"
)

// Cases returns the number of random cases to run: KPLAN_CASES, or standard, which should take a
// second or two.
func Cases(t testing.TB, standard int) int {
	text := os.Getenv("KPLAN_CASES")
	if text == "" {
		return standard
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("KPLAN_CASES: %q is not a number of cases", text)
	}
	return n
}

// The values in a [Selector], and the values of [Matchable], which are these and a few others.
var (
	mentioned  = []string{"x", "y", "", "1", "01", "3"}
	Matchables = append([]string{"fresh", "0", "2", "4", "5", "000", "001", "002", "003", "004", "005"}, mentioned...)
)

// Requirement draws a requirement on one of the keys.
func Requirement(s Source, keys ...string) selector.Requirement {
	op := OneOf(s, "operator", selector.OpIn, selector.OpNotIn, selector.OpEquals, selector.OpDoubleEquals, selector.OpNotEquals,
		selector.OpExists, selector.OpDoesNotExist, selector.OpGreater, selector.OpLess, selector.OpIn, selector.OpNotIn)
	var values []string
	switch op {
	case selector.OpIn, selector.OpNotIn:
		for range 1 + Below(s, "values", 3) {
			values = append(values, OneOf(s, "value", mentioned...))
		}
	case selector.OpEquals, selector.OpDoubleEquals, selector.OpNotEquals:
		values = []string{OneOf(s, "value", mentioned...)}
	case selector.OpGreater, selector.OpLess:
		values = []string{strconv.Itoa(Below(s, "value", 5))}
	}
	req, err := selector.NewRequirement(OneOf(s, "key", keys...), op, values)
	if err != nil {
		panic(err)
	}
	return req
}

// Selector draws a selector of at most four requirements on the labels a and b, so that selectors
// often overlap; sometimes the selector of nothing.
func Selector(s Source) selector.Selector {
	if OneIn(s, "nothing", 40) {
		return selector.Nothing()
	}
	all := selector.Everything()
	for range Below(s, "requirements", 5) {
		all = all.Add(Requirement(s, "a", "b"))
	}
	return all
}

// Matchable draws some of the labels a, b and c.
func Matchable(s Source) map[string]string {
	labels := map[string]string{}
	for _, key := range []string{"a", "b", "c"} {
		if Often(s, key, 2) {
			labels[key] = OneOf(s, "value", Matchables...)
		}
	}
	return labels
}

// ValidLabelSelector draws a [LabelSelector] until it is valid.
func ValidLabelSelector(s Source) *selector.LabelSelector {
	for {
		ls := LabelSelector(s)
		if _, err := selector.FromLabelSelector(ls); err == nil {
			return ls
		}
	}
}
