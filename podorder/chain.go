// SPDX-License-Identifier: Apache-2.0

package podorder

import "time"

// A Chain selects the list of rules that compare two pods, one after another: see rules.md.
type Chain string

// The chains. The empty Chain and an unknown one are Current.
const (
	Current  Chain = "Current"  // Kubernetes 1.37
	Legacy   Chain = "Legacy"   // ActivePods of Kubernetes 1.37, which its Job controller uses
	Legacy15 Chain = "Legacy15" // Kubernetes 1.5
	// Items is for things that are not pods, such as machines, game servers and zones. It has
	// only the caller's [Order.Stages], with no readiness, times and restarts after them. Ties
	// are broken by UID, then name.
	Items Chain = "Items"
)

func (c Chain) legacy() bool { return c == Legacy || c == Legacy15 }

// An Order decides which of two pods a scale-down deletes first. The zero Order is the order
// of Kubernetes 1.37, but compares exact times and has no neighbours: use [New].
type Order struct {
	Now        time.Time  `json:"now,omitzero"`        // for age buckets of Current; zero compares exact times, as other chains do
	Neighbours Neighbours `json:"neighbours,omitzero"` // counts by node; nil means no neighbours
	// Related reports whether a pod is a neighbour if it is active. If Related is set, all
	// functions that have a list of pods count its neighbours and ignore Neighbours. It must
	// be a pure function.
	Related func(p *Pod) bool `json:"-"`
	Domains Domains           `json:"domains,omitzero"` // read by [RuleSpread] only

	Chain    Chain    `json:"chain,omitzero"`
	Priority Priority `json:"priority,omitzero"`
	// Stages replace the first rules of the chain, see [Chain.Stages]; nil keeps them. Pods
	// that are equal by Stages are compared by readiness (with a chain other than Items), then by the times
	// and restarts of the chain.
	Stages []Stage `json:"stages,omitzero"`
	// Protected reports which pods no scale-down may delete. It must be a pure function; nil
	// protects no pod.
	Protected func(p *Pod) bool `json:"-"`
}

// New returns the order of Kubernetes 1.37 as of now.
func New(now time.Time, neighbours Neighbours) Order {
	return Order{Now: now, Neighbours: neighbours}
}

// Seed returns an order that was proposed for Kubernetes 1.5: users choose pods by
// [AnnotationDeletePriority], and [Legacy15] decides otherwise.
func Seed() Order { return Order{Chain: Legacy15, Priority: PriorityFirst} }

// isExact reports whether the order compares exact times instead of age buckets.
func (o *Order) isExact() bool { return o.Now.IsZero() || o.Chain.legacy() || o.Chain == Items }

// protects reports whether a pod must not be deleted.
func (o *Order) protects(p *Pod) bool { return o.Protected != nil && o.Protected(p) }
