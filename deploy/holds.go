// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/reason"
)

// incompleteHolds returns the holds of a rollout that is not complete according to its next
// status s. They are the failures of its ReplicaSets and a missed progress deadline. If undecided,
// which means that the pass has no changes of sizes and no other holds, they also are the pods that
// the rollout waits for.
func (in *input) incompleteHolds(c *counts, s *Status, undecided bool) (holds []kplan.Hold) {
	if in.complete(s) {
		return nil
	}
	if n := in.newSet(); n != nil && undecided {
		holds = append(in.newSetHolds(n), in.oldPodsHolds()...)
	}
	if c.hasConditions {
		holds = append(holds, in.failureHolds()...)
	}
	if p := findCondition(s.Conditions, ConditionProgressing); p != nil && p.Reason == progressExceeded {
		holds = append(holds, hold("", reason.DeadlineExceeded, int64(in.now.Sub(p.LastUpdateTime).Seconds()), int64(in.deadline)))
	}
	return holds
}

// newSetHolds returns the hold of a new ReplicaSet that keeps its size, if it is being deleted or
// its status does not report exactly this number of pods, all of them available.
func (in *input) newSetHolds(s *set) []kplan.Hold {
	name, status, size := s.rs.Name, s.status(), int64(s.size)
	switch {
	case !s.rs.DeletionTimestamp.IsZero():
		return []kplan.Hold{hold(name, reason.ReplicaSetDeleting, 0, 0)}
	case s.rs.Generation > status.ObservedGeneration && status.Replicas != s.size:
		return []kplan.Hold{hold(name, reason.NotObserved, status.ObservedGeneration, s.rs.Generation)}
	case status.Replicas != s.size:
		return []kplan.Hold{hold(name, reason.StatusBehind, int64(status.Replicas), size)}
	case status.ReadyReplicas < s.size && status.AvailableReplicas < s.size: // only available pods count
		return []kplan.Hold{hold(name, reason.NotReady, int64(status.ReadyReplicas), size)}
	case status.AvailableReplicas < s.size:
		return []kplan.Hold{hold(name, reason.NotAvailable, int64(status.AvailableReplicas), size)}
	case status.AvailableReplicas > s.size: // the status is older than the last scaling down
		return []kplan.Hold{hold(name, reason.StatusAhead, int64(status.AvailableReplicas), size)}
	}
	return nil
}

// oldPodsHolds returns the holds of old ReplicaSets that report pods or available pods, for a
// rollout in which the old ReplicaSets want no pods.
func (in *input) oldPodsHolds() (holds []kplan.Hold) {
	for _, s := range in.old {
		switch status := s.status(); {
		case status.Replicas != 0:
			holds = append(holds, hold(s.rs.Name, reason.OldPodsRemain, int64(status.Replicas), 0))
		case status.AvailableReplicas != 0:
			holds = append(holds, hold(s.rs.Name, reason.StatusAhead, int64(status.AvailableReplicas), 0))
		}
	}
	return holds
}

// failureHolds returns the holds of ReplicaSets with a condition ReplicaFailure that is True.
func (in *input) failureHolds() (holds []kplan.Hold) {
	for _, s := range in.all {
		if c := failureOf(s); c != nil && c.Status == kplan.ConditionTrue {
			holds = append(holds, hold(s.rs.Name, reason.ReplicaFailure, int64(s.status().Replicas), int64(s.size)))
		}
	}
	return holds
}

// pausedHold returns the hold of a paused Deployment. The reason tells if the Deployment has no
// ReplicaSet, or none with its template, since a paused Deployment does not create it.
func (in *input) pausedHold() kplan.Hold {
	switch {
	case len(in.sets) == 0:
		return hold("", reason.PausedNew, 0, int64(in.replicas))
	case in.newAt < 0:
		return hold("", reason.PausedTemplate, 0, int64(in.replicas))
	}
	return hold("", reason.Paused, 0, 0)
}

// rolloutHolds returns the hold of a rollout that waits while ReplicaSets are scaled to changed
// replicas. It returns nil if no rollout is in progress.
func (in *input) rolloutHolds() []kplan.Hold {
	if in.newAt >= 0 && !in.hasActiveOld() {
		return nil
	}
	return []kplan.Hold{hold("", reason.ScalingFirst, 0, int64(in.replicas))}
}
