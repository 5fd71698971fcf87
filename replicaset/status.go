// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset/quirk"
)

// writeStatus fills s, the empty next status (see Status in rules.md). The counts are those before
// creations and deletions. The condition ReplicaFailure is removed; [Pass.Finish] adds it after a
// failure. Upstream also removes it in a pass that waits for expectations and has tried nothing
// (quirk.WaitingRemovesFailure).
func (in *input) writeStatus(s *Status, c *counts) {
	s.ObservedGeneration, s.Replicas, s.FullyLabeledReplicas = in.ReplicaSet.Generation, c.active, c.fullyLabeled
	s.ReadyReplicas, s.AvailableReplicas = c.ready, c.available
	if in.reportsTerminating() {
		s.TerminatingReplicas = ptr.To(c.terminating)
	}
	if in.opts.Repair.Has(quirk.WaitingRemovesFailure) && in.waiting {
		s.Conditions = cloneConditions(in.ReplicaSet.Status.Conditions)
	} else {
		s.Conditions = RemoveCondition(in.ReplicaSet.Status.Conditions, ConditionReplicaFailure)
	}
}

func (in *input) reportsTerminating() bool {
	return !in.opts.OmitTerminating && !in.opts.Dialect.is15() && in.ReplicaSet.Kind != KindController
}

// clone returns a copy that shares nothing with s.
func (s Status) clone() Status {
	if s.TerminatingReplicas != nil {
		s.TerminatingReplicas = ptr.To(*s.TerminatingReplicas)
	}
	s.Conditions = cloneConditions(s.Conditions)
	return s
}

// NeedsWrite reports whether next must replace the status of rs: the counts or the conditions
// differ, or the observed generation of rs is not its generation.
//
// It mirrors updateReplicaSetStatus of the replicaset package of Kubernetes, except that
// upstream also writes to replace nil conditions by an empty list, and the reverse.
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

// recheckAt returns the earlier of the times at which the next ready pod becomes available and the
// expectations time out, or zero if neither happens. A ready pod without a ready time never
// becomes available. If all unavailable ready pods are such pods, upstream checks again after
// minReadySeconds (quirk.RecheckWithoutReadyTime).
func (in *input) recheckAt(c *counts) (at time.Time) {
	if c.ready != c.available {
		at = c.nextAvailable
		if at.IsZero() && !in.opts.Repair.Has(quirk.RecheckWithoutReadyTime) {
			at = in.now.Add(time.Duration(in.ReplicaSet.MinReadySeconds) * time.Second)
		}
	}
	if in.waiting && (at.IsZero() || in.Expectations.Expiry().Before(at)) {
		at = in.Expectations.Expiry()
	}
	if at.IsZero() {
		return at
	}
	return at.Round(0).UTC()
}
