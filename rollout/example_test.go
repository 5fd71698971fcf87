// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
)

func ExampleResolve() {
	b := rollout.Resolve(10, rollout.Percent(25), rollout.Percent(25))
	fmt.Println(b.Surge, b.Unavailable)
	fmt.Println(b)
	// Nothing could move with two zeros, so one pod may be unavailable.
	fmt.Println(rollout.Resolve(5, rollout.Int(0), rollout.Int(0)))
	// Output:
	// 3 2
	// at most 13, at least 8 available
	// at most 5, at least 4 available
}

func ExampleFenceposts() {
	up, down := rollout.Fenceposts(3, rollout.Percent(34), rollout.Percent(34))
	fmt.Println(up, down)
	// Output: 2 1
}

func ExampleParse() {
	for _, text := range []string{"3", "25%", "1.5"} {
		v, err := rollout.Parse(text)
		var invalid *kplan.FieldError
		if errors.As(err, &invalid) {
			fmt.Println("invalid:", invalid)
			continue
		}
		fmt.Println(v, "of 10 is", v.Of(10), "or, rounded up,", v.OfUp(10))
	}
	// Output:
	// 3 of 10 is 3 or, rounded up, 3
	// 25% of 10 is 2 or, rounded up, 3
	// invalid: "1.5": must be a whole number or a percentage such as 25%
}

func ExampleIntOrPercent_MarshalJSON() {
	text, err := json.Marshal([]rollout.IntOrPercent{rollout.Int(3), rollout.Percent(25), {}})
	fmt.Println(string(text), err)
	// Output: [3,"25%",null] <nil>
}

func ExampleInt() {
	v := rollout.Int(3)
	fmt.Println(v, "of 10 pods are", v.Of(10))
	// Output: 3 of 10 pods are 3
}

func ExamplePercent() {
	v := rollout.Percent(25)
	fmt.Println(v, "of 8 pods are", v.Of(8))
	// Output: 25% of 8 pods are 2
}

// As Kubernetes, it does not take the text 5 for a number.
func ExampleFromIntOrString() {
	fmt.Println(rollout.FromIntOrString(false, 5, ""))
	fmt.Println(rollout.FromIntOrString(true, 0, "25%"))
	_, err := rollout.FromIntOrString(true, 0, "5")
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output:
	// 5 <nil>
	// 25% <nil>
	// true
}

// Unset is not 0: a field of a Deployment that is unset means 25%.
func ExampleIntOrPercent_IsZero() {
	var unset rollout.IntOrPercent
	fmt.Println(unset.IsZero(), rollout.Int(0).IsZero(), rollout.Percent(0).IsZero())
	// Output: true false false
}

func ExampleIntOrPercent_IsPercent() {
	fmt.Println(rollout.Percent(25).IsPercent(), rollout.Int(3).IsPercent())
	// Output: true false
}

func ExampleIntOrPercent_IsNegative() {
	fmt.Println(rollout.Int(-1).IsNegative(), rollout.Percent(0).IsNegative())
	// Output: true false
}

func ExampleIntOrPercent_Value() {
	fmt.Println(rollout.Percent(25).Value(), rollout.Int(3).Value())
	// Output: 25 3
}

func ExampleIntOrPercent_SameKind() {
	fmt.Println(rollout.Percent(25).SameKind(rollout.Percent(50)), rollout.Percent(25).SameKind(rollout.Int(25)))
	// Output: true false
}

func ExampleIntOrPercent_Equal() {
	fmt.Println(rollout.Percent(25).Equal(rollout.Percent(25)), rollout.Int(0).Equal(rollout.Percent(0)))
	// Output: true false
}

// A quarter of ten pods is two and a half.
func ExampleIntOrPercent_Of() {
	fmt.Println(rollout.Percent(25).Of(10), rollout.Int(3).Of(2))
	// Output: 2 3
}

func ExampleIntOrPercent_OfUp() {
	fmt.Println(rollout.Percent(25).OfUp(10), rollout.Percent(150).OfUp(3))
	// Output: 3 5
}

// 200% of 2,000,000,000 pods are more than an int32 holds.
func ExampleIntOrPercent_OfUp64() {
	fmt.Println(rollout.Percent(200).OfUp64(2_000_000_000))
	// Output: 4000000000
}

// 200% of 2,000,000,000 pods wrap around below 0 in Kubernetes.
func ExampleResolveExact() {
	twice := rollout.Percent(200)
	fmt.Println(rollout.Resolve(2_000_000_000, twice, rollout.Int(0)).Surge)
	fmt.Println(rollout.ResolveExact(2_000_000_000, twice, rollout.Int(0)).Surge)
	// Output:
	// -294967296
	// 2147483647
}

func ExampleBudget_MaxTotal() {
	fmt.Println(rollout.Budget{Replicas: 10, Surge: 3, Unavailable: 2}.MaxTotal())
	// Output: 13
}

func ExampleBudget_MinAvailable() {
	fmt.Println(rollout.Budget{Replicas: 10, Surge: 3, Unavailable: 2}.MinAvailable())
	// Output: 8
}
