// SPDX-License-Identifier: Apache-2.0

package podordertest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/plantest"
)

// A Chooser decides which pods are deleted. Set the functions to test: a nil function is
// replaced by the one of podorder.Order, which passes.
type Chooser struct {
	// Compare decides which of two pods is deleted first: a if it is negative, b if it is
	// positive.
	Compare func(o podorder.Order, a, b podorder.Pod) int
	// Choose returns the n pods to delete.
	Choose func(o podorder.Order, pods []podorder.Pod, n int) podorder.Choice
	// Sort sorts pods into the order of their deletion.
	Sort func(o podorder.Order, pods []podorder.Pod)
	// Orders draws the orders to try, such as rapid.Just(podorder.Order{}). Nil means [Orders].
	Orders *rapid.Generator[podorder.Order]
}

// A CostParser parses the annotation with the deletion cost of a pod. It returns the cost, and
// whether the text is valid.
type CostParser = func(text string) (cost int32, valid bool)

var (
	choosing = properties.Decision{Package: "podordertest", Functions: map[string]string{"Choosing": "Choosers"}}
	costing  = properties.Decision{Package: "podordertest", Functions: map[string]string{"Costing": "CostParsers"}}
)

// Choosers returns the suite for functions that choose pods.
func Choosers() plantest.Suite[Chooser] {
	return plantest.Suite[Chooser]{Decision: choosing, Case: choose}
}

// CostParsers returns the suite for parsers of the deletion cost of a pod.
func CostParsers() plantest.Suite[CostParser] {
	return plantest.Suite[CostParser]{Decision: costing, Case: parse}
}

// Pods draws up to eight pods: on three nodes or unassigned, in each phase, ready or not,
// with costs and priorities, and with times that are equal or differ by one second, nine
// seconds or an hour. In every second draw they differ only by their UIDs and by seconds.
func Pods() *rapid.Generator[[]podorder.Pod] {
	return properties.Drawn(func(s random.Source) (pods []podorder.Pod) {
		alike, n := random.Bool(s, "alike"), random.Between(s, "pods", 0, 8)
		for i, number := range random.Perm(s, n) {
			p := random.Pod(s, i)
			if alike {
				p = podorder.Pod{Name: p.Name, UID: fmt.Sprint("u", number), NodeName: "n1", Phase: podorder.Running, Ready: true}
				p.ReadySince = random.Now.Add(-time.Hour - time.Duration(random.Between(s, "older", 0, 100))*time.Second)
				p.CreationTimestamp = p.ReadySince
			}
			pods = append(pods, p)
		}
		return pods
	})
}

// Orders draws orders: each chain of each release, with or without a time, with priorities,
// spreading over domains, named or protected pods, and neighbours.
func Orders() *rapid.Generator[podorder.Order] {
	return random.Custom(func(t random.T) podorder.Order { return order(t) })
}

func order(s random.Source) podorder.Order {
	o := podorder.Order{Chain: random.OneOf(s, "chain", "", podorder.Current, podorder.Legacy, podorder.Legacy15), Now: random.OneOf(s, "now", random.Now, time.Time{})}
	o.Domains = podorder.Domains{"n1": "a", "n2": "a", "n3": "b"}
	switch random.Below(s, "kind", 7) {
	case 1:
		o.Priority = random.OneOf(s, "priority", podorder.PriorityFirst, podorder.PriorityAnnotatedFirst, podorder.PriorityMissingAsZero, podorder.PriorityAfterHealth)
	case 2:
		o.Stages = []podorder.Stage{{Rule: podorder.RuleSpread}}
	case 3:
		o.Stages = append([]podorder.Stage{podorder.Specified("p1", "p3")}, podorder.Current.Stages()...)
	case 4:
		o.Protected = func(p *podorder.Pod) bool { return p.Restarts == 1 }
	case 5:
		o.Neighbours = podorder.Neighbours{"n1": 2, "n2": 1}
	case 6:
		o.Related = func(p *podorder.Pod) bool { return p.ControllerUID != "x" }
	}
	return o
}

func choose(c Chooser, choice properties.Choice) func(*rapid.T) {
	orders := c.Orders
	if orders == nil {
		orders = Orders()
	}
	return func(t *rapid.T) {
		pods, o := Pods().Draw(t, "pods"), orders.Draw(t, "order")
		n := rapid.IntRange(-1, len(pods)+1).Draw(t, "n")
		input := invariant.Choosing{Order: o, Pods: pods, N: n, Compare: c.Compare, Choose: c.Choose, Sort: c.Sort}
		properties.Decided(t, choosing, &input, pods, choice)
	}
}

func parse(read CostParser, choice properties.Choice) func(*rapid.T) {
	return func(t *rapid.T) {
		text := random.Cost(random.Rapid(t))
		cost, valid := read(text)
		input := invariant.Costing{Text: text, Cost: cost, Valid: valid}
		properties.Decided(t, costing, &input, text, choice)
	}
}
