// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/batchrelease"
)

// addProgressive adds an object that only Rollouts use. It reports whether the object is of such a
// kind.
func (l *loader) addProgressive(u *unstructured.Unstructured, file string) bool {
	p := &l.progressive
	switch u.GroupVersionKind().GroupKind().String() + " " + u.GetAPIVersion() {
	case "Rollout.rollouts.kruise.io " + kubekruise.V1beta1:
		addAs(l, &p.rollouts, u, file, readRollout)
	case "Rollout.rollouts.kruise.io " + kubekruise.V1alpha1:
		addAs(l, &p.rollouts, u, file, readRolloutV1alpha1)
	case "BatchRelease.rollouts.kruise.io " + kubekruise.V1beta1:
		addAs(l, &p.releases, u, file, func(o *kubekruise.BatchReleaseObject) *namespaced[batchrelease.Release] {
			return &namespaced[batchrelease.Release]{o.Namespace, kubekruise.BatchRelease(o)}
		})
	case "BatchRelease.rollouts.kruise.io " + kubekruise.V1alpha1:
		addAs(l, &p.releases, u, file, func(o *kubekruise.BatchReleaseObjectV1alpha1) *namespaced[batchrelease.Release] {
			return &namespaced[batchrelease.Release]{o.Namespace, kubekruise.BatchReleaseV1alpha1(o)}
		})
	default:
		return l.addPassed(u, file)
	}
	return true
}

// addPassed adds an object that is passed over without a Rollout. It reports whether the object is
// of such a kind.
func (l *loader) addPassed(u *unstructured.Unstructured, file string) bool {
	p, unread := &l.progressive, len(l.unread)
	switch u.GroupVersionKind().GroupKind().String() {
	case "CloneSet.apps.kruise.io":
		addLoose(l, &p.cloneSets, u, file, defaultCloneSet)
	case "StatefulSet.apps":
		addLoose(l, &p.statefuls, u, file, kube.Default[appsv1.StatefulSet])
	case "StatefulSet.apps.kruise.io":
		addLoose(l, &p.advanced, u, file, defaultAdvanced)
	case "Service":
		addLoose(l, &p.services, u, file)
	case "Ingress.networking.k8s.io":
		addLoose(l, &p.ingresses, u, file)
	case "HTTPRoute.gateway.networking.k8s.io":
		addLoose(l, &p.routes, u, file)
	case "TrafficRouting.rollouts.kruise.io":
		addLoose(l, &p.routings, u, file)
	default:
		return false
	}
	if len(l.unread) == unread { // otherwise a note names it
		count(&p.passed, u, file)
	}
	return true
}

// addLimit adds an object that limits workloads. It reports whether the object is of such a kind.
func (l *loader) addLimit(u *unstructured.Unstructured, file string) bool {
	switch kindOf(u) {
	case "v1 ResourceQuota":
		addLoose(l, &l.quotas, u, file)
	case "v1 LimitRange":
		addLoose(l, &l.ranges, u, file)
	case "v1 PersistentVolumeClaim":
		addLoose(l, &l.claims, u, file)
	case "policy/v1 PodDisruptionBudget":
		addLoose(l, &l.budgets, u, file)
	case "policy/v1beta1 PodDisruptionBudget":
		addLoose(l, &l.budgets, u, file, withoutEmptySelector)
	case "autoscaling/v2 HorizontalPodAutoscaler":
		addLoose(l, &l.autoscalers, u, file)
	case "autoscaling/v1 HorizontalPodAutoscaler", "autoscaling/v2beta1 HorizontalPodAutoscaler", "autoscaling/v2beta2 HorizontalPodAutoscaler":
		addAs(l, &l.autoscalers, u, file, (*olderAutoscaler).asV2)
	default:
		return false
	}
	return true
}
