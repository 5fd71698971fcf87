// SPDX-License-Identifier: Apache-2.0

package kube

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// Snapshot returns the input of deploy.Reconcile. Objects of other namespaces and nil
// elements are left out, so the lists may come from a cache. The error is the one of
// [Deployment].
//
// The hash of the Deployment's template takes longer than all the rest. It is computed
// only if a ReplicaSet may have to be created. If a ReplicaSet of the Deployment has
// the template, the hash is its label.
func Snapshot(d *appsv1.Deployment, replicaSets []*appsv1.ReplicaSet, pods []*corev1.Pod) (deploy.Snapshot, error) {
	d = convert.Or(d)
	deployment, err := deploymentWithoutTemplate(d)
	if err != nil {
		return deploy.Snapshot{}, err
	}
	s := deploy.Snapshot{Deployment: deployment, Pods: podsOf(d.Namespace, pods, translate)}
	if len(replicaSets) > 0 {
		s.ReplicaSets = make([]replicaset.ReplicaSet, 0, len(replicaSets))
	}
	var id identifier
	s.Deployment.Template.ID = id.templateID(&d.Spec.Template)
	for _, rs := range replicaSets {
		if rs != nil && rs.Namespace == d.Namespace {
			s.ReplicaSets = append(s.ReplicaSets, replicaset.ReplicaSet{})
			r := &s.ReplicaSets[len(s.ReplicaSets)-1]
			describe(rs, r)
			r.Template = id.templateOf(rs)
		}
	}
	if hash, ok := hashOfNewest(&s); ok {
		s.Deployment.Template.Hash = hash
	} else {
		s.Deployment.Template.Hash = templateHash(&d.Spec.Template, d.Status.CollisionCount)
	}
	return s, nil
}

// hashOfNewest returns the hash of a ReplicaSet that has the Deployment's template and
// is certain to keep it.
func hashOfNewest(s *deploy.Snapshot) (hash string, ok bool) {
	d := &s.Deployment
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		if rs.ControllerUID != d.UID || !rs.Template.Same(d.Template) || !rs.DeletionTimestamp.IsZero() || rs.Template.Hash == "" {
			continue
		}
		if d.Selector == nil || selects(d.Selector, rs.Labels) {
			return rs.Template.Hash, true
		}
	}
	return "", false
}

// selects reports whether a valid selector matches labels. Selectors without expressions are
// matched without compiling them.
func selects(s *selector.LabelSelector, labels map[string]string) bool {
	if len(s.MatchExpressions) > 0 {
		compiled, err := selector.FromLabelSelector(s)
		return err == nil && compiled.Matches(labels)
	}
	for key, value := range s.MatchLabels {
		if got, ok := labels[key]; !ok || got != value {
			return false
		}
	}
	return true
}

// ReplicaSetSnapshot returns the input of replicaset.Reconcile. Objects of other
// namespaces, nil elements, and rs among its own siblings are left out. Templates
// have no ID in it, because that planner reads none.
func ReplicaSetSnapshot(rs *appsv1.ReplicaSet, pods []*corev1.Pod, siblings []*appsv1.ReplicaSet) (s replicaset.Snapshot) {
	rs = convert.Or(rs)
	describe(rs, &s.ReplicaSet)
	s.Pods = podsOf(rs.Namespace, pods, translate)
	for _, sibling := range siblings {
		if sibling != nil && sibling.Namespace == rs.Namespace && sibling.Name != rs.Name {
			s.Siblings = append(s.Siblings, replicaset.ReplicaSet{})
			describe(sibling, &s.Siblings[len(s.Siblings)-1])
		}
	}
	return s
}

// podsOf converts the pods of a namespace.
func podsOf[T any](namespace string, pods []*corev1.Pod, translate func(*corev1.Pod, *T)) []T {
	list, n := make([]T, len(pods)), 0
	for _, p := range pods {
		if p != nil && p.Namespace == namespace {
			translate(p, &list[n])
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return list[:n]
}
