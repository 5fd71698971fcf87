// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/quirk"
)

func replicaSetPass(t *testing.T, m *memory, _ optionRow[replicaset.Options], opts replicaset.Options) {
	rs := list[*appsv1.ReplicaSet](m)[0]
	s := kube.ReplicaSetSnapshot(rs, list[*corev1.Pod](m), nil)
	s.Domains = kube.Domains(list[*corev1.Node](m), "zone")
	p, err := replicaset.NewPass(s, at, opts)
	require.NoError(t, err)
	report := execute(m).ReplicaSet(t.Context(), rs, p.Plan)
	report.Expectations = p.Plan.Expect(s.Expectations, at)
	if r := p.Finish(report); r.WriteStatus {
		require.NoError(t, m.Do(t.Context(), kube.ReplicaSetStatusRequest(rs, r.Status)))
	}
}

func webReplicas(replicas int32, edits ...func(*appsv1.ReplicaSet)) *appsv1.ReplicaSet {
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"}, Spec: appsv1.ReplicaSetSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: webTemplate("v1", ""),
	}}
	for _, edit := range edits {
		edit(rs)
	}
	return rs
}

func zoned(name, zone string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"zone": zone}}}
}

// cheap makes a pod the first victim.
func cheap(p *corev1.Pod) { p.Annotations = map[string]string{podorder.AnnotationDeletionCost: "-5"} }

// refuseCreation refuses one creation of pods.
func refuseCreation(n int) func(kube.Request, int) error {
	return func(r kube.Request, creations int) error {
		if r.Verb == kube.VerbCreate && creations == n {
			return forbidden
		}
		return nil
	}
}

func TestReplicaSetOptionsOnObjects(t *testing.T) {
	mine := func(name, node string, ready time.Duration, edits ...func(*corev1.Pod)) *corev1.Pod {
		return webPod(name, "ReplicaSet", "web", node, ready, edits...)
	}
	failing := webReplicas(1, func(rs *appsv1.ReplicaSet) {
		rs.Status.Conditions = []appsv1.ReplicaSetCondition{{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", Message: "of yesterday"}}
	})
	requireOptions(t, map[string]optionRow[replicaset.Options]{
		"Burst": {
			value: int32(2), objects: []kube.Object{webReplicas(3)}, without: "created web-",
		},
		"InitialBatch": { // the third creation fails, and the fourth is of the same batch or of none
			value: int32(4), objects: []kube.Object{webReplicas(6)}, refuse: refuseCreation(3), with: "created web-",
		},
		"Dialect": {
			value: replicaset.Kubernetes15, objects: []kube.Object{webReplicas(1), mine("a", "n", time.Hour), mine("b", "n", time.Hour, cheap), mine("c", "n", time.Hour, going)},
			without: "replicasets/web.status.terminatingReplicas=1",
		},
		"Repair": { // the reason why pods cannot be created stays that of the first failure
			value: quirk.FailureConditionNotRefreshed, objects: []kube.Object{failing}, refuse: func(r kube.Request, _ int) error {
				if r.Verb == kube.VerbCreate {
					return errors.New("of today")
				}
				return nil
			},
			without: "replicasets/web.status.conditions[0].message=of yesterday", with: "replicasets/web.status.conditions[0].message=of today",
		},
		"Terminating": {
			value: replicaset.ReplaceTerminated, objects: []kube.Object{webReplicas(1), mine("a", "n", time.Hour, going)}, without: "created web-",
		},
		"OmitTerminating": {
			value: true, objects: []kube.Object{webReplicas(1), mine("a", "n", time.Hour), mine("b", "n", time.Hour, going)},
			without: "replicasets/web.status.terminatingReplicas=1",
		},
		"Order": { // the chain of old has no deletion costs
			value: podorder.Order{Chain: podorder.Legacy}, objects: []kube.Object{webReplicas(1), mine("a", "n", time.Hour, cheap), mine("b", "n", time.Minute)},
			without: "pods/b", with: "pods/a",
		},
		"Spread": { // most pods are on one node, but of the other zone
			value: true, objects: []kube.Object{
				webReplicas(5, func(rs *appsv1.ReplicaSet) { rs.OwnerReferences = owned("Deployment", "of-web") }), zoned("n1", "1"), zoned("n2", "1"), zoned("n3", "1"), zoned("n4", "1"), zoned("n5", "2"),
				mine("a", "n1", time.Minute), mine("b", "n2", time.Hour), mine("c", "n3", time.Hour), mine("d", "n4", time.Hour),
				mine("e", "n5", time.Minute), mine("f", "n5", 3*time.Minute), mine("g", "n5", time.Hour),
			},
			without: "pods/a", with: "pods/f",
		},
	}, replicaSetPass)
}
