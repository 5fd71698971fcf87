// SPDX-License-Identifier: Apache-2.0

package argo

import "github.com/kplan-go/kplan/rollout"

// Basic returns the next sizes of a canary without traffic routing: the approximation of
// the weight, as far as one pass may go within the limits.
//
// It mirrors CalculateReplicaCountsForBasicCanary of Argo Rollouts.
func (r Canary) Basic() Counts {
	b := r.budget()
	want := Approximate(r.replicas(), r.DesiredWeight(), r.MaxWeight(), b.Surge)
	stable := r.Stable
	if stable == nil || r.StableIsCanary {
		want, stable = Counts{Canary: r.replicas()}, nil
	}
	p := basicPass{want: want, budget: b, canary: r.Canary, stable: stable, named: r.Stable}
	p.next = Counts{Canary: sizeOf(r.Canary), Stable: sizeOf(stable)}
	total := int64(p.next.Canary) + int64(p.next.Stable)
	others := int64(0)
	for _, o := range r.Others {
		others += int64(o.Replicas)
	}
	p.grow(int64(b.Replicas) + int64(b.Surge) - total - others)
	if others > 0 {
		return p.next
	}
	p.shrink()
	return p.next
}

// Counts returns the next sizes, with or without traffic routing.
func (r Canary) Counts() Counts {
	if r.TrafficRouting {
		return r.Routed()
	}
	return r.Basic()
}

func sizeOf(s *Size) int32 {
	if s == nil {
		return 0
	}
	return s.Replicas
}

// A basicPass is one pass of a canary without traffic routing.
type basicPass struct {
	want, next     Counts
	budget         rollout.Budget
	canary, stable *Size // nil if missing
	named          *Size // the stable one, even if it is the canary
}

// grow adds pods within the surge, the stable ones first.
func (p *basicPass) grow(room int64) {
	stable := p.next.Stable
	p.next.Stable = grown(stable, p.want.Stable, room)
	if p.canary != nil {
		p.next.Canary = grown(p.next.Canary, p.want.Canary, room+int64(stable)-int64(p.next.Stable))
	}
}

// grown returns a size that grows to the wanted one, as far as there is room.
func grown(from, want int32, room int64) int32 {
	return int32(max(int64(from), min(int64(from)+room, int64(want))))
}

// shrink removes pods as far as enough stay available, then corrects both sizes so
// that the limits hold.
func (p *basicPass) shrink() {
	increasing := p.canary == nil || p.want.Canary >= p.canary.Replicas
	available := counted(p.canary, !increasing) + counted(p.stable, increasing)
	least := int64(p.budget.Replicas) - int64(p.budget.Unavailable)
	if available <= least {
		return
	}
	room := available - least
	switch {
	case !increasing:
		p.next.Canary = int32(max(int64(p.want.Canary), int64(p.canary.Replicas)-room))
		p.adjust(&p.next.Canary, &p.next.Stable, p.canary, p.named)
	case p.stable != nil:
		p.next.Stable = int32(min(int64(p.next.Stable), max(int64(p.want.Stable), int64(p.stable.Replicas)-room)))
		p.adjust(&p.next.Stable, &p.next.Canary, p.stable, p.canary)
	}
}

// counted returns the pods of a ReplicaSet that count as available: no more than it wants,
// and all that it wants if the ReplicaSet is being drained.
func counted(s *Size, ignore bool) int64 {
	switch {
	case s == nil:
		return 0
	case ignore:
		return int64(s.Replicas)
	}
	return int64(min(s.Replicas, s.AvailableReplicas))
}

// adjust takes the pods above the surge from keep, gives back as many as must stay
// available, and takes the rest from drain.
func (p *basicPass) adjust(drain, keep *int32, drained, kept *Size) {
	if kept == nil {
		return
	}
	above := func() int32 { return max(0, *keep+*drain-p.budget.MaxTotal()) }
	*keep -= above()
	have := min(drained.AvailableReplicas, *drain) + min(kept.AvailableReplicas, *keep)
	missing := max(0, p.budget.MinAvailable()-have)
	*keep += min(max(0, kept.AvailableReplicas-*keep), missing)
	*drain -= above()
}

// AtDesired reports whether the ReplicaSets have the sizes of the next pass already, so
// that a step that waits for them is done. Others must be empty in a canary without traffic
// routing.
//
// It mirrors AtDesiredReplicaCountsForCanary of Argo Rollouts.
func (r Canary) AtDesired() bool {
	want := r.Counts()
	if r.Canary == nil || !r.ProgressThreshold.Met(r.Canary.Replicas, r.Canary.AvailableReplicas, want.Canary) {
		return false
	}
	if !(r.TrafficRouting && r.DynamicStableScale) && !r.stableReached(want.Stable) {
		return false
	}
	if r.TrafficRouting {
		return true
	}
	for _, o := range r.Others {
		if o.AvailableReplicas != 0 {
			return false
		}
	}
	return true
}

func (r Canary) stableReached(want int32) bool {
	return r.Stable != nil && r.Stable.Replicas == want && r.Stable.StatusReplicas == want
}
