// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kplan-go/kplan/kube"
)

func TestRequestsOfPods(t *testing.T) {
	whole := asks("0", "7").Resources
	whole.Requests["example.com/gpu"] = resource.MustParse("3")
	app := []corev1.Container{asks("200m", "9")}
	for _, c := range []struct {
		why  string
		spec corev1.PodSpec
		want []int64 // of cpu, memory, example.com/gpu and pods
	}{
		{"a pod is one", corev1.PodSpec{}, []int64{0, 0, 0, 1}},
		{"two halves are one", corev1.PodSpec{Containers: []corev1.Container{asks("100m", "1500m"), asks("", "1500m")}}, []int64{100, 3, 0, 1}},
		{"a step of the start is beside the sidecars before it", corev1.PodSpec{InitContainers: []corev1.Container{sidecar(asks("100m", "2")), asks("1", "1")}, Containers: app}, []int64{1100, 11, 0, 1}},
		{"and not those behind it", corev1.PodSpec{InitContainers: []corev1.Container{asks("1", "1"), sidecar(asks("100m", "2"))}, Containers: app}, []int64{1000, 11, 0, 1}},
		{"as a whole it may request nothing, and no devices", corev1.PodSpec{Containers: app, Resources: &whole, Overhead: asks("50m", "500m").Resources.Requests}, []int64{50, 8, 0, 1}},
	} {
		before := c.spec.DeepCopy()
		require.Equal(t, c.want, kube.PodRequests(&c.spec, []corev1.ResourceName{"cpu", "memory", "example.com/gpu", "pods"}), c.why)
		require.Equal(t, before, &c.spec, c.why)
	}
	require.Equal(t, []int64{0, 0}, kube.PodRequests(nil, []corev1.ResourceName{"cpu", "pods"}))
}
