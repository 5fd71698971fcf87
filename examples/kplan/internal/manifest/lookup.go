// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/kube"
)

// named returns the object with a name in a namespace, or nil.
func named[T any](list []source[T], namespace, name string) *T {
	for _, source := range list {
		if o, ok := any(source.object).(metav1.Object); ok && o.GetNamespace() == namespace && o.GetName() == name {
			return source.object
		}
	}
	return nil
}

func (l *loader) podsOf(namespace string) []*corev1.Pod { return objectsOf(l.pods, namespace) }

// setsOf returns the ReplicaSets that a workload controls.
func (l *loader) setsOf(o metav1.Object) (list []*appsv1.ReplicaSet) {
	for _, source := range l.replicaSets {
		if h := source.object; h.controlled && h.controller == o.GetUID() && h.namespace == o.GetNamespace() {
			list = append(list, h.open())
		}
	}
	return list
}

// deployment returns the Deployment with a name in a namespace, or nil.
func (l *loader) deployment(namespace, name string) *appsv1.Deployment {
	for _, source := range l.deployments {
		if h := source.object; h.namespace == namespace && h.name == name {
			return h.open()
		}
	}
	return nil
}

func (l *loader) daemonSet(namespace, name string, advanced bool) *DaemonSet {
	for _, source := range l.daemonSets {
		if d := source.object; d.Object.Namespace == namespace && d.Object.Name == name && (d.Advanced != nil) == advanced {
			return d
		}
	}
	return nil
}

func (l *loader) revisionsOf(namespace string) []*appsv1.ControllerRevision {
	return objectsOf(l.revisions, namespace)
}

func objectsOf[T any](list []source[T], namespace string) []*T {
	var objects []*T
	for _, source := range list {
		if o, ok := any(source.object).(metav1.Object); ok && o.GetNamespace() == namespace {
			objects = append(objects, source.object)
		}
	}
	return objects
}

// ownedBy returns the pods that a workload or one of its ReplicaSets controls.
func ownedBy(o metav1.Object, sets []*appsv1.ReplicaSet, pods []*corev1.Pod) []*corev1.Pod {
	owners := map[string]bool{string(o.GetUID()): true}
	for _, rs := range sets {
		if owner := metav1.GetControllerOfNoCopy(rs); owner != nil && owner.UID == o.GetUID() {
			owners[string(rs.UID)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool {
		owner := metav1.GetControllerOfNoCopy(p)
		return owner == nil || !owners[string(owner.UID)]
	})
}

// namespaces returns the pods and ReplicaSets by namespace. It sorts them once. Every namespace of
// a Deployment has an entry.
func (l *loader) namespaces() map[string]*namespace {
	if l.byNamespace == nil {
		l.byNamespace = l.sortByNamespace()
	}
	return l.byNamespace
}

func (l *loader) sortByNamespace() map[string]*namespace {
	all := map[string]*namespace{}
	of := func(name string) *namespace {
		if all[name] == nil {
			all[name] = &namespace{families: map[types.UID][]*heldSet{}, owned: map[string]int{}}
		}
		return all[name]
	}
	for _, d := range l.deployments {
		of(d.object.namespace)
	}
	for _, rs := range slices.Concat(l.replicaSets, l.controllers) {
		families, controller := of(rs.object.namespace).families, rs.object.controller
		families[controller] = append(families[controller], rs.object)
	}
	for _, p := range l.pods {
		n, pod := of(p.object.Namespace), kube.Pod(p.object)
		n.pods = append(n.pods, pod)
		n.owned[pod.ControllerUID]++
	}
	return all
}

// beside adds objects of another source of the same cluster: nodes with other names, pods, which
// take room on nodes, and limits.
func (l *loader) beside(other *surroundings) {
	for _, n := range other.given {
		if !slices.ContainsFunc(l.nodes, func(o source[corev1.Node]) bool { return o.object.Name == n.Name }) {
			l.nodes = append(l.nodes, source[corev1.Node]{n, ""})
		}
	}
	l.elsewhere = other.pods
	l.limitObjects.beside(other.limits)
}

// around returns the surroundings of all workloads, without made nodes.
func (l *loader) around() *surroundings {
	s := &surroundings{limits: l.limitObjects}
	for _, n := range l.nodes {
		s.given = append(s.given, n.object)
	}
	for _, p := range l.pods {
		s.pods = append(s.pods, p.object)
	}
	s.pods = append(s.pods, l.elsewhere...)
	return s
}
