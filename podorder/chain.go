// SPDX-License-Identifier: Apache-2.0

package podorder

import "time"

// A Chain is the list of rules that compare two pods; see rules.md.
type Chain string

// The chains. The empty Chain and an unknown one are Current.
const (
	Current  Chain = "Current"  // Kubernetes 1.37
	Legacy   Chain = "Legacy"   // ActivePods of Kubernetes 1.37, which its controllers no longer use
	Legacy15 Chain = "Legacy15" // Kubernetes 1.5
	// Items is for things that are not pods, such as machines, game servers and zones: it has
	// only the stages of the caller, without times and restarts after them. Ties are broken
	// by UID, then name.
	Items Chain = "Items"
)

func (c Chain) legacy() bool { return c == Legacy || c == Legacy15 }

// An Order decides which of two pods a scale-down deletes first. The zero Order is the order
// of Kubernetes 1.37 without a time and without neighbours; see [New].
type Order struct {
	Now        time.Time  `json:"now,omitzero"`        // zero compares exact times instead of age buckets
	Neighbours Neighbours `json:"neighbours,omitzero"` // nil means no neighbours
	// Related reports which pods of a list are neighbours, if they are active, and replaces
	// Neighbours in all functions that have a list. It must be a pure function.
	Related func(p *Pod) bool `json:"-"`
	Domains Domains           `json:"domains,omitzero"` // read by [RuleSpread] only

	Chain    Chain    `json:"chain,omitzero"`
	Priority Priority `json:"priority,omitzero"`
	// Stages replace the stages of the chain, before its times and restarts; nil means the
	// stages of the chain. Pods that are equal by Stages are compared by readiness.
	Stages []Stage `json:"stages,omitzero"`
	// Protected reports which pods no scale-down may delete. It must be a pure function; nil
	// protects no pod.
	Protected func(p *Pod) bool `json:"-"`
}

// New returns the order of Kubernetes 1.37 as of now.
func New(now time.Time, neighbours Neighbours) Order {
	return Order{Now: now, Neighbours: neighbours}
}

// Seed returns the order that was proposed for Kubernetes 1.5, to let users choose by
// [AnnotationDeletePriority]: the priority before [Legacy15].
func Seed() Order { return Order{Chain: Legacy15, Priority: PriorityFirst} }

// isExact reports whether the order compares exact times instead of age buckets.
func (o *Order) isExact() bool { return o.Now.IsZero() || o.Chain.legacy() || o.Chain == Items }

// protects reports whether a pod must not be deleted.
func (o *Order) protects(p *Pod) bool { return o.Protected != nil && o.Protected(p) }
