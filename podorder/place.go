// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"cmp"
	"math"
	"slices"

	"github.com/kplan-go/kplan/internal/base/zero"
)

// A place is the position of a pod by the first rules: the stages, readiness and, among ready
// pods, the bucket of the ready time. It is small, because a choice makes one for every pod,
// and a [key] only for pods that may be victims by their place.
//
// It is complete once [ranking.complete] has added the values that need a map lookup. An
// incomplete place orders pods by the rules before them.
type place struct {
	health uint64 // the stages of a chain without the last: assigned, phase, ready, cost; or the domain, while a spread is filled
	later  uint64 // neighbours, more first, ready, bucket of the ready time
	index  int32  // of the pod in the caller's slice
	row    int32  // of the place in the values of the stages, or without them the number of the node
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

// classOf returns the health class of a pod: assigned, phase and readiness as one number. Smaller
// classes are deleted first.
func classOf(p *Pod) uint8 {
	return uint8(boolToInt(p.NodeName != ""))<<3 | uint8(phaseRank(p.Phase))<<1 | uint8(boolToInt(p.Ready))
}

// Health returns a number for the rules of [Current] before [RuleCost]: of two pods the one
// with the smaller number is deleted first. Callers can group pods by it, so that few have to
// be compared.
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

// hasCosts reports whether places hold costs and neighbours.
func (r *ranking) hasCosts() bool { return r.stages == nil && !r.order.Chain.legacy() }

// withCost returns the health of a place with the cost of the pod.
func withCost(health uint64, p *Pod) uint64 {
	return health>>32<<32 | uint64(costOf(p)-math.MinInt32)
}

// completeAfterCost adds the rules after the cost.
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

// completeAll completes places. The pods are far apart in memory: with less work on each at a
// time, the processor fetches more of them at once.
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

// readyAge returns the bucket, which is stored with its sign bit inverted.
func (p *place) readyAge() int8 { return int8(p.later) ^ math.MinInt8 }

// compareHealth compares incomplete places.
func compareHealth(a, b *place) int { return cmp.Compare(a.health, b.health) }

// compareGroup compares complete places. It is transitive, unlike the rules after it.
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
