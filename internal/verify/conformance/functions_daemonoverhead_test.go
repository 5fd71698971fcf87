// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	coredefaults "k8s.io/kubernetes/pkg/apis/core/v1"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
)

var overheadFunctions = []function{
	{"PodRequests", compareRequests},
	{"PodRequests of a pod with its defaults", compareDefaulted},
}

// compareRequests compares the requests of a pod of a template, which upstream computes after it
// has set the pod's defaults.
func compareRequests(t random.T, c *caseCounts, _ time.Time) {
	spec := gen.Requesting(t)
	_, theirs := defaultedRequests(spec)
	judge(t, c, []corner[decision[*corev1.PodSpec]]{
		in("requests of the pod as a whole", func(s *corev1.PodSpec) bool { return s.Resources != nil && len(s.Resources.Requests) > 0 }),
		in("overhead of the runtime", func(s *corev1.PodSpec) bool { return len(s.Overhead) > 0 }),
		in("a sidecar between steps", func(s *corev1.PodSpec) bool {
			return len(s.InitContainers) == 3 && s.InitContainers[1].RestartPolicy != nil && s.InitContainers[0].RestartPolicy == nil && s.InitContainers[2].RestartPolicy == nil
		}),
		in("a limit without a request", func(s *corev1.PodSpec) bool {
			return len(s.Containers[0].Resources.Limits) > 0 && len(s.Containers[0].Resources.Requests) == 0
		}),
	}, nil, decision[*corev1.PodSpec]{spec, theirs, kube.PodResources(spec)})
}

// compareDefaulted compares the requests of a pod that has its defaults already.
func compareDefaulted(t random.T, c *caseCounts, _ time.Time) {
	spec, all := defaultedRequests(gen.Requesting(t))
	names := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, gen.HugePages, "example.com/gpu", corev1.ResourcePods}
	theirs := make([]int64, len(names))
	for i, name := range names {
		theirs[i] = all[string(name)]
	}
	theirs[len(names)-1] = 1
	judge(t, c, []corner[decision[*corev1.PodSpec]]{
		in("nothing requested of the pod as a whole", func(s *corev1.PodSpec) bool {
			if s.Resources == nil {
				return false
			}
			q, found := s.Resources.Requests[corev1.ResourceCPU]
			return found && q.IsZero()
		}),
		in("two halves of a unit", func(s *corev1.PodSpec) bool {
			return len(s.Containers) > 1 && s.Containers[0].Resources.Requests.Memory().MilliValue() == 1500 && s.Containers[1].Resources.Requests.Memory().MilliValue() == 1500
		}),
	}, nil, decision[*corev1.PodSpec]{spec, theirs, kube.PodRequests(spec, names)})
}

// defaultedRequests returns the spec of a pod with its defaults, and its requests according to
// upstream.
func defaultedRequests(spec *corev1.PodSpec) (*corev1.PodSpec, map[string]int64) {
	pod := &corev1.Pod{Spec: *spec.DeepCopy()}
	coredefaults.SetObjectDefaults_Pod(pod)
	requests := map[string]int64{}
	for name, q := range resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}) {
		if requests[string(name)] = q.Value(); name == corev1.ResourceCPU {
			requests[string(name)] = q.MilliValue()
		}
	}
	return &pod.Spec, requests
}
