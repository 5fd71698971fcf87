// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"reflect"
	"slices"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// tables returns the rows of each type, in the order in which they apply.
//
// They mirror the defaulting functions of Kubernetes 1.37.2 with its default feature gates,
// SetObjectDefaults_Deployment and its siblings of apps/v1, core/v1 and both versions of
// autoscaling, and the values that are set by conversion to the internal types of the API
// server and back.
var tables = sync.OnceValue(func() map[reflect.Type][]row {
	template := below("spec.template", podTemplate())
	return map[reflect.Type][]row{
		reflect.TypeFor[appsv1.Deployment]():                     slices.Concat(deployment(), template),
		reflect.TypeFor[appsv1.DaemonSet]():                      slices.Concat(daemonSet(), template),
		reflect.TypeFor[appsv1.StatefulSet]():                    slices.Concat(statefulSet(), template),
		reflect.TypeFor[appsv1.ReplicaSet]():                     slices.Concat(at("spec.replicas", 1), template),
		reflect.TypeFor[corev1.ReplicationController]():          slices.Concat(replicationController(), template),
		reflect.TypeFor[autoscalingv2.HorizontalPodAutoscaler](): autoscaler(),
		reflect.TypeFor[autoscalingv1.HorizontalPodAutoscaler](): olderAutoscaler(),
	}
})

func deployment() []row {
	rolling := is("../type", "RollingUpdate")
	return slices.Concat(
		at("spec.replicas", 1),
		at("spec.strategy.type", "RollingUpdate"),
		at("spec.strategy.rollingUpdate", object, is("type", "RollingUpdate")),
		at("spec.strategy.rollingUpdate.{maxUnavailable,maxSurge}", intstr.FromString("25%"), rolling),
		at("spec.revisionHistoryLimit", 10),
		at("spec.progressDeadlineSeconds", 600),
	)
}

func daemonSet() []row {
	rolling := is("../type", "RollingUpdate")
	return slices.Concat(
		at("spec.updateStrategy.type", "RollingUpdate"),
		at("spec.updateStrategy.rollingUpdate", object, is("type", "RollingUpdate")),
		at("spec.updateStrategy.rollingUpdate.maxUnavailable", intstr.FromInt32(1), rolling),
		at("spec.updateStrategy.rollingUpdate.maxSurge", intstr.FromInt32(0), rolling),
		at("spec.revisionHistoryLimit", 10),
	)
}

func statefulSet() []row {
	rolling := is("../type", "RollingUpdate")
	return slices.Concat(
		at("spec.podManagementPolicy", "OrderedReady"),
		at("spec.updateStrategy.rollingUpdate", object, unset("type")), // not for a type that is written
		at("spec.updateStrategy.type", "RollingUpdate"),
		at("spec.updateStrategy.rollingUpdate.partition", 0, rolling),
		at("spec.updateStrategy.rollingUpdate.maxUnavailable", intstr.FromInt32(1), rolling),
		at("spec.persistentVolumeClaimRetentionPolicy", object),
		at("spec.persistentVolumeClaimRetentionPolicy.{whenDeleted,whenScaled}", "Retain"),
		at("spec.replicas", 1),
		at("spec.revisionHistoryLimit", 10),
		at("spec.volumeClaimTemplates.*.status.phase", "Pending"),
		below("spec.volumeClaimTemplates.*.spec", claim()),
		anyway("spec.volumeClaimTemplates.*.status.{capacity,allocatedResources}.*", milli),
		anyway("spec.volumeClaimTemplates.*.apiVersion", "v1"),
		anyway("spec.volumeClaimTemplates.*.kind", "PersistentVolumeClaim"),
	)
}

func replicationController() []row {
	return slices.Concat(
		at("spec.selector", same("template.metadata.labels"), given("template.metadata.labels")),
		at("metadata.labels", same("../spec.template.metadata.labels"), given("../spec.template.metadata.labels")),
		at("spec.replicas", 1),
	)
}

func autoscaler() []row {
	cpu := autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name:   corev1.ResourceCPU,
		Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: ptr.To(int32(80))},
	}}
	pods := autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PodsScalingPolicy, Value: 4, PeriodSeconds: 15}
	percent := autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15}
	return slices.Concat(
		at("spec.minReplicas", 1),
		at("spec.metrics", []autoscalingv2.MetricSpec{cpu}),
		at("spec.behavior.{scaleUp,scaleDown}", object),
		at("spec.behavior.{scaleUp,scaleDown}.selectPolicy", "Max"),
		at("spec.behavior.scaleUp.stabilizationWindowSeconds", 0),
		at("spec.behavior.scaleUp.policies", []autoscalingv2.HPAScalingPolicy{pods, percent}),
		at("spec.behavior.scaleDown.policies", []autoscalingv2.HPAScalingPolicy{percent}),
	)
}

// olderAutoscaler are the rows of autoscaling/v1, which keeps other metrics in an
// annotation.
func olderAutoscaler() []row {
	return slices.Concat(
		at("spec.minReplicas", 1),
		at("spec.targetCPUUtilizationPercentage", 80, lacks("../metadata.annotations", "autoscaling.alpha.kubernetes.io/metrics")),
	)
}

// claim are the rows of the spec of a PersistentVolumeClaim.
func claim() []row {
	return slices.Concat(
		at("volumeMode", "Filesystem"),
		anyway("resources.{limits,requests}.*", milli),
	)
}
