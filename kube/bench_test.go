// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/kube"
)

// sized returns a template with n containers as they are deployed.
func sized(n int) *corev1.PodTemplateSpec {
	tmpl := template(nil)
	tmpl.Labels["pod-template-hash"] = "7d4c665cf7"
	tmpl.Spec.Containers = nil
	for i := range n {
		tmpl.Spec.Containers = append(tmpl.Spec.Containers, corev1.Container{
			Name:  fmt.Sprintf("c%d", i),
			Image: "registry.example/app:1.2.3",
			Args:  []string{"--listen=:8080", "--verbose"},
			Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
			Env:   []corev1.EnvVar{{Name: "MODE", Value: "production"}, {Name: "ZONE", Value: "a"}},
			Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")},
				Limits:   corev1.ResourceList{"cpu": resource.MustParse("1"), "memory": resource.MustParse("256Mi")},
			},
			ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
				HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromInt32(8080)},
			}},
		})
	}
	return tmpl
}

func BenchmarkTemplateID(b *testing.B) {
	for _, n := range []int{0, 1, 5} {
		tmpl := sized(n)
		b.Run(fmt.Sprintf("containers=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				kube.TemplateID(tmpl)
			}
		})
	}
}

// BenchmarkUpstreamEqual is what one ID replaces: the comparison of a template with
// that of one ReplicaSet.
func BenchmarkUpstreamEqual(b *testing.B) {
	for _, n := range []int{0, 1, 5} {
		x, y := sized(n), sized(n)
		b.Run(fmt.Sprintf("containers=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sameUpstream(x, y)
			}
		})
	}
}

func BenchmarkTemplate(b *testing.B) {
	tmpl := sized(1)
	b.ReportAllocs()
	for b.Loop() {
		kube.Template(tmpl, nil)
	}
}

func BenchmarkPod(b *testing.B) {
	p := pod("web-1-a")
	b.ReportAllocs()
	for b.Loop() {
		kube.Pod(p)
	}
}
