// Package randomselector draws selectors and labels for the tests of package selector and
// of those below it. Few keys and values occur, so that selectors often have to do with
// each other.
package randomselector

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/kplan-go/kplan/selector"
	"pgregory.net/rapid"
)

// Source turns a seed drawn by rapid into a random source.
func Source(t *rapid.T) *rand.Rand { return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)) }

// Cases returns how many random cases to run: KPLAN_CASES, or a number that ends
// in a second or two.
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

// OneOf returns one of some values.
func OneOf[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// The values that random selectors mention. Labels have these and a few others.
var (
	Mentioned = []string{"x", "y", "", "1", "01", "3"}
	All       = append([]string{"fresh", "0", "2", "4", "5", "000", "001", "002", "003", "004", "005"}, Mentioned...)
)

// Requirement returns a requirement on one of the keys.
func Requirement(r *rand.Rand, keys ...string) selector.Requirement {
	op := OneOf(r, selector.OpIn, selector.OpNotIn, selector.OpEquals, selector.OpDoubleEquals, selector.OpNotEquals,
		selector.OpExists, selector.OpDoesNotExist, selector.OpGreater, selector.OpLess, selector.OpIn, selector.OpNotIn)
	var values []string
	switch op {
	case selector.OpIn, selector.OpNotIn:
		for range 1 + r.IntN(3) {
			values = append(values, OneOf(r, Mentioned...))
		}
	case selector.OpEquals, selector.OpDoubleEquals, selector.OpNotEquals:
		values = []string{OneOf(r, Mentioned...)}
	case selector.OpGreater, selector.OpLess:
		values = []string{strconv.Itoa(r.IntN(5))}
	}
	req, err := selector.NewRequirement(OneOf(r, keys...), op, values)
	if err != nil {
		panic(err)
	}
	return req
}

// Selector returns a selector of at most four requirements, now and then that of nothing.
func Selector(r *rand.Rand) selector.Selector {
	if r.IntN(40) == 0 {
		return selector.Nothing()
	}
	s := selector.Everything()
	for range r.IntN(5) {
		s = s.Add(Requirement(r, "a", "b"))
	}
	return s
}

// Labels returns labels with some of three keys.
func Labels(r *rand.Rand) map[string]string {
	labels := map[string]string{}
	for _, key := range []string{"a", "b", "c"} {
		if r.IntN(3) > 0 {
			labels[key] = OneOf(r, All...)
		}
	}
	return labels
}

// LabelSelector returns a selector of the API, now and then a wrong one.
func LabelSelector(r *rand.Rand, wrong bool) *selector.LabelSelector {
	ls := &selector.LabelSelector{MatchLabels: map[string]string{}}
	values := Mentioned
	if wrong && r.IntN(4) == 0 {
		values = append([]string{"-", "not one"}, Mentioned...)
	}
	for range r.IntN(4) {
		ls.MatchLabels[OneOf(r, "a", "b", "c", "d")] = OneOf(r, values...)
	}
	for range r.IntN(4) {
		e := selector.Expression{
			Key:      OneOf(r, "a", "b", "c", "e", "f"),
			Operator: OneOf(r, selector.In, selector.NotIn, selector.Exists, selector.DoesNotExist),
		}
		if e.Operator == selector.In || e.Operator == selector.NotIn {
			e.Values = []string{OneOf(r, values...), OneOf(r, values...)}
		}
		ls.MatchExpressions = append(ls.MatchExpressions, e)
	}
	return ls
}
