// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

func ExampleFromDeploymentStatus() {
	s := kube.FromDeploymentStatus(appsv1.DeploymentStatus{ObservedGeneration: 7, Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 3})
	fmt.Println(deploy.Complete(s, 3, 7))
	// Output: true
}

func ExampleDeploymentStatus() {
	s := kube.DeploymentStatus(deploy.Status{Replicas: 3, UnavailableReplicas: 1})
	fmt.Println(s.Replicas, s.UnavailableReplicas)
	// Output: 3 1
}

func ExampleFromDeploymentCondition() {
	noon := metav1.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := kube.FromDeploymentCondition(appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, LastUpdateTime: noon})
	fmt.Println(deploy.TimedOut(&c, 600, noon.Add(11*time.Minute)))
	// Output: true
}

func ExampleDeploymentCondition() {
	c := kube.DeploymentCondition(kplan.Condition{Type: deploy.ConditionAvailable, Status: kplan.ConditionTrue, Reason: "MinimumReplicasAvailable"})
	fmt.Println(c.Type, c.Status, c.Reason)
	// Output: Available True MinimumReplicasAvailable
}

func ExampleFromReplicaSetStatus() {
	fmt.Println(kube.FromReplicaSetStatus(appsv1.ReplicaSetStatus{Replicas: 3, ReadyReplicas: 2, AvailableReplicas: 1}))
	// Output: 3 replicas, 2 ready, 1 available
}

func ExampleReplicaSetStatus() {
	s := kube.ReplicaSetStatus(replicaset.Status{Replicas: 3, TerminatingReplicas: number(1)})
	fmt.Println(s.Replicas, *s.TerminatingReplicas)
	// Output: 3 1
}

func ExampleFromReplicaSetCondition() {
	c := kube.FromReplicaSetCondition(appsv1.ReplicaSetCondition{Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate"})
	fmt.Println(c.Type, c.Status, c.Reason)
	// Output: ReplicaFailure True FailedCreate
}

func ExampleReplicaSetCondition() {
	c := kube.ReplicaSetCondition(kplan.Condition{Type: "ReplicaFailure", Status: kplan.ConditionTrue, Message: "exceeded quota"})
	fmt.Println(c.Type == appsv1.ReplicaSetReplicaFailure, c.Message)
	// Output: true exceeded quota
}

func ExampleFromReplicationControllerStatus() {
	s := kube.FromReplicationControllerStatus(corev1.ReplicationControllerStatus{Replicas: 3})
	fmt.Println(s.Replicas, s.TerminatingReplicas == nil)
	// Output: 3 true
}

// What the API has no field for is dropped.
func ExampleReplicationControllerStatus() {
	s := kube.ReplicationControllerStatus(replicaset.Status{Replicas: 3, ReadyReplicas: 2, TerminatingReplicas: number(1)})
	fmt.Println(s.Replicas, s.ReadyReplicas)
	// Output: 3 2
}

func ExampleFromReplicationControllerCondition() {
	c := kube.FromReplicationControllerCondition(corev1.ReplicationControllerCondition{Type: corev1.ReplicationControllerReplicaFailure, Status: corev1.ConditionTrue})
	fmt.Println(c.Type, c.Status)
	// Output: ReplicaFailure True
}

func ExampleReplicationControllerCondition() {
	c := kube.ReplicationControllerCondition(kplan.Condition{Type: "ReplicaFailure", Status: kplan.ConditionFalse})
	fmt.Println(c.Type, c.Status)
	// Output: ReplicaFailure False
}

func ExampleFromDaemonSetStatus() {
	s := kube.FromDaemonSetStatus(appsv1.DaemonSetStatus{DesiredNumberScheduled: 3, CurrentNumberScheduled: 3, NumberReady: 2, NumberAvailable: 2})
	fmt.Println(s)
	// Output: 3 desired, 3 current, 2 ready, 0 updated, 2 available, 0 misscheduled
}

func ExampleDaemonSetStatus() {
	s := kube.DaemonSetStatus(daemonset.Status{DesiredNumberScheduled: 3, NumberUnavailable: 1})
	fmt.Println(s.DesiredNumberScheduled, s.NumberUnavailable)
	// Output: 3 1
}

func ExampleFromReplicationController() {
	rc := &corev1.ReplicationController{ObjectMeta: shopMeta("web", "rc1"), Spec: corev1.ReplicationControllerSpec{Replicas: number(2), Selector: map[string]string{"app": "web"}}}
	rs := kube.FromReplicationController(rc)
	fmt.Println(rs.Name, *rs.Spec.Replicas, rs.Spec.Selector.MatchLabels)
	// Output: web 2 map[app:web]
}

// A selector with expressions has no place in a ReplicationController.
func ExampleToReplicationController() {
	rs := shopSet()
	rc, err := kube.ToReplicationController(rs)
	fmt.Println(rc.Spec.Selector, err)
	rs.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpExists}}
	_, err = kube.ToReplicationController(rs)
	fmt.Println(err != nil)
	// Output:
	// map[app:web] <nil>
	// true
}

// The status is written over the version that was read, so that a conflict shows.
func ExampleReplicaSetStatusRequest() {
	r := kube.ReplicaSetStatusRequest(shopSet(), replicaset.Status{Replicas: 4})
	fmt.Println(r, r.Object.GetResourceVersion(), r.Object.(*appsv1.ReplicaSet).Status.Replicas)
	// Output: update replicasets/web-66cf status 7 4
}

func ExampleReplicationControllerStatusRequest() {
	rc := &corev1.ReplicationController{ObjectMeta: shopMeta("web", "rc1")}
	r := kube.ReplicationControllerStatusRequest(rc, replicaset.Status{Replicas: 4})
	fmt.Println(r, r.Object.(*corev1.ReplicationController).Status.Replicas)
	// Output: update replicationcontrollers/web status 4
}

func ExampleDaemonSetStatusRequest() {
	r := kube.DaemonSetStatusRequest(shopDaemons(), daemonset.Status{DesiredNumberScheduled: 3})
	fmt.Println(r, r.Object.(*appsv1.DaemonSet).Status.DesiredNumberScheduled)
	// Output: update daemonsets/logs status 3
}

// The annotations go along with the status.
func ExampleDeploymentStatusRequest() {
	r := kube.DeploymentStatusRequest(shopDeployment(), deploy.Result{
		Status: deploy.Status{Replicas: 4}, Annotations: map[string]string{"deployment.kubernetes.io/revision": "2"}, ResourceVersion: "8",
	})
	fmt.Println(r, r.Object.GetResourceVersion(), r.Object.GetAnnotations())
	// Output: update deployments/web status 8 map[deployment.kubernetes.io/revision:2]
}
