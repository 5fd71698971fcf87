// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
)

// Node returns the snapshot of n. It shares the labels with n. Its rank is 0.
func Node(n *corev1.Node) (node daemonset.Node) {
	if n != nil {
		translateNode(n, &node, make([]daemonset.Taint, 0, len(n.Spec.Taints)))
	}
	return node
}

// translateNode writes the result of [Node] into node. Taints are appended to a list with
// enough capacity.
func translateNode(n *corev1.Node, node *daemonset.Node, taints []daemonset.Taint) []daemonset.Taint {
	node.Name, node.Labels = n.Name, n.Labels
	if len(n.Spec.Taints) == 0 {
		return taints
	}
	first := len(taints)
	for i := range n.Spec.Taints {
		t := &n.Spec.Taints[i]
		taints = append(taints, daemonset.Taint{Key: t.Key, Value: t.Value, Effect: daemonset.Effect(t.Effect)})
	}
	node.Taints = taints[first:len(taints):len(taints)]
	return taints
}

// DaemonSetPod returns the snapshot of p. It shares labels, annotations and finalizers
// with p.
//
// Containers are set only for a pod that may be updated in place: it has the readiness
// gate or an annotation of such an update. RuntimePlain and RuntimeEnv compare hashes
// that only the node agent of OpenKruise computes, and are left to the caller.
func DaemonSetPod(p *corev1.Pod) (pod daemonset.Pod) {
	if p != nil {
		translateDaemonPod(p, &pod)
	}
	return pod
}

// translateDaemonPod writes the result of [DaemonSetPod] into pod.
func translateDaemonPod(p *corev1.Pod, pod *daemonset.Pod) {
	translate(p, &pod.Pod)
	pod.Finalizers, pod.ReadinessGates, pod.InPlace = p.Finalizers, gates(p.Spec.ReadinessGates), inPlaceCondition(p)
	pod.PinnedNode = pinnedNode(p)
	if updatable(p) {
		pod.Containers = daemonContainers(p)
	}
}

// DaemonSetPods returns the pods of a namespace for daemonset.ReconcileFrom, which copies only pods
// that it looks at closely. It is [Pods] for DaemonSets.
func DaemonSetPods(namespace string, list []*corev1.Pod) daemonset.PodReader {
	return &daemonPodReader{namespace: namespace, list: list}
}

type daemonPodReader struct {
	namespace string
	list      []*corev1.Pod
	scratch   daemonset.Pod
}

// Len returns the length of the list.
func (r *daemonPodReader) Len() int { return len(r.list) }

// At returns the fields of [DaemonSetPod] that a plan needs of all pods.
func (r *daemonPodReader) At(i int) *daemonset.Pod {
	p := r.list[i]
	if p == nil || p.Namespace != r.namespace {
		return nil
	}
	pod := &r.scratch
	translateCounted(p, &pod.Pod)
	pod.Name, pod.UID, pod.Annotations = p.Name, string(p.UID), p.Annotations
	pod.ReadinessGates, pod.InPlace, pod.PinnedNode = gates(p.Spec.ReadinessGates), inPlaceCondition(p), pinnedNode(p)
	return pod
}

// Read returns [DaemonSetPod].
func (r *daemonPodReader) Read(i int) *daemonset.Pod {
	pod := DaemonSetPod(r.list[i])
	return &pod
}

// pinnedNode returns the node for which an unbound pod waits.
func pinnedNode(p *corev1.Pod) string {
	if p.Spec.NodeName != "" {
		return ""
	}
	// On an error the pod belongs to no node; the reason does not matter.
	name, _ := daemonset.TargetNode("", requiredNodes(p.Spec.Affinity))
	return name
}

func inPlaceCondition(p *corev1.Pod) *inplace.ReadyCondition {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == inplace.Gate {
			return &inplace.ReadyCondition{True: c.Status == corev1.ConditionTrue, Reason: c.Reason, Message: c.Message}
		}
	}
	return nil
}

// updatable reports whether p may be, or is being, updated in place.
func updatable(p *corev1.Pod) bool {
	for _, g := range p.Spec.ReadinessGates {
		if g.ConditionType == inplace.Gate {
			return true
		}
	}
	if len(p.Annotations) == 0 {
		return false
	}
	for _, name := range []string{inplace.AnnotationState, inplace.AnnotationGrace} {
		old := strings.TrimPrefix(name, "apps.kruise.io/")
		if p.Annotations[name] != "" || p.Annotations[old] != "" {
			return true
		}
	}
	return false
}

func daemonContainers(p *corev1.Pod) []inplace.Container {
	list := make([]inplace.Container, len(p.Spec.Containers))
	for i := range p.Spec.Containers {
		list[i] = daemonContainer(&p.Spec.Containers[i])
		for j := range p.Status.ContainerStatuses {
			if s := &p.Status.ContainerStatuses[j]; s.Name == list[i].Name {
				list[i].Status = &inplace.ContainerStatus{Image: s.Image, ImageID: s.ImageID, Ready: s.Ready}
				break
			}
		}
	}
	return list
}

// The environment variables that OpenKruise sets itself: the launch priority, and two
// to which references do not count.
const (
	envBarrier        = "KRUISE_CONTAINER_BARRIER"
	envSidecarVersion = "SIDECARSET_VERSION"
	envSidecarAlt     = "SIDECARSET_VERSION_ALT"
)

func daemonContainer(c *corev1.Container) inplace.Container {
	container := inplace.Container{Name: c.Name, Image: c.Image}
	for i := range c.Env {
		e := &c.Env[i]
		if e.ValueFrom == nil {
			continue
		}
		if ref := e.ValueFrom.ConfigMapKeyRef; ref != nil && e.Name == envBarrier {
			if n, err := strconv.ParseInt(strings.TrimPrefix(ref.Key, "p_"), 10, 32); err == nil {
				container.Priority = ptr.To(int32(n))
			}
		}
		ref := e.ValueFrom.FieldRef
		if ref == nil || e.Value != "" || e.Name == envSidecarVersion || e.Name == envSidecarAlt {
			continue
		}
		if key, ok := subscript(ref.FieldPath, "metadata.labels"); ok {
			container.Labels = append(container.Labels, key)
		} else if key, ok := subscript(ref.FieldPath, "metadata.annotations"); ok {
			container.Annotations = append(container.Annotations, key)
		}
	}
	return container
}

// subscript returns the K of a path such as metadata.labels['K'].
func subscript(path, of string) (string, bool) {
	rest, ok := strings.CutPrefix(path, of+"['")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, "']")
}

func gates(list []corev1.PodReadinessGate) []string {
	if len(list) == 0 {
		return nil
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = string(list[i].ConditionType)
	}
	return names
}

// requiredNodes returns the required node affinity. It shares the values with a.
func requiredNodes(a *corev1.Affinity) *selector.NodeSelector {
	if a == nil || a.NodeAffinity == nil {
		return nil
	}
	return NodeSelector(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
}

// Domains returns the failure domain of each node: the value of the label with this
// key, such as topology.kubernetes.io/zone. Nodes without the label share one domain.
func Domains(nodes []*corev1.Node, label string) podorder.Domains {
	domains := make(podorder.Domains, len(nodes))
	for _, n := range nodes {
		if n != nil {
			domains[n.Name] = n.Labels[label]
		}
	}
	return domains
}
