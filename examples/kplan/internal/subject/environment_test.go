// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// What a pod requests is what the scheduler takes it for.
func TestRequests(t *testing.T) {
	cpu := func(text string) corev1.ResourceRequirements {
		return corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(text)}}
	}
	of := func(text string) corev1.Container { return corev1.Container{Resources: cpu(text)} }
	sidecar := func(text string) corev1.Container {
		return corev1.Container{Resources: cpu(text), RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}
	}
	for _, c := range []struct {
		why  string
		pod  corev1.PodSpec
		want int64 // thousandths of a CPU
	}{
		{"nothing", corev1.PodSpec{Containers: make([]corev1.Container, 2)}, 0},
		{"containers together", corev1.PodSpec{Containers: []corev1.Container{of("100m"), of("200m")}}, 300},
		{"the largest of what starts before", corev1.PodSpec{InitContainers: []corev1.Container{of("1"), of("400m")}, Containers: []corev1.Container{of("100m")}}, 1000},
		{"sidecars run on", corev1.PodSpec{InitContainers: []corev1.Container{sidecar("50m")}, Containers: []corev1.Container{of("100m")}}, 150},
		{"a sidecar before another start", corev1.PodSpec{InitContainers: []corev1.Container{sidecar("50m"), of("500m")}, Containers: []corev1.Container{of("100m")}}, 550},
		{"a sidecar behind it", corev1.PodSpec{InitContainers: []corev1.Container{of("500m"), sidecar("50m")}, Containers: []corev1.Container{of("100m")}}, 500},
		{"the pod itself", corev1.PodSpec{Resources: new(cpu("2")), Containers: []corev1.Container{of("100m")}}, 2000},
		{"overhead", corev1.PodSpec{Overhead: cpu("10m").Requests, Containers: []corev1.Container{of("100m")}}, 110},
	} {
		got := requests(&c.pod)
		require.Equal(t, c.want, got[0], c.why)
		require.EqualValues(t, 1, got[2], "a pod is a pod")
	}
}
