// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

func replicationController() *corev1.ReplicationController {
	rs := replicaSet("web-1")
	rs.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
	rs.Status.TerminatingReplicas = nil
	rc, err := kube.ToReplicationController(rs)
	if err != nil {
		panic(err)
	}
	return rc
}

func TestReplicationController(t *testing.T) {
	rc := replicationController()
	before := rc.DeepCopy()
	want := wantReplicaSet(kube.FromReplicationController(rc))
	want.Kind = "ReplicationController"
	want.Template.ID, want.Status.TerminatingReplicas, want.Template.Hash = "", nil, ""
	require.Empty(t, cmp.Diff(want, kube.ReplicationController(rc)))
	require.True(t, equality.Semantic.DeepEqual(rc.Status, kube.ReplicationControllerStatus(want.Status)))

	back, err := kube.ToReplicationController(kube.FromReplicationController(rc))
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(rc, back), "there and back")
	requireOwn(t, back, rc)
	require.Empty(t, cmp.Diff(before, rc))
	require.Equal(t, replicaset.ReplicaSet{}, kube.ReplicationController(nil))
}

func TestReplicationControllerSelector(t *testing.T) {
	in := func(values ...string) metav1.LabelSelectorRequirement {
		return metav1.LabelSelectorRequirement{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: values}
	}
	for _, tt := range []struct {
		why  string
		s    *metav1.LabelSelector
		want map[string]string
		err  string
	}{
		{"nil stays nil", nil, nil, ""},
		{"labels", &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}, map[string]string{"a": "b"}, ""},
		{"an expression with one value is a label, and overwrites one",
			&metav1.LabelSelector{MatchLabels: map[string]string{"app": "y"}, MatchExpressions: []metav1.LabelSelectorRequirement{in("x")}}, map[string]string{"app": "x"}, ""},
		{"two values are not", &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{in("x", "y")}}, nil,
			`operator "In" without a single value cannot be converted into the old label selector format`},
		{"nor is another operator", &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Exists"}}}, nil,
			`operator "Exists" cannot be converted into the old label selector format`},
	} {
		t.Run(tt.why, func(t *testing.T) {
			rc, err := kube.ToReplicationController(&appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Selector: tt.s}})
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, rc.Spec.Selector)
			require.Empty(t, cmp.Diff(tt.s, kube.ToLabelSelector(kube.LabelSelector(tt.s))), "there and back")
		})
	}
	require.Nil(t, kube.FromReplicationController(&corev1.ReplicationController{}).Spec.Selector, "no selector, which selects nothing")
	everything := kube.ReplicationController(&corev1.ReplicationController{Spec: corev1.ReplicationControllerSpec{Selector: map[string]string{}}})
	require.Equal(t, &selector.LabelSelector{MatchLabels: map[string]string{}}, everything.Selector, "the empty selector, which selects everything")
}

func TestReplicationControllerPods(t *testing.T) {
	rc := replicationController()
	pod := kube.NewControllerPod(rc)
	want := metav1.NewControllerRef(rc, corev1.SchemeGroupVersion.WithKind("ReplicationController"))
	require.Equal(t, []metav1.OwnerReference{*want}, pod.OwnerReferences)
	require.Equal(t, "web-1-", pod.GenerateName)
	require.Equal(t, rc.Spec.Template.Spec, pod.Spec)
	requireOwn(t, pod, rc)
	require.Empty(t, kube.NewControllerPod(nil).GenerateName)

	own := kube.NewControllerPod(rc)
	own.Name = "a"
	foreign := own.DeepCopy()
	foreign.Namespace = "elsewhere"
	s := kube.ReplicationControllerSnapshot(rc, []*corev1.Pod{own, foreign, nil})
	require.Equal(t, []podorder.Pod{kube.Pod(own)}, s.Pods)
	require.Equal(t, kube.ReplicationController(rc), s.ReplicaSet)
	require.Equal(t, "ReplicationController", kube.ReplicationControllerSnapshot(nil, nil).ReplicaSet.Kind)
}

func TestClaimPatches(t *testing.T) {
	adopt := podRequest(replicaset.AdoptPod{Name: "a", UID: "u", Reference: claim.OwnerReference{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "w", Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true)}}).Patch
	require.Equal(t, types.StrategicMergePatchType, adopt.Type)
	require.JSONEq(t, `{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"w",
		"controller":true,"blockOwnerDeletion":true}],"uid":"u"}}`, string(adopt.Data))
	release := podRequest(replicaset.ReleasePod{Name: "a", UID: "u", OwnerUID: "w"}).Patch
	require.Equal(t, types.StrategicMergePatchType, release.Type)
	require.JSONEq(t, `{"metadata":{"uid":"u","ownerReferences":[{"$patch":"delete","uid":"w"}]}}`, string(release.Data))
}

func TestDomains(t *testing.T) {
	node := func(name string, labels map[string]string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	}
	require.Equal(t, podorder.Domains{"n1": "a", "n2": ""},
		kube.Domains([]*corev1.Node{node("n1", map[string]string{"zone": "a"}), node("n2", nil), nil}, "zone"))
}
