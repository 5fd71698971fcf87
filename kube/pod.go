// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// Pod returns the snapshot of p. It shares the labels and the annotations with p.
// ReadySince is unset for a pod that is not ready.
func Pod(p *corev1.Pod) (pod podorder.Pod) {
	if p != nil {
		translate(p, &pod)
	}
	return pod
}

// translate writes the result of [Pod] into pod: a snapshot has many pods, and each is large.
func translate(p *corev1.Pod, pod *podorder.Pod) {
	pod.Name, pod.UID, pod.ResourceVersion = p.Name, string(p.UID), p.ResourceVersion
	pod.Labels, pod.Annotations = p.Labels, p.Annotations
	pod.ControllerKind, pod.ControllerName, pod.ControllerUID = controllerOf(p)
	pod.CreationTimestamp, pod.DeletionTimestamp = p.CreationTimestamp.UTC(), convert.TimeOrZero(p.DeletionTimestamp)
	pod.NodeName, pod.Phase = p.Spec.NodeName, podorder.Phase(p.Status.Phase)
	if c := readyCondition(p); c != nil && c.Status == corev1.ConditionTrue {
		pod.Ready, pod.ReadySince = true, c.LastTransitionTime.UTC()
	}
	pod.Restarts, pod.SidecarRestarts = restarts(p)
}

// Pods returns the pods of a namespace for replicaset.ReconcileFrom, which copies only pods
// that it acts on. Nil elements and pods of other namespaces are left out, so the list may come
// from a cache. The result reads the list when a plan is made; use it for one plan at a time.
func Pods(namespace string, list []*corev1.Pod) replicaset.PodReader {
	return &podReader{namespace: namespace, list: list}
}

type podReader struct {
	namespace string
	list      []*corev1.Pod
	scratch   podorder.Pod
}

// Len returns the length of the list.
func (r *podReader) Len() int { return len(r.list) }

// At returns the fields of [translate] that are read to count pods.
func (r *podReader) At(i int) *podorder.Pod {
	p := r.list[i]
	if p == nil || p.Namespace != r.namespace {
		return nil
	}
	translateCounted(p, &r.scratch)
	return &r.scratch
}

// translateCounted writes the fields of [translate] that are read to count pods.
func translateCounted(p *corev1.Pod, pod *podorder.Pod) {
	pod.Labels = p.Labels
	pod.ControllerKind, pod.ControllerName, pod.ControllerUID = controllerOf(p)
	pod.DeletionTimestamp, pod.ReadySince = time.Time{}, time.Time{}
	if p.DeletionTimestamp != nil {
		pod.DeletionTimestamp = p.DeletionTimestamp.Time
	}
	pod.NodeName, pod.Phase, pod.Ready = p.Spec.NodeName, podorder.Phase(p.Status.Phase), false
	if c := readyCondition(p); c != nil && c.Status == corev1.ConditionTrue {
		pod.Ready, pod.ReadySince = true, c.LastTransitionTime.Time
	}
}

// Read writes pod i with [translate].
func (r *podReader) Read(i int, pod *podorder.Pod) { translate(r.list[i], pod) }

// controllerOf is [convert.Controller] without an interface.
func controllerOf(p *corev1.Pod) (kind, name, uid string) {
	for i := range p.OwnerReferences {
		if o := &p.OwnerReferences[i]; o.Controller != nil && *o.Controller {
			return o.Kind, o.Name, string(o.UID)
		}
	}
	return "", "", ""
}

// readyCondition returns the first condition of type Ready, or nil.
func readyCondition(p *corev1.Pod) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == corev1.PodReady {
			return c
		}
	}
	return nil
}

// restarts returns the highest restart count of the containers, and of the init
// containers that restart always. Other init containers do not count.
func restarts(p *corev1.Pod) (regular, sidecar int32) {
	for i := range p.Status.ContainerStatuses {
		regular = max(regular, p.Status.ContainerStatuses[i].RestartCount)
	}
	for i := range p.Status.InitContainerStatuses {
		if s := &p.Status.InitContainerStatuses[i]; isSidecar(p, s.Name) {
			sidecar = max(sidecar, s.RestartCount)
		}
	}
	return regular, sidecar
}

func isSidecar(p *corev1.Pod, name string) bool {
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		if c.Name == name && c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			return true
		}
	}
	return false
}

// NewPod returns a pod of rs for a CreatePods action, with rs as its controller. The API
// server completes its name. It shares nothing with rs.
//
// It mirrors GetPodFromTemplate of the controller package of Kubernetes, and sets the
// namespace, which upstream gives to the API call.
func NewPod(rs *appsv1.ReplicaSet) *corev1.Pod {
	rs = convert.Or(rs)
	template := &rs.Spec.Template
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName:    namePrefix(rs.Name),
			Namespace:       rs.Namespace,
			Labels:          maps.Clone(template.Labels),
			Annotations:     maps.Clone(template.Annotations),
			Finalizers:      slices.Clone(template.Finalizers),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(rs, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))},
		},
		Spec: *template.Spec.DeepCopy(),
	}
}

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
