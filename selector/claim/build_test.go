package claim_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// read returns the selectors of a text, which semicolons separate, and false if there is
// a wrong one.
func read(text string) (list []selector.Selector, ok bool) {
	for part := range strings.SplitSeq(text, ";") {
		s, err := selector.Parse(part)
		if err != nil || len(list) == 6 {
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}

// source turns a seed drawn by rapid into the random source of this package's
// generators.
func source(t *rapid.T) *rand.Rand { return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)) }

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

func parse(t testing.TB, text string) selector.Selector {
	t.Helper()
	s, err := selector.Parse(text)
	require.NoError(t, err)
	return s
}
