// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// web is the Deployment that is rolled out here.
var web = workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}

// rolloutOf is a Rollout of it in one step.
func rolloutOf() kruise.Rollout {
	return kruise.Rollout{Name: "web", UID: "o1", WorkloadRef: web, Canary: &kruise.Strategy{Steps: []kruise.Step{{Replicas: rollout.Percent(20)}}}}
}

// releaseOf is a BatchRelease of it.
func releaseOf() batchrelease.Release {
	return batchrelease.Release{Name: "web", UID: "b1", WorkloadRef: web, ReleasePlan: batchrelease.ReleasePlan{
		Batches: []batchrelease.Batch{{CanaryReplicas: rollout.Percent(20)}},
	}}
}

// meta are the metadata of an object that another one controls.
func meta(name, uid, owner string) metav1.ObjectMeta {
	yes := true
	return metav1.ObjectMeta{
		Name: name, Namespace: "shop", UID: types.UID(uid), Labels: map[string]string{"app": "web"},
		OwnerReferences: []metav1.OwnerReference{{UID: types.UID(owner), Controller: &yes}},
	}
}

// template is one of pods with an image.
func template(image string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: image}}},
	}
}

// As the API server sends it.
func ExampleRollout() {
	var o kubekruise.RolloutObject
	err := json.Unmarshal([]byte(`{"metadata":{"name":"web"},"spec":{
		"workloadRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},
		"strategy":{"canary":{"steps":[{"replicas":"20%","pause":{"duration":60}},{"replicas":"100%","pause":{}}]}}}}`), &o)
	r := kubekruise.Rollout(&o)
	fmt.Println(r.Name, len(r.Canary.Steps), r.Canary.Steps[0].Replicas, *r.Canary.Steps[0].Pause.Duration, r.Style(), err)
	// Output: web 2 20% 60 Partition <nil>
}

func ExampleToRollout() {
	o := kubekruise.ToRollout("shop", rolloutOf())
	fmt.Println(o.APIVersion, o.Kind, o.Namespace, o.Name, o.Spec.Strategy.Canary.Steps[0].Replicas)
	// Output: rollouts.kruise.io/v1beta1 Rollout shop web 20%
}

// The older version has a weight for each step, and its style is an annotation.
func ExampleRolloutV1alpha1() {
	var o kubekruise.RolloutObjectV1alpha1
	err := json.Unmarshal([]byte(`{"metadata":{"name":"web","annotations":{"rollouts.kruise.io/rolling-style":"partition"}},"spec":{
		"objectRef":{"workloadRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}},
		"strategy":{"canary":{"steps":[{"weight":20}]}}}}`), &o)
	r := kubekruise.RolloutV1alpha1(&o).Convert()
	fmt.Println(r.Canary.Steps[0].Replicas, r.Style(), err)
	// Output: 20% Partition <nil>
}

func ExampleToRolloutV1alpha1() {
	o := kubekruise.ToRolloutV1alpha1("shop", kruise.ConvertBack(rolloutOf()))
	fmt.Println(o.APIVersion, o.Namespace, o.Spec.Strategy.Canary.Steps[0].Replicas)
	// Output: rollouts.kruise.io/v1alpha1 shop 20%
}

// The API has a status of its own for each style.
func ExampleToRolloutStatus() {
	s := kubekruise.ToRolloutStatus(kruise.Status{Phase: kruise.PhaseProgressing, Sub: &kruise.StepStatus{Revision: "7d4c", CurrentStepIndex: 1}}, workload.Partition)
	fmt.Println(s.Phase, s.CanaryStatus.CanaryRevision, s.CanaryStatus.CurrentStepIndex, s.BlueGreenStatus == nil)
	// Output: Progressing 7d4c 1 true
}

func ExampleBatchRelease() {
	var o kubekruise.BatchReleaseObject
	err := json.Unmarshal([]byte(`{"metadata":{"name":"web"},"spec":{"workloadRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},
		"releasePlan":{"batches":[{"canaryReplicas":"20%"},{"canaryReplicas":"100%"}],"batchPartition":0}}}`), &o)
	br := kubekruise.BatchRelease(&o)
	fmt.Println(br.Name, len(br.ReleasePlan.Batches), *br.ReleasePlan.BatchPartition, err)
	// Output: web 2 0 <nil>
}

func ExampleBatchReleaseV1alpha1() {
	o := kubekruise.BatchReleaseObjectV1alpha1{}
	o.Name, o.Annotations = "web", map[string]string{workload.AnnotationRollingStyle: "Partition"}
	o.Spec.TargetReference.WorkloadRef = &web
	br := kubekruise.BatchReleaseV1alpha1(&o)
	fmt.Println(br.WorkloadRef.Name, br.ReleasePlan.Style())
	// Output: web Partition
}

func ExampleToBatchRelease() {
	o := kubekruise.ToBatchRelease("shop", releaseOf())
	fmt.Println(o.Namespace, o.Name, o.Spec.ReleasePlan.Batches[0].CanaryReplicas)
	// Output: shop web 20%
}

func ExampleToBatchReleaseStatus() {
	s := kubekruise.ToBatchReleaseStatus(batchrelease.Status{Phase: batchrelease.PhaseProgressing, Current: batchrelease.CurrentBatch{CurrentBatch: 1, UpdatedReplicas: 2}})
	fmt.Println(s.Phase, s.CanaryStatus.CurrentBatch, s.CanaryStatus.UpdatedReplicas)
	// Output: Progressing 1 2
}

// What an Advanced DaemonSet has in addition.
func ExampleAdvancedDaemonSet() {
	ds := &appsv1.DaemonSet{ObjectMeta: meta("logs", "ds1", ""), Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{}, Template: template("logs:1")}}
	half := intstr.FromString("50%")
	d, err := kubekruise.AdvancedDaemonSet(ds, kubekruise.Advanced{Partition: &half, Paused: true})
	fmt.Println(d.Name, d.Partition, d.Paused, err)
	// Output: logs 50% true <nil>
}

func ExampleAdvancedDaemonSetSnapshot() {
	ds := &appsv1.DaemonSet{ObjectMeta: meta("logs", "ds1", ""), Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{}, Template: template("logs:1")}}
	nodes := []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}, {ObjectMeta: metav1.ObjectMeta{Name: "n2"}}}
	s, err := kubekruise.AdvancedDaemonSetSnapshot(ds, kubekruise.Advanced{Paused: true}, nodes, nil, nil)
	fmt.Println(s.DaemonSet.Paused, len(s.Nodes), err)
	// Output: true 2 <nil>
}

// The rules of OpenKruise hold for the DaemonSet of the world.
func ExampleAdvance() {
	ds := &appsv1.DaemonSet{ObjectMeta: meta("logs", "ds1", ""), Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{}, Template: template("logs:1")}}
	s, err := kube.World([]kube.Object{ds})
	fmt.Println(err, kubekruise.Advance(&s, ds, kubekruise.Advanced{Paused: true}))
	fmt.Println(len(s.DaemonSets), s.AdvancedDaemonSets[0].Name, s.AdvancedDaemonSets[0].Paused)
	fmt.Println(kubekruise.Advance(&s, ds, kubekruise.Advanced{}))
	// Output:
	// <nil> <nil>
	// 0 shop/logs true
	// daemon set shop/logs is not in the snapshot
}

func ExampleDeployment() {
	ten := int32(10)
	w, err := kubekruise.Deployment(&appsv1.Deployment{
		ObjectMeta: meta("web", "d1", ""), Spec: appsv1.DeploymentSpec{Replicas: &ten, Paused: true, Template: template("web:1")},
	}, nil)
	fmt.Println(w.Ref, w.DesiredReplicas(), w.Paused, err)
	// Output: {apps/v1 Deployment web} 10 true <nil>
}

func ExampleCloneSet() {
	var o kubekruise.CloneSetObject
	err := json.Unmarshal([]byte(`{"apiVersion":"apps.kruise.io/v1alpha1","kind":"CloneSet","metadata":{"name":"cache"},
		"spec":{"replicas":10,"updateStrategy":{"partition":"80%"}},"status":{"currentRevision":"cache-66cf","updateRevision":"cache-7d4c"}}`), &o)
	fmt.Println(err)
	w, err := kubekruise.CloneSet(&o)
	fmt.Println(w.Kind, w.DesiredReplicas(), w.Partition, w.UpdateRevision, err)
	// Output:
	// <nil>
	// CloneSet 10 80% cache-7d4c <nil>
}

// Of the two updated pods one is ready.
func ExampleStatefulSet() {
	ten := int32(10)
	s := &appsv1.StatefulSet{ObjectMeta: meta("db", "s1", ""), Spec: appsv1.StatefulSetSpec{Replicas: &ten}, Status: appsv1.StatefulSetStatus{UpdatedReplicas: 2, UpdateRevision: "db-7d4c"}}
	pod := &corev1.Pod{ObjectMeta: meta("db-9", "p9", "s1")}
	pod.Labels[workload.LabelControllerRevision] = "db-7d4c"
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	w, err := kubekruise.StatefulSet(s, []*corev1.Pod{pod})
	fmt.Println(w.Kind, w.Status.UpdatedReplicas, w.Status.UpdatedReadyReplicas, err)
	// Output: StatefulSet 2 1 <nil>
}

func ExampleAdvancedStatefulSet() {
	var o kubekruise.AdvancedStatefulSetObject
	err := json.Unmarshal([]byte(`{"metadata":{"name":"db"},"spec":{"updateStrategy":{"rollingUpdate":{"partition":8,"unorderedUpdate":{}}}}}`), &o)
	fmt.Println(err)
	w, err := kubekruise.AdvancedStatefulSet(&o, nil)
	fmt.Println(w.Partition, w.Unordered, err)
	// Output:
	// <nil>
	// 8 true <nil>
}

// Without what is advanced it is a DaemonSet of Kubernetes.
func ExampleDaemonSet() {
	ds := &appsv1.DaemonSet{ObjectMeta: meta("logs", "ds1", ""), Status: appsv1.DaemonSetStatus{DesiredNumberScheduled: 3}}
	w, err := kubekruise.DaemonSet(ds, nil, nil, nil)
	fmt.Println(w.APIVersion, w.DesiredReplicas(), err)
	w, err = kubekruise.DaemonSet(ds, &kubekruise.Advanced{}, nil, nil)
	fmt.Println(w.Group(), err)
	// Output:
	// apps/v1 3 <nil>
	// apps.kruise.io <nil>
}

// Revisions that another one controls are left out.
func ExampleRevisions() {
	ds := &appsv1.DaemonSet{ObjectMeta: meta("logs", "ds1", "")}
	mine, other := &appsv1.ControllerRevision{ObjectMeta: meta("logs-66cf", "cr1", "ds1"), Revision: 3}, &appsv1.ControllerRevision{ObjectMeta: meta("x-66cf", "cr2", "ds9")}
	mine.Labels[workload.LabelControllerRevision] = "66cf"
	fmt.Println(kubekruise.Revisions(ds, []*appsv1.ControllerRevision{mine, other}))
	// Output: [{3 66cf}]
}

func ExampleSets() {
	six := int32(6)
	d := &appsv1.Deployment{ObjectMeta: meta("web", "d1", "")}
	rs := &appsv1.ReplicaSet{ObjectMeta: meta("web-66cf", "r1", "d1"), Spec: appsv1.ReplicaSetSpec{Replicas: &six, Template: template("web:1")}}
	for _, s := range kubekruise.Sets(d, []*appsv1.ReplicaSet{rs}) {
		fmt.Println(s.Name, s.Replicas, s.MayHavePods())
	}
	// Output: web-66cf 6 true
}

// The pods of a Deployment are those of its ReplicaSets.
func ExamplePods() {
	d := &appsv1.Deployment{ObjectMeta: meta("web", "d1", "")}
	rs := &appsv1.ReplicaSet{ObjectMeta: meta("web-66cf", "r1", "d1"), Spec: appsv1.ReplicaSetSpec{Template: template("web:1")}}
	pods := []*corev1.Pod{{ObjectMeta: meta("web-66cf-a", "p1", "r1")}, {ObjectMeta: meta("other-a", "p2", "r9")}}
	for _, p := range kubekruise.Pods(d, []*appsv1.ReplicaSet{rs}, pods) {
		fmt.Println(p.Name)
	}
	// Output: web-66cf-a
}

func ExampleService() {
	s := kubekruise.Service(&corev1.Service{ObjectMeta: meta("web", "sv1", ""), Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}}})
	fmt.Println(s.Name, s.Selector)
	// Output: web map[app:web]
}

func ExampleIngress() {
	i := &networkingv1.Ingress{ObjectMeta: meta("web", "i1", "")}
	i.Annotations = map[string]string{"nginx.ingress.kubernetes.io/canary": "true"}
	fmt.Println(kubekruise.Ingress(i).Annotations)
	// Output: map[nginx.ingress.kubernetes.io/canary:true]
}

// What is not read, such as the filters of a rule, is kept as text.
func ExampleHTTPRoute() {
	var o kubekruise.HTTPRouteObject
	err := json.Unmarshal([]byte(`{"metadata":{"name":"web"},"spec":{"rules":[{"backendRefs":[{"kind":"Service","name":"web","port":80}],"filters":[]}]}}`), &o)
	fmt.Println(err)
	r, err := kubekruise.HTTPRoute(&o)
	fmt.Println(r.Rules[0].BackendRefs[0].Name, *r.Rules[0].BackendRefs[0].Port, r.Rules[0].Rest, err)
	// Output:
	// <nil>
	// web 80 {"filters":[]} <nil>
}
