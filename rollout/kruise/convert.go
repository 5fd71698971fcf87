// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/base/zero"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A RolloutV1alpha1 is a Rollout of the older version of the API. It knows the styles
// Canary and Partition, set by the annotation [workload.AnnotationRollingStyle].
type RolloutV1alpha1 struct {
	Name              string            `json:"name"`
	UID               string            `json:"uid,omitzero"`
	Generation        int64             `json:"generation,omitzero"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	Finalizers        []string          `json:"finalizers,omitempty"`
	DeletionTimestamp time.Time         `json:"deletionTimestamp,omitzero"`

	WorkloadRef              workload.Ref               `json:"workloadRef"`
	Disabled                 bool                       `json:"disabled,omitzero"`
	Paused                   bool                       `json:"paused,omitzero"`
	Steps                    []StepV1alpha1             `json:"steps,omitempty"`
	TrafficRoutings          []traffic.Routing          `json:"trafficRoutings,omitempty"`
	FailureThreshold         rollout.IntOrPercent       `json:"failureThreshold,omitzero"`
	PatchPodTemplateMetadata *workload.TemplateMetadata `json:"patchPodTemplateMetadata,omitempty"`

	Status Status `json:"status,omitzero"`
}

// A StepV1alpha1 is a step of a [RolloutV1alpha1].
type StepV1alpha1 struct {
	Weight   *int32               `json:"weight,omitempty"`  // percent of the traffic, and of the pods if Replicas is unset
	Replicas rollout.IntOrPercent `json:"replicas,omitzero"` // unset means Weight percent
	Matches  []traffic.Match      `json:"matches,omitempty"`
	Pause    Pause                `json:"pause"`
}

// replicas returns the replicas of the step, unset if it has none.
func (s *StepV1alpha1) replicas() rollout.IntOrPercent {
	if s.Replicas.IsZero() && s.Weight != nil {
		return rollout.Percent(*s.Weight)
	}
	return s.Replicas
}

// partition reports whether validation treats the style as Partition: a style that is set and not
// Canary, and any style of a workload that cannot have an extra Deployment.
func (r *RolloutV1alpha1) partition() bool {
	switch strings.ToLower(r.Annotations[workload.AnnotationRollingStyle]) {
	case "", "canary":
		return !r.WorkloadRef.Traits().ExtraCanary
	}
	return true
}

// Convert returns the Rollout in the version v1beta1 of the API. Without a style it is Canary.
func (r RolloutV1alpha1) Convert() Rollout {
	s := &Strategy{
		TrafficRoutings:          cloneRoutings(r.TrafficRoutings),
		FailureThreshold:         r.FailureThreshold,
		PatchPodTemplateMetadata: r.PatchPodTemplateMetadata.Clone(),
		TrafficRoutingRef:        r.Annotations[workload.AnnotationTrafficRouting],
	}
	s.EnableExtraWorkloadForCanary = !strings.EqualFold(r.Annotations[workload.AnnotationRollingStyle], string(workload.Partition))
	for i := range r.Steps {
		step := Step{Replicas: r.Steps[i].replicas(), Matches: cloneMatches(r.Steps[i].Matches), Pause: Pause{zero.Copy(r.Steps[i].Pause.Duration)}}
		if w := r.Steps[i].Weight; w != nil {
			step.Traffic = rollout.Percent(*w)
		}
		s.Steps = append(s.Steps, step)
	}
	return Rollout{
		Name: r.Name, UID: r.UID, Generation: r.Generation, Annotations: maps.Clone(r.Annotations),
		Finalizers: slices.Clone(r.Finalizers), DeletionTimestamp: r.DeletionTimestamp,
		WorkloadRef: r.WorkloadRef, Disabled: r.Disabled, Paused: r.Paused, Canary: s, Status: r.Status.clone(),
	}
}

// ConvertBack returns the Rollout in the version v1alpha1 of the API. A Rollout of style BlueGreen
// has no steps in v1alpha1.
func ConvertBack(r Rollout) RolloutV1alpha1 {
	old := RolloutV1alpha1{
		Name: r.Name, UID: r.UID, Generation: r.Generation, Annotations: maps.Clone(r.Annotations),
		Finalizers: slices.Clone(r.Finalizers), DeletionTimestamp: r.DeletionTimestamp,
	}
	if r.Canary == nil {
		return old
	}
	if old.Annotations == nil {
		old.Annotations = map[string]string{}
	}
	old.Annotations[workload.AnnotationRollingStyle] = strings.ToLower(string(r.Style()))
	if ref := r.Canary.TrafficRoutingRef; ref != "" {
		old.Annotations[workload.AnnotationTrafficRouting] = ref
	}
	old.WorkloadRef, old.Disabled, old.Paused, old.Status = r.WorkloadRef, r.Disabled, r.Paused, r.Status.clone()
	old.TrafficRoutings = cloneRoutings(r.Canary.TrafficRoutings)
	old.FailureThreshold = r.Canary.FailureThreshold
	old.PatchPodTemplateMetadata = r.Canary.PatchPodTemplateMetadata.Clone()
	for _, s := range r.Canary.Steps {
		step := StepV1alpha1{Replicas: s.Replicas, Matches: cloneMatches(s.Matches), Pause: Pause{zero.Copy(s.Pause.Duration)}}
		if !s.Traffic.IsZero() {
			w := s.Traffic.OfUp(100)
			step.Weight = &w
		}
		old.Steps = append(old.Steps, step)
	}
	return old
}

func cloneMatches(list []traffic.Match) []traffic.Match {
	list = slices.Clone(list)
	for i := range list {
		m := &list[i]
		m.Path, m.Headers, m.QueryParams = zero.Copy(m.Path), slices.Clone(m.Headers), slices.Clone(m.QueryParams)
	}
	return list
}

func cloneRoutings(list []traffic.Routing) []traffic.Routing {
	list = slices.Clone(list)
	for i := range list {
		t := &list[i]
		t.Ingress, t.Gateway, t.CustomNetworkRefs = zero.Copy(t.Ingress), zero.Copy(t.Gateway), slices.Clone(t.CustomNetworkRefs)
		if t.Gateway != nil {
			t.Gateway.HTTPRouteName = zero.Copy(t.Gateway.HTTPRouteName)
		}
	}
	return list
}

func (s Status) clone() Status {
	s.Conditions, s.Sub = slices.Clone(s.Conditions), zero.Copy(s.Sub)
	return s
}
