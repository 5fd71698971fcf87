// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxAnnotation is how long an annotation of a pod may be that no planner knows: those of
// controllers and of OpenKruise.
const maxAnnotation = 64

// slimPod takes away from a pod what no command looks at, which is most of it: there may be
// hundreds of thousands. What pods request and take of their nodes, and why they do not serve, stays.
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

// slimStatus leaves of a status the conditions that are not as they are in every pod that
// runs, and of containers which images they have and why they do not run.
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

// slimMeta takes away what no command looks at: who owns the fields, and, but for the fact,
// what the last apply was. Both are looked at in what [Set.Running] holds.
func slimMeta(o metav1.Object) {
	o.SetManagedFields(nil)
	if annotations := o.GetAnnotations(); annotations[corev1.LastAppliedConfigAnnotation] != "" {
		annotations[corev1.LastAppliedConfigAnnotation] = ""
	}
}

// slimNode takes away what is known of a node beside its labels, taints, resources and
// conditions.
func slimNode(n *corev1.Node) *corev1.Node {
	s := &n.Status
	s.Images, s.VolumesInUse, s.VolumesAttached, s.Addresses, s.Config = nil, nil, nil, nil, nil
	return n
}
