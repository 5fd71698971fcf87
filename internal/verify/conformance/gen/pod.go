// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Namespace is where all objects live.
const Namespace = "ns"

// owner returns the reference of a controlling owner.
func owner(kind, name, uid string) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID(uid), Controller: new(true), BlockOwnerDeletion: new(true),
	}
}

// Pod draws the i-th pod of a namespace, without labels and owner: 70 % Running, the rest in any
// phase, also empty or ended; 8 % being deleted; on one of three nodes or none; 70 % ready; 25 %
// with a deletion cost; some with restarts and sidecars. Names are in order, UIDs are not.
func Pod(t random.Source, now time.Time, i int) *corev1.Pod {
	n := strconv.Itoa(i)
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: Namespace, Name: "p" + n, ResourceVersion: "1",
		UID:               types.UID("u" + strconv.Itoa(random.Below(t, "uid", 100)) + "-" + n),
		CreationTimestamp: Time(t, now, "created"),
	}}
	p.Spec.NodeName = random.OneOf(t, "node", "n1", "n1", "n2", "n3", "")
	p.Status.Phase = random.OneOf(t, "phase", corev1.PodRunning, corev1.PodRunning, corev1.PodRunning, corev1.PodRunning, corev1.PodRunning,
		corev1.PodRunning, corev1.PodRunning, corev1.PodRunning, corev1.PodPending, corev1.PodPending,
		corev1.PodUnknown, corev1.PodFailed, corev1.PodSucceeded, "")
	if random.Percent(t, "deleting", 8) {
		p.DeletionTimestamp = new(metav1.NewTime(now))
	}
	p.Status.Conditions = readiness(t, now)
	if random.Percent(t, "cost", 25) {
		p.Annotations = map[string]string{"controller.kubernetes.io/pod-deletion-cost": random.Cost(t)}
	}
	if random.Percent(t, "restarts", 25) {
		restarts(t, p)
	}
	return p
}

// readiness draws conditions: 70 % ready, 20 % not, and a few without a Ready condition, with two
// of them, or after another condition.
func readiness(t random.Source, now time.Time) []corev1.PodCondition {
	ready := func(s corev1.ConditionStatus) corev1.PodCondition {
		return corev1.PodCondition{Type: corev1.PodReady, Status: s, LastTransitionTime: Time(t, now, "ready since")}
	}
	scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}
	switch random.Weighted(t, "readiness", 64, 16, 5, 5, 5, 5) {
	case 0:
		return []corev1.PodCondition{ready(corev1.ConditionTrue)}
	case 1:
		return []corev1.PodCondition{ready(corev1.ConditionFalse)}
	case 2:
		return nil
	case 3:
		return []corev1.PodCondition{ready(corev1.ConditionTrue), ready(corev1.ConditionFalse)}
	case 4:
		return []corev1.PodCondition{ready(corev1.ConditionUnknown), ready(corev1.ConditionTrue)}
	}
	return []corev1.PodCondition{scheduled, ready(corev1.ConditionTrue)}
}

// restarts adds containers with restart counts: one or two ordinary ones, and at
// times an init container with or without the restart policy of a sidecar.
func restarts(t random.Source, p *corev1.Pod) {
	status := func(name, label string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, RestartCount: int32(random.Below(t, label, 4))}
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{status("a", "restarts a")}
	if random.OneIn(t, "second container", 2) {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, status("b", "restarts b"))
	}
	if random.OneIn(t, "init container", 2) {
		init := corev1.Container{Name: "init"}
		if random.OneIn(t, "sidecar", 2) {
			init.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		}
		p.Spec.InitContainers = []corev1.Container{init}
		p.Status.InitContainerStatuses = []corev1.ContainerStatus{status("init", "restarts init")}
	}
}

// Pods draws 0 to most-1 pods. In a third of the lists all pods are healthy, so that times,
// restarts and UIDs decide.
func Pods(t random.Source, now time.Time, most int) []*corev1.Pod {
	pods := make([]*corev1.Pod, random.Below(t, "pods", most))
	alike := random.OneIn(t, "alike", 3)
	for i := range pods {
		pods[i] = Pod(t, now, i)
		if alike {
			makeHealthy(pods[i])
		}
	}
	return pods
}

func makeHealthy(p *corev1.Pod) {
	p.Annotations, p.DeletionTimestamp = nil, nil
	p.Spec.NodeName, p.Status.Phase = "n1", corev1.PodRunning
	for i := range p.Status.Conditions {
		p.Status.Conditions[i].Status = corev1.ConditionTrue
	}
}

// Twin draws the i-th pod as a copy of another pod with up to three fields changed. UID and name
// always differ.
func Twin(t random.Source, now time.Time, of *corev1.Pod, i int) *corev1.Pod {
	other := Pod(t, now, i)
	p := of.DeepCopy()
	p.Name, p.UID = other.Name, other.UID
	for range random.Below(t, "changes", 4) {
		switch random.Below(t, "change", 7) {
		case 0:
			p.CreationTimestamp = other.CreationTimestamp
		case 1:
			for k := range p.Status.Conditions {
				p.Status.Conditions[k].LastTransitionTime = Time(t, now, "ready since")
			}
		case 2:
			p.Status.ContainerStatuses, p.Status.InitContainerStatuses = nil, nil
			p.Spec.InitContainers = nil
			restarts(t, p)
		case 3:
			p.Annotations = other.Annotations
		case 4:
			p.Spec.NodeName = other.Spec.NodeName
		case 5:
			p.Status.Phase = other.Status.Phase
		case 6:
			p.Status.Conditions = other.Status.Conditions
		}
	}
	return p
}
