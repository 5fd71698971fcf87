// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
)

// asks returns a container that requests cpu and memory, in which "" is nothing.
func asks(cpu, memory string) corev1.Container {
	c := corev1.Container{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{}}}
	for name, text := range map[corev1.ResourceName]string{"cpu": cpu, "memory": memory} {
		if text != "" {
			c.Resources.Requests[name] = resource.MustParse(text)
		}
	}
	return c
}

func sidecar(c corev1.Container) corev1.Container {
	c.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
	return c
}

func TestPodResources(t *testing.T) {
	list := func(cpu string) corev1.ResourceList { return corev1.ResourceList{"cpu": resource.MustParse(cpu)} }
	limited := corev1.Container{Resources: corev1.ResourceRequirements{Limits: list("300m"), Requests: corev1.ResourceList{"memory": resource.MustParse("1")}}}
	for _, c := range []struct {
		why  string
		spec corev1.PodSpec
		want map[string]int64
	}{
		{"containers run together", corev1.PodSpec{Containers: []corev1.Container{asks("100m", "1Ki"), asks("0.2", "")}}, map[string]int64{"cpu": 300, "memory": 1024}},
		{"a limit is a request where there is none", corev1.PodSpec{Containers: []corev1.Container{limited}}, map[string]int64{"cpu": 300, "memory": 1}},
		{"steps of the start come one by one, the largest counts", corev1.PodSpec{Containers: []corev1.Container{asks("100m", "")}, InitContainers: []corev1.Container{asks("200m", ""), asks("300m", "")}}, map[string]int64{"cpu": 300}},
		{"a sidecar runs beside the containers", corev1.PodSpec{Containers: []corev1.Container{asks("100m", "")}, InitContainers: []corev1.Container{sidecar(asks("50m", ""))}}, map[string]int64{"cpu": 150}},
		{"and beside the steps behind it, but not those before", corev1.PodSpec{InitContainers: []corev1.Container{asks("200m", ""), sidecar(asks("50m", "")), asks("170m", "")}}, map[string]int64{"cpu": 220}},
		{"the runtime needs some", corev1.PodSpec{Containers: []corev1.Container{asks("100m", "")}, Overhead: list("10m")}, map[string]int64{"cpu": 110}},
		{"the pod as a whole", corev1.PodSpec{Containers: []corev1.Container{asks("100m", "5")}, Resources: &corev1.ResourceRequirements{Requests: list("1")}}, map[string]int64{"cpu": 1000, "memory": 5}},
		{"its limit counts where nobody requests", corev1.PodSpec{Containers: []corev1.Container{asks("", "5")}, Resources: &corev1.ResourceRequirements{Limits: list("1")}}, map[string]int64{"cpu": 1000, "memory": 5}},
		{"thousandths and units are rounded up", corev1.PodSpec{Containers: []corev1.Container{asks("100u", "100m")}}, map[string]int64{"cpu": 1, "memory": 1}},
	} {
		require.Equal(t, c.want, kube.PodResources(&c.spec), c.why)
	}
}

// A template says of which nodes, and how much: what autoscalers ask of a DaemonSet.
func ExampleDaemon() {
	ds := &appsv1.DaemonSet{}
	ds.Spec.Template.Spec = corev1.PodSpec{NodeSelector: map[string]string{"gpu": "true"}, Containers: []corev1.Container{asks("250m", "512")}}
	daemons := []daemonset.Daemon{kube.Daemon(ds, daemonset.Options{})}
	for _, n := range []daemonset.Node{{Name: "new-gpu", Labels: map[string]string{"gpu": "true"}}, {Name: "new-small"}} {
		requests, pods := daemonset.Overhead(daemons, &n, nil)
		fmt.Println(n.Name, pods, requests)
	}
	// Output:
	// new-gpu 1 map[cpu:250 memory:512]
	// new-small 0 map[]
}

// A limit without a request is one.
func ExamplePodResources() {
	c := corev1.Container{Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("0.5"), corev1.ResourceMemory: resource.MustParse("64Mi"),
	}}}
	fmt.Println(kube.PodResources(&corev1.PodSpec{Containers: []corev1.Container{c}}))
	// Output: map[cpu:500 memory:67108864]
}
