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
