// SPDX-License-Identifier: Apache-2.0

package kube

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A worldReader reads objects into a snapshot.
type worldReader struct {
	s         cluster.Snapshot
	own       map[string]string                       // templates by the UID of the owner of pods; "" for a DaemonSet
	sets      map[string]string                       // prefix of the names of revisions, by the UID of their set
	revisions map[string][]*appsv1.ControllerRevision // by the UID of their owner
	foreign   []*corev1.Pod                           // pods without an owner in the input
	seen      []seenPod                               // of all other pods
	waiting   []seenPod                               // that were seen without room
	claims    map[string][]corev1.PersistentVolumeAccessMode
	ranges    map[string][]*corev1.LimitRange // by namespace
	resources []corev1.ResourceName           // that room is counted in
	unseen    map[string]bool                 // see templateReader
}

func worldName(o metav1.Object) string { return qualified(o.GetNamespace(), o.GetName()) }

func qualified(namespace, name string) string {
	if namespace == "" || name == "" {
		return name
	}
	return namespace + "/" + name
}

// A seenPod is a pod with its workload in the input.
type seenPod struct {
	*corev1.Pod
	name, template string
}

// owner returns the UID of the pod's controller.
func (p seenPod) owner() string {
	if owner := metav1.GetControllerOfNoCopy(p.Pod); owner != nil {
		return string(owner.UID)
	}
	return ""
}

// changeTemplate changes a template in the world.
func (w *worldReader) changeTemplate(id string, f func(*cluster.Template)) {
	t := w.s.Templates[id]
	f(&t)
	w.s.Templates[id] = t
}
