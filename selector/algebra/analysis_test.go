// SPDX-License-Identifier: Apache-2.0

package algebra_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
)

// spellings are all legal values that are the integer: as it is, and with leading
// zeros up to 63 bytes.
func spellings(n int) string {
	digits := fmt.Sprint(n)
	var all []string
	for zeros := 0; zeros+len(digits) <= 63; zeros++ {
		all = append(all, strings.Repeat("0", zeros)+digits)
	}
	return strings.Join(all, ",")
}

func TestSatisfiable(t *testing.T) {
	type labels = map[string]string
	tests := []struct {
		why, text string
		want      labels
		ok        bool
	}{
		{"everything: no labels at all", "", labels{}, true},
		{"absent if possible", "!a,b notin (x)", labels{}, true},
		{"the smallest value", "a in (y,x)", labels{"a": "x"}, true},
		{"the empty value comes first", "a", labels{"a": ""}, true},
		{"then v1", "a,a notin ()", labels{"a": "v1"}, true},
		{"then v2", "a,a notin (,v1)", labels{"a": "v2"}, true},
		{"the smallest integer", "a>1", labels{"a": "2"}, true},
		{"from 0", "a<1", labels{"a": "0"}, true},
		{"another spelling", "a>0,a<2,a!=1", labels{"a": "01"}, true},
		{"the largest integer", "a>9223372036854775806", labels{"a": "9223372036854775807"}, true},
		{"an integer of a list", "a in (x,02,7),a>1,a<5", labels{"a": "02"}, true},
		{"a contradiction", "a=1,a in (2)", nil, false},
		{"exists and does not", "a,!a", nil, false},
		{"in and not in", "a in (x,y),a notin (x),a!=y", nil, false},
		{"no integer in between", "a>1,a<2", nil, false},
		{"nothing below 0", "a<0", nil, false},
		{"nothing above the largest", "a>9223372036854775807", nil, false},
		{"no spelling of 0 left", "a<1,a notin (" + spellings(0) + ")", nil, false},
		{"the next integer if none is left", "a<2,a notin (" + spellings(0) + ")", labels{"a": "1"}, true},
		{"a number and a word", "a>1,a=x", nil, false},
		{"a number must be there", "a>1,!a", nil, false},
		{"two words", "a=x,a>1", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s := parse(t, tt.text)
			got, ok := algebra.Satisfiable(s)
			require.Equal(t, tt.ok, ok)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("witness (-want +got):\n%s", diff)
			}
			require.Equal(t, !tt.ok, algebra.Normalize(s).IsNothing())
			require.Equal(t, !tt.ok, len(algebra.Contradictions(s)) > 0)
			if ok {
				require.True(t, s.Matches(got))
			}
		})
	}
	_, ok := algebra.Satisfiable(selector.Nothing())
	require.False(t, ok)
}

func TestCompare(t *testing.T) {
	type labels = map[string]string
	nothing := selector.Nothing()
	p := func(text string) selector.Selector { return parse(t, text) }
	tests := []struct {
		why  string
		a, b selector.Selector
		want algebra.Comparison
	}{
		{"the same", p("a=1"), p("a in (1)"), algebra.Comparison{Relation: algebra.RelationEqual, Common: labels{"a": "1"}}},
		{
			"not by comparing text", p("env=prod"), p("env=prod,region=us"),
			algebra.Comparison{Relation: algebra.RelationContains, Common: labels{"env": "prod", "region": "us"}, OnlyA: labels{"env": "prod"}},
		},
		{
			"nor by the labels of one alone", p("a in (x,y)"), p("a in (y,z)"),
			algebra.Comparison{Relation: algebra.RelationOverlapping, Common: labels{"a": "y"}, OnlyA: labels{"a": "x"}, OnlyB: labels{"a": "z"}},
		},
		{
			"!tier and tier notin are not disjoint", p("!tier"), p("tier notin (x)"),
			algebra.Comparison{Relation: algebra.RelationInside, Common: labels{}, OnlyB: labels{"tier": ""}},
		},
		{"disjoint", p("a=1"), p("a!=1"), algebra.Comparison{Relation: algebra.RelationDisjoint, OnlyA: labels{"a": "1"}, OnlyB: labels{}}},
		{"different keys overlap", p("a=1"), p("b=1"), algebra.Comparison{Relation: algebra.RelationOverlapping, Common: labels{"a": "1", "b": "1"}, OnlyA: labels{"a": "1"}, OnlyB: labels{"b": "1"}}},
		{"everything contains all", selector.Everything(), p("a"), algebra.Comparison{Relation: algebra.RelationContains, Common: labels{"a": ""}, OnlyA: labels{}}},
		{"nothing and nothing", nothing, p("a,!a"), algebra.Comparison{Relation: algebra.RelationEqual}},
		{"nothing is disjoint with something", nothing, p("a=1"), algebra.Comparison{Relation: algebra.RelationDisjoint, OnlyB: labels{"a": "1"}}},
		{"a range and a larger one", p("a>3,a<6"), p("a>1"), algebra.Comparison{Relation: algebra.RelationInside, Common: labels{"a": "4"}, OnlyB: labels{"a": "2"}}},
		{"a range beyond another at its upper end", p("a>1"), p("a<5"), algebra.Comparison{Relation: algebra.RelationOverlapping, Common: labels{"a": "2"}, OnlyA: labels{"a": "5"}, OnlyB: labels{"a": "0"}}},
		{"a range is in its other spelling", p("a>0,a<2"), p("a in (" + spellings(1) + ")"), algebra.Comparison{Relation: algebra.RelationEqual, Common: labels{"a": strings.Repeat("0", 62) + "1"}}},
		{"a word is no number", p("a"), p("a>1"), algebra.Comparison{Relation: algebra.RelationContains, Common: labels{"a": "2"}, OnlyA: labels{"a": ""}}},
		{"a range without one value", p("a>1,a<9"), p("a!=5"), algebra.Comparison{Relation: algebra.RelationOverlapping, Common: labels{"a": "2"}, OnlyA: labels{"a": "5"}, OnlyB: labels{}}},
		{"two ranges, one with a hole", p("a>1,a<9"), p("a>1,a<9,a!=5"), algebra.Comparison{Relation: algebra.RelationContains, Common: labels{"a": "2"}, OnlyA: labels{"a": "5"}}},
		{"to the largest", p("a>5"), p("a>4"), algebra.Comparison{Relation: algebra.RelationInside, Common: labels{"a": "6"}, OnlyB: labels{"a": "5"}}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got := algebra.Compare(tt.a, tt.b)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			require.Equal(t, got.Relation == algebra.RelationEqual, algebra.Equivalent(tt.a, tt.b))
			require.Equal(t, got.Common == nil, algebra.Disjoint(tt.a, tt.b))
			back := algebra.Compare(tt.b, tt.a)
			require.Equal(t, got.Common, back.Common)
			require.Equal(t, got.OnlyA, back.OnlyB)
		})
	}
}

func TestContradictions(t *testing.T) {
	tests := []struct {
		why, text string
		want      []string
	}{
		{"none", "a=1,b", nil},
		{"two that cannot be", "a=1,a in (2)", []string{"a: a=1,a in (2)"}},
		{"only those that cause it", "a!=7,a=1,a,a in (1,2),a=2,a notin (3)", []string{"a: a=1,a=2"}},
		{"three are needed", "a in (x,y),a!=x,a,a!=y", []string{"a: a in (x,y),a!=x,a!=y"}},
		{"one alone", "a<0,a=1", []string{"a: a<0"}},
		{"two keys", "b,!b,a>3,a<2,c", []string{"a: a>3,a<2", "b: b,!b"}},
		{"a word and a range", "a=x,a>1", []string{"a: a=x,a>1"}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			var got []string
			for _, c := range algebra.Contradictions(parse(t, tt.text)) {
				got = append(got, c.Key+": "+selector.Of(c.Requirements...).String())
			}
			require.Equal(t, tt.want, got)
		})
	}
	require.Nil(t, algebra.Contradictions(selector.Nothing()))
}

func TestNormalize(t *testing.T) {
	tests := []struct{ why, text, want string }{
		{"everything", "", ""},
		{"absence", "!a,a notin (x)", "!a"},
		{"presence", "a,a", "a"},
		{"one value", "a in (x,y),a!=y", "a=x"},
		{"== is =", "a==x", "a=x"},
		{"several", "a in (z,x,y),a!=y", "a in (x,z)"},
		{"all but", "a!=y,a notin (x)", "a notin (x,y)"},
		{"present, all but", "a notin (y,x),a", "a,a notin (x,y)"},
		{"bounds are tightened", "a>1,a>3,a<9,a<12", "a>3,a<9"},
		{"exclusions outside are dropped", "a>1,a notin (x,1,7,07)", "a>1,a notin (07,7)"},
		{"an integer without spelling is no bound", "a<5,a notin (" + spellings(0) + "," + spellings(4) + ")", "a>0,a<4"},
		{"sorted by key", "c,b=1,!a", "!a,b=1,c"},
		{"an upper bound of 0 and up is kept", "a<3", "a<3"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s := parse(t, tt.text)
			require.Equal(t, tt.want, algebra.Normalize(s).String())
			require.True(t, algebra.Equivalent(s, algebra.Normalize(s)))
		})
	}
}

// Overlap, implication, equivalence, satisfiability and normal form against all
// label sets of a universe that has every kind of label for the random selectors:
// what they mention, and one more of each kind.
func TestAnalysis_bruteForce(t *testing.T) {
	var universe []map[string]string
	for i := -1; i < len(random.Matchables); i++ {
		for j := -1; j < len(random.Matchables); j++ {
			labels := map[string]string{}
			if i >= 0 {
				labels["a"] = random.Matchables[i]
			}
			if j >= 0 {
				labels["b"] = random.Matchables[j]
			}
			universe = append(universe, labels)
		}
	}
	n := random.Cases(t, 4000)
	r := random.Seeded(3)
	var overlaps, inside, equal, empty int
	for range n {
		a, b := random.Selector(r), random.Selector(r)
		common, onlyA, onlyB := false, false, false
		for _, labels := range universe {
			inA, inB := a.Matches(labels), b.Matches(labels)
			common = common || inA && inB
			onlyA = onlyA || inA && !inB
			onlyB = onlyB || inB && !inA
			if common && onlyA && onlyB {
				break
			}
		}
		checkPair(t, a, b, common, onlyA, onlyB)
		overlaps += count(common)
		inside += count(!onlyA)
		equal += count(!onlyA && !onlyB)
		empty += count(!common && !onlyA)
		checkNormal(t, a, universe[random.Below(r, "labels", len(universe))])
	}
	t.Logf("%d random pairs over %d label sets: %d overlap, %d imply, %d equivalent, %d with a first one that selects nothing",
		n, len(universe), overlaps, inside, equal, empty)
	require.Positive(t, min(overlaps, inside, equal, empty))
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func checkPair(t *testing.T, a, b selector.Selector, common, onlyA, onlyB bool) {
	if labels, ok := algebra.Overlap(a, b); ok != common || ok && !(a.Matches(labels) && b.Matches(labels)) {
		t.Fatalf("Overlap(%s, %s) = %v, %v", a.Describe(), b.Describe(), labels, ok)
	}
	if labels, ok := algebra.Implies(a, b); ok == onlyA || !ok && !(a.Matches(labels) && !b.Matches(labels)) {
		t.Fatalf("Implies(%s, %s) = %v, %v", a.Describe(), b.Describe(), labels, ok)
	}
	if algebra.Equivalent(a, b) != (!onlyA && !onlyB) {
		t.Fatalf("Equivalent(%s, %s) = %v", a.Describe(), b.Describe(), onlyA || onlyB)
	}
	if same := algebra.Normalize(a).Equal(algebra.Normalize(b)); same != (!onlyA && !onlyB) {
		t.Fatalf("normal forms of %s and %s: %s and %s", a.Describe(), b.Describe(), algebra.Normalize(a).Describe(), algebra.Normalize(b).Describe())
	}
	labels, ok := algebra.Satisfiable(a)
	if ok != (common || onlyA) || ok && !a.Matches(labels) {
		t.Fatalf("Satisfiable(%s) = %v, %v", a.Describe(), labels, ok)
	}
	if !a.IsNothing() && ok != (len(algebra.Contradictions(a)) == 0) {
		t.Fatalf("Contradictions(%s) = %v", a, algebra.Contradictions(a))
	}
}

func checkNormal(t *testing.T, s selector.Selector, labels map[string]string) {
	normal := algebra.Normalize(s)
	if normal.Matches(labels) != s.Matches(labels) {
		t.Fatalf("%s and %s differ on %v", s.Describe(), normal.Describe(), labels)
	}
	if !algebra.Normalize(normal).Equal(normal) {
		t.Fatalf("%s is not normal", normal)
	}
	for _, c := range algebra.Contradictions(s) {
		for i := range c.Requirements {
			rest := append(append([]selector.Requirement(nil), c.Requirements[:i]...), c.Requirements[i+1:]...)
			if _, ok := algebra.Satisfiable(selector.Of(rest...)); !ok {
				t.Fatalf("%v: %v is not needed for the contradiction", s, c.Requirements[i])
			}
		}
	}
}
