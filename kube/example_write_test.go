// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A printer is a Client that prints what it would send.
type printer struct{}

func (printer) Get(context.Context, kube.Object) error { return nil }

func (printer) Do(_ context.Context, r kube.Request) error {
	fmt.Println(r)
	return nil
}

// show prints requests with what they would send.
func show(requests []kube.Request, err error) {
	for _, r := range requests {
		fmt.Println(r, string(r.Patch.Data))
	}
	if err != nil {
		fmt.Println(err)
	}
}

// The plan is carried out up to the first call that fails; the report goes to Finish of the pass.
func ExampleExecutor_Deployment() {
	plan := deploy.Plan{Actions: deploy.Actions{deploy.ScaleReplicaSet{Name: "web-66cf", UID: "r1", ResourceVersion: "7", From: 4, To: 3}}}
	report := kube.Executor{Client: printer{}}.Deployment(context.Background(), shopDeployment(), []*appsv1.ReplicaSet{shopSet()}, plan)
	fmt.Println(report.Outcomes[0].Answer)
	// Output:
	// patch replicasets/web-66cf
	// Done
}

func ExampleExecutor_ReplicaSet() {
	plan := replicaset.Plan{Actions: replicaset.Actions{replicaset.DeletePod{Name: "web-66cf-a", UID: "p1", ResourceVersion: "7"}}}
	report := kube.Executor{Client: printer{}}.ReplicaSet(context.Background(), shopSet(), plan)
	fmt.Println(len(report.Deletes), report.Deletes[0].Answer)
	// Output:
	// delete pods/web-66cf-a
	// 1 Done
}

func ExampleExecutor_ReplicationController() {
	rc := &corev1.ReplicationController{ObjectMeta: shopMeta("web", "rc1")}
	plan := replicaset.Plan{Actions: replicaset.Actions{replicaset.DeletePod{Name: "web-a", UID: "p1"}}}
	report := kube.Executor{Client: printer{}}.ReplicationController(context.Background(), rc, plan)
	fmt.Println(report.Deletes[0].Answer)
	// Output:
	// delete pods/web-a
	// Done
}

func ExampleExecutor_DaemonSet() {
	plan := daemonset.Plan{Actions: daemonset.Actions{daemonset.DeletePod{Object: daemonset.Object{Name: "logs-a", UID: "p1"}, Node: "n1"}}}
	report := kube.Executor{Client: printer{}}.DaemonSet(context.Background(), shopDaemons(), nil, plan)
	fmt.Println(report.Outcomes[0].Answer)
	// Output:
	// delete pods/logs-a
	// Done
}

// The UID makes sure that another ReplicaSet of this name is left alone.
func ExampleDeploymentRequests() {
	show(kube.DeploymentRequests(shopDeployment(), nil, deploy.ScaleReplicaSet{Name: "web-66cf", UID: "r1", From: 4, To: 3}))
	// Output: patch replicasets/web-66cf {"metadata":{"uid":"r1"},"spec":{"replicas":3}}
}

// One request for each pod; the API server completes their names.
func ExampleReplicaSetRequests() {
	requests, err := kube.ReplicaSetRequests(shopSet(), replicaset.CreatePods{Count: 2})
	fmt.Println(len(requests), requests[0].Verb, requests[0].Resource(), requests[0].Object.GetGenerateName(), err)
	// Output: 2 create pods web-66cf- <nil>
}

func ExampleReplicationControllerRequests() {
	rc := &corev1.ReplicationController{ObjectMeta: shopMeta("web", "rc1"), Spec: corev1.ReplicationControllerSpec{Template: &corev1.PodTemplateSpec{}}}
	requests, err := kube.ReplicationControllerRequests(rc, replicaset.DeletePod{Name: "web-a", UID: "p1", ResourceVersion: "9"})
	fmt.Println(requests[0], *requests[0].Options.Preconditions.UID, *requests[0].Options.Preconditions.ResourceVersion, err)
	// Output: delete pods/web-a p1 9 <nil>
}

func ExampleDaemonSetRequests() {
	requests, err := kube.DaemonSetRequests(shopDaemons(), nil, daemonset.CreatePod{Node: "n1", Hash: "66cf"})
	pod := requests[0].Object.(*corev1.Pod)
	fmt.Println(requests[0].Verb, pod.GenerateName, pod.Labels[daemonset.LabelHash], err)
	// Output: create logs- 66cf <nil>
}

// As it stands in a URL.
func ExampleRequest_Resource() {
	fmt.Println(kube.Request{Object: shopDeployment()}.Resource(), kube.Request{Object: shopRevision()}.Resource())
	// Output: deployments controllerrevisions
}

// A conflict, or an object that is gone, means that the plan was made from an old cache.
func ExampleStale() {
	sets := schema.GroupResource{Group: "apps", Resource: "replicasets"}
	fmt.Println(kube.Stale(apierrors.NewConflict(sets, "web-66cf", errors.New("changed"))), kube.Stale(apierrors.NewNotFound(sets, "web-66cf")))
	fmt.Println(kube.Stale(apierrors.NewForbidden(sets, "web-66cf", errors.New("exceeded quota"))))
	// Output:
	// true true
	// false
}

// What a planner makes of the error of a call.
func ExampleOutcome() {
	sets := schema.GroupResource{Group: "apps", Resource: "replicasets"}
	for _, err := range []error{nil, apierrors.NewNotFound(sets, "web-66cf"), apierrors.NewAlreadyExists(sets, "web-66cf"), errors.New("no route to host")} {
		fmt.Println(kube.Outcome(err).Answer)
	}
	// Output:
	// Done
	// NotFound
	// AlreadyExists
	// Failed
}

func ExampleNewReplicaSet() {
	rs := kube.NewReplicaSet(shopDeployment(), deploy.CreateReplicaSet{
		Name: "web-7d4c", Replicas: 3, Template: revision.Template{Hash: "7d4c"}, Annotations: map[string]string{"deployment.kubernetes.io/revision": "2"},
	})
	fmt.Println(rs.Namespace, rs.Name, *rs.Spec.Replicas, rs.OwnerReferences[0].Name)
	fmt.Println(metav1.FormatLabelSelector(rs.Spec.Selector))
	// Output:
	// shop web-7d4c 3 web
	// app=web,pod-template-hash=7d4c
}

func ExampleNewPod() {
	p := kube.NewPod(shopSet())
	fmt.Println(p.GenerateName, p.Labels, p.OwnerReferences[0].Kind, p.Spec.Containers[0].Image)
	// Output: web-66cf- map[app:web] ReplicaSet web:1
}

func ExampleNewControllerPod() {
	template := shopTemplate("web:1")
	p := kube.NewControllerPod(&corev1.ReplicationController{ObjectMeta: shopMeta("web", "rc1"), Spec: corev1.ReplicationControllerSpec{Template: &template}})
	fmt.Println(p.GenerateName, p.OwnerReferences[0].Kind)
	// Output: web- ReplicationController
}

// The pod is pinned to its node and has the tolerations of every daemon.
func ExampleNewDaemonPod() {
	p := kube.NewDaemonPod(shopDaemons(), daemonset.CreatePod{Node: "n2", Hash: "66cf"})
	fmt.Println(kube.DaemonSetPod(p).PinnedNode, len(p.Spec.Tolerations))
	// Output: n2 6
}

func ExampleNewDaemonSetRevision() {
	r := kube.NewDaemonSetRevision(shopDaemons(), daemonset.CreateRevision{Name: "logs-7d4c", Hash: "7d4c", Revision: 4, Data: []byte(`{}`)})
	fmt.Println(r.Namespace, r.Name, r.Revision, r.OwnerReferences[0].Kind)
	// Output: shop logs-7d4c 4 DaemonSet
}

// The image of a former revision.
func ExampleRestoredDaemonSet() {
	ds, err := kube.RestoredDaemonSet(shopDaemons(), shopRevision())
	fmt.Println(ds.Spec.Template.Spec.Containers[0].Image, err)
	// Output: logs:0 <nil>
}

func ExampleNewControllerRevision() {
	r := kube.NewControllerRevision("shop", revision.NewControllerRevision(revision.Parent{Kind: "StatefulSet", Name: "db", UID: "s1"}, nil, []byte(`{}`), 2, nil, revision.Options{}))
	fmt.Println(r.Namespace, r.Revision, r.OwnerReferences[0].Kind, r.OwnerReferences[0].Name)
	// Output: shop 2 StatefulSet db
}

func ExampleScaled() {
	rs := kube.Scaled(shopSet(), deploy.ScaleReplicaSet{Name: "web-66cf", From: 4, To: 3, Set: map[string]string{"deployment.kubernetes.io/max-replicas": "5"}})
	fmt.Println(*rs.Spec.Replicas, rs.Annotations["deployment.kubernetes.io/max-replicas"], rs.ResourceVersion)
	// Output: 3 5 7
}

func ExampleAnnotated() {
	rs := kube.Annotated(shopSet(), deploy.AnnotateReplicaSet{Name: "web-66cf", Set: map[string]string{"team": "shop"}, MinReadySeconds: number(10)})
	fmt.Println(rs.Annotations["team"], rs.Spec.MinReadySeconds)
	// Output: shop 10
}

// The template comes back, and the annotations of the plan are all that the Deployment has.
func ExampleRolledBack() {
	d := kube.RolledBack(shopDeployment(), shopSet(), deploy.RollBackDeployment{Name: "web-66cf", Revision: 1, Annotations: map[string]string{"team": "shop"}})
	fmt.Println(d.Spec.Template.Spec.Containers[0].Image, d.Annotations)
	// Output: web:1 map[team:shop]
}

func ExampleRollbackCleared() {
	d := shopDeployment()
	d.Annotations = map[string]string{revision.AnnotationRollback: "1", "team": "shop"}
	fmt.Println(kube.RollbackCleared(d, deploy.ClearRollback{}).Annotations)
	// Output: map[team:shop]
}
