// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"fmt"

	"github.com/kplan-go/kplan/selector"
)

// cpus returns a term that is satisfied by nodes with more than so many processors.
func cpus(more string) selector.NodeSelectorTerm {
	return selector.NodeSelectorTerm{MatchExpressions: []selector.Expression{{Key: "cpus", Operator: selector.Gt, Values: []string{more}}}}
}

// A pod wants nodes of a pool, and more than eight processors.
func ExampleNewNodeAffinity() {
	a := selector.NewNodeAffinity(map[string]string{"pool": "batch"}, &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{cpus("8")}})
	fmt.Println(a.Match("n1", map[string]string{"pool": "batch", "cpus": "16"}))
	fmt.Println(a.Match("n2", map[string]string{"pool": "batch", "cpus": "4"}))
	fmt.Println(a.Match("n3", map[string]string{"cpus": "16"}))
	// Output:
	// true <nil>
	// false <nil>
	// false <nil>
}

// Without demands every node will do; a selector without terms accepts none.
func ExampleNodeAffinity_Match() {
	fmt.Println(selector.NodeAffinity{}.Match("n1", nil))
	fmt.Println(selector.NewNodeAffinity(nil, &selector.NodeSelector{}).Match("n1", nil))
	// Output:
	// true <nil>
	// false <nil>
}

// A term that cannot be read selects nothing, and the others do their work.
func ExampleNewNodeMatcher() {
	m := selector.NewNodeMatcher(&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{
		{MatchExpressions: []selector.Expression{{Key: "zone", Operator: "Near"}}},
		cpus("8"),
	}})
	fmt.Println(m.Match("n1", map[string]string{"cpus": "16"}))
	ok, err := m.Match("n2", nil)
	fmt.Println(ok, err != nil)
	// Output:
	// true <nil>
	// false true
}

// Whoever admits selectors wants to hear of a wrong term at once.
func ExampleCompileNodeSelector() {
	_, err := selector.CompileNodeSelector(&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{
		{MatchExpressions: []selector.Expression{{Key: "zone", Operator: "Near"}}},
	}})
	fmt.Println(err)
	// Output: nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Near": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"
}

func ExampleNodeMatcher_Err() {
	near := selector.NodeSelectorTerm{MatchExpressions: []selector.Expression{{Key: "zone", Operator: "Near"}}}
	fmt.Println(selector.NewNodeMatcher(&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{cpus("8")}}).Err())
	fmt.Println(selector.NewNodeMatcher(&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{cpus("8"), near}}).Err() != nil)
	// Output:
	// <nil>
	// true
}

func ExampleNodeMatcher_Terms() {
	m := selector.NewNodeMatcher(&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{
		cpus("8"),
		{MatchFields: []selector.Expression{{Key: selector.FieldName, Operator: selector.NotIn, Values: []string{"n7"}}}},
	}})
	for _, t := range m.Terms() {
		fmt.Println(t.Labels, t.Fields)
	}
	// Output:
	// cpus>8 []
	//  [{metadata.name n7 true}]
}

func ExampleValidateNodeSelector() {
	err := selector.ValidateNodeSelector(&selector.NodeSelector{}, "nodeSelector", selector.ValidateOptions{})
	fmt.Println(err)
	// Output: nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term
}

// A wrong term makes all of them unusable; one of weight 0 is not even read.
func ExampleNewPreferences() {
	wrong := selector.NodeSelectorTerm{MatchExpressions: []selector.Expression{{Key: "zone", Operator: "Near"}}}
	_, err := selector.NewPreferences([]selector.Preference{{Weight: 0, Preference: wrong}})
	fmt.Println(err)
	_, err = selector.NewPreferences([]selector.Preference{{Weight: 1, Preference: wrong}})
	fmt.Println(err != nil)
	// Output:
	// <nil>
	// true
}

// A node of 32 processors satisfies both preferences, one of 12 the first.
func ExamplePreferences_Score() {
	p, _ := selector.NewPreferences([]selector.Preference{
		{Weight: 10, Preference: cpus("8")},
		{Weight: 5, Preference: cpus("16")},
	})
	for _, n := range []string{"32", "12", "4"} {
		fmt.Println(n, p.Score("n1", map[string]string{"cpus": n}))
	}
	// Output:
	// 32 15
	// 12 10
	// 4 0
}
