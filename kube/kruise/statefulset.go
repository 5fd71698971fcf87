// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// An AdvancedStatefulSetObject is a StatefulSet of apps.kruise.io in the form of the API,
// with the fields that a rollout reads, see [RolloutObject].
type AdvancedStatefulSetObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		Replicas            *int32                 `json:"replicas,omitempty"`
		Selector            *metav1.LabelSelector  `json:"selector,omitempty"`
		Template            corev1.PodTemplateSpec `json:"template"`
		PodManagementPolicy string                 `json:"podManagementPolicy,omitzero"`
		UpdateStrategy      struct {
			Type          string                            `json:"type,omitzero"`
			RollingUpdate *AdvancedStatefulSetRollingUpdate `json:"rollingUpdate,omitempty"`
		} `json:"updateStrategy,omitzero"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration int64  `json:"observedGeneration,omitzero"`
		Replicas           int32  `json:"replicas"`
		ReadyReplicas      int32  `json:"readyReplicas"`
		AvailableReplicas  int32  `json:"availableReplicas"`
		UpdatedReplicas    int32  `json:"updatedReplicas"`
		CurrentRevision    string `json:"currentRevision,omitzero"`
		UpdateRevision     string `json:"updateRevision,omitzero"`
	} `json:"status,omitzero"`
}

// An AdvancedStatefulSetRollingUpdate determines how the pods of an [AdvancedStatefulSetObject]
// are updated.
type AdvancedStatefulSetRollingUpdate struct {
	Partition       *int32              `json:"partition,omitempty"`
	MaxUnavailable  *intstr.IntOrString `json:"maxUnavailable,omitempty"`
	PodUpdatePolicy string              `json:"podUpdatePolicy,omitzero"`
	Paused          bool                `json:"paused,omitzero"`
	UnorderedUpdate *struct{}           `json:"unorderedUpdate,omitempty"`
	MinReadySeconds *int32              `json:"minReadySeconds,omitempty"`
}

// AdvancedStatefulSet returns s as the planners of package rollout read it. It counts the
// ready updated pods in pods. The error wraps [kplan.ErrInvalid].
func AdvancedStatefulSet(s *AdvancedStatefulSetObject, pods []*corev1.Pod) (workload.Workload, error) {
	s = convert.Or(s)
	var es kplan.FieldErrors
	w := common(&s.ObjectMeta, "apps.kruise.io/v1beta1", "StatefulSet", s.Spec.Replicas, &s.Spec.Template)
	if s.APIVersion != "" {
		w.APIVersion = s.APIVersion
	}
	w.StrategyType = s.Spec.UpdateStrategy.Type
	if rolling := s.Spec.UpdateStrategy.RollingUpdate; rolling != nil {
		w.RollingUpdate = &partition.RollingUpdate{MaxUnavailable: convert.Limit(&es, convert.PathDaemonUnavailable, rolling.MaxUnavailable)}
		w.Paused, w.Unordered, w.MinReadySeconds = rolling.Paused, rolling.UnorderedUpdate != nil, *convert.Or(rolling.MinReadySeconds)
		if rolling.Partition != nil {
			w.Partition = rollout.Int(*rolling.Partition)
		}
	}
	st := &s.Status
	w.StableRevision, w.UpdateRevision = st.CurrentRevision, st.UpdateRevision
	w.Status = workload.Status{
		ObservedGeneration: st.ObservedGeneration, Replicas: st.Replicas, ReadyReplicas: st.ReadyReplicas,
		AvailableReplicas: st.AvailableReplicas, UpdatedReplicas: st.UpdatedReplicas, UpdatedReadyReplicas: updatedReady(s, w.UpdateRevision, pods),
	}
	return w, es.Join()
}
