// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

func deploymentPass(t *testing.T, m *memory, _ optionRow[deploy.Options], opts deploy.Options) {
	d, sets := list[*appsv1.Deployment](m)[0], list[*appsv1.ReplicaSet](m)
	s, err := kube.Snapshot(d, sets, list[*corev1.Pod](m))
	require.NoError(t, err)
	p, err := deploy.NewPass(s, at, opts)
	require.NoError(t, err)
	r := p.Finish(execute(m).Deployment(t.Context(), d, sets, p.Plan))
	require.NoError(t, r.Err)
	if r.WriteStatus {
		require.NoError(t, m.Do(t.Context(), kube.DeploymentStatusRequest(d, r)))
	}
}

// webDeployment wants image v2, and may surge by one.
func webDeployment(replicas int32, edits ...func(*appsv1.Deployment)) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"}, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: webTemplate("v2", ""),
		Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{
			MaxSurge: ptr.To(intstr.FromInt32(1)), MaxUnavailable: ptr.To(intstr.FromInt32(0)),
		}},
		RevisionHistoryLimit: ptr.To(int32(9)),
	}}
	for _, edit := range edits {
		edit(d)
	}
	return d
}

// webSet is a ReplicaSet of image v1, or v2 and so on, that was last sized for so many
// replicas of the Deployment.
func webSet(version int, size, available, desired int32, edits ...func(*appsv1.ReplicaSet)) *appsv1.ReplicaSet {
	image := fmt.Sprint("v", version)
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: "web-" + image, OwnerReferences: owned("Deployment", "web"), Labels: webTemplate("", image).Labels,
			CreationTimestamp: metav1.NewTime(at.Add(time.Duration(version-10) * time.Hour)),
			Annotations: map[string]string{
				"deployment.kubernetes.io/revision": fmt.Sprint(version), "deployment.kubernetes.io/desired-replicas": fmt.Sprint(desired),
				"deployment.kubernetes.io/max-replicas": fmt.Sprint(desired + 1),
			},
		},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &size, Template: webTemplate(image, image), Selector: &metav1.LabelSelector{MatchLabels: webTemplate("", image).Labels},
		},
		Status: appsv1.ReplicaSetStatus{Replicas: size, ReadyReplicas: available, AvailableReplicas: available, TerminatingReplicas: ptr.To(int32(0))},
	}
	for _, edit := range edits {
		edit(rs)
	}
	return rs
}

func paused(d *appsv1.Deployment) { d.Spec.Paused = true }

func allUnavailable(d *appsv1.Deployment) {
	d.Spec.Strategy.RollingUpdate.MaxUnavailable = ptr.To(intstr.FromString("100%"))
}

func TestDeploymentOptionsOnObjects(t *testing.T) {
	requireOptions(t, map[string]optionRow[deploy.Options]{
		"Repair": { // a stale annotation looks like a change of replicas, forever
			value: quirk.StaleAnnotationBlocksRollout, objects: []kube.Object{webDeployment(3), webSet(1, 3, 3, 5)},
			without: "replicasets/web-v1.metadata.annotations.deployment.kubernetes.io/desired-replicas=5",
			with:    "replicasets/web-v1.metadata.annotations.deployment.kubernetes.io/desired-replicas=3",
		},
		"Keys": {
			value: revision.Keys{Desired: "example.com/wanted"}, objects: []kube.Object{webDeployment(5), webSet(2, 3, 3, 3)},
			without: "replicasets/web-v2.metadata.annotations.deployment.kubernetes.io/desired-replicas=5",
			with:    "replicasets/web-v2.metadata.annotations.example.com/wanted=5",
		},
		"Terminating": {
			value: deploy.TerminationComplete,
			objects: []kube.Object{webDeployment(3), webSet(1, 2, 2, 3, func(rs *appsv1.ReplicaSet) {
				rs.Status.TerminatingReplicas = ptr.To(int32(1))
			}), webSet(2, 1, 1, 3)},
			without: "replicasets/web-v2.spec.replicas=2", with: "replicasets/web-v2.spec.replicas=1",
		},
		"Paused": {
			value: deploy.PausedFreeze, objects: []kube.Object{webDeployment(5, paused), webSet(2, 3, 3, 3)},
			without: "replicasets/web-v2.spec.replicas=5", with: "replicasets/web-v2.spec.replicas=3",
		},
		"RolloutFirst": {
			value: true, objects: []kube.Object{webDeployment(5), webSet(1, 3, 3, 3)},
			without: "replicasets/web-v1.spec.replicas=5", with: "replicasets/web-v1.spec.replicas=3",
		},
		"WeighByAvailable": {
			value: true, objects: []kube.Object{webDeployment(19), webSet(1, 5, 5, 9), webSet(2, 5, 0, 9)},
			without: "replicasets/web-v2.spec.replicas=10", with: "replicasets/web-v2.spec.replicas=5",
		},
		"Leftover": {
			value: deploy.LeftoverNewest, objects: []kube.Object{webDeployment(13), webSet(1, 4, 4, 9), webSet(2, 3, 3, 9), webSet(3, 3, 3, 9)},
			without: "replicasets/web-v1.spec.replicas=6", with: "replicasets/web-v3.spec.replicas=5",
		},
		"Policy": {
			value: rollout.Policy{Together: true}, objects: []kube.Object{webDeployment(3, allUnavailable), webSet(1, 3, 3, 3), webSet(2, 0, 0, 3)},
			without: "replicasets/web-v1.spec.replicas=3", with: "replicasets/web-v1.spec.replicas=0",
		},
		"Sets": {
			value: map[string]deploy.SetPolicy{"web-v1": {Least: 4}}, objects: []kube.Object{webDeployment(3), webSet(1, 5, 5, 5), webSet(2, 3, 3, 3)},
			without: "replicasets/web-v1.spec.replicas=0", with: "replicasets/web-v1.spec.replicas=4",
		},
		"Adoption": {
			value: deploy.AdoptNone, objects: []kube.Object{webDeployment(3), webSet(2, 3, 3, 3), webSet(1, 2, 2, 3, func(rs *appsv1.ReplicaSet) {
				rs.OwnerReferences = nil
			})},
			without: "replicasets/web-v1.metadata.ownerReferences[0].uid=uid-web", with: "deployments/web.status.replicas=3",
		},
		"PausePoints": {
			value: true,
			objects: []kube.Object{webDeployment(1), webSet(1, 1, 1, 1), webSet(2, 1, 1, 1), webPod("p", "ReplicaSet", "web-v1", "n", time.Hour, func(p *corev1.Pod) {
				p.Annotations = map[string]string{pausepoint.Annotation: "before"}
			})},
			without: "replicasets/web-v1.spec.replicas=0", with: "deployments/web.spec.paused=true",
		},
		"Order": { // the pod with the pause point goes second, or by its priority first
			value: podorder.Order{Priority: podorder.PriorityAnnotatedFirst}, both: deploy.Options{PausePoints: true},
			objects: []kube.Object{
				webDeployment(2), webSet(1, 2, 2, 2), webSet(2, 2, 2, 2),
				webPod("a", "ReplicaSet", "web-v1", "n", time.Hour),
				webPod("b", "ReplicaSet", "web-v1", "n", 2*time.Hour, func(p *corev1.Pod) {
					p.Annotations = map[string]string{pausepoint.Annotation: "before", podorder.AnnotationDeletePriority: "1"}
				}),
			},
			without: "replicasets/web-v1.spec.replicas=1", with: "replicasets/web-v1.spec.replicas=2",
		},
		"StrictAvailable": {
			value: true, objects: []kube.Object{webDeployment(1, allUnavailable), webSet(2, 1, 0, 1)},
			without: "deployments/web.status.conditions[0].status=True", with: "deployments/web.status.conditions[0].status=False",
		},
	}, deploymentPass)
}
