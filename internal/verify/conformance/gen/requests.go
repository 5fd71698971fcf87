// SPDX-License-Identifier: Apache-2.0

package gen

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// Requesting draws the spec of a pod with resource requests of every form.
func Requesting(t random.Source) *corev1.PodSpec {
	spec := &corev1.PodSpec{}
	for range 1 + random.Below(t, "containers", 3) {
		spec.Containers = append(spec.Containers, corev1.Container{Name: "c", Resources: requirements(t)})
	}
	for range random.Below(t, "init containers", 4) {
		c := corev1.Container{Name: "i", Resources: requirements(t)}
		if random.OneIn(t, "sidecar", 3) {
			c.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		}
		spec.InitContainers = append(spec.InitContainers, c)
	}
	if random.OneIn(t, "of the pod", 3) {
		// Admission turns limits without requests into requests, but has no function to compare
		// with.
		spec.Resources = &corev1.ResourceRequirements{Requests: amounts(t)}
	}
	if random.OneIn(t, "overhead", 4) {
		spec.Overhead = amounts(t)
	}
	return spec
}

func requirements(t random.Source) (r corev1.ResourceRequirements) {
	if !random.OneIn(t, "no requests", 3) {
		r.Requests = amounts(t)
	}
	if random.OneIn(t, "limits", 2) {
		r.Limits = amounts(t)
	}
	if _, requested := r.Requests[HugePages]; requested && upstream.Minor < 37 {
		// Before 1.37 the limits of huge pages count as the requests of the pod, which differs only
		// for pods that validation refuses.
		if r.Limits == nil {
			r.Limits = corev1.ResourceList{}
		}
		if _, limited := r.Limits[HugePages]; !limited {
			r.Limits[HugePages] = r.Requests[HugePages]
		}
		r.Requests[HugePages] = r.Limits[HugePages]
	}
	return r
}

// HugePages is the resource of huge pages in drawn specs.
const HugePages = "hugepages-2Mi"

func amounts(t random.Source) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, HugePages, "example.com/gpu"} {
		if random.OneIn(t, string(name), 2) {
			list[name] = resource.MustParse(random.OneOf(t, "amount", "0", "1", "2", "1500m", smallest(), "2Mi", "4Mi"))
		}
	}
	return list
}

// smallest is an amount that is rounded up to a thousandth. Before 1.37 it is a whole thousandth,
// since these releases sum up the amounts of containers before they round.
func smallest() string {
	if upstream.Minor < 37 {
		return "1m"
	}
	return "100u"
}
