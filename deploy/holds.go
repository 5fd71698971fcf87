// SPDX-License-Identifier: Apache-2.0

package deploy

import "github.com/kplan-go/kplan"

// waits returns the holds of a rollout that is not complete: its failures and, if sizes are
// final, the pods that it waits for.
func (in *input) waits(c *counts, s *Status, settled bool) (holds []kplan.Hold[Reason]) {
	if in.complete(s) {
		return nil
	}
	if n := in.newSet(); n != nil && settled {
		holds = append(in.lacks(n), in.remains()...)
	}
	if c.conditions {
		holds = append(holds, in.failures()...)
	}
	if p := findCondition(s.Conditions, ConditionProgressing); p != nil && p.Reason == progressExceeded {
		holds = append(holds, hold("", ReasonDeadlineExceeded, int64(in.now.Sub(p.LastUpdateTime).Seconds()), int64(in.deadline)))
	}
	return holds
}

// lacks returns the hold of a new ReplicaSet that has the right size but is not complete.
func (in *input) lacks(s *set) []kplan.Hold[Reason] {
	name, status, size := s.rs.Name, s.status(), int64(s.size)
	switch {
	case !s.rs.DeletionTimestamp.IsZero():
		return []kplan.Hold[Reason]{hold(name, ReasonReplicaSetDeleting, 0, 0)}
	case s.rs.Generation > status.ObservedGeneration && status.Replicas != s.size:
		return []kplan.Hold[Reason]{hold(name, ReasonNotObserved, status.ObservedGeneration, s.rs.Generation)}
	case status.Replicas != s.size:
		return []kplan.Hold[Reason]{hold(name, ReasonStatusBehind, int64(status.Replicas), size)}
	case status.ReadyReplicas < s.size && status.AvailableReplicas < s.size:
		return []kplan.Hold[Reason]{hold(name, ReasonNotReady, int64(status.ReadyReplicas), size)}
	case status.AvailableReplicas < s.size:
		return []kplan.Hold[Reason]{hold(name, ReasonNotAvailable, int64(status.AvailableReplicas), size)}
	case status.AvailableReplicas > s.size:
		return []kplan.Hold[Reason]{hold(name, ReasonStatusAhead, int64(status.AvailableReplicas), size)}
	}
	return nil
}

// remains returns the holds of old ReplicaSets that want no pods but still have some.
func (in *input) remains() (holds []kplan.Hold[Reason]) {
	for _, s := range in.old {
		switch status := s.status(); {
		case status.Replicas != 0:
			holds = append(holds, hold(s.rs.Name, ReasonOldPodsRemain, int64(status.Replicas), 0))
		case status.AvailableReplicas != 0:
			holds = append(holds, hold(s.rs.Name, ReasonStatusAhead, int64(status.AvailableReplicas), 0))
		}
	}
	return holds
}

// failures names the ReplicaSets that cannot create or delete pods.
func (in *input) failures() (holds []kplan.Hold[Reason]) {
	for _, s := range in.all {
		if c := failureOf(s); c != nil && c.Status == kplan.ConditionTrue {
			holds = append(holds, hold(s.rs.Name, ReasonReplicaFailure, int64(s.status().Replicas), int64(s.size)))
		}
	}
	return holds
}

// holdPaused returns the hold of a paused Deployment.
func (in *input) holdPaused() kplan.Hold[Reason] {
	switch {
	case len(in.sets) == 0:
		return hold("", ReasonPausedNew, 0, int64(in.replicas))
	case in.newAt < 0:
		return hold("", ReasonPausedTemplate, 0, int64(in.replicas))
	}
	return hold("", ReasonPaused, 0, 0)
}

// holdRollout returns the hold of a rollout that waits until sizes are adapted.
func (in *input) holdRollout() []kplan.Hold[Reason] {
	pending := in.newAt < 0
	for range in.activeOld {
		pending = true
	}
	if !pending {
		return nil
	}
	return []kplan.Hold[Reason]{hold("", ReasonScalingFirst, 0, int64(in.replicas))}
}
