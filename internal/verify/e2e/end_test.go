// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/examples/controller/controllers"
	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// An end is the final state of a script, without values that differ between any two runs: names
// that the API server completes, UIDs, versions and times. Each text describes one object.
type end struct {
	Deployments, ReplicaSets, DaemonSets, Revisions []string
	Pods                                            map[string]int // how many there are of each
}

func (e *env) end() end {
	s := e.state
	result := end{Pods: map[string]int{}}
	for _, name := range slices.Sorted(maps.Keys(s.Deployments)) {
		result.Deployments = append(result.Deployments, e.deployment(s.Deployments[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(s.ReplicaSets)) {
		result.ReplicaSets = append(result.ReplicaSets, e.replicaSet(s.ReplicaSets[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(s.DaemonSets)) {
		result.DaemonSets = append(result.DaemonSets, e.text(s.DaemonSets[name].ObjectMeta, s.DaemonSets[name].Spec, s.DaemonSets[name].Status))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Revisions)) {
		r := s.Revisions[name]
		result.Revisions = append(result.Revisions, e.text(r.ObjectMeta, string(r.Data.Raw), r.Revision))
	}
	for _, p := range s.Pods {
		result.Pods[e.pod(p)]++
	}
	return result
}

// deployment leaves out names in messages: a condition that keeps its reason keeps its message, so
// timing decides which rollout it is about.
func (e *env) deployment(d *appsv1.Deployment) string {
	d = d.DeepCopy()
	d.Status.Conditions = slices.DeleteFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool { return c.Type == controllers.ConditionGrowth })
	slices.SortFunc(d.Status.Conditions, func(a, b appsv1.DeploymentCondition) int { return strings.Compare(string(a.Type), string(b.Type)) })
	for i := range d.Status.Conditions {
		d.Status.Conditions[i].LastUpdateTime, d.Status.Conditions[i].LastTransitionTime = metav1.Time{}, metav1.Time{}
		d.Status.Conditions[i].Message, _, _ = strings.Cut(d.Status.Conditions[i].Message, `"`)
	}
	return e.text(d.ObjectMeta, d.Spec, d.Status)
}

// replicaSet leaves out the generation, which is how often the size has changed.
func (e *env) replicaSet(rs *appsv1.ReplicaSet) string {
	rs = rs.DeepCopy()
	rs.Generation, rs.Status.ObservedGeneration = 0, rs.Generation-rs.Status.ObservedGeneration
	for i := range rs.Status.Conditions {
		rs.Status.Conditions[i].LastTransitionTime = metav1.Time{}
		rs.Status.Conditions[i].Message, _, _ = strings.Cut(rs.Status.Conditions[i].Message, `"`) // it names a pod
	}
	return e.text(rs.ObjectMeta, rs.Spec, rs.Status)
}

func (e *env) pod(p *corev1.Pod) string {
	p = p.DeepCopy()
	p.Name, p.Generation = "", 0
	if pinned(p) == "" || e.anyNode {
		p.Spec.NodeName = ""
	}
	if e.anyNode {
		p.Spec.Affinity = nil
	}
	return e.text(p.ObjectMeta, p.Spec, fmt.Sprintf("%s ready=%t deleted=%t", p.Status.Phase, ready(p), p.DeletionTimestamp != nil))
}

// text describes an object in one line of JSON, without values that differ between any two runs.
func (e *env) text(m metav1.ObjectMeta, parts ...any) string {
	kept := metav1.ObjectMeta{Name: m.Name, GenerateName: m.GenerateName, Generation: m.Generation, Labels: m.Labels, Annotations: m.Annotations, Finalizers: m.Finalizers}
	for _, o := range m.OwnerReferences {
		o.UID = ""
		kept.OwnerReferences = append(kept.OwnerReferences, o)
	}
	data, err := json.Marshal(append([]any{kept}, parts...))
	if err != nil {
		e.Fatal(err)
	}
	return strings.ReplaceAll(string(data), e.namespace, "NAMESPACE")
}

func ready(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// pinned returns the node that a pod is pinned to, like pods of a DaemonSet.
func pinned(p *corev1.Pod) string {
	a := p.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	for _, t := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		for _, f := range t.MatchFields {
			return f.Values[0]
		}
	}
	return ""
}

// sizes returns the sizes that each ReplicaSet has been given, in order, by its place in
// the order of creation.
func sizes(e *env) any {
	var names []string
	steps := map[string][]int32{}
	for _, c := range e.history {
		rs, ok := c.Object.(*appsv1.ReplicaSet)
		if !ok {
			continue
		}
		if steps[c.Name] == nil {
			names = append(names, c.Name)
		}
		if s := steps[c.Name]; len(s) == 0 || s[len(s)-1] != *rs.Spec.Replicas {
			steps[c.Name] = append(s, *rs.Spec.Replicas)
		}
	}
	var all [][]int32
	for _, name := range names {
		all = append(all, steps[name])
	}
	return all
}

// owner returns the controller of an object, or "".
func owner(o metav1.Object) string {
	if ref := metav1.GetControllerOfNoCopy(o); ref != nil {
		return ref.Name
	}
	return ""
}

func ownerUID(o metav1.Object) types.UID {
	if ref := metav1.GetControllerOfNoCopy(o); ref != nil {
		return ref.UID
	}
	return ""
}

// active reports whether a pod counts: it has neither ended nor is it being deleted.
func active(p *corev1.Pod) bool {
	return p.DeletionTimestamp == nil && p.Status.Phase != corev1.PodFailed && p.Status.Phase != corev1.PodSucceeded
}

// podsOf returns the pods that a predicate selects.
func podsOf(s *cluster.State, keep func(*corev1.Pod) bool) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, p := range s.Pods {
		if keep(p) {
			pods = append(pods, p)
		}
	}
	return pods
}
