// SPDX-License-Identifier: Apache-2.0

package podordertest_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/podordertest"
)

// none chooses no pod at all.
func none(podorder.Order, []podorder.Pod, int) podorder.Choice { return podorder.Choice{} }

// A chooser whose order is right, whatever it chooses.
func ExampleOnly() {
	t := printer{}
	podordertest.Check(t, podordertest.Chooser{Choose: none}, podordertest.Only("strict weak order"))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleExcept() {
	t := printer{}
	podordertest.Check(t, podordertest.Chooser{}, podordertest.Except("strict weak order", "order of the input"))
	fmt.Println(len(podordertest.Names())-2, "checks, nothing found")
	// Output: 10 checks, nothing found
}

// A chooser for one order is tried with no other.
func ExampleIn() {
	t, others := printer{}, 0
	compare := func(o podorder.Order, a, b podorder.Pod) int {
		if o.Chain != podorder.Legacy {
			others++
		}
		return o.Compare(a, b)
	}
	podordertest.Check(t, podordertest.Chooser{Compare: compare}, podordertest.In(rapid.Just(podorder.Order{Chain: podorder.Legacy})))
	fmt.Println(others, "calls with other orders")
	// Output: 0 calls with other orders
}

func ExampleNow() {
	fmt.Println(podordertest.Now())
	// Output: 2026-03-01 12:00:00 +0000 UTC
}

// The generators are there for tests of your own.
func ExamplePods() {
	t, order := printer{}, podorder.Order{Now: podordertest.Now()}
	rapid.Check(t, func(t *rapid.T) {
		pods := podordertest.Pods().Draw(t, "pods")
		if goes := order.Choose(pods, nil, 2).Victims; len(goes) != min(2, len(pods)) {
			t.Fatal(goes)
		}
	})
	fmt.Println("of 2 or more pods, 2 go")
	// Output: of 2 or more pods, 2 go
}

func ExampleOrders() {
	chains := map[podorder.Chain]bool{}
	for i := range 100 {
		chains[podordertest.Orders().Example(i).Chain] = true
	}
	fmt.Println(len(chains), "chains")
	// Output: 4 chains
}
