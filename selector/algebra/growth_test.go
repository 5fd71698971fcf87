// SPDX-License-Identifier: Apache-2.0

package algebra_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// manyOf returns a selector with n requirements on the label k, written by a format
// with the number of each.
func manyOf(t testing.TB, n int, format string, more ...string) selector.Selector {
	parts := make([]string, n, n+len(more))
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return parse(t, strings.Join(append(parts, more...), ","))
}

// listOf returns "k in (v0,v1,…)" with n values.
func listOf(n int) string {
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprint("v", i)
	}
	return "k in (" + strings.Join(values, ",") + ")"
}

// A manyCase is two selectors with n requirements on one label.
type manyCase struct {
	name string
	make func(t testing.TB, n int) (a, b selector.Selector)
}

var manyCases = []manyCase{
	{"unequal", func(t testing.TB, n int) (a, b selector.Selector) {
		return manyOf(t, n, "k!=v%d"), manyOf(t, n, "k!=v%d", "k!=w")
	}},
	{"unequal of a list", func(t testing.TB, n int) (a, b selector.Selector) {
		return manyOf(t, n/2, "k!=v%d", listOf(n)), manyOf(t, n, "k!=w%d", listOf(n))
	}},
	{"unequal in a range", func(t testing.TB, n int) (a, b selector.Selector) {
		return manyOf(t, n, "k!=%d", "k>2", "k<100000"), manyOf(t, n, "k!=%d", "k>1")
	}},
	{"ranges", func(t testing.TB, n int) (a, b selector.Selector) {
		return manyOf(t, n, "k>%d", "k!=7"), manyOf(t, n, "k<1%06d")
	}},
	{"ranges of a list", func(t testing.TB, n int) (a, b selector.Selector) {
		numbers := strings.ReplaceAll(listOf(n), "v", "")
		return manyOf(t, n/2, "k>%d", numbers), manyOf(t, n, "k!=0%d", numbers)
	}},
}

// analyses are the questions about two selectors.
var analyses = []struct {
	name string
	ask  func(a, b selector.Selector) any
}{
	{"Satisfiable", func(a, _ selector.Selector) any { labels, _ := algebra.Satisfiable(a); return labels }},
	{"Overlap", func(a, b selector.Selector) any { labels, _ := algebra.Overlap(a, b); return labels }},
	{"Implies", func(a, b selector.Selector) any { labels, _ := algebra.Implies(a, b); return labels }},
	{"Equivalent", func(a, b selector.Selector) any { return algebra.Equivalent(a, b) }},
	{"Compare", func(a, b selector.Selector) any { return algebra.Compare(a, b) }},
	{"Normalize", func(a, _ selector.Selector) any { return algebra.Normalize(a) }},
	{"Contradictions", func(a, _ selector.Selector) any { return algebra.Contradictions(a) }},
}

// With eight times the requirements an answer takes about eight times the memory. What
// copies all values for each requirement takes 64 times as much.
func TestGrowth(t *testing.T) {
	const small, factor = 250, 8
	allocated := func(ask func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ask()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for _, c := range manyCases {
		for _, q := range analyses {
			a, b := c.make(t, small)
			few := allocated(func() { q.ask(a, b) })
			a, b = c.make(t, small*factor)
			many := allocated(func() { q.ask(a, b) })
			assert.Less(t, many, 2*factor*(few+4096), "%s of %s: %d bytes, and %d", q.name, c.name, few, many)
		}
	}
}

func BenchmarkManyRequirements(b *testing.B) {
	for _, c := range manyCases {
		for _, q := range analyses {
			for n := 1000; n <= 16_000; n *= 2 {
				b.Run(fmt.Sprintf("%s/%s/requirements=%d", strings.ReplaceAll(c.name, " ", "-"), q.name, n), func(b *testing.B) {
					x, y := c.make(b, n)
					b.ReportAllocs()
					for b.Loop() {
						q.ask(x, y)
					}
				})
			}
		}
	}
}

// Of many requirements those that contradict each other are found: the same ones as
// by going through all of them.
func TestContradictionAmongMany(t *testing.T) {
	s := manyOf(t, 500, "k!=v%d", "k=v300", "k=v301")
	found := algebra.Contradictions(s)
	require.Len(t, found, 1)
	texts := make([]string, 0, 2)
	for _, r := range found[0].Requirements {
		texts = append(texts, r.String())
	}
	require.Equal(t, []string{"k!=v300", "k=v300"}, texts)
	require.Empty(t, algebra.Contradictions(manyOf(t, 500, "k!=v%d", "k=w")))
}
