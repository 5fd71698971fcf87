// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
)

// number returns a pointer to n: a field that is nil is not set.
func number(n int32) *int32 { return &n }

func Example() {
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "d-1"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "x"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i:1"}}},
			},
		},
	}
	snapshot, err := kube.Snapshot(d, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	// An action as deploy.Reconcile plans it from the snapshot. The hash of a template is
	// that of the Kubernetes release whose API types are linked: of 1.36, this one.
	template := revision.Template{ID: snapshot.Deployment.Template.ID, Hash: "7d4c665cf7"}
	rs := kube.NewReplicaSet(d, deploy.CreateReplicaSet{Name: "web-" + template.Hash, Replicas: 1, Template: template})
	fmt.Println(rs.Namespace, rs.Name, *rs.Spec.Replicas)
	fmt.Println(rs.Labels)
	fmt.Println("same template:", kube.ReplicaSet(rs).Template.Same(template))

	requests, err := kube.DeploymentRequests(d, nil, deploy.ScaleReplicaSet{Name: rs.Name, UID: "rs-1", From: 1, To: 3})
	fmt.Println(requests[0], requests[0].Patch.Type, string(requests[0].Patch.Data), err)
	// Output:
	// shop web-7d4c665cf7 1
	// map[app:x pod-template-hash:7d4c665cf7]
	// same template: true
	// patch replicasets/web-7d4c665cf7 application/merge-patch+json {"metadata":{"uid":"rs-1"},"spec":{"replicas":3}} <nil>
}

func ExampleValidateDaemonSet() {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "log-agent"}}
	ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "log"}}
	ds.Spec.Template.Labels = map[string]string{"app": "logs"}
	ds.Spec.Template.Spec.Containers = []corev1.Container{{Name: "agent"}}
	fmt.Println(kube.ValidateDaemonSet(ds))
	// Output:
	// spec.template.metadata.labels: "app=logs": must match the selector app=log
	// spec.template.spec.containers["agent"].image: "": must be set
}

func ExampleValidateReplicaSet() {
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	rs.Spec.Replicas = number(-1)
	rs.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	rs.Spec.Template.Labels = rs.Spec.Selector.MatchLabels
	rs.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c", Image: "i"}, {Name: "c", Image: "i"}}
	fmt.Println(kube.ValidateReplicaSet(rs))
	// Output:
	// spec.replicas: -1: must not be negative
	// spec.template.spec.containers["c"].name: "c": must be the name of one container alone
}

func ExampleValidate() {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	d.Spec.Replicas = number(-1)
	fmt.Println(kube.Validate(d))
	// Output:
	// spec.replicas: -1: must not be negative
	// spec.selector: "": must be set and not empty
	// spec.template.spec.containers: "": must not be empty
}
