// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Scaling is what autoscalers make of the replicas of a workload.
type Scaling struct {
	Notes []string // what that is, for the user to know
	To    *int32   // what they will set, as those of a live one are out of bounds; else nil
}

// autoscale gives a manifest of a kind the replicas that its autoscaler lets it have. Those
// of a live object stay until the autoscaler looks at it: it then brings them into its
// bounds, whatever metrics say, unless they are 0, which turns it off. So does
// reconcileAutoscaler of the horizontal controller.
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

// orOne returns a number of replicas, of which there is one if nothing is said.
func orOne(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

// targets reports whether an autoscaler is for an object of a kind.
func targets(a *autoscalingv2.HorizontalPodAutoscaler, kind string, o metav1.Object) bool {
	ref := a.Spec.ScaleTargetRef
	return ref.Kind == kind && ref.Name == o.GetName() && sameNamespace(a.Namespace, o.GetNamespace())
}

// An olderAutoscaler is one of a version before v2. All versions have the same bounds; v1 has
// one metric in place of a list, v2beta1 no behavior, and none of these is looked at.
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

// asV2 returns the autoscaler with what is looked at of it.
func (o *olderAutoscaler) asV2() *autoscalingv2.HorizontalPodAutoscaler {
	a := &autoscalingv2.HorizontalPodAutoscaler{TypeMeta: o.TypeMeta, ObjectMeta: o.ObjectMeta}
	a.Spec.ScaleTargetRef, a.Spec.MinReplicas, a.Spec.MaxReplicas = o.Spec.ScaleTargetRef, o.Spec.MinReplicas, o.Spec.MaxReplicas
	return a
}
