// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Ranged returns a pod of the workload with the defaults of the LimitRanges of its namespace, and
// the reason why they refuse it, or "". Like the admission plugin LimitRanger, it looks at each
// container; it does not check limits of whole pods.
func (w *Workload) Ranged(pod *corev1.PodSpec) (completed *corev1.PodSpec, refused string) {
	completed = pod.DeepCopy()
	containers := containersOf(completed)
	var items []rangeItem
	for _, s := range w.limits.ranges {
		if !sameNamespace(s.object.Namespace, w.Deployment.Namespace) {
			continue
		}
		for _, item := range s.object.Spec.Limits {
			if item.Type == corev1.LimitTypeContainer {
				items = append(items, rangeItem{s.object.Name, item})
			}
		}
	}
	for _, item := range items {
		limits, requests := item.defaults()
		for _, c := range containers {
			c.Resources.Requests = with(with(c.Resources.Requests, c.Resources.Limits), requests)
			c.Resources.Limits = with(c.Resources.Limits, limits)
		}
	}
	for _, item := range items {
		for _, c := range containers {
			if why := item.refuses(c); why != "" {
				return completed, why
			}
		}
	}
	return completed, ""
}

func containersOf(p *corev1.PodSpec) (list []*corev1.Container) {
	for _, of := range [][]corev1.Container{p.InitContainers, p.Containers} {
		for i := range of {
			list = append(list, &of[i])
		}
	}
	return list
}

// A rangeItem is a limit on containers in a LimitRange.
type rangeItem struct {
	name string
	corev1.LimitRangeItem
}

// defaults returns the values for containers that do not set them. The API server derives missing
// ones: the default limit from the maximum, and the default request from the limit or the minimum.
func (i *rangeItem) defaults() (limits, requests corev1.ResourceList) {
	limits = with(i.Default, i.Max)
	return limits, with(with(i.DefaultRequest, limits), i.Min)
}

// refuses returns the reason why a container does not fit, or "".
func (i *rangeItem) refuses(c *corev1.Container) string {
	outside := func(bounds, values corev1.ResourceList, sign int) string {
		for _, name := range slices.Sorted(maps.Keys(bounds)) {
			bound := bounds[name]
			if v, ok := values[name]; !ok || v.Cmp(bound) == sign {
				return fmt.Sprintf("LimitRange %s bounds the %s of containers to %s, and container %s has %s: creations fail", i.name, name, bound.String(), c.Name, amount(v, ok))
			}
		}
		return ""
	}
	return cmp.Or(outside(i.Max, c.Resources.Limits, 1), outside(i.Min, c.Resources.Requests, -1))
}

func amount(q resource.Quantity, known bool) string {
	if !known {
		return "none"
	}
	return q.String()
}

// with returns a list with the missing resources added from another list.
func with(list, more corev1.ResourceList) corev1.ResourceList {
	all := corev1.ResourceList{}
	maps.Copy(all, more)
	maps.Copy(all, list)
	return all
}
