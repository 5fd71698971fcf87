// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube/internal/convert"
)

// Daemon returns the input of daemonset.Overhead for ds: the nodes on which pods of its
// template belong, and the requests of one pod, by [PodResources]. Existing pods show
// neither, since each is pinned to its node.
//
// Only the template is read. It need not have its defaults.
func Daemon(ds *appsv1.DaemonSet, opts daemonset.Options) daemonset.Daemon {
	spec := &convert.Or(ds).Spec.Template.Spec
	template := daemonset.Template{
		NodeName: spec.NodeName, NodeSelector: spec.NodeSelector, Affinity: requiredNodes(spec.Affinity),
		Tolerations: Tolerations(spec.Tolerations), HostNetwork: spec.HostNetwork,
	}
	return daemonset.Daemon{Placer: daemonset.NewPlacer(&template, opts), Requests: PodResources(spec)}
}

// PodResources returns the requests of a pod with this spec by resource: cpu in
// thousandths, all others in whole units, rounded up. It is the larger of the sum of the
// containers and the need at the start of the pod, or the request of the pod as a whole,
// plus the overhead of its runtime class.
//
// A limit without a request counts as a request. The API server writes such requests into
// pods, but not into templates.
//
// It mirrors PodRequests of package resource of component-helpers 0.37.2, for a pod with
// the defaults of the API server.
func PodResources(spec *corev1.PodSpec) map[string]int64 {
	if spec == nil {
		return nil
	}
	total := corev1.ResourceList{}
	for i := range spec.Containers {
		add(total, requested(&spec.Containers[i].Resources))
	}
	starting, sidecars := corev1.ResourceList{}, corev1.ResourceList{}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		requests := requested(&c.Resources)
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			add(total, requests)
			add(sidecars, requests)
			larger(starting, sidecars)
			continue
		}
		step := sidecars.DeepCopy()
		add(step, requests)
		larger(starting, step)
	}
	larger(total, starting)
	ofPod(total, spec.Resources)
	add(total, spec.Overhead)
	return numbers(total)
}

// requested returns the requests of a container, with its limits in place of missing
// requests.
func requested(r *corev1.ResourceRequirements) corev1.ResourceList {
	if len(r.Limits) == 0 {
		return r.Requests
	}
	all := r.Limits.DeepCopy()
	for name, q := range r.Requests {
		all[name] = q
	}
	return all
}

// ofPod replaces the sum of the containers by the requests of the pod as a whole. Limits
// of the pod count for resources without any request, and always for huge pages, since
// these are never overcommitted.
func ofPod(total corev1.ResourceList, r *corev1.ResourceRequirements) {
	if r == nil {
		return
	}
	for name, q := range r.Requests {
		if ofWholePods(name) {
			total[name] = rounded(q)
		}
	}
	for name, q := range r.Limits {
		_, wanted := r.Requests[name]
		if _, found := total[name]; !wanted && ofWholePods(name) && (!found || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)) {
			total[name] = rounded(q)
		}
	}
}

// ofWholePods reports whether a pod as a whole can request a resource.
func ofWholePods(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

func add(total, more corev1.ResourceList) {
	for name, q := range more {
		sum := total[name].DeepCopy()
		sum.Add(rounded(q))
		total[name] = sum
	}
}

// rounded returns an amount rounded up to thousandths, as the API server does.
func rounded(q resource.Quantity) resource.Quantity {
	q = q.DeepCopy()
	q.RoundUp(resource.Milli)
	return q
}

func larger(total, other corev1.ResourceList) {
	for name, q := range other {
		if have, found := total[name]; !found || q.Cmp(have) > 0 {
			total[name] = q.DeepCopy()
		}
	}
}

func numbers(list corev1.ResourceList) map[string]int64 {
	all := make(map[string]int64, len(list))
	for name, q := range list {
		if all[string(name)] = q.Value(); name == corev1.ResourceCPU {
			all[string(name)] = q.MilliValue()
		}
	}
	return all
}
