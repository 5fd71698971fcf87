// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	coredefaults "k8s.io/kubernetes/pkg/apis/core/v1"

	"github.com/kplan-go/kplan/internal/conformance/gen"
	"github.com/kplan-go/kplan/internal/random"
	"github.com/kplan-go/kplan/kube"
)

var overheadFunctions = []function{{"PodRequests", compareRequests}}

// compareRequests compares what a pod of a template requests, which upstream finds out once
// the pod has its defaults.
func compareRequests(t random.T, c *caseCounts, _ time.Time) {
	spec := gen.Requesting(t)
	pod := &corev1.Pod{Spec: *spec.DeepCopy()}
	coredefaults.SetObjectDefaults_Pod(pod)
	theirs := map[string]int64{}
	for name, q := range resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}) {
		if theirs[string(name)] = q.Value(); name == corev1.ResourceCPU {
			theirs[string(name)] = q.MilliValue()
		}
	}
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
