// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"math"
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

// withoutEmptySelector converts a disruption budget from v1beta1 to v1. An empty selector selects
// no pod in v1beta1, and all pods of the namespace in v1.
func withoutEmptySelector(p *policyv1.PodDisruptionBudget) *policyv1.PodDisruptionBudget {
	if s := p.Spec.Selector; s != nil && len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		p.Spec.Selector = nil
	}
	return p
}
