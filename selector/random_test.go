package selector_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/kplan-go/kplan/selector"
)

// cases returns how many random cases to run: KPLAN_CASES, or a number that ends
// in a second or two.
func cases(t testing.TB, standard int) int {
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

func oneOf[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// The values that random selectors mention. Labels have these and a few others.
var (
	mentioned = []string{"x", "y", "", "1", "01", "3"}
	all       = append([]string{"fresh", "0", "2", "4", "5", "000", "001", "002", "003", "004", "005"}, mentioned...)
)

func randomRequirement(r *rand.Rand, keys ...string) selector.Requirement {
	op := oneOf(r, selector.OpIn, selector.OpNotIn, selector.OpEquals, selector.OpDoubleEquals, selector.OpNotEquals,
		selector.OpExists, selector.OpDoesNotExist, selector.OpGreater, selector.OpLess, selector.OpIn, selector.OpNotIn)
	var values []string
	switch op {
	case selector.OpIn, selector.OpNotIn:
		for range 1 + r.IntN(3) {
			values = append(values, oneOf(r, mentioned...))
		}
	case selector.OpEquals, selector.OpDoubleEquals, selector.OpNotEquals:
		values = []string{oneOf(r, mentioned...)}
	case selector.OpGreater, selector.OpLess:
		values = []string{strconv.Itoa(r.IntN(5))}
	}
	req, err := selector.NewRequirement(oneOf(r, keys...), op, values)
	if err != nil {
		panic(err)
	}
	return req
}

func randomSelector(r *rand.Rand) selector.Selector {
	if r.IntN(40) == 0 {
		return selector.Nothing()
	}
	s := selector.Everything()
	for range r.IntN(5) {
		s = s.Add(randomRequirement(r, "a", "b"))
	}
	return s
}

func randomLabels(r *rand.Rand) map[string]string {
	labels := map[string]string{}
	for _, key := range []string{"a", "b", "c"} {
		if r.IntN(3) > 0 {
			labels[key] = oneOf(r, all...)
		}
	}
	return labels
}

// randomLabelSelector returns a selector of the API, now and then a wrong one.
func randomLabelSelector(r *rand.Rand, wrong bool) *selector.LabelSelector {
	ls := &selector.LabelSelector{MatchLabels: map[string]string{}}
	values := mentioned
	if wrong && r.IntN(4) == 0 {
		values = append([]string{"-", "not one"}, mentioned...)
	}
	for range r.IntN(4) {
		ls.MatchLabels[oneOf(r, "a", "b", "c", "d")] = oneOf(r, values...)
	}
	for range r.IntN(4) {
		e := selector.Expression{
			Key:      oneOf(r, "a", "b", "c", "e", "f"),
			Operator: oneOf(r, selector.In, selector.NotIn, selector.Exists, selector.DoesNotExist),
		}
		if e.Operator == selector.In || e.Operator == selector.NotIn {
			e.Values = []string{oneOf(r, values...), oneOf(r, values...)}
		}
		ls.MatchExpressions = append(ls.MatchExpressions, e)
	}
	return ls
}
