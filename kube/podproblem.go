// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// notScheduled is the reason of a pod without a condition from the scheduler.
const notScheduled = "NotScheduled"

// starting are the reasons of pods that are still starting.
var starting = []string{"ContainerCreating", "PodInitializing", "ContainersNotReady", "NotReady", notScheduled, "ReadinessGatesNotReady"}

// problemOf returns the reason why a pod that has not finished is not ready, and the scheduler's
// message.
func problemOf(p *corev1.Pod) (reason, message string) {
	for i := range p.Status.InitContainerStatuses {
		if reason := containerProblem(&p.Status.InitContainerStatuses[i]); reason != "" {
			return "Init:" + reason, ""
		}
	}
	for i := range p.Status.ContainerStatuses {
		if reason := containerProblem(&p.Status.ContainerStatuses[i]); reason != "" {
			return reason, ""
		}
	}
	return conditionProblem(p)
}

// containerProblem returns the reason why a container does not run, "" if it runs, has
// succeeded, or only waits for other containers.
func containerProblem(s *corev1.ContainerStatus) string {
	switch w, t := s.State.Waiting, s.State.Terminated; {
	case w != nil && w.Reason != "PodInitializing" && w.Reason != "ContainerCreating":
		return w.Reason
	case t != nil && t.ExitCode != 0:
		return cmp.Or(t.Reason, "Error")
	}
	return ""
}

func conditionProblem(p *corev1.Pod) (reason, message string) {
	for i := range p.Status.Conditions {
		switch c := &p.Status.Conditions[i]; {
		case c.Status == corev1.ConditionTrue:
		case c.Type == corev1.PodScheduled:
			return cmp.Or(c.Reason, notScheduled), c.Message
		case c.Type == corev1.PodReady:
			reason = c.Reason
		}
	}
	for i := range p.Status.ContainerStatuses {
		if w := p.Status.ContainerStatuses[i].State.Waiting; w != nil && w.Reason != "" {
			return w.Reason, ""
		}
	}
	if p.Spec.NodeName == "" {
		return notScheduled, ""
	}
	return cmp.Or(reason, "NotReady"), ""
}

// crashOf returns the reason of the last failure of a container that is not ready now, "" if no
// container failed: the pod may have been seen between two crashes.
func crashOf(p *corev1.Pod) string {
	for _, list := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
		for i := range list {
			if t := list[i].LastTerminationState.Terminated; t != nil && t.ExitCode != 0 && !list[i].Ready {
				return cmp.Or(t.Reason, "Error")
			}
		}
	}
	return ""
}

// unreadySince returns the time since which a pod is not ready.
func unreadySince(p *corev1.Pod) time.Time {
	since := p.CreationTimestamp.Time
	if c := readyCondition(p); c != nil && c.LastTransitionTime.After(since) {
		since = c.LastTransitionTime.Time
	}
	return since
}

// Parts of the scheduler's message: about nodes that other pods occupy, and about nodes that do
// not fit themselves. A simulated cluster checks all of these.
var (
	saidOfPods  = []string{"Insufficient ", "Too many pods", "didn't have free ports", "anti-affinity rules", "pod affinity rules", "topology spread constraints", "ReadWriteOncePod"}
	saidOfNodes = []string{"untolerated taint", "were unschedulable", "node affinity/selector"}
)

// waitsForRoom reports whether a simulated cluster finds by itself why a pod has no node. It
// can check the nodes themselves only if the input has nodes.
func waitsForRoom(reason, message string, nodes bool) bool {
	said := func(text string) bool { return strings.Contains(message, text) }
	switch {
	case reason != corev1.PodReasonUnschedulable:
		return false
	case message == "" || slices.ContainsFunc(saidOfPods, said):
		return true
	}
	return nodes && slices.ContainsFunc(saidOfNodes, said)
}
