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

func ExampleFieldErrors_Add() {
	var errs kplan.FieldErrors
	errs.Add("DaemonSet.Strategy", "Rolling", "must be RollingUpdate, OnDelete or empty")
	fmt.Println(errs.Join())
	// Output:
	// DaemonSet.Strategy: "Rolling": must be RollingUpdate, OnDelete or empty
}

func ExampleFieldErrors_NotNegative() {
	var errs kplan.FieldErrors
	errs.NotNegative("Replicas", 0)
	fmt.Println(errs.Join())
	errs.NotNegative("Replicas", -1)
	fmt.Println(errs.Join())
	// Output:
	// <nil>
	// Replicas: -1: must not be negative
}

// The order of the errors does not depend on the order of the input.
func ExampleFieldErrors_Join() {
	var errs kplan.FieldErrors
	errs.NotNegative(kplan.ElementPath("ReplicaSets", "web-2")+".Replicas", -1)
	errs.Add(kplan.ElementPath("ReplicaSets", "web-1")+".Name", "", "must not be empty")
	err := errs.Join()
	fmt.Println(err)
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output:
	// ReplicaSets["web-1"].Name: "": must not be empty
	// ReplicaSets["web-2"].Replicas: -1: must not be negative
	// true
}

func ExampleElementPath() {
	fmt.Println(kplan.ElementPath("Pods", "web-1") + ".Name")
	// Output:
	// Pods["web-1"].Name
}

func ExampleFieldErrors_AddBelow() {
	var inner, errs kplan.FieldErrors
	inner.Add("Policy.WorstCase", true, "must be unset with OnDelete")
	errs.AddBelow("Options", inner.Join())
	fmt.Println(errs.Join())
	// Output: Options.Policy.WorstCase: true: must be unset with OnDelete
}
