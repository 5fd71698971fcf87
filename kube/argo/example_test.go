// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/argo"
)

// canary is a Rollout of ten pods at 20%, as the API server sends it.
func canary() *kubeargo.RolloutObject {
	ten, twenty := int32(10), int32(20)
	return &kubeargo.RolloutObject{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "o1"},
		Spec: kubeargo.RolloutSpec{
			Replicas: &ten, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: image("web:2"),
			Strategy: kubeargo.Strategy{Canary: &kubeargo.CanaryStrategy{
				StableService: "web", CanaryService: "web-canary", Steps: []kubeargo.CanaryStep{{SetWeight: &twenty}, {Pause: &kubeargo.Pause{}}},
			}},
		},
	}
}

func image(name string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: name}}},
	}
}

// set is a ReplicaSet of it.
func set() *appsv1.ReplicaSet {
	five, yes := int32(5), true
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: "web-66cf", Namespace: "shop", UID: "r1", Labels: map[string]string{argo.HashLabel: "66cf"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: kubeargo.V1alpha1, Kind: "Rollout", Name: "web", UID: "o1", Controller: &yes}},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: &five}, Status: appsv1.ReplicaSetStatus{Replicas: 5, AvailableReplicas: 4},
	}
}

// service selects the pods of a hash.
func service(name, hash string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web", argo.HashLabel: hash}},
	}
}

func ExampleRollout() {
	r, err := kubeargo.Rollout(canary())
	fmt.Println(r.Name, *r.Replicas, *r.Steps[0].SetWeight, r.MaxSurge.IsZero(), err)
	// Output: web 10 20 true <nil>
}

// All that a plan is made from. A Service that is missing is an error.
func ExampleSnapshot() {
	s, err := kubeargo.Snapshot(canary(), []*appsv1.ReplicaSet{set()}, []*corev1.Service{service("web", "66cf"), service("web-canary", "66cf"), service("other", "")})
	fmt.Println(len(s.Sets), s.StableService.Name, s.CanaryService.Name, err)
	_, err = kubeargo.Snapshot(canary(), nil, nil)
	fmt.Println(err != nil)
	// Output:
	// 1 web web-canary <nil>
	// true
}

func ExampleReplicaSet() {
	rs, err := kubeargo.ReplicaSet(set())
	fmt.Println(rs.Name, rs.Hash, rs.Size.Replicas, rs.Size.AvailableReplicas, err)
	// Output: web-66cf 66cf 5 4 <nil>
}

func ExampleService() {
	s := kubeargo.Service(service("web", "66cf"))
	fmt.Println(s.Name, s.Selector[argo.HashLabel], s.Managed)
	// Output: web 66cf false
}

// Another image is another template, and so is a collision.
func ExampleTemplateHash() {
	a, b, one := image("web:1"), image("web:2"), int32(1)
	hash := kubeargo.TemplateHash(&a, nil)
	fmt.Println(hash == kubeargo.TemplateHash(&a, nil))
	fmt.Println(hash == kubeargo.TemplateHash(&b, nil), hash == kubeargo.TemplateHash(&a, &one))
	// Output:
	// true
	// false false
}

// The steps begin anew when this changes. A blue-green update has none.
func ExampleStepHash() {
	before, known := kubeargo.StepHash(canary().Spec.Strategy)
	changed, fifty := canary().Spec.Strategy, int32(50)
	changed.Canary.Steps[0].SetWeight = &fifty
	after, _ := kubeargo.StepHash(changed)
	fmt.Println(known, before == after)
	// Output: true false
}

// The ReplicaSet that a plan scales, with the size of the Rollout noted on it.
func ExampleRequests() {
	requests, err := kubeargo.Requests(canary(), argo.ScaleReplicaSet{Name: "web-66cf", Hash: "66cf", From: 5, To: 4, Desired: 10})
	for _, r := range requests {
		fmt.Println(r, string(r.Patch.Data))
	}
	fmt.Println(err)
	// Output:
	// patch replicasets/web-66cf {"metadata":{"annotations":{"rollout.argoproj.io/desired-replicas":"10"}},"spec":{"replicas":4}}
	// <nil>
}

func ExampleNewReplicaSet() {
	rs := kubeargo.NewReplicaSet(canary(), argo.CreateReplicaSet{Name: "web-7d4c", Hash: "7d4c", Revision: 2, Replicas: 1, Desired: 10})
	fmt.Println(rs.Namespace, rs.Name, *rs.Spec.Replicas, rs.OwnerReferences[0].Kind)
	fmt.Println(metav1.FormatLabelSelector(rs.Spec.Selector))
	// Output:
	// shop web-7d4c 1 Rollout
	// app=web,rollouts-pod-template-hash=7d4c
}

// The template of a Deployment that the Rollout names.
func ExampleResolve() {
	o := canary()
	o.Spec.Template, o.Spec.WorkloadRef = corev1.PodTemplateSpec{}, &kubeargo.WorkloadRef{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	template := image("web:3")
	fmt.Println(kubeargo.Resolve(o, &template).Spec.Template.Spec.Containers[0].Image, len(o.Spec.Template.Spec.Containers))
	// Output: web:3 0
}

// A step that needs routing, without any.
func ExampleValidate() {
	o := canary()
	o.Spec.Strategy.Canary = &kubeargo.CanaryStrategy{Steps: []kubeargo.CanaryStep{{SetCanaryScale: &kubeargo.SetCanaryScale{}}}}
	o.Spec.Selector.MatchLabels = map[string]string{"app": "shop"}
	fmt.Println(kubeargo.Validate(o))
	// Output:
	// spec.strategy.canary.steps[0].setCanaryScale: "": must not be set without trafficRouting
	// spec.template.metadata.labels: "app=web": must match the selector app=shop
}

func ExampleToStatus() {
	status := kubeargo.ToStatus(canary(), argo.Status{Phase: argo.PhasePaused, Replicas: 10, UpdatedReplicas: 2, StableRS: "66cf"})
	fmt.Println(status.Phase, status.Replicas, status.UpdatedReplicas, status.StableRS)
	// Output: Paused 10 2 66cf
}

// A pod of a ReplicaSet of the Rollout, and one of nobody.
func ExamplePods() {
	yes := true
	mine := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: "web-66cf-x", Namespace: "shop", UID: "p1",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-66cf", UID: "r1", Controller: &yes}},
	}}
	other := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: "shop", UID: "p2"}}
	pods := kubeargo.Pods(canary(), []*appsv1.ReplicaSet{set()}, []*corev1.Pod{mine, other}, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	fmt.Println(len(pods), pods[0].Name, pods[0].Available)
	// Output: 1 web-66cf-x false
}
