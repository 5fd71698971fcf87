// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/controller"
	upstreamreplicaset "k8s.io/kubernetes/pkg/controller/replicaset"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

var statusFunctions = []function{
	{"ReplicaSet calculateStatus", compareStatus},
}

// compareStatus compares the status of a pass that fails at nothing. Whole passes
// compare it as well, but only as far as it is written.
func compareStatus(t random.T, c *caseCounts, now time.Time) {
	drawn := gen.ReplicaSet(t, now)
	rs := drawn.ReplicaSet
	rs.Spec.Replicas = new(max(0, *rs.Spec.Replicas))
	if _, err := metav1.LabelSelectorAsSelector(rs.Spec.Selector); err != nil || rs.Spec.Selector == nil {
		return // no status is computed, or one from other pods
	}
	var active, terminating []*corev1.Pod
	for _, pod := range drawn.Pods {
		switch {
		case !claimed(drawn, pod):
		case controller.IsPodActive(pod):
			active = append(active, pod)
		case controller.IsPodTerminating(pod) && metav1.GetControllerOf(pod) != nil:
			terminating = append(terminating, pod)
		}
	}
	// Upstream removes a condition by filtering in place.
	copied := rs.DeepCopy()
	status := upstream.ReplicaSetStatus(copied, active, terminating, nil, upstreamreplicaset.DefaultReplicaSetControllerFeatures(), now)
	status.ObservedGeneration = rs.Generation // set when it is written
	plan, err := replicaset.Reconcile(kube.ReplicaSetSnapshot(rs, drawn.Pods, nil), now, replicaset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	normal := func(s appsv1.ReplicaSetStatus) appsv1.ReplicaSetStatus {
		return replicaSetOutcome{Status: s}.normalised().Status
	}
	judge(t, c, []corner[decision[*appsv1.ReplicaSet]]{
		in("no template labels", func(rs *appsv1.ReplicaSet) bool { return len(rs.Spec.Template.Labels) == 0 }),
		in("a failure is removed", func(rs *appsv1.ReplicaSet) bool {
			return slices.ContainsFunc(rs.Status.Conditions, func(c appsv1.ReplicaSetCondition) bool {
				return c.Type == appsv1.ReplicaSetReplicaFailure
			})
		}),
		in("waits for minReadySeconds", func(rs *appsv1.ReplicaSet) bool { return rs.Spec.MinReadySeconds > 0 }),
		{"terminating", func(d decision[*appsv1.ReplicaSet]) bool {
			return *d.upstream.(appsv1.ReplicaSetStatus).TerminatingReplicas > 0
		}},
	}, nil, decision[*appsv1.ReplicaSet]{rs, normal(status), normal(kube.ReplicaSetStatus(plan.Status))})
}
