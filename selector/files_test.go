package selector

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func parsed(t *testing.T, text string) Selector {
	t.Helper()
	s, err := Parse(text)
	require.NoError(t, err)
	return s
}

// An index files a selector under its rarest demand, the first of several.
func TestIndexFiles(t *testing.T) {
	texts := []string{"app=web", "app=web,tier=db", "app in (web,api)", "app=job,tier=db", "!app", "app=job,tier=x", "app=web,tier in (x,z),zone=a"}
	var selectors []Selector
	for _, text := range texts {
		selectors = append(selectors, parsed(t, text))
	}
	x := NewIndex(append(selectors, Nothing()))
	require.Equal(t, []int32{4}, x.others, "the one that demands no value")
	require.Equal(t, map[string]map[string][]int32{
		"app":  {"web": {0, 2}, "api": {2}, "job": {3, 5}},
		"tier": {"db": {1}},
		"zone": {"a": {6}},
	}, x.anchored, "4 demand app=web, 2 each app=job, tier=db and tier=x")
}

// Controllers are told apart by the key that the most of them demand, once each, and
// the first of several.
func TestCommonKey(t *testing.T) {
	for _, c := range []struct {
		selectors []string
		want, why string
	}{
		{nil, "", "no controllers"},
		{[]string{"!a", "b", "c!=1"}, "", "no values are demanded"},
		{[]string{"b=1"}, "b", "one"},
		{[]string{"b in (1,2)"}, "b", "one of several"},
		{[]string{"a=1,b=1", "b in (1,2)", "a!=3"}, "b", "two demand b, and one a"},
		{[]string{"a=1,b=1", "a=1,b=2", "c=1"}, "a", "the first of two"},
		{[]string{"a=1,a in (1,2),a=1,b=1", "b=1"}, "b", "who demands a thrice demands it"},
	} {
		var controllers []Controller
		var group []int
		for i, text := range c.selectors {
			controllers = append(controllers, Controller{Owner: Owner{Selector: parsed(t, text)}})
			group = append(group, i)
		}
		for range 8 { // in whatever order the map has
			require.Equal(t, c.want, commonKey(controllers, group), c.why)
		}
	}
}

func TestDemanded(t *testing.T) {
	for _, c := range []struct {
		selector string
		values   []string
		ok       bool
	}{
		{"a=1,b=2", []string{"2"}, true},
		{"b in (3,2,3)", []string{"2", "3"}, true},
		{"a=1", nil, false},
		{"b,b!=2", nil, false},
	} {
		values, ok := demanded(parsed(t, c.selector), "b")
		slices.Sort(values)
		require.Equal(t, c.values, values, c.selector)
		require.Equal(t, c.ok, ok, c.selector)
	}
	_, ok := demanded(Nothing(), "b")
	require.True(t, ok, "Nothing allows no value")
}

// Many values are sorted, to be found faster.
func TestManyValues(t *testing.T) {
	values := make([]string, manyValues)
	for i := range values {
		values[i] = fmt.Sprint(i)
	}
	require.NotNil(t, makeRequirement("a", OpIn, values).sorted)
	require.Nil(t, makeRequirement("a", OpIn, values[1:]).sorted)
}

// A single value is kept in its requirement. All others share one slice.
func TestFromLabelSelectorAllocates(t *testing.T) {
	allocations := func(values ...string) float64 {
		ls := &LabelSelector{}
		for i := range 5 {
			ls.MatchExpressions = append(ls.MatchExpressions, Expression{Key: fmt.Sprint("k", i), Operator: In, Values: values})
		}
		return testing.AllocsPerRun(10, func() { _, _ = FromLabelSelector(ls) })
	}
	require.Equal(t, 1.0, allocations("a"))
	require.Equal(t, 2.0, allocations("a", "b"))
	require.Equal(t, 2.0, allocations("a", "b", "c"))
}

// A map is made large enough at once.
func TestMergeLabelsAllocates(t *testing.T) {
	a, b := map[string]string{}, map[string]string{}
	for i := range 100 {
		a[fmt.Sprint("a", i)], b[fmt.Sprint("b", i)] = "", ""
	}
	once := testing.AllocsPerRun(10, func() { _ = make(map[string]string, 200) })
	require.Equal(t, once, testing.AllocsPerRun(10, func() { MergeLabels(a, b) }))
}

// The last spelling of an integer fills a label value; behind it there is none.
func TestSpellingOf(t *testing.T) {
	var excluded []string
	for zeros := maxName - 1; zeros > 0; zeros-- { // in order
		excluded = append(excluded, strings.Repeat("0", zeros)+"1")
	}
	excluded = append(excluded, "1")
	got, ok := spellingOf(1, excluded[1:])
	require.True(t, ok)
	require.Equal(t, excluded[0], got, "63 characters")
	_, ok = spellingOf(1, excluded)
	require.False(t, ok)
	lo, hi := tightened(1, 1, excluded)
	require.Greater(t, lo, hi, "no integer is left")
	lo, hi = tightened(0, 2, excluded)
	require.Equal(t, []int64{0, 2}, []int64{lo, hi}, "one in the middle changes nothing")
	lo, hi = tightened(1, 2, excluded)
	require.Equal(t, []int64{2, 2}, []int64{lo, hi})
	lo, hi = tightened(0, 1, excluded)
	require.Equal(t, []int64{0, 0}, []int64{lo, hi})
}
