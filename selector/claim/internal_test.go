// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"slices"
	"testing"

	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
)

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
			controllers = append(controllers, Controller{Owner: Owner{Selector: compiledFrom(t, text)}})
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
		values, ok := demanded(compiledFrom(t, c.selector), "b")
		slices.Sort(values)
		require.Equal(t, c.values, values, c.selector)
		require.Equal(t, c.ok, ok, c.selector)
	}
	_, ok := demanded(selector.Nothing(), "b")
	require.True(t, ok, "Nothing allows no value")
}

func compiledFrom(t *testing.T, text string) selector.Selector {
	t.Helper()
	s, err := selector.Parse(text)
	require.NoError(t, err)
	return s
}
