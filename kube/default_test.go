// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	hashdump "k8s.io/utils/dump"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
)

// TestDefault: what is not set gets the values of the API server, what is set stays, and
// the argument does not change.
func TestDefault(t *testing.T) {
	quarter := intstr.FromString("25%")
	strategy := appsv1.DeploymentStrategy{
		Type:          appsv1.RollingUpdateDeploymentStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &quarter, MaxUnavailable: &quarter},
	}
	given := &appsv1.Deployment{TypeMeta: metav1.TypeMeta{Kind: "Deployment"}, Spec: appsv1.DeploymentSpec{
		Replicas: ptr.To(int32(0)), Selector: &metav1.LabelSelector{},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{}},
			Spec: corev1.PodSpec{
				ServiceAccountName: "robot",
				Volumes:            []corev1.Volume{{Name: "scratch"}},
				Containers: []corev1.Container{{
					Image: "nginx", SecurityContext: &corev1.SecurityContext{},
					Resources:     corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("0.5")}},
					LivenessProbe: &corev1.Probe{PeriodSeconds: 5},
				}},
			},
		},
	}}
	before := given.DeepCopy()
	want := appsv1.DeploymentSpec{
		Replicas: ptr.To(int32(0)), RevisionHistoryLimit: ptr.To(int32(10)), ProgressDeadlineSeconds: ptr.To(int32(600)), Strategy: strategy,
		Selector: &metav1.LabelSelector{},
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			ServiceAccountName: "robot", DeprecatedServiceAccount: "robot", SecurityContext: &corev1.PodSecurityContext{},
			RestartPolicy: "Always", DNSPolicy: "ClusterFirst", SchedulerName: "default-scheduler", TerminationGracePeriodSeconds: ptr.To(int64(30)),
			Volumes: []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
			Containers: []corev1.Container{{
				Image: "nginx", ImagePullPolicy: "Always", TerminationMessagePath: "/dev/termination-log", TerminationMessagePolicy: "File",
				SecurityContext: &corev1.SecurityContext{},
				Resources:       corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("500m")}},
				LivenessProbe:   &corev1.Probe{PeriodSeconds: 5, TimeoutSeconds: 1, SuccessThreshold: 1, FailureThreshold: 3},
			}},
		}},
	}
	got := kube.Default(given)
	require.Empty(t, cmp.Diff(want, got.Spec))
	require.Equal(t, "Deployment", got.Kind)
	require.Equal(t, before, given, "the argument stays as it is")
	require.Equal(t, hashdump.ForHash(got), hashdump.ForHash(kube.Default(got)), "nor does what has its defaults change")

	got.Spec.Template.Labels = map[string]string{"a": "b"}
	require.Empty(t, given.Spec.Template.Labels, "nothing is shared")
	recreate := kube.Default(&appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
	}})
	require.Nil(t, recreate.Spec.Strategy.RollingUpdate, "Recreate has no limits")
	require.Nil(t, kube.Default[appsv1.Deployment](nil))
}

// TestUnsetStaysUnset: an object that no API server has completed is read as the
// controller reads it: 12 empty old ReplicaSets stay, and no deadline is reported.
func TestUnsetStaysUnset(t *testing.T) {
	d, err := kube.Deployment(&appsv1.Deployment{})
	require.NoError(t, err)
	require.Nil(t, d.RevisionHistoryLimit)
	require.Nil(t, d.ProgressDeadlineSeconds)
	require.True(t, d.MaxSurge.IsZero() && d.MaxUnavailable.IsZero())
	require.Equal(t, deploy.Strategy(""), d.Strategy)
}

// TestDefaultDropsInitContainerAnnotations: no template keeps annotations that held init containers
// once, whatever its kind, and the object that is given keeps them.
func TestDefaultDropsInitContainerAnnotations(t *testing.T) {
	given := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
		"pod.alpha.kubernetes.io/init-containers": "a", "pod.beta.kubernetes.io/init-containers": "b",
		"pod.alpha.kubernetes.io/init-container-statuses": "c", "pod.beta.kubernetes.io/init-container-statuses": "d",
		"kept": "e",
	}}}
	want := map[string]string{"kept": "e"}
	require.Equal(t, want, kube.Default(&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: given}}).Spec.Template.Annotations)
	require.Equal(t, want, kube.Default(&appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{Template: given}}).Spec.Template.Annotations)
	require.Equal(t, want, kube.Default(&appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Template: given}}).Spec.Template.Annotations)
	require.Equal(t, want, kube.Default(&appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Template: given}}).Spec.Template.Annotations)
	require.Equal(t, want, kube.Default(&corev1.ReplicationController{Spec: corev1.ReplicationControllerSpec{Template: &given}}).Spec.Template.Annotations)
	require.Len(t, given.Annotations, 5)
	delete(given.Annotations, "kept")
	require.Nil(t, kube.Default(&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: given}}).Spec.Template.Annotations)
	require.Nil(t, kube.Default(&corev1.ReplicationController{}).Spec.Template)
}
