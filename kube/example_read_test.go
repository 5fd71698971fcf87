// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// shopMeta are the metadata of an object in the namespace shop.
func shopMeta(name, uid string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID(uid), Labels: map[string]string{"app": "web"}, ResourceVersion: "7"}
}

// shopTemplate is a template of pods with an image.
func shopTemplate(image string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: image}}},
	}
}

// shopDeployment is a Deployment of four pods.
func shopDeployment() *appsv1.Deployment {
	surge := intstr.FromString("25%")
	return &appsv1.Deployment{ObjectMeta: shopMeta("web", "d1"), Spec: appsv1.DeploymentSpec{
		Replicas: number(4), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: shopTemplate("web:2"),
		Strategy: appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge}},
	}}
}

// shopSet is its ReplicaSet.
func shopSet() *appsv1.ReplicaSet {
	rs := &appsv1.ReplicaSet{ObjectMeta: shopMeta("web-66cf", "r1"), Spec: appsv1.ReplicaSetSpec{
		Replicas: number(4), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: shopTemplate("web:1"),
	}}
	rs.Annotations = map[string]string{"deployment.kubernetes.io/revision": "1"}
	yes := true
	rs.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "d1", Controller: &yes}}
	return rs
}

// shopPod is a pod of it, which is ready.
func shopPod() *corev1.Pod {
	yes := true
	p := &corev1.Pod{ObjectMeta: shopMeta("web-66cf-a", "p1"), Spec: corev1.PodSpec{NodeName: "n1"}, Status: corev1.PodStatus{
		Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
	}}
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-66cf", UID: "r1", Controller: &yes}}
	return p
}

// shopDaemons is a DaemonSet.
func shopDaemons() *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: shopMeta("logs", "ds1"), Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: shopTemplate("logs:1"),
	}}
}

// shopRevision is a revision of it, with the template that it stores.
func shopRevision() *appsv1.ControllerRevision {
	r := &appsv1.ControllerRevision{ObjectMeta: shopMeta("logs-66cf", "cr1"), Revision: 3}
	r.Data.Raw = []byte(`{"spec":{"template":{"$patch":"replace","spec":{"containers":[{"name":"c","image":"logs:0"}]}}}}`)
	return r
}

// What a planner reads of a Deployment. Unset limits stay unset.
func ExampleDeployment() {
	d, err := kube.Deployment(shopDeployment())
	fmt.Println(d.Name, *d.Replicas, d.MaxSurge, d.MaxUnavailable.IsZero(), err)
	// Output: web 4 25% true <nil>
}

// What the API server would fill in.
func ExampleDefault() {
	d := kube.Default(&appsv1.Deployment{})
	fmt.Println(*d.Spec.Replicas, d.Spec.Strategy.RollingUpdate.MaxSurge, *d.Spec.ProgressDeadlineSeconds, *d.Spec.RevisionHistoryLimit)
	// Output: 1 25% 600 10
}

// All that a plan for a Deployment is made from. What is in another namespace is left out.
func ExampleSnapshot() {
	elsewhere := shopSet()
	elsewhere.Namespace = "bank"
	s, err := kube.Snapshot(shopDeployment(), []*appsv1.ReplicaSet{shopSet(), elsewhere}, []*corev1.Pod{shopPod()})
	fmt.Println(s.Deployment.Name, len(s.ReplicaSets), len(s.Pods), err)
	// Output: web 1 1 <nil>
}

func ExampleReplicaSet() {
	rs := kube.ReplicaSet(shopSet())
	fmt.Println(rs.Name, *rs.Replicas, rs.ControllerKind, rs.ControllerName)
	// Output: web-66cf 4 Deployment web
}

func ExampleReplicaSetSnapshot() {
	s := kube.ReplicaSetSnapshot(shopSet(), []*corev1.Pod{shopPod(), nil}, nil)
	fmt.Println(s.ReplicaSet.Name, len(s.Pods), s.Pods[0].ControllerUID)
	// Output: web-66cf 1 r1
}

// Pods are counted where they are, in the list of a cache.
func ExamplePods() {
	s := kube.ReplicaSetSnapshot(shopSet(), nil, nil)
	plan, err := replicaset.ReconcileFrom(s, kube.Pods("shop", []*corev1.Pod{shopPod(), nil}), time.Unix(0, 0), replicaset.Options{})
	fmt.Println(plan.Status.Replicas, plan.Status.ReadyReplicas, plan.Actions, err)
	// Output: 1 1 [Created 3 pods (TooFew)] <nil>
}

func ExamplePod() {
	p := kube.Pod(shopPod())
	fmt.Println(p.Name, p.NodeName, p.Phase, p.Ready, p.Active())
	// Output: web-66cf-a n1 Running true true
}

func ExampleEntry() {
	e := kube.Entry(shopSet())
	fmt.Println(e.Name, e.Annotations["deployment.kubernetes.io/revision"], *e.Replicas)
	// Output: web-66cf 1 4
}

func ExampleEntries() {
	for _, e := range kube.Entries([]*appsv1.ReplicaSet{shopSet()}) {
		fmt.Println(e.Name)
	}
	// Output: web-66cf
}

// The label pod-template-hash is no part of the identity.
func ExampleTemplate() {
	a, b := shopTemplate("web:1"), shopTemplate("web:1")
	b.Labels["pod-template-hash"] = "66cf"
	c := shopTemplate("web:2")
	fmt.Println(kube.Template(&a, nil).Same(kube.Template(&b, nil)), kube.Template(&a, nil).Same(kube.Template(&c, nil)))
	// Output: true false
}

// Nil and an empty list are the same.
func ExampleTemplateID() {
	a, b := shopTemplate("web:1"), shopTemplate("web:1")
	b.Spec.Volumes = []corev1.Volume{}
	fmt.Println(kube.TemplateID(&a) == kube.TemplateID(&b))
	// Output: true
}

func ExampleDaemonSet() {
	ds, err := kube.DaemonSet(shopDaemons())
	fmt.Println(ds.Name, ds.UID, ds.MaxUnavailable.IsZero(), err)
	// Output: logs ds1 true <nil>
}

func ExampleDaemonSetSnapshot() {
	nodes := []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}, {ObjectMeta: metav1.ObjectMeta{Name: "n2"}}}
	s, err := kube.DaemonSetSnapshot(shopDaemons(), nodes, nil, []*appsv1.ControllerRevision{shopRevision()})
	fmt.Println(len(s.Nodes), len(s.Pods), s.Revisions[0].Revision, err)
	// Output: 2 0 3 <nil>
}

// The planner reads the pods of a list of a cache in place.
func ExampleDaemonSetPods() {
	nodes := []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}, {ObjectMeta: metav1.ObjectMeta{Name: "n2"}}}
	ds := shopDaemons()
	s, err := kube.DaemonSetSnapshot(ds, nodes, nil, []*appsv1.ControllerRevision{shopRevision()})
	if err != nil {
		fmt.Println(err)
	}
	plan, err := daemonset.ReconcileFrom(s, kube.DaemonSetPods(ds.Namespace, []*corev1.Pod{shopPod(), nil}), time.Unix(0, 0), daemonset.Options{})
	fmt.Println(plan.Status.DesiredNumberScheduled, plan.Status.NumberReady, err)
	// Output: 2 0 <nil>
}

// A pod that is not bound yet belongs to the node that it is pinned to.
func ExampleDaemonSetPod() {
	p := shopPod()
	p.Spec.NodeName = ""
	p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: kube.ToNodeSelector(daemonset.Pin("n2"))}}
	fmt.Println(kube.DaemonSetPod(p).PinnedNode)
	// Output: n2
}

func ExampleNode() {
	n := kube.Node(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}, Spec: corev1.NodeSpec{
		Taints: []corev1.Taint{{Key: "maintenance", Effect: corev1.TaintEffectNoExecute}},
	}})
	fmt.Println(n.Name, n.Taints[0].Key, n.Taints[0].Effect)
	// Output: n1 maintenance NoExecute
}

func ExampleDomains() {
	nodes := []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{corev1.LabelTopologyZone: "east"}}}}
	fmt.Println(kube.Domains(nodes, corev1.LabelTopologyZone))
	// Output: map[n1:east]
}

func ExampleControllerRevision() {
	r := kube.ControllerRevision(shopRevision())
	fmt.Println(r.Name, r.Revision, len(r.Data) > 0)
	// Output: logs-66cf 3 true
}

func ExampleControllerRevisions() {
	for _, r := range kube.ControllerRevisions([]*appsv1.ControllerRevision{shopRevision()}) {
		fmt.Println(r.Name)
	}
	// Output: logs-66cf
}

// A ReplicationController is planned like a ReplicaSet.
func ExampleReplicationController() {
	rc := &corev1.ReplicationController{ObjectMeta: shopMeta("web", "rc1"), Spec: corev1.ReplicationControllerSpec{Replicas: number(2), Selector: map[string]string{"app": "web"}}}
	rs := kube.ReplicationController(rc)
	fmt.Println(rs.Kind, rs.Name, *rs.Replicas, rs.Selector.MatchLabels)
	// Output: ReplicationController web 2 map[app:web]
}

func ExampleReplicationControllerSnapshot() {
	rc := &corev1.ReplicationController{ObjectMeta: shopMeta("web", "rc1")}
	s := kube.ReplicationControllerSnapshot(rc, []*corev1.Pod{shopPod()})
	fmt.Println(s.ReplicaSet.Name, len(s.Pods))
	// Output: web 1
}

// A pod is a child of its ReplicaSet, which keeps it.
func ExampleChild() {
	s, _ := selector.Parse("app=web")
	owner, child := kube.Owner(shopSet(), appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), s), kube.Child(shopPod())
	fmt.Println(claim.Decide(&owner, &child))
	// Output: Keep (Owned)
}

func ExampleOwner() {
	owner := kube.Owner(shopSet(), appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), selector.Everything())
	fmt.Println(owner.APIVersion, owner.Kind, owner.Namespace, owner.Name)
	// Output: apps/v1 ReplicaSet shop web-66cf
}

// Before anything is adopted the owner is read again; it may be gone.
func ExampleFresh() {
	owner := kube.Owner(shopSet(), appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), selector.Everything())
	fmt.Println(claim.CheckLive(&owner, kube.Fresh(shopSet(), nil)).OK)
	fmt.Println(claim.CheckLive(&owner, kube.Fresh(nil, errors.New("not found"))).OK)
	// Output:
	// true
	// false
}

func ExampleIntOrPercent() {
	quarter, text := intstr.FromString("25%"), intstr.FromString("5")
	fmt.Println(kube.IntOrPercent(&quarter))
	_, err := kube.IntOrPercent(&text)
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output:
	// 25% <nil>
	// true
}

func ExampleToIntOrString() {
	fmt.Println(kube.ToIntOrString(rollout.Percent(25)), kube.ToIntOrString(rollout.IntOrPercent{}) == nil)
	// Output: 25% true
}

func ExampleLabelSelector() {
	s := kube.LabelSelector(shopSet().Spec.Selector)
	fmt.Println(selector.Format(s))
	// Output: app=web
}

func ExampleToLabelSelector() {
	s := kube.ToLabelSelector(selector.FromLabels(map[string]string{"app": "web"}))
	fmt.Println(metav1.FormatLabelSelector(s))
	// Output: app=web
}

// What a lister is given, as a selector of this module.
func ExampleSelector() {
	s, err := kube.Selector(labels.SelectorFromSet(labels.Set{"app": "web"}))
	fmt.Println(s, err)
	s, _ = kube.Selector(labels.Nothing())
	fmt.Println(s.Describe())
	// Output:
	// app=web <nil>
	// nothing
}

func ExampleToSelector() {
	s, _ := selector.Parse("app=web,tier in (front,back)")
	fmt.Println(kube.ToSelector(s))
	// Output: app=web,tier in (back,front)
}

func ExampleNodeSelector() {
	ns := kube.NodeSelector(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
		{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "cpus", Operator: corev1.NodeSelectorOpGt, Values: []string{"8"}}}},
	}})
	fmt.Println(selector.NewNodeMatcher(ns).Match("n1", map[string]string{"cpus": "16"}))
	// Output: true <nil>
}

func ExampleToNodeSelector() {
	ns := kube.ToNodeSelector(daemonset.Pin("n2"))
	fmt.Println(ns.NodeSelectorTerms[0].MatchFields[0].Key, ns.NodeSelectorTerms[0].MatchFields[0].Values)
	// Output: metadata.name [n2]
}

func ExampleTolerations() {
	list := kube.Tolerations([]corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}})
	fmt.Println(list[0].Tolerates(daemonset.Taint{Key: "gpu", Effect: daemonset.NoSchedule}))
	// Output: true
}

func ExampleToTolerations() {
	list := kube.ToTolerations(daemonset.DefaultTolerations(nil, false))
	fmt.Println(len(list), list[0].Key, list[0].Effect)
	// Output: 6 node.kubernetes.io/not-ready NoExecute
}
