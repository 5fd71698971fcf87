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

// podQuota returns the number of pods that a quota allows a workload of a namespace, which runs so
// many now, and the name of the tightest quota, or "".
func (o *limitObjects) podQuota(namespace string, running int) (allowed int, name string) {
	for _, s := range o.quotas {
		q := s.object
		if !sameNamespace(q.Namespace, namespace) || len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil {
			continue
		}
		for _, resource := range []corev1.ResourceName{corev1.ResourcePods, "count/pods"} {
			hard, ok := q.Spec.Hard[resource]
			if !ok {
				continue
			}
			used := q.Status.Used[resource]
			n := max(0, int(hard.Value())-max(0, int(used.Value())-running))
			if name == "" || n < allowed {
				allowed, name = n, q.Name
			}
		}
	}
	return allowed, name
}

// ResourceQuota returns the amount of a resource that a quota allows the Deployment, and the name
// of the tightest quota, or "". A resource may have several names. Taken is the amount that the
// pods of the Deployment use now. CPU is in thousandths.
func (w *Workload) ResourceQuota(names []corev1.ResourceName, taken int64) (allowed int64, name string) {
	value := func(q resource.Quantity, ok bool) int64 {
		switch {
		case !ok:
			return 0
		case strings.HasSuffix(string(names[0]), "cpu"):
			return q.MilliValue()
		}
		return q.Value()
	}
	allowed = math.MaxInt64 / 4
	for _, s := range w.limits.quotas {
		q := s.object
		if !sameNamespace(q.Namespace, w.Deployment.Namespace) || len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil {
			continue
		}
		for _, resource := range names {
			hard, ok := q.Spec.Hard[resource]
			if !ok {
				continue
			}
			used, known := q.Status.Used[resource]
			n := max(0, value(hard, true)-max(0, value(used, known)-taken))
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
	if n, name := w.PodQuota(running); name != "" && int(b.MaxTotal()) > n {
		others = append([]Shortage{{name, "pods", n}}, others...)
	}
	notes = append(fails(others, b.MaxTotal()), w.scaled.Notes...)
	for _, s := range w.limits.budgets {
		p := s.object
		selector, err := metav1.LabelSelectorAsSelector(p.Spec.Selector)
		if err != nil || !sameNamespace(p.Namespace, w.Deployment.Namespace) || !selector.Matches(labels.Set(w.Deployment.Spec.Template.Labels)) {
			continue
		}
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
	if n, name := d.limits.podQuota(d.Object.Namespace, running); name != "" && int(most) > n {
		notes = fails([]Shortage{{name, "pods", n}}, most)
	}
	return append(notes, d.limits.unheededBudgets(d.Object.Namespace, "DaemonSets", d.Object.Spec.Template.Labels)...)
}

// Bites returns notes on quotas that a release with at most so many pods runs into, while so many
// run.
func (r *Rollout) Bites(most int32, running int) []string {
	if n, name := r.limits.podQuota(r.Namespace, running); name != "" && int(most) > n {
		return fails([]Shortage{{name, "pods", n}}, most)
	}
	return nil
}

// fails returns a note for each quota with shortages when up to most pods are wanted.
func fails(list []Shortage, most int32) (notes []string) {
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

// unheededBudgets returns a note on each disruption budget that selects the pods of a template.
func (o *limitObjects) unheededBudgets(namespace, kind string, template map[string]string) (notes []string) {
	for _, s := range o.budgets {
		selector, err := metav1.LabelSelectorAsSelector(s.object.Spec.Selector)
		if err == nil && sameNamespace(s.object.Namespace, namespace) && selector.Matches(labels.Set(template)) {
			notes = append(notes, fmt.Sprintf("PodDisruptionBudget %s is not looked at for %s, which do not heed it either: no pod may be evicted", s.object.Name, kind))
		}
	}
	return notes
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
