// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/batchrelease"
)

// addProgressive adds an object that only Rollouts look at. It reports whether it is
// one.
func (l *loader) addProgressive(u *unstructured.Unstructured, file string) (bool, error) {
	p := &l.progressive
	switch u.GroupVersionKind().GroupKind().String() + " " + u.GetAPIVersion() {
	case "Rollout.rollouts.kruise.io " + kubekruise.V1beta1:
		return true, addAs(l, &p.rollouts, u, file, readRollout)
	case "Rollout.rollouts.kruise.io " + kubekruise.V1alpha1:
		return true, addAs(l, &p.rollouts, u, file, readRolloutV1alpha1)
	case "BatchRelease.rollouts.kruise.io " + kubekruise.V1beta1:
		return true, addAs(l, &p.releases, u, file, func(o *kubekruise.BatchReleaseObject) *namespaced[batchrelease.Release] {
			return &namespaced[batchrelease.Release]{o.Namespace, kubekruise.BatchRelease(o)}
		})
	case "BatchRelease.rollouts.kruise.io " + kubekruise.V1alpha1:
		return true, addAs(l, &p.releases, u, file, func(o *kubekruise.BatchReleaseObjectV1alpha1) *namespaced[batchrelease.Release] {
			return &namespaced[batchrelease.Release]{o.Namespace, kubekruise.BatchReleaseV1alpha1(o)}
		})
	}
	var list func() error
	switch gk := u.GroupVersionKind().GroupKind().String(); gk {
	case "CloneSet.apps.kruise.io":
		list = func() error { return addLoose(l, &p.cloneSets, u, file, defaultCloneSet) }
	case "StatefulSet.apps":
		list = func() error { return addLoose(l, &p.statefuls, u, file, kube.Default[appsv1.StatefulSet]) }
	case "StatefulSet.apps.kruise.io":
		list = func() error { return addLoose(l, &p.advanced, u, file, defaultAdvanced) }
	case "Service":
		list = func() error { return addLoose(l, &p.services, u, file) }
	case "Ingress.networking.k8s.io":
		list = func() error { return addLoose(l, &p.ingresses, u, file) }
	case "HTTPRoute.gateway.networking.k8s.io":
		list = func() error { return addLoose(l, &p.routes, u, file) }
	case "HorizontalPodAutoscaler.autoscaling":
		list = func() error { return addLoose(l, &l.autoscalers, u, file) }
	case "TrafficRouting.rollouts.kruise.io":
		list = func() error { return addLoose(l, &p.routings, u, file) }
	default:
		return false, nil
	}
	if !isAutoscaler(u) {
		count(&p.passed, u, file)
	}
	return true, list()
}

// addLimit adds such an object. It reports whether it is one.
func (l *loader) addLimit(u *unstructured.Unstructured, file string) (bool, error) {
	switch kindOf(u) {
	case "v1 ResourceQuota":
		return true, addLoose(l, &l.quotas, u, file)
	case "v1 LimitRange":
		return true, addLoose(l, &l.ranges, u, file)
	case "policy/v1 PodDisruptionBudget":
		return true, addLoose(l, &l.budgets, u, file)
	}
	return false, nil
}
