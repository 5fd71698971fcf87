// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"math/big"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Every type in a pod template has a rule of its own.
func TestTemplateShape(t *testing.T) {
	rules := map[rule]int{}
	seen := map[*shape]bool{}
	var walk func(s *shape)
	walk = func(s *shape) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		require.False(t, s.odd)
		rules[s.rule]++
		if s.rule == ruleQuantity || s.rule == ruleTime || s.rule == ruleFields {
			return // an encoder does not look into them
		}
		walk(s.elem)
		for _, f := range s.fields {
			require.Less(t, len(f.prefix), 128, "the length of a name is one byte")
			walk(f.shape)
		}
	}
	walk(templateShape())
	require.Zero(t, rules[ruleJSON])
	require.Zero(t, rules[ruleMap])
	require.Equal(t, 1, rules[ruleLabels])
	require.Greater(t, rules[ruleStruct], 100)
}

// Types that may come with a later release.
func TestEncodeOtherTypes(t *testing.T) {
	type later struct {
		Map   map[string]resource.Quantity
		Self  *later
		Float float64
		Array [2]int
		Any   any
		Count uint16
		Odd   map[int]string
		Own   big.Int
		Chan  chan int `json:"-"`
	}
	s := shapeOf(reflect.TypeFor[later](), map[reflect.Type]*shape{})
	id := func(l later) string {
		e := encoder{}
		e.encode(s, reflect.ValueOf(&l).Elem())
		return string(e.buf)
	}
	amounts := func(a, b string) later {
		return later{Map: map[string]resource.Quantity{"a": resource.MustParse(a), "b": resource.MustParse(b)}}
	}
	require.Equal(t, id(amounts("1", "2")), id(amounts("1000m", "2")))
	require.Equal(t, id(later{}), id(later{Map: map[string]resource.Quantity{}}))
	all := []later{
		{}, {Self: &later{}}, {Self: &later{Self: &later{}}}, amounts("1", "2"), amounts("2", "1"),
		{Float: 1}, {Float: 2}, {Array: [2]int{1, 2}}, {Array: [2]int{2, 1}}, {Any: "1"}, {Any: 1}, {Count: 1}, {Count: 2},
		{Odd: map[int]string{1: "a", 2: "b"}}, {Odd: map[int]string{1: "b", 2: "a"}}, {Chan: make(chan int)},
		{Own: *big.NewInt(1)}, {Own: *big.NewInt(2)},
	}
	seen := map[string]int{}
	for i, l := range all {
		require.NotContains(t, seen, id(l), "%d", i)
		seen[id(l)] = i
	}
}
