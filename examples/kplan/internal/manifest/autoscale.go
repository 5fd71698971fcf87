// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Scaling is the effect of autoscalers on the replicas of a workload.
type Scaling struct {
	Notes []string // the effect, for the user
	To    *int32   // the replicas that a live workload out of bounds will get; else nil
}

// autoscale brings the replicas of a manifest into the bounds of its autoscaler. Those bounds hold
// whatever the metrics are, except that 0 replicas turn the autoscaler off. The replicas of a live
// object stay until the autoscaler's next pass. Upstream: reconcileAutoscaler of the horizontal
// controller.
func (l *limitObjects) autoscale(kind string, o metav1.Object, replicas **int32) (s Scaling) {
	for _, source := range l.autoscalers {
		a := source.object
		if !targets(a, kind, o) {
			continue
		}
		is := orOne(*replicas)
		least := orOne(a.Spec.MinReplicas)
		n := min(max(is, least), a.Spec.MaxReplicas)
		text := fmt.Sprintf("HorizontalPodAutoscaler %s keeps %d to %d replicas", a.Name, least, a.Spec.MaxReplicas)
		switch live := isLive(o.GetUID()); {
		case is == 0:
			text += "; 0 turn it off"
		case live && n == is:
			text += fmt.Sprintf("; they stay at %d", is)
		case live:
			text += fmt.Sprintf("; it scales %d to %d within 15 seconds", is, n)
			s.To = &n
		case n != is || l.sizeless[kind+" "+key(o)]:
			*replicas = &n
			text += fmt.Sprintf("; they are %d to begin with", n)
		default:
			text += "; it rests, since metrics are not looked at"
		}
		s.Notes = append(s.Notes, text)
	}
	return s
}

// orOne returns a number of replicas, which is 1 if unset.
func orOne(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

// targets reports whether an autoscaler scales an object of a kind.
func targets(a *autoscalingv2.HorizontalPodAutoscaler, kind string, o metav1.Object) bool {
	ref := a.Spec.ScaleTargetRef
	return ref.Kind == kind && ref.Name == o.GetName() && sameNamespace(a.Namespace, o.GetNamespace())
}

// An olderAutoscaler is an autoscaler of a version before v2. All versions have the same bounds. v1
// has one metric in place of a list and v2beta1 has no behavior, and none of these fields is used.
type olderAutoscaler struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		ScaleTargetRef autoscalingv2.CrossVersionObjectReference `json:"scaleTargetRef"`
		MinReplicas    *int32                                    `json:"minReplicas"`
		MaxReplicas    int32                                     `json:"maxReplicas"`

		TargetCPU any `json:"targetCPUUtilizationPercentage"`
		Metrics   any `json:"metrics"`
		Behavior  any `json:"behavior"`
	} `json:"spec"`
	Status any `json:"status"`
}

// asV2 returns the autoscaler as v2, with the fields that are used.
func (o *olderAutoscaler) asV2() *autoscalingv2.HorizontalPodAutoscaler {
	a := &autoscalingv2.HorizontalPodAutoscaler{TypeMeta: o.TypeMeta, ObjectMeta: o.ObjectMeta}
	a.Spec.ScaleTargetRef, a.Spec.MinReplicas, a.Spec.MaxReplicas = o.Spec.ScaleTargetRef, o.Spec.MinReplicas, o.Spec.MaxReplicas
	return a
}
