// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"fmt"
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
