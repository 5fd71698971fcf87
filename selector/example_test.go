// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"errors"
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/selector"
)

func ExampleParse() {
	s, err := selector.Parse("tier in (front,back), app=web, !canary")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s)

	_, err = selector.Parse("app=web,tier=")
	fmt.Println(err)
	_, err = selector.Parse("app=-,tier")
	var field *kplan.FieldError
	if errors.As(err, &field) {
		fmt.Println(field.Path, field.Value)
	}
	_, err = selector.Parse("app web")
	fmt.Println(err)
	// Output:
	// app=web,!canary,tier in (back,front)
	// <nil>
	// values[0][app] -
	// unable to parse requirement: found 'web', expected: in, notin, =, ==, !=, gt, lt
}

func ExampleSelector_Matches() {
	s, _ := selector.FromLabelSelector(&selector.LabelSelector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []selector.Expression{{Key: "tier", Operator: selector.NotIn, Values: []string{"db"}}},
	})
	fmt.Println(s.Matches(map[string]string{"app": "web", "tier": "front"}))
	fmt.Println(s.Matches(map[string]string{"app": "web"})) // NotIn does not need the label
	fmt.Println(s.Matches(map[string]string{"app": "web", "tier": "db"}))

	nothing, _ := selector.FromLabelSelector(nil)
	everything, _ := selector.FromLabelSelector(&selector.LabelSelector{})
	fmt.Println(nothing.Matches(nil), everything.Matches(nil))
	// Output:
	// true
	// true
	// false
	// false true
}

func ExampleNodeMatcher_Match() {
	m, err := selector.CompileNodeSelector(&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{
		{MatchExpressions: []selector.Expression{{Key: "cpus", Operator: selector.Gt, Values: []string{"15"}}}},
		{MatchFields: []selector.Expression{{Key: selector.FieldName, Operator: selector.In, Values: []string{"node-7"}}}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Match("node-1", map[string]string{"cpus": "16"}))
	fmt.Println(m.Match("node-7", nil))
	fmt.Println(m.Match("node-2", map[string]string{"cpus": "many"}))
	// Output:
	// true <nil>
	// true <nil>
	// false <nil>
}
