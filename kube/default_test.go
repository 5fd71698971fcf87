package kube_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
)

// TestDefaultDeployment: what is not set gets the values of the API server, what is set
// stays, and the argument does not change.
func TestDefaultDeployment(t *testing.T) {
	quarter := intstr.FromString("25%")
	all := appsv1.DeploymentSpec{
		Replicas: new(int32(1)), RevisionHistoryLimit: new(int32(10)), ProgressDeadlineSeconds: new(int32(600)),
		Strategy: appsv1.DeploymentStrategy{
			Type:          appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &quarter, MaxUnavailable: &quarter},
		},
	}
	empty := &appsv1.Deployment{}
	require.Empty(t, cmp.Diff(all, kube.DefaultDeployment(empty).Spec))
	require.Empty(t, cmp.Diff(&appsv1.Deployment{}, empty), "the argument stays as it is")

	zero := intstr.FromInt32(0)
	set := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(0)), RevisionHistoryLimit: new(int32(0)), ProgressDeadlineSeconds: new(int32(1)),
		Strategy: appsv1.DeploymentStrategy{
			Type:          appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &zero},
		},
	}}
	want := set.DeepCopy()
	want.Spec.Strategy.RollingUpdate.MaxUnavailable = &quarter
	require.Empty(t, cmp.Diff(want, kube.DefaultDeployment(set)))
	require.Nil(t, set.Spec.Strategy.RollingUpdate.MaxUnavailable, "nor does what it points to change")

	recreate := kube.DefaultDeployment(&appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
	}})
	require.Nil(t, recreate.Spec.Strategy.RollingUpdate, "Recreate has no limits")
	require.Nil(t, kube.DefaultDeployment(nil))
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
