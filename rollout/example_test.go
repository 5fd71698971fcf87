package rollout_test

import (
	"encoding/json"
	"errors"
	"fmt"

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
		var invalid *rollout.FieldError
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
