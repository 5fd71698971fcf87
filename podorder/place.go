// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"cmp"
	"math"
	"slices"

	"github.com/kplan-go/kplan/internal/base/zero"
)

// A place holds the values of a pod that the first rules compare: the stages, readiness and, for
// a ready pod, the age bucket of the ready time. It is small, because a choice makes a place for
// every pod, and a [key] only for pods that may be victims by their places.
//
// An incomplete place has no cost, neighbours and age bucket, which are slow to get. It orders
// pods by the rules before the cost. [ranking.complete] completes it.
type place struct {
	// Bit 35: on a node; bits 34-33: phase; bit 32: ready; bits 31-0: cost. See classOf and
	// withCost. In fillSpread health is the domain.
	health uint64
	// From bit 9: neighbours, more first; bit 8: ready; bits 7-0: age bucket of the ready time.
	later uint64
	index int32 // of the pod in the caller's slice
	row   int32 // the row of ranking.values; without values, the number of the node
}

// place returns the incomplete place of a pod.
func (r *ranking) place(p *Pod, index int) place {
	at := place{index: int32(index)}
	if r.stages == nil {
		at.health = uint64(classOf(p)) << 32
		if r.counts != nil {
			at.row = r.counts.numbers[index]
		}
	}
	return at
}

// classOf returns the health class of a pod: assignment to a node, phase and readiness as one
// number. Pods of smaller classes are deleted first.
func classOf(p *Pod) uint8 {
	return uint8(boolToInt(p.NodeName != ""))<<3 | uint8(phaseRank(p.Phase))<<1 | uint8(boolToInt(p.Ready))
}

// Health returns the health class of a pod, a number below 16 for the rules of [Current]
// before [RuleCost]. Of two pods with different numbers, the pod with the smaller number is
// deleted first. A caller that groups pods by class has to compare pods of one class only. A
// nil pod is the zero Pod.
func Health(p *Pod) uint8 { return classOf(zero.Or(p)) }

// healthClasses is the number of classes that classOf returns.
const healthClasses = 1 << 4

// complete returns the complete place of a pod.
func (r *ranking) complete(at place, p *Pod) place {
	if r.hasCosts() {
		at.health = withCost(at.health, p)
	}
	return r.completeAfterCost(at, p)
}

// hasCosts reports whether complete places hold costs and neighbours: not if the order has stages
// of its own or a chain without these rules.
func (r *ranking) hasCosts() bool { return r.stages == nil && !r.order.Chain.legacy() }

// withCost returns the health of a place with the cost of the pod in its low 32 bits.
func withCost(health uint64, p *Pod) uint64 {
	return health>>32<<32 | uint64(costOf(p)-math.MinInt32)
}

// completeAfterCost adds the values of the rules after the cost.
func (r *ranking) completeAfterCost(at place, p *Pod) place {
	if r.order.Chain == Items {
		return at
	}
	neighbours := int32(0)
	switch {
	case !r.hasCosts():
	case r.counts != nil:
		neighbours = r.counts.nodes[at.row].pods
	default:
		neighbours = r.order.Neighbours[p.NodeName]
	}
	at.later = uint64(math.MaxInt32-int64(neighbours)) << 9
	if p.Ready {
		_, age := r.age(&p.ReadySince)
		at.later |= 1<<8 | uint64(int64(age)-math.MinInt8)
	}
	return at
}

// completeAll completes places. It does so in two loops, because the pods are far apart in memory:
// in short loops the processor fetches more pods at the same time.
func (r *ranking) completeAll(places []place) {
	if r.hasCosts() {
		for i := range places {
			places[i].health = withCost(places[i].health, r.pod(&places[i]))
		}
	}
	for i := range places {
		places[i] = r.completeAfterCost(places[i], r.pod(&places[i]))
	}
}

func (p *place) ready() bool { return p.later>>8&1 != 0 }

// readyAge returns the age bucket of the ready time. Its sign bit is stored inverted, so that
// unsigned numbers compare as buckets do.
func (p *place) readyAge() int8 { return int8(p.later) ^ math.MinInt8 }

// compareHealth compares incomplete places.
func compareHealth(a, b *place) int { return cmp.Compare(a.health, b.health) }

// compareGroup compares complete places. Pods with equal places form a group. The comparison is
// transitive, unlike that of the rules within a group.
func (r *ranking) compareGroup(a, b *place) int {
	if a.health != b.health {
		return cmp.Compare(a.health, b.health)
	}
	if r.values != nil {
		if c := slices.Compare(r.row(a), r.row(b)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.later, b.later)
}
