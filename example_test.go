// SPDX-License-Identifier: Apache-2.0

package kplan_test

import (
	"errors"
	"fmt"

	"github.com/kplan-go/kplan"
)

func ExampleOutcome_Failure() {
	refused := kplan.Outcome{Answer: kplan.Changed}
	fmt.Println(refused.Failure())
	refused.Err = errors.New("the object has been modified")
	fmt.Println(refused.Failure())
	fmt.Println(new(kplan.Outcome).Failure())
	// Output:
	// the API server answered Changed
	// the object has been modified
	// the action was not executed
}

func ExampleOutcome_Adopted() {
	for _, answer := range []kplan.ServerAnswer{kplan.Done, kplan.NotFound, kplan.Invalid} {
		o := kplan.Outcome{Answer: answer}
		fmt.Printf("%s: %v\n", answer, o.Adopted())
	}
	// Output:
	// Done: <nil>
	// NotFound: what was to be adopted is gone
	// Invalid: the API server answered Invalid
}

// A child that is gone, or has no owner any more, need not be released.
func ExampleOutcome_Released() {
	for _, answer := range []kplan.ServerAnswer{kplan.Done, kplan.NotFound, kplan.Invalid, kplan.Changed} {
		o := kplan.Outcome{Answer: answer}
		fmt.Printf("%s: %v\n", answer, o.Released())
	}
	// Output:
	// Done: <nil>
	// NotFound: <nil>
	// Invalid: <nil>
	// Changed: the API server answered Changed
}
