// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// resourcesOf returns the resources that a world counts in nodes and quotas: CPU, memory, pods,
// and all others of pods that quotas among the objects limit.
func resourcesOf(objects []Object) []corev1.ResourceName {
	list := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods}
	var more []corev1.ResourceName
	for _, object := range objects {
		if o, ok := object.(*corev1.ResourceQuota); ok && o != nil {
			for name := range o.Spec.Hard {
				if of, _ := resourceOf(name); ofPods(of) && !slices.Contains(list, of) {
					more = append(more, of)
				}
			}
		}
	}
	slices.Sort(more)
	return append(list, slices.Compact(more)...)
}

// resourceOf returns the resource of containers for a resource of a quota, and whether the quota
// counts limits.
func resourceOf(name corev1.ResourceName) (of corev1.ResourceName, limits bool) {
	if rest, found := strings.CutPrefix(string(name), "limits."); found {
		return corev1.ResourceName(rest), true
	}
	return corev1.ResourceName(strings.TrimPrefix(string(name), corev1.DefaultResourceRequestsPrefix)), false
}

// ofPods reports whether containers can request a resource.
func ofPods(name corev1.ResourceName) bool {
	switch {
	case name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage:
		return true
	case strings.HasPrefix(string(name), "count/") || strings.Contains(string(name), ".storageclass.") || strings.Contains(string(name), ".deviceclass."):
		return false
	}
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) || strings.Contains(string(name), "/")
}

// besidePods reports whether a resource of a quota counts other objects that controllers
// create.
func besidePods(name corev1.ResourceName) bool {
	switch strings.TrimPrefix(string(name), "count/") {
	case "persistentvolumeclaims", "requests.storage", "replicasets.apps", "controllerrevisions.apps":
		return true
	}
	return strings.Contains(string(name), ".storageclass.") || strings.Contains(string(name), ".deviceclass.")
}

// quota reads a quota of pods and its current usage.
func (w *worldReader) quota(o *corev1.ResourceQuota) {
	q := cluster.Quota{Name: worldName(o), Hard: map[string]int64{}, Used: map[string]int64{}, Scopes: scopesOf(&o.Spec)}
	for name, hard := range o.Spec.Hard {
		of, _ := resourceOf(name)
		switch {
		case ofPods(of) || name == corev1.ResourcePods || name == "count/pods":
			q.Hard[string(name)] = max(0, amountOf(of, hard))
			if used, known := o.Status.Used[name]; known {
				q.Used[string(name)] = max(0, amountOf(of, used))
			}
		case besidePods(name):
			w.unseen[unseenQuota+string(name)] = true
		}
	}
	for _, s := range q.Scopes {
		switch s.Name {
		case cluster.ScopeTerminating, cluster.ScopeNotTerminating, cluster.ScopeBestEffort, cluster.ScopeNotBestEffort, cluster.ScopePriorityClass:
		default:
			w.unseen[unseenScope+s.Name] = true
			return
		}
	}
	if len(q.Hard) > 0 {
		w.s.Quotas = append(w.s.Quotas, q)
	}
}

func scopesOf(s *corev1.ResourceQuotaSpec) (scopes []cluster.QuotaScope) {
	for _, name := range s.Scopes {
		scopes = append(scopes, cluster.QuotaScope{Name: string(name)})
	}
	if s.ScopeSelector != nil {
		for _, e := range s.ScopeSelector.MatchExpressions {
			scopes = append(scopes, cluster.QuotaScope{Name: string(e.ScopeName), Operator: string(e.Operator), Values: e.Values})
		}
	}
	return scopes
}

// useQuotas makes quotas without scopes count the pods that only take room, which are not in
// the snapshot: at least all pods among the objects are in use.
func (w *worldReader) useQuotas(objects []Object) {
	if len(w.foreign) == 0 {
		return
	}
	pods := map[string][]*corev1.Pod{}
	for _, object := range objects {
		if p, ok := object.(*corev1.Pod); ok && p != nil {
			pods[p.Namespace] = append(pods[p.Namespace], p)
		}
	}
	for _, q := range w.s.Quotas {
		if len(q.Scopes) > 0 {
			continue
		}
		within, _, found := strings.Cut(q.Name, "/")
		if !found {
			within = ""
		}
		for name := range q.Hard {
			sum := int64(0)
			for _, p := range pods[within] {
				sum += takenBy(p, corev1.ResourceName(name))
			}
			q.Used[name] = max(q.Used[name], sum)
		}
	}
}

// takenBy returns how much of a resource of a quota a pod takes.
func takenBy(p *corev1.Pod, name corev1.ResourceName) int64 {
	pod := Pod(p)
	of, limits := resourceOf(name)
	switch {
	case name == "count/pods":
		return 1
	case pod.Finished():
		return 0
	case name == corev1.ResourcePods:
		return 1
	case limits:
		return amountOf(of, limitOf(&p.Spec, of))
	}
	return amountOf(of, requestOf(&p.Spec, of))
}

// rationed sets the fields of a template that quotas read. Its spec is complete.
func rationed(t *cluster.Template, spec *corev1.PodSpec, resources []corev1.ResourceName) {
	t.PriorityClass = spec.PriorityClassName
	for i, name := range resources {
		if limit := amountOf(name, limitOf(spec, name)); limit > 0 {
			if t.Limits == nil {
				t.Limits = make([]int64, len(resources))
			}
			t.Limits[i] = limit
		}
	}
	if !ofWhole(spec) {
		t.Unset = unsetIn(spec)
	}
}

// ofWhole reports whether a pod sets resources as a whole, so that its containers need not.
func ofWhole(spec *corev1.PodSpec) bool {
	if spec.Resources == nil {
		return false
	}
	for _, list := range []corev1.ResourceList{spec.Resources.Requests, spec.Resources.Limits} {
		for name := range list {
			if ofWholePods(name) {
				return true
			}
		}
	}
	return false
}

// unsetIn returns the names of containers without CPU or memory, by the unset resource.
func unsetIn(spec *corev1.PodSpec) (unset map[string][]string) {
	for _, c := range slices.Concat(spec.Containers, spec.InitContainers) {
		for prefix, list := range map[string]corev1.ResourceList{"requests.": c.Resources.Requests, "limits.": c.Resources.Limits} {
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
				if _, set := list[name]; !set {
					if unset == nil {
						unset = map[string][]string{}
					}
					key := prefix + string(name)
					unset[key] = append(unset[key], c.Name)
				}
			}
		}
	}
	return unset
}

// limitOf returns the limit of a resource of a pod, as quotas count it.
func limitOf(spec *corev1.PodSpec, name corev1.ResourceName) resource.Quantity {
	limit := requestOf(limitsOf(spec), name)
	if !limit.IsZero() {
		limit.Add(spec.Overhead[name])
	}
	return limit
}

// limitsOf returns a pod with the limits of spec as its requests, without overhead.
func limitsOf(spec *corev1.PodSpec) *corev1.PodSpec {
	other := corev1.PodSpec{InitContainers: slices.Clone(spec.InitContainers), Containers: slices.Clone(spec.Containers)}
	for _, c := range containersOf(&other) {
		c.Resources.Requests = c.Resources.Limits
	}
	if spec.Resources != nil {
		other.Resources = &corev1.ResourceRequirements{Requests: spec.Resources.Limits}
	}
	return &other
}

// containersOf returns the containers of a pod, init containers first.
func containersOf(spec *corev1.PodSpec) (list []*corev1.Container) {
	for _, of := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range of {
			list = append(list, &of[i])
		}
	}
	return list
}
