// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
	"github.com/kplan-go/kplan/kube"
)

// The kinds of workloads of scenarios.
const (
	rolling     = "Deployment" // with the strategy RollingUpdate
	recreate    = "Recreate"   // a Deployment with that strategy
	replicaSet  = "ReplicaSet"
	controller  = "ReplicationController"
	daemonSet   = "DaemonSet"
	statefulSet = "StatefulSet"
)

var kinds = []string{rolling, recreate, replicaSet, controller, daemonSet, statefulSet}

// A workload is the part of a workload that users specify.
type workload struct {
	kind, name         string
	replicas           int32
	version            int
	broken             bool  // its image cannot be pulled
	port               int32 // of the host, 0 for none
	surge, unavailable int
	minReady           int32
	parallel           bool  // a StatefulSet waits for no other pod
	partition          int32 // of a StatefulSet
}

// Labels of pods.
const (
	appLabel     = "app"
	versionLabel = "version"
)

const forever = 1 << 30 // seconds

// tolerated is how many seconds pods stay on a lost node. A node that answers may have its taints again for a moment.
const tolerated = 5

func (w *workload) template(pool string) corev1.PodTemplateSpec {
	tag := fmt.Sprintf(":v%d", w.version)
	if w.broken {
		tag = cluster.MissingImage
	}
	c := corev1.Container{
		Name: "main", Image: "example.org/" + w.name + tag,
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}},
	}
	if w.port != 0 {
		c.Ports = []corev1.ContainerPort{{ContainerPort: w.port, HostPort: w.port}}
	}
	spec := corev1.PodSpec{
		Containers: []corev1.Container{c}, NodeSelector: map[string]string{cluster.PoolLabel: pool}, TerminationGracePeriodSeconds: new(int64(forever)),
	}
	for _, key := range []string{corev1.TaintNodeUnreachable, corev1.TaintNodeNotReady} {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(tolerated))})
	}
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{appLabel: w.name, versionLabel: fmt.Sprintf("v%d", w.version)}}, Spec: spec}
}

// object returns the object that users apply, in a namespace with its own nodes.
func (w *workload) object(namespace string) kube.Object {
	meta := metav1.ObjectMeta{Name: w.name, Namespace: namespace}
	labels, template := map[string]string{appLabel: w.name}, w.template(namespace)
	some := func(n int) *intstr.IntOrString { v := intstr.FromInt32(int32(n)); return &v }
	switch w.kind {
	case replicaSet:
		return &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{
			Replicas: &w.replicas, MinReadySeconds: w.minReady, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template,
		}}
	case controller:
		return &corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{
			Replicas: &w.replicas, MinReadySeconds: w.minReady, Selector: labels, Template: &template,
		}}
	case daemonSet:
		limits := &appsv1.RollingUpdateDaemonSet{MaxSurge: some(w.surge), MaxUnavailable: some(w.unavailable)}
		return &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{
			MinReadySeconds: w.minReady, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template,
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: limits},
		}}
	case statefulSet:
		policy := map[bool]appsv1.PodManagementPolicyType{false: appsv1.OrderedReadyPodManagement, true: appsv1.ParallelPodManagement}
		return &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
			Replicas: &w.replicas, MinReadySeconds: w.minReady, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template,
			PodManagementPolicy: policy[w.parallel],
			UpdateStrategy: appsv1.StatefulSetUpdateStrategy{
				Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: &w.partition},
			},
		}}
	}
	d := &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
		Replicas: &w.replicas, MinReadySeconds: w.minReady, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template,
		ProgressDeadlineSeconds: new(int32(forever)), Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
	}}
	if w.kind == rolling {
		d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: some(w.surge), MaxUnavailable: some(w.unavailable)}}
	}
	return d
}

func node(name, pool string, pods int64) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, cluster.PoolLabel: pool, corev1.LabelTopologyZone: pool}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: *resource.NewQuantity(pods, resource.DecimalSI)},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now()}},
		},
	}
}

// budget returns a disruption budget for the pods of all workloads with these names.
func budget(namespace string, least, most *intstr.IntOrString, of ...string) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "budget", Namespace: namespace}, Spec: policyv1.PodDisruptionBudgetSpec{
		MinAvailable: least, MaxUnavailable: most,
		Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: appLabel, Operator: metav1.LabelSelectorOpIn, Values: of}}},
	}}
}

func quota(namespace string, pods int64) *corev1.ResourceQuota {
	return &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "quota", Namespace: namespace},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: *resource.NewQuantity(pods, resource.DecimalSI)}},
	}
}
