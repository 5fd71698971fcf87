// SPDX-License-Identifier: Apache-2.0

package podordertest_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/podordertest"
)

// The orders of package podorder pass all checks, whatever is drawn.
func TestOrders(t *testing.T) {
	podordertest.Check(t, podordertest.Chooser{})
	podordertest.CheckCost(t, cost)
}

func cost(text string) (int32, bool) {
	return podorder.DeletionCost(map[string]string{podorder.AnnotationDeletionCost: text})
}

// A printer stands for the *testing.T of a test, and prints what it finds.
type printer struct{ testing.TB }

func (printer) Helper()             {}
func (printer) Logf(string, ...any) {}
func (printer) Failed() bool        { return false }
func (printer) Name() string        { return "Example" }
func (printer) Fatal(args ...any) {
	found, _, _ := strings.Cut(fmt.Sprint(args...), "from:")
	fmt.Print(found)
}

// In a test, t is its *testing.T, and the chooser is yours.
func ExampleCheck() {
	t := printer{}
	victims := func(o podorder.Order, pods []podorder.Pod, n int) podorder.Choice { return o.Choose(pods, nil, n) }
	podordertest.Check(t, podordertest.Chooser{Choose: victims}, podordertest.In(rapid.Just(podorder.Order{})))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleProperty() {
	t := printer{}
	rapid.Check(t, podordertest.Property(podordertest.Chooser{}, podordertest.Except("strict weak order")))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleCheckCost() {
	t := printer{}
	podordertest.CheckCost(t, cost)
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleNames() {
	fmt.Println(podordertest.Names()[:2])
	// Output: [strict weak order order of the input]
}
