// SPDX-License-Identifier: Apache-2.0

package selectortest_test

import (
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/selectortest"
)

// never overlaps says of any two selectors that they have nothing in common.
func neverOverlaps(selector.Selector, selector.Selector) (map[string]string, bool) { return nil, false }

// A reader that cannot compare selectors is held to what it can.
func ExampleOnly() {
	t := printer{}
	selectortest.Check(t, selectortest.Reader{Overlap: neverOverlaps}, selectortest.Only("selector semantics"))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleExcept() {
	t := printer{}
	selectortest.Check(t, selectortest.Reader{Overlap: neverOverlaps}, selectortest.Except("overlap and implication examples"))
	fmt.Println("nothing found")
	// Output: nothing found
}

// The generators are there for tests of your own.
func ExampleLabelSelectors() {
	t := printer{}
	rapid.Check(t, func(t *rapid.T) {
		ls := selectortest.LabelSelectors().Draw(t, "selector")
		if ls != nil && len(ls.MatchExpressions) > 3 {
			t.Fatal(ls)
		}
	})
	fmt.Println("never more than 3 expressions")
	// Output: never more than 3 expressions
}

// Values are so few that selectors often select them.
func ExampleLabels() {
	values := map[string]bool{}
	for i := range 100 {
		if app, ok := selectortest.Labels().Example(i)["app"]; ok {
			values[app] = true
		}
	}
	fmt.Printf("%q\n", slices.Sorted(maps.Keys(values)))
	// Output: ["" "7" "db" "web"]
}
