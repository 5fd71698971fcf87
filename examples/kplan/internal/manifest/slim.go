// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// maxAnnotation is how long an annotation of a pod may be that no planner knows: those of
// controllers and of OpenKruise.
const maxAnnotation = 64

// alike lets pods share what they have in common, as nearly everything that a template
// gives to the pods of a ReplicaSet: nobody writes to what was read.
type alike struct {
	last  map[types.UID]*corev1.Pod // of each controller
	texts map[string]string
}

// slim takes away from a pod what no command looks at, which is most of it: there may be
// hundreds of thousands. What pods request and why they do not serve stays.
func (a *alike) slim(p *corev1.Pod) *corev1.Pod {
	p.ManagedFields = nil
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
			c.Command, c.Args, c.Env, c.EnvFrom, c.VolumeMounts, c.Ports = nil, nil, nil, nil, nil, nil
			c.LivenessProbe, c.ReadinessProbe, c.StartupProbe, c.Lifecycle, c.SecurityContext = nil, nil, nil, nil, nil
		}
	}
	slimStatus(&p.Status)
	a.share(p)
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
			c.ContainerID, c.State.Running, c.LastTerminationState = "", nil, corev1.ContainerState{}
			c.VolumeMounts, c.AllocatedResources, c.Resources = nil, nil, nil
		}
	}
}

// share replaces what a pod has in common with the one before it of the same controller.
func (a *alike) share(p *corev1.Pod) {
	if a.last == nil {
		a.last, a.texts = map[types.UID]*corev1.Pod{}, map[string]string{}
	}
	for _, text := range []*string{&p.Namespace, &p.GenerateName, &p.Kind, &p.APIVersion, &p.Spec.NodeName, &p.Spec.ServiceAccountName, &p.Spec.SchedulerName} {
		*text = a.text(*text)
	}
	p.Status.Phase, p.Status.QOSClass = corev1.PodPhase(a.text(string(p.Status.Phase))), corev1.PodQOSClass(a.text(string(p.Status.QOSClass)))
	for i := range p.Status.Conditions {
		c := &p.Status.Conditions[i]
		c.Type, c.Status = corev1.PodConditionType(a.text(string(c.Type))), corev1.ConditionStatus(a.text(string(c.Status)))
		c.Reason, c.Message = a.text(c.Reason), a.text(c.Message)
	}
	owner := metav1.GetControllerOfNoCopy(p)
	if owner == nil {
		return
	}
	if last := a.last[owner.UID]; last != nil {
		same(&p.Labels, last.Labels)
		same(&p.Annotations, last.Annotations)
		same(&p.OwnerReferences, last.OwnerReferences)
		same(&p.Spec.InitContainers, last.Spec.InitContainers)
		same(&p.Spec.Containers, last.Spec.Containers)
		same(&p.Spec.Tolerations, last.Spec.Tolerations)
		same(&p.Spec.NodeSelector, last.Spec.NodeSelector)
		same(&p.Spec.Affinity, last.Spec.Affinity)
		same(&p.Spec.TopologySpreadConstraints, last.Spec.TopologySpreadConstraints)
		same(&p.Spec.SecurityContext, last.Spec.SecurityContext)
		same(&p.Status.InitContainerStatuses, last.Status.InitContainerStatuses)
		same(&p.Status.ContainerStatuses, last.Status.ContainerStatuses)
	}
	a.last[owner.UID] = p
}

// text returns an equal text that others have as well.
func (a *alike) text(s string) string {
	if known, ok := a.texts[s]; ok {
		return known
	}
	a.texts[s] = s
	return s
}

// same replaces a value by an equal one.
func same[T any](mine *T, other T) {
	if reflect.DeepEqual(*mine, other) {
		*mine = other
	}
}
