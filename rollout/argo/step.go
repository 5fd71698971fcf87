// SPDX-License-Identifier: Apache-2.0

package argo

import "time"

// A Progress is the progress of the current step of an Argo canary.
type Progress struct {
	// AtDesired means that the sizes are reached, see [Canary.AtDesired].
	AtDesired bool `json:"atDesired,omitzero"`
	// Unverified means that the router verifies weights, and has not verified the current one.
	Unverified bool `json:"unverified,omitzero"`
	// PausedAt is when the pause began; zero without a pause condition.
	PausedAt time.Time `json:"pausedAt,omitzero"`
	// ControllerPause means that the controller has paused the Rollout, so that a
	// missing pause condition means that a user has removed it.
	ControllerPause bool `json:"controllerPause,omitzero"`
	// OtherDone means that an analysis, an experiment or a plugin has succeeded, or
	// that routes are written.
	OtherDone bool `json:"otherDone,omitzero"`
}

// Completed reports whether a step is over as of now, and when it will be if that depends
// on time alone. A step without any content is over.
func (s Step) Completed(p Progress, now time.Time) (done bool, at time.Time) {
	switch {
	case s.Pause != nil:
		return s.Pause.completed(p, now)
	case s.SetCanaryScale != nil:
		return p.AtDesired, time.Time{}
	case s.SetWeight != nil:
		return p.AtDesired && !p.Unverified, time.Time{}
	case s.Other != "":
		return p.OtherDone, time.Time{}
	}
	return true, time.Time{}
}

func (s *Pause) completed(p Progress, now time.Time) (bool, time.Time) {
	if p.PausedAt.IsZero() {
		return p.ControllerPause, time.Time{}
	}
	if s.Duration == nil {
		return false, time.Time{}
	}
	end := p.PausedAt.Add(time.Duration(*s.Duration) * time.Second)
	if now.After(end) {
		return true, time.Time{}
	}
	return false, end
}

// Promoted reports whether the new ReplicaSet becomes the stable one: if there is no stable
// one yet, or if enough pods are available and no step is left to take.
func (r Canary) Promoted() bool {
	if r.StableRS == "" {
		return true
	}
	if r.Abort || r.Canary == nil {
		return false
	}
	n := r.replicas()
	enough := r.Canary.AvailableReplicas >= n || r.ProgressThreshold.Met(r.Canary.Replicas, r.Canary.AvailableReplicas, n)
	end := r.stepIndex() >= len(r.Steps)
	return enough && (r.PromoteFull || r.CurrentPodHash == r.StableRS || end)
}
