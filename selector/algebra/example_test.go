// SPDX-License-Identifier: Apache-2.0

package algebra_test

import (
	"fmt"

	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
)

func ExampleOverlap() {
	a, _ := selector.Parse("env=prod")
	b, _ := selector.Parse("env in (prod,test),region=us")
	c, _ := selector.Parse("env=test")

	labels, ok := algebra.Overlap(a, b)
	fmt.Println(ok, selector.FormatLabels(labels))
	labels, ok = algebra.Overlap(a, c)
	fmt.Println(ok, selector.FormatLabels(labels))
	// Output:
	// true env=prod,region=us
	// false <none>
}

func ExampleCompare() {
	a, _ := selector.Parse("!tier")
	b, _ := selector.Parse("tier notin (db)")
	c := algebra.Compare(a, b)
	fmt.Println(c.Relation, "for example", selector.FormatLabels(c.OnlyB))
	// Output: Inside for example tier=
}

func ExampleContradictions() {
	s, _ := selector.Parse("app=web,tier in (a,b),tier!=a,env=prod,tier!=b")
	for _, c := range algebra.Contradictions(s) {
		fmt.Println(c.Key, c.Requirements)
	}
	// Output: tier [tier in (a,b) tier!=a tier!=b]
}

func ExampleImplies() {
	narrow, _ := selector.Parse("env=prod,region=us")
	wide, _ := selector.Parse("env in (prod,test)")
	_, ok := algebra.Implies(narrow, wide)
	fmt.Println(ok)
	counter, ok := algebra.Implies(wide, narrow)
	fmt.Println(ok, "for example", selector.FormatLabels(counter))
	// Output:
	// true
	// false for example env=test
}

// A list of one value is that value, and notin is satisfied without the label.
func ExampleEquivalent() {
	a, _ := selector.Parse("env in (prod)")
	b, _ := selector.Parse("env=prod")
	c, _ := selector.Parse("env,env notin (test)")
	d, _ := selector.Parse("env notin (test)")
	fmt.Println(algebra.Equivalent(a, b), algebra.Equivalent(c, d))
	// Output: true false
}

// What all requirements on a key say together is said once.
func ExampleNormalize() {
	s, _ := selector.Parse("env in (dev,prod,test),env!=test,env notin (dev),tier,tier=db")
	fmt.Println(algebra.Normalize(s))
	s, _ = selector.Parse("tier,!tier")
	fmt.Println(algebra.Normalize(s).IsNothing())
	// Output:
	// env=prod,tier=db
	// true
}

// All requirements of both hold; Normalize says what that comes to.
func ExampleAnd() {
	a, _ := selector.Parse("env in (prod,test)")
	b, _ := selector.Parse("env in (dev,test),tier=web")
	both := algebra.And(a, b)
	fmt.Println(both)
	fmt.Println(algebra.Normalize(both))
	// Output:
	// env in (prod,test),env in (dev,test),tier=web
	// env=test,tier=web
}

// Two controllers with these selectors never compete for a pod.
func ExampleDisjoint() {
	a, _ := selector.Parse("app=web,track=canary")
	b, _ := selector.Parse("app=web,!track")
	c, _ := selector.Parse("app=web")
	fmt.Println(algebra.Disjoint(a, b), algebra.Disjoint(a, c))
	// Output: true false
}

func ExampleSatisfiable() {
	s, _ := selector.Parse("app=web,tier notin (db),zone")
	labels, ok := algebra.Satisfiable(s)
	fmt.Println(ok, selector.FormatLabels(labels))
	s, _ = selector.Parse("app=web,app=api")
	_, ok = algebra.Satisfiable(s)
	fmt.Println(ok)
	// Output:
	// true app=web,zone=
	// false
}

// term returns a node selector of one term that demands a label.
func term(key string, op selector.Operator, values ...string) selector.NodeMatcher {
	return selector.NewNodeMatcher(&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{
		{MatchExpressions: []selector.Expression{{Key: key, Operator: op, Values: values}}},
	}})
}

func ExampleSatisfiableNodes() {
	node, ok := algebra.SatisfiableNodes(term("cpus", selector.Gt, "15"))
	fmt.Println(ok, selector.FormatLabels(node.Labels))
	_, ok = algebra.SatisfiableNodes(selector.NewNodeMatcher(&selector.NodeSelector{}))
	fmt.Println(ok, "without terms")
	// Output:
	// true cpus=16
	// false without terms
}

// Some node gets the pods of both: one of 9 to 15 processors.
func ExampleOverlapNodes() {
	node, ok := algebra.OverlapNodes(term("cpus", selector.Gt, "8"), term("cpus", selector.Lt, "16"))
	fmt.Println(ok, selector.FormatLabels(node.Labels))
	_, ok = algebra.OverlapNodes(term("cpus", selector.Gt, "8"), term("cpus", selector.Lt, "9"))
	fmt.Println(ok)
	// Output:
	// true cpus=9
	// false
}

func ExampleImpliesNodes() {
	large, larger := term("cpus", selector.Gt, "8"), term("cpus", selector.Gt, "16")
	_, answer := algebra.ImpliesNodes(larger, large)
	fmt.Println(answer)
	node, answer := algebra.ImpliesNodes(large, larger)
	fmt.Println(answer, "for example", selector.FormatLabels(node.Labels))
	// Output:
	// Yes
	// No for example cpus=9
}
