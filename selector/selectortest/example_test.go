// SPDX-License-Identifier: Apache-2.0

package selectortest_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/kplan-go/kplan/selector/claim"
	"github.com/kplan-go/kplan/selector/selectortest"
)

// Our own functions pass all checks, whatever is drawn.
func TestOurs(t *testing.T) {
	selectortest.Readers().Check(t, selectortest.Reader{})
	selectortest.Classifiers().Check(t, claim.Classify)
}

func ExampleReaders() {
	fmt.Println(selectortest.Readers().Names()[:2])
	// Output: [selector text round trip selector semantics]
}

func ExampleClassifiers() {
	fmt.Println(selectortest.Classifiers().Names())
	// Output: [claim decision claim settles no stealing]
}

// The generators are there for tests of your own.
func ExampleLabelSelectors() {
	most := 0
	for i := range 100 {
		if ls := selectortest.LabelSelectors().Example(i); ls != nil {
			most = max(most, len(ls.MatchExpressions))
		}
	}
	fmt.Println("never more than 3 expressions:", most <= 3)
	// Output: never more than 3 expressions: true
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
