package conformance

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	appsdefaults "k8s.io/kubernetes/pkg/apis/apps/v1"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/kube"
)

// TestFunctionsDefaultDeployment compares what the API server sets with what kube sets, for each
// combination of unset fields.
func TestFunctionsDefaultDeployment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := func(name string) *int32 {
			return rapid.SampledFrom([]*int32{nil, new(int32(0)), new(int32(1)), new(int32(7))}).Draw(t, name)
		}
		d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
			Replicas: drawn("replicas"), RevisionHistoryLimit: drawn("history"), ProgressDeadlineSeconds: drawn("deadline"),
			Strategy: appsv1.DeploymentStrategy{Type: rapid.SampledFrom([]appsv1.DeploymentStrategyType{
				"", appsv1.RollingUpdateDeploymentStrategyType, appsv1.RecreateDeploymentStrategyType, "Canary",
			}).Draw(t, "type")},
		}}
		if rapid.Bool().Draw(t, "block") {
			d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{
				MaxSurge: unsetOr(t, "surge"), MaxUnavailable: unsetOr(t, "unavailable"),
			}
		}
		want := d.DeepCopy()
		appsdefaults.SetDefaults_Deployment(want)
		if diff := gocmp.Diff(want, kube.DefaultDeployment(d)); diff != "" {
			t.Fatalf("upstream (-) and kube (+) differ:\n%s", diff)
		}
	})
}

func unsetOr(t *rapid.T, name string) *intstr.IntOrString {
	return rapid.SampledFrom([]*intstr.IntOrString{nil, new(intstr.FromInt32(0)), new(intstr.FromString("10%"))}).Draw(t, name)
}
