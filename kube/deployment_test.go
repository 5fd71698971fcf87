// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

var (
	createdUTC = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	readyUTC   = time.Date(2026, 1, 2, 12, 1, 0, 0, time.UTC)
)

func TestDeployment(t *testing.T) {
	d := deployment(func(d *appsv1.Deployment) { d.DeletionTimestamp = &ready })
	before := d.DeepCopy()
	got, err := kube.Deployment(d)
	require.NoError(t, err)
	want := deploy.Deployment{
		Name: "web", UID: "uid-of-web", Generation: 7,
		Annotations:             map[string]string{"deployment.kubernetes.io/revision": "3"},
		DeletionTimestamp:       readyUTC,
		Replicas:                ptr.To(int32(10)),
		Template:                kube.Template(&d.Spec.Template, ptr.To(int32(1))),
		Strategy:                deploy.RollingUpdate,
		MaxSurge:                rollout.Percent(25),
		MaxUnavailable:          rollout.Int(2),
		Selector:                &selector.LabelSelector{MatchLabels: map[string]string{"app": "x"}},
		TemplateLabels:          map[string]string{"app": "x"},
		MinReadySeconds:         5,
		ProgressDeadlineSeconds: ptr.To(int32(60)),
		RevisionHistoryLimit:    ptr.To(int32(4)),
		Paused:                  true,
		Status: deploy.Status{
			ObservedGeneration: 6, Replicas: 9, UpdatedReplicas: 8, ReadyReplicas: 7, AvailableReplicas: 5, UnavailableReplicas: 4,
			TerminatingReplicas: ptr.To(int32(3)), CollisionCount: ptr.To(int32(1)),
			Conditions: []kplan.Condition{
				{Type: "Progressing", Status: "Unknown", Reason: "r", Message: "m", LastUpdateTime: readyUTC, LastTransitionTime: createdUTC},
				{Type: "Available", Status: "True"},
			},
		},
	}
	require.Empty(t, cmp.Diff(want, got))
	require.Empty(t, cmp.Diff(before, d), "the object must not change")
}

func TestDeploymentLimits(t *testing.T) {
	unset := rollout.IntOrPercent{}
	for _, tt := range []struct {
		why      string
		strategy appsv1.DeploymentStrategy
		surge    rollout.IntOrPercent
	}{
		{"nothing", appsv1.DeploymentStrategy{}, unset},
		{"no block", appsv1.DeploymentStrategy{Type: "RollingUpdate"}, unset},
		{"an empty block", appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{}}, unset},
		{"a number", rolling(intstr.FromInt32(3)), rollout.Int(3)},
		{"zero is not unset", rolling(intstr.IntOrString{}), rollout.Int(0)},
		{"a percentage", rolling(intstr.FromString("150%")), rollout.Percent(150)},
		{"a sign is understood", rolling(intstr.FromString("+5%")), rollout.Percent(5)},
		{"Recreate reads none", appsv1.DeploymentStrategy{Type: "Recreate", RollingUpdate: rolling(intstr.FromString("x")).RollingUpdate}, unset},
	} {
		t.Run(tt.why, func(t *testing.T) {
			got, err := kube.Deployment(deployment(func(d *appsv1.Deployment) { d.Spec.Strategy = tt.strategy }))
			require.NoError(t, err)
			require.Equal(t, tt.surge, got.MaxSurge)
			require.Equal(t, unset, got.MaxUnavailable)
		})
	}
}

func rolling(surge intstr.IntOrString) appsv1.DeploymentStrategy {
	return appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge}}
}

func limits(surge, unavailable intstr.IntOrString) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) {
		d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: &surge, MaxUnavailable: &unavailable}
	}
}

func TestErrors(t *testing.T) {
	const shape = "must be a whole number or a percentage such as 25%"
	text, number := intstr.FromString, intstr.FromInt32
	for _, tt := range []struct {
		why    string
		change func(*appsv1.Deployment)
		plan   string // the error of Deployment
		want   string // the error of Validate, if it is another one
	}{
		{why: "valid", change: func(*appsv1.Deployment) {}},
		{why: "all at once", change: func(d *appsv1.Deployment) {
			d.Spec.Replicas, d.Spec.MinReadySeconds = ptr.To(int32(-1)), -2
			d.Spec.ProgressDeadlineSeconds, d.Spec.RevisionHistoryLimit = ptr.To(int32(-3)), ptr.To(int32(-4))
			d.Spec.Strategy.Type = "Sideways"
		}, plan: `spec.minReadySeconds: -2: must not be negative
spec.progressDeadlineSeconds: -3: must not be negative
spec.replicas: -1: must not be negative
spec.revisionHistoryLimit: -4: must not be negative
spec.strategy.type: "Sideways": must be RollingUpdate or Recreate`},
		{why: "text without %", change: limits(text("5"), text("25%")), plan: `spec.strategy.rollingUpdate.maxSurge: "5": ` + shape},
		{why: "no text", change: limits(text(""), text("%")), plan: `spec.strategy.rollingUpdate.maxSurge: "": ` + shape + `
spec.strategy.rollingUpdate.maxUnavailable: "%": ` + shape},
		{why: "a fraction", change: limits(number(1), text("2.5%")), plan: `spec.strategy.rollingUpdate.maxUnavailable: "2.5%": ` + shape},
		{why: "beyond 32 bits", change: limits(text("4294967296%"), number(1)), plan: `spec.strategy.rollingUpdate.maxSurge: "4294967296%": ` + shape},
		{why: "neither number nor text", change: limits(intstr.IntOrString{Type: 7}, number(1)), plan: `spec.strategy.rollingUpdate.maxSurge: "": ` + shape},
		{why: "negative limits", change: limits(number(-1), text("-1%")), plan: `spec.strategy.rollingUpdate.maxSurge: -1: must not be negative
spec.strategy.rollingUpdate.maxUnavailable: -1%: must not be negative`},
		{why: "signs", change: limits(text("+5%"), text("-0%")), want: `spec.strategy.rollingUpdate.maxSurge: "+5%": must be a percentage without a sign
spec.strategy.rollingUpdate.maxUnavailable: "-0%": must be a percentage without a sign`},
		{why: "both 0", change: limits(text("0%"), number(0)), want: "spec.strategy.rollingUpdate.maxUnavailable: 0: must not be 0 if maxSurge is 0"},
		{why: "both 0 only after rounding", change: limits(number(0), text("1%"))},
		{why: "101%", change: limits(text("900%"), text("101%")), want: "spec.strategy.rollingUpdate.maxUnavailable: 101%: must not be more than 100%"},
		{why: "100%", change: limits(text("900%"), text("100%"))},
		{why: "more pods than 100", change: limits(number(0), number(101))},
		{why: "an unset limit is 25%", change: func(d *appsv1.Deployment) { d.Spec.Strategy = rolling(number(0)) }},
		{why: "Recreate with limits", change: func(d *appsv1.Deployment) { d.Spec.Strategy.Type = "Recreate" },
			want: `spec.strategy.rollingUpdate: "": must not be set if the strategy is Recreate`},
		{why: "Recreate", change: func(d *appsv1.Deployment) { d.Spec.Strategy = appsv1.DeploymentStrategy{Type: "Recreate"} }},
		{why: "deadline too short", change: func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = 60 },
			want: "spec.progressDeadlineSeconds: 60: must be greater than minReadySeconds"},
		{why: "the default deadline too short", change: func(d *appsv1.Deployment) {
			d.Spec.MinReadySeconds, d.Spec.ProgressDeadlineSeconds = 600, nil
		}, want: "spec.progressDeadlineSeconds: 600: must be greater than minReadySeconds"},
		{why: "just long enough", change: func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = 59 }},
		{why: "no name", change: func(d *appsv1.Deployment) { d.Name = "" }, want: `metadata.name: "": must be set`},
		{why: "no selector", change: func(d *appsv1.Deployment) { d.Spec.Selector = nil }, want: `spec.selector: "": must be set and not empty`},
		{why: "a selector of everything", change: func(d *appsv1.Deployment) { d.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{}} },
			want: `spec.selector: "": must be set and not empty`},
		{why: "a bad selector", change: func(d *appsv1.Deployment) {
			d.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "k", Operator: "Near"}}
		}, want: `spec.selector: "app=x,k Near ()": must be a label selector`},
		{why: "another selector", change: func(d *appsv1.Deployment) { d.Spec.Selector.MatchLabels["app"] = "y" },
			want: `spec.template.metadata.labels: "app=x": must match the selector app=y`},
		{why: "no template", change: func(d *appsv1.Deployment) { d.Spec.Template = corev1.PodTemplateSpec{} },
			want: `spec.template.metadata.labels: "": must match the selector app=x
spec.template.spec.containers: "": must not be empty`},
		{why: "names", change: func(d *appsv1.Deployment) {
			d.Name, d.Namespace = "Web_1", "Bad NS"
			d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "C_c", Image: "i"}, {Image: "i"}}
		}, want: `metadata.name: "Web_1": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character
metadata.namespace: "Bad NS": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character
spec.template.spec.containers[""].name: "": must be set
spec.template.spec.containers["C_c"].name: "C_c": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character`},
		{why: "a long name", change: func(d *appsv1.Deployment) { d.Name = strings.Repeat("a", 254) },
			want: `metadata.name: "` + strings.Repeat("a", 150) + "…" + strings.Repeat("a", 49) + `": must be no more than 253 characters`},
		{why: "containers", change: func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.InitContainers = []corev1.Container{{Name: "c", Image: "i"}}
			d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c", Ports: []corev1.ContainerPort{{ContainerPort: 99999}, {ContainerPort: 80}}}}
		}, want: `spec.template.spec.containers["c"].image: "": must be set
spec.template.spec.containers["c"].name: "c": must be the name of one container alone
spec.template.spec.containers["c"].ports: 99999: must be between 1 and 65535`},
		{why: "labels", change: func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.NodeSelector = map[string]string{"a b": "c", "zone": "-"}
		}, want: `spec.template.spec.nodeSelector: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character
spec.template.spec.nodeSelector[zone]: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`},
		{why: "pods that end", change: func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.RestartPolicy = "Never"
			d.Spec.Template.Spec.ActiveDeadlineSeconds = ptr.To(int64(9))
		}, want: `spec.template.spec.activeDeadlineSeconds: 9: must not be set
spec.template.spec.restartPolicy: "Never": must be Always`},
		{why: "pods that stay", change: func(d *appsv1.Deployment) { d.Spec.Template.Spec.RestartPolicy = "Always" }},
	} {
		t.Run(tt.why, func(t *testing.T) {
			d := deployment(tt.change)
			before := d.DeepCopy()
			_, err := kube.Deployment(d)
			requireError(t, tt.plan, err)
			requireError(t, tt.plan+tt.want, kube.Validate(d))
			require.Empty(t, cmp.Diff(before, d), "the object must not change")
		})
	}
}

func requireError(t *testing.T, want string, err error) {
	t.Helper()
	if want == "" {
		require.NoError(t, err)
		return
	}
	require.ErrorIs(t, err, kplan.ErrInvalid)
	require.Truef(t, strings.HasPrefix(err.Error(), want), "got  %s\nwant %s", err, want)
	require.Equal(t, strings.Count(want, "\n"), strings.Count(err.Error(), "\n"))
	var f *kplan.FieldError
	require.True(t, errors.As(err, &f))
	require.Equal(t, f.Path, want[:strings.Index(want, ":")])
}

func TestDeploymentStatus(t *testing.T) {
	status := deploymentStatus()
	d, err := kube.Deployment(deployment())
	require.NoError(t, err)
	back := kube.DeploymentStatus(d.Status)
	require.True(t, equality.Semantic.DeepEqual(status, back), cmp.Diff(status, back))
	require.Empty(t, allUnset(status), "the status must have every field set, or it proves nothing")

	*back.TerminatingReplicas, *back.CollisionCount = 99, 99
	back.Conditions[0].Reason = "changed"
	require.Empty(t, cmp.Diff(kube.DeploymentStatus(d.Status), status, semantic), "the result shares nothing")
	require.Equal(t, appsv1.DeploymentStatus{}, kube.DeploymentStatus(deploy.Status{}))
}
