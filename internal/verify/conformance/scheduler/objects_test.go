// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"cmp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// resources are the resources of nodes.
var resources = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, "example.com/gpu"}

// amount is so much of a resource: of CPU so many thousandths.
func amount(of corev1.ResourceName, n int64) resource.Quantity {
	if of == corev1.ResourceCPU {
		return *resource.NewMilliQuantity(n, resource.DecimalSI)
	}
	return *resource.NewQuantity(n, resource.DecimalSI)
}

func taint(effect string) daemonset.Taint {
	return daemonset.Taint{Key: "dedicated", Value: "db", Effect: daemonset.Effect(effect)}
}

func toleration(key, effect string) daemonset.Toleration {
	return daemonset.Toleration{Key: key, Operator: daemonset.TolerationExists, Effect: daemonset.Effect(effect)}
}

// named is a pod of a namespace.
func named(namespace string, i int) scheduler.Pod {
	name := "pod-" + strconv.Itoa(i)
	p := &podorder.Pod{Name: name, UID: name}
	if namespace != "" {
		p.Name = namespace + "/" + name
	}
	return scheduler.Pod{Pod: p}
}

// apiNode is a node as the API server has it. A cordoned one has a taint as well, and one that
// does not answer has two.
func apiNode(n *cluster.Node) *corev1.Node {
	o := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}}
	o.Spec.Unschedulable = n.Cordoned
	add := func(key string, effect corev1.TaintEffect, value string) {
		o.Spec.Taints = append(o.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: effect})
	}
	for _, t := range n.Taints {
		add(t.Key, corev1.TaintEffect(t.Effect), t.Value)
	}
	if n.Cordoned {
		add(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule, "")
	}
	if n.NotReady {
		add(corev1.TaintNodeUnreachable, corev1.TaintEffectNoSchedule, "")
		add(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute, "")
	}
	o.Status.Allocatable = corev1.ResourceList{corev1.ResourcePods: amount(corev1.ResourcePods, 1000)}
	for r, name := range resources {
		o.Status.Allocatable[name] = amount(name, 1<<40)
		if r < len(n.Room) {
			o.Status.Allocatable[name] = amount(name, n.Room[r])
		}
	}
	return o
}

// apiPod is a pod as the API server has it.
func apiPod(p scheduler.Pod) *corev1.Pod {
	namespace, name, ok := strings.Cut(p.Name, "/")
	if !ok {
		namespace, name = "", p.Name
	}
	o := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: cmp.Or(namespace, "default"), Name: name, UID: types.UID(p.UID), Labels: p.Labels}}
	if !p.DeletionTimestamp.IsZero() {
		o.DeletionTimestamp = &metav1.Time{Time: p.DeletionTimestamp}
	}
	t, spec := &p.Template, &o.Spec
	spec.NodeName, spec.NodeSelector, spec.Tolerations = p.NodeName, t.NodeSelector, kube.ToTolerations(t.Tolerations)
	spec.Containers = []corev1.Container{{Name: "main", Ports: ports(t), Resources: corev1.ResourceRequirements{Requests: requests(t)}}}
	for _, c := range t.Claims {
		_, claim, _ := strings.Cut(c.Name, "/")
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: claim, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
		}})
	}
	spec.Affinity = &corev1.Affinity{
		PodAffinity:     &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: podTerms(t.PodAffinity)},
		PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: podTerms(t.PodAntiAffinity)},
	}
	if t.Affinity != nil {
		spec.Affinity.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: kube.ToNodeSelector(t.Affinity)}
	}
	for _, c := range t.TopologySpread {
		spec.TopologySpreadConstraints = append(spec.TopologySpreadConstraints, constraint(c))
	}
	return o
}

func requests(t *cluster.Template) corev1.ResourceList {
	list := corev1.ResourceList{}
	for r, need := range t.Needs {
		list[resources[r]] = amount(resources[r], need)
	}
	return list
}

func ports(t *cluster.Template) (list []corev1.ContainerPort) {
	for _, p := range t.HostPorts {
		list = append(list, corev1.ContainerPort{HostPort: p.Port, HostIP: p.IP, Protocol: corev1.Protocol(p.Protocol)})
	}
	return list
}

func podTerms(terms []cluster.PodTerm) (list []corev1.PodAffinityTerm) {
	for _, t := range terms {
		list = append(list, corev1.PodAffinityTerm{LabelSelector: kube.ToLabelSelector(t.Selector), Namespaces: t.Namespaces, TopologyKey: t.TopologyKey})
	}
	return list
}

func constraint(c cluster.TopologySpread) corev1.TopologySpreadConstraint {
	o := corev1.TopologySpreadConstraint{
		MaxSkew: c.MaxSkew, TopologyKey: c.TopologyKey, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: kube.ToLabelSelector(c.Selector),
	}
	ignore, honor := corev1.NodeInclusionPolicyIgnore, corev1.NodeInclusionPolicyHonor
	if c.MinDomains > 0 {
		o.MinDomains = &c.MinDomains
	}
	if c.IgnoreAffinity {
		o.NodeAffinityPolicy = &ignore
	}
	if c.HonorTaints {
		o.NodeTaintsPolicy = &honor
	}
	return o
}

// pin is a pod of a DaemonSet: its controller has chosen the node.
func pin(pod *corev1.Pod, node string) *corev1.Pod {
	pod = pod.DeepCopy()
	pod.Spec.Affinity.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}},
		}}},
	}}
	return pod
}
