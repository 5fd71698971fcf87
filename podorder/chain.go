// SPDX-License-Identifier: Apache-2.0

package podorder

import "time"

// A Chain is the list of rules that compare two pods; see rules.md.
type Chain string

// The chains. The empty Chain is Current, and so is one that is not known.
const (
	Current  Chain = "Current"  // Kubernetes 1.37
	Legacy   Chain = "Legacy"   // ActivePods of Kubernetes 1.37, which its controllers no longer use
	Legacy15 Chain = "Legacy15" // Kubernetes 1.5
	// Items is for what is no pod, such as machines, game servers and zones: it has no stages
	// but those that the caller gives, and no times and restarts behind them. Ties go by
	// UID, then name.
	Items Chain = "Items"
)

func (c Chain) legacy() bool { return c == Legacy || c == Legacy15 }

// An Order decides which of two pods a scale-down deletes first. The zero Order is
// that of Kubernetes 1.37 without a time and without neighbours; see [New].
type Order struct {
	Now        time.Time  `json:"now,omitzero"`        // zero compares exact times instead of age buckets
	Neighbours Neighbours `json:"neighbours,omitzero"` // nil means that no pod has any
	// Related tells which of the pods of a list are neighbours, if they are active,
	// and replaces Neighbours in all functions that have a list. It must be a pure
	// function.
	Related func(p *Pod) bool `json:"-"`
	Domains Domains           `json:"domains,omitzero"` // read by [RuleSpread] only

	Chain    Chain    `json:"chain,omitzero"`
	Priority Priority `json:"priority,omitzero"`
	// Stages replace those of the chain, in front of its times and restarts; nil
	// means those of the chain. Pods that they find equal are compared by readiness.
	Stages []Stage `json:"stages,omitzero"`
	// Protected tells which pods no scale-down may delete. It must be a pure
	// function; nil protects none.
	Protected func(p *Pod) bool `json:"-"`
}

// New returns the order of Kubernetes 1.37 as of now.
func New(now time.Time, neighbours Neighbours) Order {
	return Order{Now: now, Neighbours: neighbours}
}

// Seed returns the order of the proposal to let users choose by
// [AnnotationDeletePriority] in Kubernetes 1.5: the priority in front of [Legacy15].
func Seed() Order { return Order{Chain: Legacy15, Priority: PriorityFirst} }

// isExact reports whether the order compares times and not age buckets.
func (o *Order) isExact() bool { return o.Now.IsZero() || o.Chain.legacy() || o.Chain == Items }

// protects reports whether a pod must not be deleted.
func (o *Order) protects(p *Pod) bool { return o.Protected != nil && o.Protected(p) }
