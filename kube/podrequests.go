// SPDX-License-Identifier: Apache-2.0

package kube

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// PodRequests returns what a pod requests of each resource, CPU in thousandths: its containers
// and sidecars together or, if that is more, a container that starts before them with the
// sidecars that run already. What the pod itself requests counts instead. Of pods it is 1. Nil
// requests nothing.
//
// It mirrors PodRequests of the resource helpers of component-helpers 0.36.3.
func PodRequests(p *corev1.PodSpec, resources []corev1.ResourceName) []int64 {
	total := make([]int64, len(resources))
	if p == nil {
		return total
	}
	for i, name := range resources {
		if total[i] = requestOf(p, name); name == corev1.ResourcePods {
			total[i] = 1
		}
	}
	return total
}

func requestOf(p *corev1.PodSpec, name corev1.ResourceName) int64 {
	sum, sidecars, most := int64(0), int64(0), int64(0)
	for i := range p.InitContainers {
		c := &p.InitContainers[i]
		n := amountOf(name, c.Resources.Requests[name])
		most = max(most, sidecars+n)
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars += n
		}
	}
	for i := range p.Containers {
		sum += amountOf(name, p.Containers[i].Resources.Requests[name])
	}
	sum = max(sum+sidecars, most)
	if p.Resources != nil {
		if own := amountOf(name, p.Resources.Requests[name]); own > 0 {
			sum = own
		}
	}
	return sum + amountOf(name, p.Overhead[name])
}

// amountOf is a quantity of a resource as a number.
func amountOf(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}
