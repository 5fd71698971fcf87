// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// send prints a patch.
func send(p kube.Patch, err error) {
	fmt.Println(string(p.Data), err)
}

// The UID makes sure that another workload of this name is left alone.
func ExampleWorkloadPatch() {
	send(kubekruise.WorkloadPatch(web, "d1", workload.Patch{MaxSurge: rollout.Percent(50)}))
	// Output: {"metadata":{"uid":"d1"},"spec":{"strategy":{"rollingUpdate":{"maxSurge":"50%"}}}} <nil>
}

func ExampleReplicaSetPatch() {
	send(kubekruise.ReplicaSetPatch(batchrelease.PatchReplicaSet{Name: "web-66cf", MinReadySeconds: 10}))
	// Output: {"spec":{"minReadySeconds":10}} <nil>
}

// An autoscaler of nothing leaves the workload alone.
func ExampleAutoscalerPatch() {
	send(kubekruise.AutoscalerPatch(batchrelease.RetargetAutoscaler{Name: "web", From: "web", To: "web" + batchrelease.AutoscalerSuffix}))
	// Output: {"spec":{"scaleTargetRef":{"name":"web-DisableByRollout"}}} <nil>
}

func ExampleLabelPodPatch() {
	send(kubekruise.LabelPodPatch(batchrelease.LabelPod{Name: "web-a", UID: "p1", Labels: map[string]string{workload.LabelBatchID: "1"}}))
	// Output: {"metadata":{"labels":{"rollouts.kruise.io/rollout-batch-id":"1"},"uid":"p1"}} <nil>
}

func ExamplePatchRolloutPatch() {
	send(kubekruise.PatchRolloutPatch(kruise.PatchRollout{Name: "web", UID: "o1", Annotations: map[string]string{"team": "shop"}}))
	// Output: {"metadata":{"annotations":{"team":"shop"},"uid":"o1"}} <nil>
}

// Without a partition the workload is given back.
func ExampleBatchReleasePatch() {
	send(kubekruise.BatchReleasePatch(kruise.PatchBatchRelease{Name: "web", UID: "b1", Finalize: batchrelease.WaitResume}))
	// Output: {"metadata":{"uid":"b1"},"spec":{"releasePlan":{"batchPartition":null,"finalizingPolicy":"WaitResume"}}} <nil>
}

func ExampleDeleteBatchReleaseOptions() {
	o := kubekruise.DeleteBatchReleaseOptions(kruise.DeleteBatchRelease{Name: "web", UID: "b1"})
	fmt.Println(*o.Preconditions.UID)
	// Output: b1
}

// The whole list is replaced, so that the version is a precondition.
func ExampleFinalizerPatch() {
	d := &appsv1.Deployment{ObjectMeta: meta("web", "d1", "")}
	d.ResourceVersion, d.Finalizers = "7", []string{"other"}
	send(kubekruise.FinalizerPatch(d, "d1", workload.FinalizerRollout, false))
	// Output: {"metadata":{"finalizers":["other","rollouts.kruise.io/rollout"],"resourceVersion":"7","uid":"d1"}} <nil>
}

// A key without a value is removed.
func ExampleSelectPodsPatch() {
	send(kubekruise.SelectPodsPatch(kruise.SelectPods{Service: "web", Key: workload.LabelPodTemplateHash, Value: "66cf"}))
	send(kubekruise.SelectPodsPatch(kruise.SelectPods{Service: "web", Key: workload.LabelPodTemplateHash}))
	// Output:
	// {"spec":{"selector":{"pod-template-hash":"66cf"}}} <nil>
	// {"spec":{"selector":{"pod-template-hash":null}}} <nil>
}

// What the canary Ingress has and no longer needs is removed.
func ExampleIngressPatch() {
	const weight, cookie = "nginx.ingress.kubernetes.io/canary-weight", "nginx.ingress.kubernetes.io/canary-by-cookie"
	send(kubekruise.IngressPatch(map[string]string{cookie: "beta"}, kruise.SetIngress{Annotations: map[string]string{weight: "20"}}))
	// Output: {"metadata":{"annotations":{"nginx.ingress.kubernetes.io/canary-by-cookie":null,"nginx.ingress.kubernetes.io/canary-weight":"20"}}} <nil>
}

// A fifth of the requests goes to the canary.
func ExampleRoutePatch() {
	rules := traffic.Weighted([]traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web"}}}}, "web", "web-canary", 20)
	send(kubekruise.RoutePatch(kruise.SetRoute{Name: "web", Rules: rules}))
	// Output: {"spec":{"rules":[{"backendRefs":[{"kind":"Service","name":"web","weight":80},{"kind":"Service","name":"web-canary","weight":20}]}]}} <nil>
}

func ExampleNewCanaryService() {
	s := kubekruise.NewCanaryService(&corev1.Service{ObjectMeta: meta("web", "sv1", ""), Spec: corev1.ServiceSpec{
		ClusterIP: "10.0.0.7", Ports: []corev1.ServicePort{{Port: 80, NodePort: 30080}},
	}}, "web", kruise.CreateService{Name: "web-canary", Stable: "web", OwnerUID: "o1", Selector: map[string]string{"app": "web", "pod-template-hash": "7d4c"}})
	fmt.Printf("%s %q %d %d %s\n", s.Name, s.Spec.ClusterIP, s.Spec.Ports[0].Port, s.Spec.Ports[0].NodePort, s.Spec.Selector["pod-template-hash"])
	// Output: web-canary "" 80 0 7d4c
}

// The paths that lead to web lead to the canary, and there are no others.
func ExampleNewCanaryIngress() {
	path := func(service string) networkingv1.HTTPIngressPath {
		return networkingv1.HTTPIngressPath{Path: "/" + service, Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: service}}}
	}
	stable := &networkingv1.Ingress{ObjectMeta: meta("web", "i1", ""), Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{
		IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{path("web"), path("api")}}},
	}}}}
	i := kubekruise.NewCanaryIngress(stable, "web", kruise.SetIngress{Name: "web-canary", Create: true, Backend: "web-canary"})
	for _, p := range i.Spec.Rules[0].HTTP.Paths {
		fmt.Println(i.Name, p.Path, p.Backend.Service.Name)
	}
	// Output: web-canary /web web-canary
}

// A copy of no pods, which the BatchRelease owns.
func ExampleNewCanaryDeployment() {
	ten := int32(10)
	stable := &appsv1.Deployment{ObjectMeta: meta("web", "d1", ""), Spec: appsv1.DeploymentSpec{Replicas: &ten, Paused: true, Template: template("web:2")}}
	d := kubekruise.NewCanaryDeployment(stable, "web", "b1", batchrelease.CreateCanary{GenerateName: "web-", Stable: "web"})
	fmt.Println(d.GenerateName, *d.Spec.Replicas, d.Spec.Paused, d.OwnerReferences[0].Kind, d.Spec.Template.Spec.Containers[0].Image)
	// Output: web- 0 false BatchRelease web:2
}

func ExampleNewBatchRelease() {
	o := kubekruise.NewBatchRelease("shop", kruise.CreateBatchRelease{Name: "web", OwnerUID: "o1", WorkloadRef: web, ReleasePlan: releaseOf().ReleasePlan})
	fmt.Println(o.Namespace, o.Name, o.OwnerReferences[0].Kind, o.Spec.ReleasePlan.Batches[0].CanaryReplicas)
	// Output: shop web Rollout 20%
}

// The version stays, so that the update fails if somebody else was faster.
func ExampleUpdatedBatchRelease() {
	o := kubekruise.ToBatchRelease("shop", releaseOf())
	o.ResourceVersion = "7"
	plan := batchrelease.ReleasePlan{Batches: []batchrelease.Batch{{CanaryReplicas: rollout.Percent(50)}}}
	updated := kubekruise.UpdatedBatchRelease(o, kruise.UpdateBatchRelease{Name: "web", WorkloadRef: web, ReleasePlan: plan})
	fmt.Println(updated.ResourceVersion, updated.Spec.ReleasePlan.Batches[0].CanaryReplicas, o.Spec.ReleasePlan.Batches[0].CanaryReplicas)
	// Output: 7 50% 20%
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// update is one of a pod in place: another image.
func update() daemonset.UpdatePod {
	spec := inplace.Spec{Revision: "7d4c", Images: map[string]string{"logs": "logs:2"}}
	return daemonset.UpdatePod{
		Object: daemonset.Object{Name: "logs-a", UID: "p1"}, Node: "n1", From: "66cf", To: "7d4c", CloseGate: true,
		Patch: inplace.FirstBatch([]inplace.Container{{Name: "logs", Image: "logs:1"}}, &spec, noon),
	}
}

// The pod gets the hash, the image and the state of its update.
func ExampleUpdatePodPatch() {
	var sent corev1.Pod
	err := json.Unmarshal(kubekruise.UpdatePodPatch(update()).Data, &sent)
	fmt.Println(sent.UID, sent.Labels[daemonset.LabelHash], sent.Spec.Containers[0].Image, err)
	fmt.Println(inplace.UnderWay(sent.Annotations))
	// Output:
	// p1 7d4c logs:2 <nil>
	// true
}

// First the pod stops being ready, unless it can go on serving, as with more memory.
func ExampleCloseGatePatch() {
	p := &corev1.Pod{ObjectMeta: meta("logs-a", "p1", "ds1")}
	p.Status.Conditions = []corev1.PodCondition{{Type: inplace.Gate, Status: corev1.ConditionTrue}}
	_, needed := kubekruise.CloseGatePatch(p, update())
	fmt.Println(needed)
	a := update()
	a.CloseGate = false
	_, needed = kubekruise.CloseGatePatch(p, a)
	fmt.Println(needed)
	// Output:
	// true
	// false
}

func ExampleOpenGatePatch() {
	p := &corev1.Pod{ObjectMeta: meta("logs-a", "p1", "ds1")}
	_, needed := kubekruise.OpenGatePatch(p, daemonset.RefreshPod{Object: daemonset.Object{Name: "logs-a", UID: "p1"}, OpenGate: true}, noon)
	fmt.Println(needed)
	_, needed = kubekruise.OpenGatePatch(p, daemonset.RefreshPod{Object: daemonset.Object{Name: "logs-a", UID: "p1"}}, noon)
	fmt.Println(needed)
	// Output:
	// true
	// false
}

// The end of a grace period is a patch, and opening the gate alone is another one.
func ExampleRefreshPodPatch() {
	p, needed := kubekruise.RefreshPodPatch(daemonset.RefreshPod{Object: daemonset.Object{Name: "logs-a", UID: "p1"}, DropGrace: true})
	fmt.Println(string(p.Data), needed)
	_, needed = kubekruise.RefreshPodPatch(daemonset.RefreshPod{Object: daemonset.Object{Name: "logs-a", UID: "p1"}, OpenGate: true})
	fmt.Println(needed)
	// Output:
	// {"metadata":{"uid":"p1","annotations":{"apps.kruise.io/inplace-update-grace":null,"inplace-update-grace":null}}} true
	// false
}

func ExampleResizePodPatch() {
	b := inplace.Put{Resources: map[string]inplace.Resources{"logs": {Limits: map[string]string{"memory": "2Gi"}}}}
	p, needed := kubekruise.ResizePodPatch(daemonset.Object{Name: "logs-a", UID: "p1"}, b)
	fmt.Println(string(p.Data), needed)
	// Output: {"metadata":{"uid":"p1"},"spec":{"containers":[{"name":"logs","resources":{"limits":{"memory":"2Gi"}}}]}} true
}

func ExamplePreparePodPatch() {
	a := daemonset.PreparePod{Object: daemonset.Object{Name: "logs-a", UID: "p1"}, State: daemonset.StatePreparingDelete, Since: noon}
	fmt.Println(string(kubekruise.PreparePodPatch(a).Data))
	// Output: {"metadata":{"uid":"p1","labels":{"lifecycle.apps.kruise.io/state":"PreparingDelete"},"annotations":{"lifecycle.apps.kruise.io/timestamp":"2026-03-01T12:00:00Z"}}}
}

// A pod that a hook holds stops being ready if the hook says so.
func ExampleHookPatch() {
	p := &corev1.Pod{ObjectMeta: meta("logs-a", "p1", "ds1"), Spec: corev1.PodSpec{ReadinessGates: []corev1.PodReadinessGate{{ConditionType: daemonset.GateKruiseReady}}}}
	_, needed := kubekruise.HookPatch(p, daemonset.PreparePod{NotReady: true})
	fmt.Println(needed)
	_, needed = kubekruise.HookPatch(p, daemonset.PreparePod{})
	fmt.Println(needed)
	// Output:
	// true
	// false
}
