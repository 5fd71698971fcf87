// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A Rollout of ten pods goes on from where a cluster has it, which is at the first of two steps.
func ExampleWorld() {
	objects := []kube.Object{serviceOf("web"), serviceOf("web-canary")}
	s, err := kubeargo.World(time.Time{}, []*kubeargo.RolloutObject{canary()}, objects)
	fmt.Println(err, s.ArgoRollouts[0].Name, s.Services[1].Name)
	w, err := sim.New(s, sim.Config{})
	fmt.Println(err)
	done, err := w.Settle(time.Hour)
	fmt.Println(done, err, len(w.View().Pods()), "pods")
	// Output:
	// <nil> shop/web shop/web-canary
	// <nil>
	// true <nil> 10 pods
}

func serviceOf(name string) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
}

// setOf is the ReplicaSet of a template of canary(), with so many pods of which some are available.
func setOf(image string, pods, available int32) *appsv1.ReplicaSet {
	o := canary()
	o.Spec.Template.Spec.Containers[0].Image = image
	hash := kubeargo.TemplateHash(&o.Spec.Template, nil)
	rs := kubeargo.NewReplicaSet(o, argo.CreateReplicaSet{Name: "web-" + hash, Hash: hash, Replicas: pods, Desired: 10, Revision: 1})
	rs.UID, rs.Status = types.UID(rs.Name), appsv1.ReplicaSetStatus{Replicas: pods, ReadyReplicas: available, AvailableReplicas: available}
	return rs
}

// podOf is a pod of a ReplicaSet.
func podOf(rs *appsv1.ReplicaSet, n int, ready bool) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: rs.Namespace, Name: fmt.Sprintf("%s-%d", rs.Name, n), UID: types.UID(fmt.Sprintf("%s-%d", rs.UID, n)), Labels: rs.Spec.Template.Labels,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(rs, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))},
	}}
	p.Spec = rs.Spec.Template.Spec
	p.Spec.NodeName, p.Status.Phase = "node", corev1.PodRunning
	if ready {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		return p
	}
	p.Status.Phase = corev1.PodPending
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
	return p
}

// underWay is an update to web:2 at its first step, with so many new pods of which some are ready.
func underWay(pods, ready int) (*kubeargo.RolloutObject, []kube.Object) {
	o, old, fresh := canary(), setOf("web:1", 8, 8), setOf("web:2", int32(pods), int32(ready))
	step := int32(0)
	o.Status.StableRS, o.Status.CurrentPodHash, o.Status.CurrentStepIndex = old.Labels[argo.HashLabel], fresh.Labels[argo.HashLabel], &step
	o.Status.CurrentStepHash, _ = kubeargo.StepHash(o.Spec.Strategy)
	objects := []kube.Object{serviceOf("web"), serviceOf("web-canary"), old, fresh}
	for i := range 8 {
		objects = append(objects, podOf(old, i, true))
	}
	for i := range pods {
		objects = append(objects, podOf(fresh, i, i < ready))
	}
	return o, objects
}

// settled is a world of an update, with approvals, after it has come to rest.
func settled(t *testing.T, o *kubeargo.RolloutObject, objects []kube.Object) (cluster.Snapshot, *sim.World) {
	s, err := kubeargo.World(time.Time{}, []*kubeargo.RolloutObject{o}, objects)
	require.NoError(t, err)
	w, err := sim.New(s, sim.Config{ApproveAfter: cluster.Exactly(time.Minute)})
	require.NoError(t, err)
	done, err := w.Settle(time.Hour)
	require.NoError(t, err)
	require.True(t, done)
	return s, w
}

// An update that is under way goes on from where it is, to its end.
func TestWorldGoesOn(t *testing.T) {
	o, objects := underWay(2, 2)
	_, w := settled(t, o, objects)
	sizes := map[string]int32{}
	for _, rs := range w.View().ReplicaSets() {
		sizes[rs.Name] = *rs.Replicas
	}
	fresh := kubeargo.TemplateHash(&o.Spec.Template, nil)
	require.Equal(t, map[string]int32{"shop/web-" + fresh: 10, "shop/" + setOf("web:1", 0, 0).Name: 0}, sizes)
	r := w.View().ArgoRollouts()[0]
	require.Equal(t, fresh, r.Status.StableRS)
	require.Equal(t, fresh, w.Snapshot().Services[1].Selector[argo.HashLabel])
	require.Empty(t, w.View().Deployments())
}

// New pods whose image cannot be pulled stay so, and so do further ones: the update does not come on.
func TestWorldBelievesPods(t *testing.T) {
	o, objects := underWay(2, 0)
	s, w := settled(t, o, objects)
	r := w.View().ArgoRollouts()[0]
	require.EqualValues(t, 0, *r.Status.CurrentStepIndex)
	require.EqualValues(t, 8, r.Status.AvailableReplicas)
	require.Equal(t, []cluster.Belief{{In: "ImagePullBackOff", Then: cluster.Stay, Pods: 2}, {Then: cluster.NewUnready}}, s.BelievedOf(anybody))
}

// Of pods that are not among the objects the statuses tell.
func TestWorldBelievesStatuses(t *testing.T) {
	o, objects := underWay(2, 2)
	s, w := settled(t, o, objects[:4])
	require.Len(t, s.Pods, 10)
	require.Equal(t, []cluster.Belief{{Then: cluster.Reported, Pods: 10}}, s.BelievedOf(anybody))
	require.Len(t, w.View().Pods(), 10)
	require.Equal(t, argo.PhaseHealthy, w.View().ArgoRollouts()[0].Status.Phase)
}

// What a template asks for is known before it has pods, by its hash.
func TestWorldTemplates(t *testing.T) {
	o := canary()
	o.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}
	s, err := kubeargo.World(time.Time{}, []*kubeargo.RolloutObject{o, nil}, []kube.Object{serviceOf("web"), serviceOf("web-canary"), setOf("web:1", 1, 1)})
	require.NoError(t, err)
	ids := map[string][]int64{}
	for id, template := range s.Templates {
		ids[id] = template.Needs[:1]
	}
	require.Equal(t, map[string][]int64{kubeargo.TemplateHash(&o.Spec.Template, nil): {2000}, setOf("web:1", 1, 1).Labels[argo.HashLabel]: {0}}, ids)
	require.Equal(t, s.ReplicaSets[0].Template.ID, s.ReplicaSets[0].Labels[argo.HashLabel])
}

// A Rollout may name the Deployment that holds its template. What is missing is told by the field.
func TestWorldWorkloadRef(t *testing.T) {
	o := canary()
	template := o.Spec.Template
	o.Spec.Template, o.Spec.WorkloadRef = corev1.PodTemplateSpec{}, &kubeargo.WorkloadRef{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	services := []kube.Object{serviceOf("web"), serviceOf("web-canary")}
	_, err := kubeargo.World(time.Time{}, []*kubeargo.RolloutObject{o}, services)
	require.ErrorContains(t, err, "rollout shop/web: spec.workloadRef")
	require.ErrorIs(t, err, kplan.ErrInvalid)

	zero := int32(0)
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "d1"}, Spec: appsv1.DeploymentSpec{
		Replicas: &zero, Selector: o.Spec.Selector, Template: template,
	}}
	s, err := kubeargo.World(time.Time{}, []*kubeargo.RolloutObject{o}, append(services, d))
	require.NoError(t, err)
	require.Equal(t, kubeargo.TemplateHash(&template, nil), s.ArgoRollouts[0].TemplateHash)
	require.Len(t, s.Deployments, 1, "which stays")

	_, err = kubeargo.World(time.Time{}, []*kubeargo.RolloutObject{canary()}, nil)
	require.ErrorContains(t, err, "must be the name of a Service in the input")
}

// The present is not before a pause has begun.
func TestWorldPresent(t *testing.T) {
	o, at := canary(), time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC)
	o.Status.PauseConditions = []kubeargo.PauseCondition{{Reason: argo.PauseStep, StartTime: metav1.NewTime(at)}}
	s, err := kubeargo.World(at.Add(-time.Hour), []*kubeargo.RolloutObject{o}, []kube.Object{serviceOf("web"), serviceOf("web-canary")})
	require.NoError(t, err)
	require.Equal(t, at, s.Now)
}

func anybody(string) bool { return true }
