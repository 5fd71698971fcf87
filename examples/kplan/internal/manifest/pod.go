// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// A Problem is the reason why a pod does not serve, as far as its status shows it.
type Problem struct {
	Reason  string // such as ImagePullBackOff
	Message string // from the status, or ""
}

// ProblemOf returns the problem of a pod that is not ready or is being deleted.
func ProblemOf(p *corev1.Pod) Problem {
	switch {
	case p.DeletionTimestamp != nil:
		return Problem{Reason: "Terminating"}
	case p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded:
		return Problem{Reason: cmp.Or(p.Status.Reason, string(p.Status.Phase)), Message: p.Status.Message}
	}
	for _, s := range p.Status.InitContainerStatuses {
		if problem, ok := problemOfContainer(&s); ok {
			problem.Reason = "Init:" + problem.Reason
			return problem
		}
	}
	for _, s := range p.Status.ContainerStatuses {
		if problem, ok := problemOfContainer(&s); ok {
			return problem
		}
	}
	return problemOfConditions(p)
}

// problemOfContainer returns the reason why a container does not run, and false if it runs, has
// succeeded or only waits for others.
func problemOfContainer(s *corev1.ContainerStatus) (Problem, bool) {
	switch w, t := s.State.Waiting, s.State.Terminated; {
	case w != nil && w.Reason != "" && w.Reason != "PodInitializing" && w.Reason != "ContainerCreating":
		return Problem{Reason: w.Reason, Message: w.Message}, true
	case t != nil && t.ExitCode != 0:
		return Problem{Reason: cmp.Or(t.Reason, "Error"), Message: fmt.Sprintf("container %s exited with code %d", s.Name, t.ExitCode)}, true
	}
	return Problem{}, false
}

// CrashOf returns the reason why a container of a pod that is not ready failed before, or "". It
// finds crashes of a pod that is between two of them now.
func CrashOf(p *corev1.Pod) string {
	for _, list := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
		for i := range list {
			if t := list[i].LastTerminationState.Terminated; t != nil && t.ExitCode != 0 && !list[i].Ready {
				return cmp.Or(t.Reason, "Error")
			}
		}
	}
	return ""
}

func problemOfConditions(p *corev1.Pod) Problem {
	var ready Problem
	for _, c := range p.Status.Conditions {
		switch {
		case c.Status == corev1.ConditionTrue:
		case c.Type == corev1.PodScheduled:
			return Problem{Reason: cmp.Or(c.Reason, "NotScheduled"), Message: c.Message}
		case c.Type == corev1.PodReady:
			ready = Problem{Reason: c.Reason, Message: c.Message}
		}
	}
	for _, s := range p.Status.ContainerStatuses {
		if w := s.State.Waiting; w != nil && w.Reason != "" {
			return Problem{Reason: w.Reason, Message: w.Message}
		}
	}
	if p.Spec.NodeName == "" {
		return Problem{Reason: "NotScheduled"}
	}
	return Problem{Reason: cmp.Or(ready.Reason, "NotReady"), Message: ready.Message}
}
