// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
)

func parse(t testing.TB, text string) selector.Selector {
	t.Helper()
	s, err := selector.Parse(text)
	require.NoError(t, err)
	return s
}

func compile(t testing.TB, ls *selector.LabelSelector) selector.Selector {
	t.Helper()
	s, err := selector.FromLabelSelector(ls)
	require.NoError(t, err)
	return s
}

// nil and empty.
func TestNilAndEmpty(t *testing.T) {
	everything, nothing := selector.Everything(), selector.Nothing()
	require.True(t, nothing.Equal(selector.Selector{}), "the zero Selector is Nothing")
	tests := []struct {
		why  string
		s    selector.Selector
		want selector.Selector
	}{
		{"a nil LabelSelector is nothing", compile(t, nil), nothing},
		{"an empty one is everything", compile(t, &selector.LabelSelector{}), everything},
		{"empty parts are no parts", compile(t, &selector.LabelSelector{MatchLabels: map[string]string{}, MatchExpressions: []selector.Expression{}}), everything},
		{"a nil map is everything, unlike a nil LabelSelector", selector.FromMap(nil), everything},
		{"an empty map", selector.FromMap(map[string]string{}), everything},
		{"the empty text", parse(t, ""), everything},
		{"blanks", parse(t, " \t\r\n"), everything},
		{"no requirements", selector.Of(), everything},
		{"adding to nothing is nothing", nothing.Add(parse(t, "a").Requirements()...), nothing},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			all := tt.want.IsEverything()
			require.True(t, tt.s.Equal(tt.want))
			require.False(t, tt.s.Equal(parse(t, "a")))
			require.Equal(t, all, tt.s.IsEverything())
			require.Equal(t, !all, tt.s.IsNothing())
			require.Equal(t, all, tt.s.Matches(nil))
			require.Equal(t, all, tt.s.Matches(map[string]string{}))
			require.Equal(t, all, tt.s.Matches(map[string]string{"a": "b"}))
			require.Nil(t, tt.s.Requirements())
			require.Empty(t, tt.s.String(), "upstream prints both as nothing at all")
		})
	}
	require.False(t, everything.Equal(nothing))
	require.Equal(t, "everything", everything.Describe())
	require.Equal(t, "nothing", nothing.Describe())
	require.Equal(t, "a=b", parse(t, "a=b").Describe())
}

func TestSelects(t *testing.T) {
	labels := map[string]string{"a": "b"}
	require.True(t, parse(t, "a=b").Selects(labels))
	require.True(t, parse(t, "!z").Selects(labels))
	require.False(t, parse(t, "!z").Selects(nil), "an object without labels is selected by none")
	require.True(t, parse(t, "!z").Matches(nil), "but claiming matches it")
	require.False(t, selector.Everything().Selects(labels), "an empty selector selects none")
	require.False(t, selector.Nothing().Selects(labels))
	require.False(t, parse(t, "a=c").Selects(labels))
}

func TestString(t *testing.T) {
	tests := []struct {
		why  string
		s    selector.Selector
		want string
	}{
		{
			"sorted by key, !q at q, values sorted with their repetitions",
			compile(t, &selector.LabelSelector{
				MatchLabels: map[string]string{"b": "2", "a": "1"},
				MatchExpressions: []selector.Expression{
					{Key: "z", Operator: selector.In, Values: []string{"y", "x", "x"}},
					{Key: "aa", Operator: selector.Exists},
					{Key: "q", Operator: selector.DoesNotExist},
					{Key: "n", Operator: selector.NotIn, Values: []string{"1"}},
				},
			}),
			"a=1,aa,b=2,n notin (1),!q,z in (x,x,y)",
		},
		{"in the empty value", parse(t, "n in ()"), "n in ()"},
		{"not in the empty value", compile(t, &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "n", Operator: selector.NotIn, Values: []string{"x", ""}}}}), "n notin (,x)"},
		{"an empty label", selector.FromMap(map[string]string{"n": ""}), "n="},
		{"comparisons", parse(t, "a > 1 , a < 5 , b == x , c != y"), "a>1,a<5,b==x,c!=y"},
		{"key order is not the order of whole texts", selector.FromMap(map[string]string{"a": "1", "a-b": "2", "a.b": "0"}), "a=1,a-b=2,a.b=0"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			require.Equal(t, tt.want, tt.s.String())
			require.True(t, algebra.Equivalent(tt.s, parse(t, tt.want)), "and back")
		})
	}
}

// upstream's text of 16 requirements, 5 of them on one key, is random.
func TestString_stable(t *testing.T) {
	ls := &selector.LabelSelector{MatchLabels: map[string]string{}}
	want := ""
	for _, k := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"} {
		ls.MatchLabels[k] = "1"
		want += k + "=1,"
	}
	for _, v := range []string{"5", "4", "3", "2"} {
		ls.MatchExpressions = append(ls.MatchExpressions, selector.Expression{Key: "k", Operator: selector.NotIn, Values: []string{v}})
		want += "k notin (" + v + "),"
	}
	ls.MatchExpressions = append(ls.MatchExpressions, selector.Expression{Key: "l", Operator: selector.Exists})
	want += "l"
	for range 50 {
		require.Equal(t, want, compile(t, ls).String())
	}
}

func TestExactMatch(t *testing.T) {
	tests := []struct {
		why, text, key, want string
		ok                   bool
	}{
		{"equal", "a=1", "a", "1", true},
		{"double equal", "a==1", "a", "1", true},
		{"in one", "a in (1)", "a", "1", true},
		{"the empty value is a value", "a=", "a", "", true},
		{"in two", "b in (x,y)", "b", "", false},
		{"not in", "b notin (x)", "b", "", false},
		{"exists", "b", "b", "", false},
		{"another key", "a=1", "b", "", false},
		{"the first requirement only", "c=1,c=2", "c", "1", true},
		{"which need not be exact", "c in (1,2),c=2", "c", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got, ok := parse(t, tt.text).ExactMatch(tt.key)
			require.Equal(t, tt.ok, ok)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestAdd(t *testing.T) {
	s := parse(t, "b=1")
	more := s.Add(parse(t, "a=1,b=2").Requirements()...)
	require.Equal(t, "a=1,b=1,b=2", more.String(), "those that were there come first")
	require.Equal(t, "b=1", s.String(), "a Selector is immutable")
	require.True(t, s.Add().Equal(s))
	s.Requirements()[0] = parse(t, "z").Requirements()[0]
	require.Equal(t, "b=1", s.String(), "Requirements is a copy")
}

// The order of expressions and of map iteration changes no text, error or match.
func TestPermutation(t *testing.T) {
	r := random.Seeded(1)
	for range 500 {
		ls := random.LabelSelector(r)
		s, err := selector.FromLabelSelector(ls)
		again, errAgain := selector.FromLabelSelector(ls)
		require.Equal(t, err, errAgain, "map order changes nothing")
		require.Equal(t, s.String(), again.String())
		if err != nil || ls == nil {
			continue
		}
		shuffled := &selector.LabelSelector{MatchLabels: map[string]string{}}
		for k, v := range ls.MatchLabels {
			shuffled.MatchLabels[k] = v
		}
		seen := map[string]bool{}
		distinct := true
		for _, i := range random.Perm(r, len(ls.MatchExpressions)) {
			e := ls.MatchExpressions[i]
			_, labelled := ls.MatchLabels[e.Key]
			distinct = distinct && !seen[e.Key] && !labelled
			seen[e.Key] = true
			shuffled.MatchExpressions = append(shuffled.MatchExpressions, e)
		}
		other := compile(t, shuffled)
		if distinct {
			require.Equal(t, s.String(), other.String())
		}
		require.Equal(t, algebra.Normalize(s).String(), algebra.Normalize(other).String())
		for range 10 {
			labels := random.Matchable(r)
			require.Equal(t, s.Matches(labels), other.Matches(labels), "%v and %v on %v", s, other, labels)
		}
	}
}

func TestEqual_cmp(t *testing.T) {
	require.Empty(t, cmp.Diff(parse(t, "a=1"), parse(t, "a=1")), "go-cmp uses Equal")
	require.NotEmpty(t, cmp.Diff(parse(t, "a=1"), parse(t, "a=2")))
}

func TestMatches_allocatesNothing(t *testing.T) {
	s := parse(t, "a=1,b in (x,y),!c,d notin (x,y),e,n>3")
	node, err := selector.CompileNodeSelector(&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{
		MatchExpressions: []selector.Expression{{Key: "n", Operator: selector.Gt, Values: []string{"3"}}},
		MatchFields:      []selector.Expression{{Key: selector.FieldName, Operator: selector.In, Values: []string{"n1"}}},
	}}})
	require.NoError(t, err)
	for _, labels := range []map[string]string{
		{"a": "1", "b": "y", "e": "", "n": "4"},
		{"a": "1", "b": "y", "e": "", "n": "no number"},
		nil,
	} {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			s.Matches(labels)
			if _, err := node.Match("n1", labels); err != nil {
				t.Error(err)
			}
		}))
	}
}
