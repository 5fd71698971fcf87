package replicaset

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// A count is how many of the ReplicaSet's pods are in which state.
type count struct {
	active, fullyLabeled, ready, available, terminating int32
	adopt, release                                      int32

	nextAvailable time.Time // earliest instant after now at which a ready pod becomes available
}

type label struct{ key, value string }

func (st *state) countActive(p *podorder.Pod, template []label) {
	c := &st.count
	c.active++
	if hasLabels(p.Labels, template) {
		c.fullyLabeled++
	}
	if !p.Ready {
		return
	}
	c.ready++
	if st.rs.MinReadySeconds == 0 {
		c.available++
		return
	}
	at, ok := p.AvailableAt(st.rs.MinReadySeconds)
	if st.opts.Dialect == Kubernetes15 {
		at = at.Add(1) // not at the instant, but after it
	}
	switch {
	case !ok: // without a ready time it never becomes available
	case !at.After(st.now):
		c.available++
	case c.nextAvailable.IsZero() || at.Before(c.nextAvailable):
		c.nextAvailable = at
	}
}

func hasLabels(labels map[string]string, template []label) bool {
	for _, l := range template {
		if value, ok := labels[l.key]; !ok || value != l.value {
			return false
		}
	}
	return true
}

// status returns the next status (see Status in rules.md): counts from before the
// actions, and no failure, since the plan has not failed yet. A pass that waits for
// expectations has not succeeded either, but upstream takes it for a success
// (WaitingRemovesFailure).
func (st *state) status() Status {
	s := Status{
		ObservedGeneration:   st.rs.Generation,
		Replicas:             st.count.active,
		FullyLabeledReplicas: st.count.fullyLabeled,
		ReadyReplicas:        st.count.ready,
		AvailableReplicas:    st.count.available,
	}
	if st.reportsTerminating() {
		s.TerminatingReplicas = new(st.count.terminating)
	}
	if st.opts.Repair.Has(WaitingRemovesFailure) && !st.s.Expectations.Satisfied(st.now) {
		s.Conditions = cloned(st.rs.Status.Conditions)
	} else {
		s.Conditions = RemoveCondition(st.rs.Status.Conditions, ConditionReplicaFailure)
	}
	return s
}

func (st *state) reportsTerminating() bool {
	return !st.opts.OmitTerminating && st.opts.Dialect != Kubernetes15 && st.rs.Kind != KindController
}

// clone returns a copy that shares nothing with s.
func (s Status) clone() Status {
	if s.TerminatingReplicas != nil {
		s.TerminatingReplicas = new(*s.TerminatingReplicas)
	}
	s.Conditions = cloned(s.Conditions)
	return s
}

// NeedsWrite reports whether next must be written over the status of rs: whether the
// counts or the conditions differ, or the stored status is of another generation.
//
// It mirrors updateReplicaSetStatus of the replicaset package of Kubernetes 1.36.3,
// which also tells no conditions from an empty list of them.
func NeedsWrite(rs ReplicaSet, next Status) bool {
	s := rs.Status
	return s.Replicas != next.Replicas || s.FullyLabeledReplicas != next.FullyLabeledReplicas ||
		s.ReadyReplicas != next.ReadyReplicas || s.AvailableReplicas != next.AvailableReplicas ||
		!equalCount(s.TerminatingReplicas, next.TerminatingReplicas) ||
		s.ObservedGeneration != rs.Generation ||
		!slices.EqualFunc(s.Conditions, next.Conditions, equalConditions)
}

func equalCount(a, b *int32) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// recheck sets when a ready pod becomes available, or when expectations are
// given up. A ready pod without a ready time never becomes available; upstream looks
// at it again every minReadySeconds (RecheckWithoutReadyTime).
func (st *state) recheck(p *Plan) {
	if st.count.ready != st.count.available {
		p.RecheckAt = st.count.nextAvailable
		if p.RecheckAt.IsZero() && !st.opts.Repair.Has(RecheckWithoutReadyTime) {
			p.RecheckAt = st.now.Add(time.Duration(st.rs.MinReadySeconds) * time.Second)
		}
	}
	if e := &st.s.Expectations; !e.Satisfied(st.now) && (p.RecheckAt.IsZero() || e.expiry().Before(p.RecheckAt)) {
		p.RecheckAt = e.expiry()
	}
	if !p.RecheckAt.IsZero() {
		p.RecheckAt = p.RecheckAt.Round(0).UTC()
	}
}
