// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"cmp"

	"github.com/kplan-go/kplan/internal/base/zero"
)

// Compare returns a negative number if a is deleted before b, a positive number if b is
// deleted before a, and 0 if upstream considers them equal. It applies the priority, if any,
// and then the rules of the chain. The relation is antisymmetric. It is not transitive for
// [Current] with Order.Now set and for [PriorityFirst]: three pods may form a cycle. Use
// [Order.Sort] or [Order.Victims] for more than two pods. Compare has no list of pods: it
// reads Neighbours and not Related; for [RuleSpread] it uses the Neighbours as counted before any
// pod is deleted.
//
// With the chain Current it mirrors ActivePodsWithRanks.Less of the controller package of
// Kubernetes, with Legacy ActivePods.Less, and with Legacy15 ActivePods.Less of Kubernetes
// 1.5.
func (o Order) Compare(a, b Pod) int {
	if o.Stages != nil || o.Priority != "" {
		p, q, order := a, b, o // copies, because arguments of a caller's function escape
		_, c := order.Decide(&p, &q)
		return c
	}
	r := ranking{order: &o, exact: o.isExact(), now: instant(o.Now)}
	atA, atB := r.complete(r.place(&a, 0), &a), r.complete(r.place(&b, 1), &b)
	if _, c := decideHealth(&atA, &atB); c != 0 {
		return c
	}
	x, y := r.key(&a, atA), r.key(&b, atB)
	_, c := r.decideRest(&x, &y, a.UID, b.UID)
	return c
}

// Decide is [Order.Compare] for pointers, and also returns the rule that decides. The rule is ""
// if no rule decides. With [PriorityFirst] it is [RulePriority] for priorities that are equal but
// spelled differently, although the result is 0. A nil pointer is the zero Pod.
func (o *Order) Decide(a, b *Pod) (Rule, int) {
	a, b = zero.Or(a), zero.Or(b)
	r := ranking{order: o, exact: o.isExact(), now: instant(o.Now), stages: o.resolvedStages()}
	x, y := r.key(a, r.complete(r.place(a, 0), a)), r.key(b, r.complete(r.place(b, 1), b))
	return r.decide(&x, &y, a, b)
}

// decide compares two pods by the relation of [Order.Compare], and returns the rule that decides.
func (r *ranking) decide(a, b *key, p, q *Pod) (Rule, int) {
	if r.order.Priority == PriorityFirst {
		if c, decided := comparePriority(p, q); decided {
			return RulePriority, c
		}
	}
	if rule, c := r.decideStage(a, b, p, q); c != 0 {
		return rule, c
	}
	return r.decideRest(a, b, p.UID, q.UID)
}

// decideRest applies the rules after the stages: readiness, times and restarts.
func (r *ranking) decideRest(a, b *key, uidA, uidB string) (Rule, int) {
	if a.ready() != b.ready() {
		return RuleNotReady, cmp.Compare(boolToInt(a.ready()), boolToInt(b.ready()))
	}
	if a.ready() && a.readySince != b.readySince {
		c, tie := r.compareTimes(a.readySince, b.readySince, a.readyAge(), b.readyAge())
		if tie {
			c = cmp.Compare(uidA, uidB)
		}
		return RuleReadyTime, c
	}
	if c := cmp.Compare(b.restarts, a.restarts); c != 0 {
		return RuleRestarts, c
	}
	if c := cmp.Compare(b.sidecars, a.sidecars); c != 0 {
		return RuleSidecars, c
	}
	if a.created != b.created {
		c, tie := r.compareTimes(a.created, b.created, a.createdAge, b.createdAge)
		if tie {
			c = cmp.Compare(uidA, uidB)
		}
		return RuleCreated, c
	}
	return "", 0
}

// decideStage applies the stages: it returns the rule of the first stage that distinguishes the
// pods, and the result of the comparison.
func (r *ranking) decideStage(a, b *key, p, q *Pod) (Rule, int) {
	if r.stages == nil {
		return decideHealth(&a.place, &b.place)
	}
	for i := range r.stages {
		x, y := r.stageValue(i, &a.place, p), r.stageValue(i, &b.place, q)
		if x != y {
			return r.stages[i].Rule, cmp.Compare(x, y)
		}
	}
	return "", 0
}

func (r *ranking) stageValue(stage int, k *place, p *Pod) int64 {
	switch s := &r.stages[stage]; {
	case r.values != nil:
		return r.row(k)[stage]
	case s.isSpread():
		return r.order.spreadValue(s, p)
	default:
		return r.order.value(s, int(k.index), p, nil)
	}
}

// decideHealth is decideStage for the stages of a chain, whose values are in the places.
func decideHealth(a, b *place) (Rule, int) {
	c := cmp.Compare(a.health, b.health)
	switch differ := a.health ^ b.health; {
	case differ>>35 != 0:
		return RuleUnassigned, c
	case differ>>33 != 0:
		return RulePhase, c
	case differ>>32 != 0:
		return RuleNotReady, c
	case differ != 0:
		return RuleCost, c
	}
	return RuleNeighbours, cmp.Compare(a.later>>9, b.later>>9)
}
