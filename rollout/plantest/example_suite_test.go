// SPDX-License-Identifier: Apache-2.0

package plantest_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/podordertest"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/selectortest"
)

// In a test, t is its *testing.T, and the reader is yours.
func ExampleSuite_Check() {
	t := printer{}
	matches := func(s selector.Selector, labels map[string]string) bool { return s.Matches(labels) }
	selectortest.Readers().Check(t, selectortest.Reader{Matches: matches})
	fmt.Println("nothing found")
	// Output: nothing found
}

// A chooser of no pod at all, which compares correctly.
func ExampleSuite_Only() {
	t := printer{}
	none := func(podorder.Order, []podorder.Pod, int) podorder.Choice { return podorder.Choice{} }
	podordertest.Choosers().Only("strict weak order").Check(t, podordertest.Chooser{Choose: none})
	fmt.Println("nothing found")
	// Output: nothing found
}

// A reader that cannot compare selectors passes the other checks.
func ExampleSuite_Except() {
	t := printer{}
	never := func(selector.Selector, selector.Selector) (map[string]string, bool) { return nil, false }
	selectortest.Readers().Except("overlap and implication examples").Check(t, selectortest.Reader{Overlap: never})
	fmt.Println("nothing found")
	// Output: nothing found
}

// A property runs under any number of cases, and as a fuzz target.
func ExampleSuite_Property() {
	t := printer{}
	rapid.Check(t, podordertest.Choosers().Property(podordertest.Chooser{}))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleSuite_Names() {
	fmt.Println(selectortest.Classifiers().Names())
	// Output: [claim decision claim settles no stealing]
}
