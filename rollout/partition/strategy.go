// SPDX-License-Identifier: Apache-2.0

package partition

import (
	"encoding/json"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/rollout"
)

// Keys of annotations of a Deployment that is updated by partition.
const (
	AnnotationStrategy    = "rollouts.kruise.io/deployment-strategy"
	AnnotationExtraStatus = "rollouts.kruise.io/deployment-extra-status"
	// AnnotationControlInfo is set while a BatchRelease drives the workload, of any kind.
	AnnotationControlInfo = "batchrelease.rollouts.kruise.io/control-info"
)

// Style is the rolling style of a Deployment that is updated by partition.
const Style = "Partition"

// A Strategy is the value of the annotation [AnnotationStrategy] of a Deployment while it
// is updated by partition.
type Strategy struct {
	RollingStyle  string         `json:"rollingStyle,omitempty"`
	RollingUpdate *RollingUpdate `json:"rollingUpdate,omitempty"`
	Paused        bool           `json:"paused,omitempty"`
	// Partition is how many pods to update; unset means 0.
	Partition rollout.IntOrPercent `json:"partition"`
}

// ParseStrategy reads the annotation. An empty text is the zero Strategy. The error for other
// text that is no such JSON is a [kplan.FieldError].
func ParseStrategy(text string) (Strategy, error) {
	var s Strategy
	if text == "" {
		return s, nil
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return Strategy{}, &kplan.FieldError{Path: AnnotationStrategy, Value: text, Detail: "must be a strategy in JSON", Err: err}
	}
	return s, nil
}

// Text returns the value of the annotation. It writes an unset Partition as 0.
func (s Strategy) Text() string {
	if s.Partition.IsZero() {
		s.Partition = rollout.Int(0)
	}
	return union.Text(s)
}

// Default returns s with defaults for unset limits, as admission sets them; only a strategy with
// RollingStyle [Style] changes. An unset MaxUnavailable becomes 25%. Upstream has a defect for
// an unset MaxSurge: it stays unset and sets MaxUnavailable to 25%. With separately, MaxSurge
// becomes 25% instead. If both limits are then 0, MaxUnavailable becomes 1.
//
// It mirrors SetDefaultDeploymentStrategy of OpenKruise Rollouts. See the quirk
// UnsetLimitDefaultsBoth.
func (s Strategy) Default(separately bool) Strategy {
	if s.RollingStyle != Style {
		return s
	}
	var ru RollingUpdate
	if s.RollingUpdate != nil {
		ru = *s.RollingUpdate
	}
	if ru.MaxUnavailable.IsZero() {
		ru.MaxUnavailable = rollout.Percent(25)
	}
	if ru.MaxSurge.IsZero() {
		if separately {
			ru.MaxSurge = rollout.Percent(25)
		} else {
			ru.MaxUnavailable = rollout.Percent(25)
		}
	}
	if ru.MaxSurge.OfUp(100) == 0 && ru.MaxUnavailable.OfUp(100) == 0 {
		ru = RollingUpdate{MaxSurge: rollout.Int(0), MaxUnavailable: rollout.Int(1)}
	}
	s.RollingUpdate = &ru
	return s
}

// An ExtraStatus is the value of the annotation [AnnotationExtraStatus] of a Deployment
// while it is updated by partition.
type ExtraStatus struct {
	UpdatedReadyReplicas    int32 `json:"updatedReadyReplicas,omitempty"`
	ExpectedUpdatedReplicas int32 `json:"expectedUpdatedReplicas,omitempty"`
}

// ParseExtraStatus reads the annotation. It returns the zero ExtraStatus for invalid text.
func ParseExtraStatus(text string) ExtraStatus {
	var s ExtraStatus
	if json.Unmarshal([]byte(text), &s) != nil {
		return ExtraStatus{}
	}
	return s
}

// Text returns the value of the annotation.
func (s ExtraStatus) Text() string { return union.Text(s) }

// Progress holds the numbers of a Deployment that determine whether its partition is reached.
type Progress struct {
	Generation         int64                `json:"generation"`
	ObservedGeneration int64                `json:"observedGeneration"`
	Partition          rollout.IntOrPercent `json:"partition"`
	Replicas           int32                `json:"replicas"`       // pods that are wanted
	StatusReplicas     int32                `json:"statusReplicas"` // pods that exist
	UpdatedReplicas    int32                `json:"updatedReplicas"`
}

// Waiting returns the reason why the update has not reached its partition yet, or false if it
// has.
//
// It mirrors DeploymentRolloutSatisfied of OpenKruise Rollouts.
func (p Progress) Waiting() (kplan.Hold, bool) {
	limit := Limit(p.Partition, p.Replicas)
	switch {
	case p.ObservedGeneration < p.Generation:
		return kplan.Hold{Reason: ReasonNotObserved, Have: p.ObservedGeneration, Limit: p.Generation}, true
	case p.StatusReplicas != p.Replicas:
		return kplan.Hold{Reason: ReasonSizeNotReached, Have: int64(p.StatusReplicas), Limit: int64(p.Replicas)}, true
	case p.UpdatedReplicas < limit:
		return kplan.Hold{Reason: ReasonTooFewUpdated, Have: int64(p.UpdatedReplicas), Limit: int64(limit)}, true
	}
	return kplan.Hold{}, false
}
