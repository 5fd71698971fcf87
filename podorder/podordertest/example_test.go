// SPDX-License-Identifier: Apache-2.0

package podordertest_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/podordertest"
	"github.com/kplan-go/kplan/rollout/plantest"
)

// The orders of package podorder pass all checks, whatever is drawn.
func TestOrders(t *testing.T) {
	podordertest.Choosers().Check(t, podordertest.Chooser{})
	podordertest.CostParsers().Check(t, cost)
}

func cost(text string) (int32, bool) {
	return podorder.DeletionCost(map[string]string{podorder.AnnotationDeletionCost: text})
}

// A chooser for one order is tried with no other.
func TestOneOrder(t *testing.T) {
	compare := func(o podorder.Order, a, b podorder.Pod) int {
		if o.Chain != podorder.Legacy {
			t.Error("another order")
		}
		return o.Compare(a, b)
	}
	podordertest.Choosers().Check(t, podordertest.Chooser{Compare: compare, Orders: rapid.Just(podorder.Order{Chain: podorder.Legacy})})
}

func ExampleChoosers() {
	fmt.Println(podordertest.Choosers().Names()[:2])
	// Output: [strict weak order order of the input]
}

func ExampleCostParsers() {
	fmt.Println(podordertest.CostParsers().Names())
	// Output: [deletion cost parsing]
}

// The generators are there for tests of your own.
func ExamplePods() {
	order, all := podorder.Order{Now: plantest.Now()}, true
	for i := range 100 {
		pods := podordertest.Pods().Example(i)
		all = all && len(order.Choose(pods, nil, 2).Victims) == min(2, len(pods))
	}
	fmt.Println("of 2 or more pods, 2 go:", all)
	// Output: of 2 or more pods, 2 go: true
}

func ExampleOrders() {
	chains := map[podorder.Chain]bool{}
	for i := range 100 {
		chains[podordertest.Orders().Example(i).Chain] = true
	}
	fmt.Println(len(chains), "chains")
	// Output: 4 chains
}
