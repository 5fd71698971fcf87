// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/rollout"
)

// PodQuota returns the number of pods that a quota allows the Deployment, which runs so many now,
// and the name of the tightest quota, or "".
func (w *Workload) PodQuota(running int) (allowed int, name string) {
	return w.limits.podQuota(w.Deployment.Namespace, running)
}

// podQuota is [Workload.PodQuota] for a workload of any kind.
func (o *limitObjects) podQuota(namespace string, running int) (allowed int, name string) {
	n, name := o.quota(namespace, []corev1.ResourceName{corev1.ResourcePods, "count/pods"}, int64(running))
	return int(n), name
}

// ResourceQuota returns the amount of a resource that a quota allows the Deployment, and the name
// of the tightest quota, or "". A resource may have several names. Taken is the amount that the
// pods of the Deployment use now. CPU is in thousandths.
func (w *Workload) ResourceQuota(names []corev1.ResourceName, taken int64) (allowed int64, name string) {
	return w.limits.quota(w.Deployment.Namespace, names, taken)
}

// quota is [Workload.ResourceQuota] for a workload of any kind.
func (o *limitObjects) quota(namespace string, names []corev1.ResourceName, taken int64) (allowed int64, name string) {
	value := func(q resource.Quantity) int64 {
		if strings.HasSuffix(string(names[0]), "cpu") {
			return q.MilliValue()
		}
		return q.Value()
	}
	allowed = math.MaxInt64 / 4
	for _, s := range o.quotas {
		q := s.object
		if !sameNamespace(q.Namespace, namespace) || len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil {
			continue
		}
		for _, resource := range names {
			hard, ok := q.Spec.Hard[resource]
			if !ok {
				continue
			}
			n := max(0, value(hard)-max(0, value(q.Status.Used[resource])-taken))
			if name == "" || n < allowed {
				allowed, name = n, q.Name
			}
		}
	}
	return allowed, name
}

// A Shortage is the number of pods that a quota has room for, because of one of its resources.
type Shortage struct {
	Quota, Resource string
	Pods            int
}

// Bites returns notes on the limits that a rollout within a budget runs into: quotas of pods, and
// of other resources if known; autoscalers; and disruption budgets, which rollouts ignore.
func (w *Workload) Bites(b rollout.Budget, running int, others ...Shortage) (notes []string) {
	namespace := w.Deployment.Namespace
	notes = append(w.limits.overQuota(namespace, b.MaxTotal(), running, others...), w.scaled.Notes...)
	for _, p := range w.limits.budgetsOf(namespace, w.Deployment.Spec.Template.Labels) {
		least := 0
		if v := p.Spec.MinAvailable; v != nil {
			least, _ = intstr.GetScaledValueFromIntOrPercent(v, int(b.Replicas), true)
		} else if v := p.Spec.MaxUnavailable; v != nil {
			n, _ := intstr.GetScaledValueFromIntOrPercent(v, int(b.Replicas), true)
			least = int(b.Replicas) - n
		}
		if least > int(b.MinAvailable()) {
			notes = append(notes, fmt.Sprintf(
				"PodDisruptionBudget %s wants %d available pods, and the rollout, which does not heed it, may leave %d: no pod can be evicted then",
				p.Name, least, b.MinAvailable()))
		}
	}
	return notes
}

// Bites returns notes on the quota that an update of the DaemonSet with at most so many pods runs
// into, and on the disruption budgets for its pods.
func (d *DaemonSet) Bites(most int32, running int) (notes []string) {
	notes = d.limits.overQuota(d.Object.Namespace, most, running)
	for _, p := range d.limits.budgetsOf(d.Object.Namespace, d.Object.Spec.Template.Labels) {
		notes = append(notes, fmt.Sprintf("PodDisruptionBudget %s is not looked at for DaemonSets, which do not heed it either: no pod may be evicted", p.Name))
	}
	return notes
}

// Bites returns notes on quotas that a release with at most so many pods runs into, while so many
// run.
func (r *Rollout) Bites(most int32, running int) []string {
	return r.limits.overQuota(r.Namespace, most, running)
}

// overQuota returns a note for each quota with shortages, of pods or of other resources, when so
// many pods run and up to most are wanted.
func (o *limitObjects) overQuota(namespace string, most int32, running int, list ...Shortage) (notes []string) {
	if n, name := o.podQuota(namespace, running); name != "" && int(most) > n {
		list = append([]Shortage{{name, "pods", n}}, list...)
	}
	told := map[string]bool{}
	for _, s := range list {
		if told[s.Quota] {
			continue
		}
		told[s.Quota] = true
		least, resources := s.Pods, []string{}
		for _, o := range list {
			if o.Quota == s.Quota {
				least, resources = min(least, o.Pods), append(resources, o.Resource)
			}
		}
		fail := "will fail"
		if s.Resource != "pods" { // pods of other templates may need less
			fail = "may fail"
		}
		notes = append(notes, fmt.Sprintf("creations %s: ResourceQuota %s leaves room for %s (%s), and up to %d are wanted",
			fail, s.Quota, numberOf(least, "pod"), strings.Join(resources, ", "), most))
	}
	return notes
}

// budgetsOf returns the disruption budgets that select the pods of a template.
func (o *limitObjects) budgetsOf(namespace string, template map[string]string) (list []*policyv1.PodDisruptionBudget) {
	for _, s := range o.budgets {
		selector, err := metav1.LabelSelectorAsSelector(s.object.Spec.Selector)
		if err == nil && sameNamespace(s.object.Namespace, namespace) && selector.Matches(labels.Set(template)) {
			list = append(list, s.object)
		}
	}
	return list
}

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
