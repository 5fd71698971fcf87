// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxAnnotation is the maximum length of a pod annotation that no planner knows. Annotations of
// controllers and of OpenKruise are always kept.
const maxAnnotation = 64

// slimPod removes the fields of a pod that no command uses, which are most of it: there may be
// hundreds of thousands of pods. It keeps resources, host ports, and the reasons why a pod does not
// serve.
func slimPod(p *corev1.Pod) *corev1.Pod {
	for key, value := range p.Annotations {
		if len(value) > maxAnnotation && !strings.Contains(key, "kruise.io/") && !strings.HasPrefix(key, "controller.") {
			p.Annotations[key] = ""
		}
	}
	s := &p.Spec
	s.Volumes, s.ImagePullSecrets, s.HostAliases, s.DNSConfig = nil, nil, nil, nil
	for _, list := range [][]corev1.Container{s.InitContainers, s.Containers} {
		for i := range list {
			c := &list[i]
			c.Command, c.Args, c.Env, c.EnvFrom, c.VolumeMounts = nil, nil, nil, nil, nil
			c.Ports = slices.DeleteFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.HostPort == 0 && !s.HostNetwork })
			c.LivenessProbe, c.ReadinessProbe, c.StartupProbe, c.Lifecycle, c.SecurityContext = nil, nil, nil, nil, nil
		}
	}
	slimStatus(&p.Status)
	return p
}

// slimStatus removes the conditions that every running pod has. Of containers it keeps the images
// and the reasons why they do not run.
func slimStatus(s *corev1.PodStatus) {
	s.PodIPs, s.HostIPs, s.PodIP, s.HostIP, s.StartTime = nil, nil, "", "", nil
	s.Conditions = slices.Clone(slices.DeleteFunc(s.Conditions, func(c corev1.PodCondition) bool {
		usual := c.Type == corev1.PodScheduled || c.Type == corev1.PodInitialized || c.Type == corev1.PodReadyToStartContainers
		return usual && c.Status == corev1.ConditionTrue
	}))
	for _, list := range [][]corev1.ContainerStatus{s.InitContainerStatuses, s.ContainerStatuses} {
		for i := range list {
			c := &list[i]
			c.ContainerID, c.State.Running = "", nil
			if t := c.LastTerminationState.Terminated; c.Ready || t == nil {
				c.LastTerminationState = corev1.ContainerState{}
			} else {
				c.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: t.ExitCode, Reason: t.Reason}
			}
			c.VolumeMounts, c.AllocatedResources, c.Resources = nil, nil, nil
		}
	}
}

// slimMeta removes the field managers and the content of the last-applied annotation, but not the
// annotation. [Set.Running] keeps both.
func slimMeta(o metav1.Object) {
	o.SetManagedFields(nil)
	if annotations := o.GetAnnotations(); annotations[corev1.LastAppliedConfigAnnotation] != "" {
		annotations[corev1.LastAppliedConfigAnnotation] = ""
	}
}

// slimNode removes the fields of a node other than its labels, taints, resources and conditions.
func slimNode(n *corev1.Node) *corev1.Node {
	s := &n.Status
	s.Images, s.VolumesInUse, s.VolumesAttached, s.Addresses, s.Config = nil, nil, nil, nil, nil
	return n
}
