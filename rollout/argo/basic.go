// SPDX-License-Identifier: Apache-2.0

package argo

import "github.com/kplan-go/kplan/rollout"

// Basic returns the next sizes of a canary without traffic routing: how far one pass goes towards
// [Approximate] of the weight within the limits.
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
	named          *Size // Canary.Stable, also if stable is nil because it is the canary
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

// shrink removes pods as long as enough stay available, then corrects both sizes so
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

// counted returns the pods of a ReplicaSet that count as available: no more than it wants. If it is being
// drained, all pods that it wants count, whatever their availability.
func counted(s *Size, draining bool) int64 {
	switch {
	case s == nil:
		return 0
	case draining:
		return int64(s.Replicas)
	}
	return int64(min(s.Replicas, s.AvailableReplicas))
}

// adjust removes the pods beyond replicas + surge from keep, restores as many available ones as the
// minimum needs, and removes the pods that are still beyond from drain. drained and kept are the
// ReplicaSets of drain and keep.
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

// AtDesired reports whether the ReplicaSets are close enough to their next sizes for a step that waits
// for them to be done: the canary by ProgressThreshold, the stable one exactly, unless it is scaled
// dynamically. In a canary without traffic routing, Others must have no available pods.
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
