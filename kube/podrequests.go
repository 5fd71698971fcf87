// SPDX-License-Identifier: Apache-2.0

package kube

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// PodRequests returns the requests of a pod for each resource, CPU in thousandths, all others
// in whole units, rounded up: the sum of its containers and sidecars or, if that is more, the
// need of an init container with the sidecars that run already. A request of the pod as a
// whole counts instead, for resources that allow it. Of the resource pods it is 1. Nil
// requests nothing.
//
// It mirrors PodRequests of package resource of component-helpers 0.37.2. For a template,
// which has no defaults yet, use [PodResources].
func PodRequests(p *corev1.PodSpec, resources []corev1.ResourceName) []int64 {
	total := make([]int64, len(resources))
	if p == nil {
		return total
	}
	for i, name := range resources {
		if total[i] = amountOf(name, requestOf(p, name)); name == corev1.ResourcePods {
			total[i] = 1
		}
	}
	return total
}

// requestOf returns the sum before it is rounded to units.
func requestOf(p *corev1.PodSpec, name corev1.ResourceName) resource.Quantity {
	var sum, sidecars, most resource.Quantity
	for i := range p.InitContainers {
		c := &p.InitContainers[i]
		step := sidecars.DeepCopy()
		step.Add(c.Resources.Requests[name])
		if step.Cmp(most) > 0 {
			most = step
		}
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars.Add(c.Resources.Requests[name])
		}
	}
	for i := range p.Containers {
		sum.Add(p.Containers[i].Resources.Requests[name])
	}
	if sum.Add(sidecars); most.Cmp(sum) > 0 {
		sum = most
	}
	if p.Resources != nil && ofWholePods(name) {
		if own, found := p.Resources.Requests[name]; found {
			sum = own.DeepCopy()
		}
	}
	sum.Add(p.Overhead[name])
	return sum
}

// amountOf returns a quantity of a resource as a number.
func amountOf(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}
