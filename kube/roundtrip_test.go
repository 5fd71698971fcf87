// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"maps"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/kube/internal/apitest"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// What is common to the tests of all packages.
var (
	semantic   = apitest.Semantic
	requireOwn = apitest.RequireOwn
	dump       = apitest.Dump
)

// allUnset returns the names of the fields of the struct s that are unset.
func allUnset(s any) (names []string) {
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return names
}

func TestNewReplicaSet(t *testing.T) {
	d := deployment(func(d *appsv1.Deployment) {
		d.Labels = map[string]string{"of": "the Deployment"}
		d.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Exists"}}
		d.Spec.Template.Labels[revision.LabelHash] = "by hand"
		d.Spec.Template.Spec.NodeSelector = map[string]string{"a": "b"}
	})
	snapshot, err := kube.Deployment(d)
	require.NoError(t, err)
	a := deploy.CreateReplicaSet{
		Name: "web-1", Replicas: 3, Template: snapshot.Template, Revision: 4, MinReadySeconds: 5,
		Annotations: map[string]string{revision.AnnotationRevision: "4"},
	}
	got := kube.NewReplicaSet(d, a)
	labels := map[string]string{"app": "x", revision.LabelHash: snapshot.Template.Hash}
	want := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: "web-1", Namespace: "shop", Labels: labels, Annotations: map[string]string{revision.AnnotationRevision: "4"},
			OwnerReferences: []metav1.OwnerReference{owner("Deployment", "web")},
		},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: ptr.To(int32(3)), MinReadySeconds: 5,
			Selector: &metav1.LabelSelector{MatchLabels: labels, MatchExpressions: d.Spec.Selector.MatchExpressions},
			Template: *d.Spec.Template.DeepCopy(),
		},
	}
	want.Spec.Template.Labels = labels
	require.Empty(t, cmp.Diff(want, got))

	rs := kube.ReplicaSet(got)
	require.Equal(t, snapshot.Template, rs.Template)
	require.Equal(t, int32(3), *rs.Replicas)
	require.Equal(t, "uid-of-web", rs.ControllerUID)
	require.Equal(t, a.Annotations, rs.Annotations)
	requireOwn(t, got, d, a)
	got = kube.NewReplicaSet(d, a)
	got.Labels["x"], got.Spec.Selector.MatchLabels["y"] = "", ""
	require.Equal(t, labels, got.Spec.Template.Labels, "three maps, not one")
}

func TestNewReplicaSetOfLittle(t *testing.T) {
	a := deploy.CreateReplicaSet{Name: "n", Template: revision.Template{Hash: "h"}}
	for _, d := range []*appsv1.Deployment{nil, {}} {
		got := kube.NewReplicaSet(d, a)
		require.Nil(t, got.Spec.Selector, "the API server must see that it is missing")
		require.Equal(t, map[string]string{revision.LabelHash: "h"}, got.Labels)
	}
	d := deployment(func(d *appsv1.Deployment) {
		d.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Exists"}}}
	})
	require.Equal(t, map[string]string{revision.LabelHash: "h"}, kube.NewReplicaSet(d, a).Spec.Selector.MatchLabels)
}

func TestScaledAndAnnotated(t *testing.T) {
	rs := replicaSet("web-1")
	before := rs.DeepCopy()
	scale := deploy.ScaleReplicaSet{Name: "web-1", From: 4, To: 7, Set: map[string]string{"b": "2"}}
	scaled := kube.Scaled(rs, scale)
	want := rs.DeepCopy()
	want.Spec.Replicas, want.Annotations["b"] = ptr.To(int32(7)), "2"
	require.Empty(t, cmp.Diff(want, scaled))
	require.Equal(t, int32(7), *kube.ReplicaSet(scaled).Replicas)

	annotate := deploy.AnnotateReplicaSet{Name: "web-1", Set: map[string]string{"a": "3"}, MinReadySeconds: ptr.To(int32(9))}
	annotated := kube.Annotated(rs, annotate)
	want = rs.DeepCopy()
	want.Spec.MinReadySeconds, want.Annotations["a"] = 9, "3"
	require.Empty(t, cmp.Diff(want, annotated))

	annotate.MinReadySeconds, rs.Annotations = nil, nil
	require.Equal(t, int32(5), kube.Annotated(rs, annotate).Spec.MinReadySeconds)
	require.Equal(t, map[string]string{"a": "3"}, kube.Annotated(rs, annotate).Annotations)
	require.Nil(t, kube.Scaled(rs, deploy.ScaleReplicaSet{}).Annotations)
	rs.Annotations = before.Annotations

	requireOwn(t, scaled, rs, scale)
	requireOwn(t, kube.Annotated(rs, annotate), rs, annotate)
	require.Empty(t, cmp.Diff(before, rs))
}

func TestNewPod(t *testing.T) {
	rs := replicaSet("web-1")
	rs.Spec.Template.Spec.NodeSelector = map[string]string{"a": "b"}
	before := rs.DeepCopy()
	got := kube.NewPod(rs)
	want := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: "web-1-", Namespace: "shop",
			Labels:      map[string]string{"app": "x", "pod-template-hash": "abc"},
			Annotations: map[string]string{"note": "n"}, Finalizers: []string{"example.com/f"},
			OwnerReferences: []metav1.OwnerReference{owner("ReplicaSet", "web-1")},
		},
		Spec: rs.Spec.Template.Spec,
	}
	require.Empty(t, cmp.Diff(want, got))
	p := kube.Pod(got)
	require.True(t, p.Active())
	require.Equal(t, []string{"ReplicaSet", "web-1", "uid-of-web-1"}, []string{p.ControllerKind, p.ControllerName, p.ControllerUID})
	requireOwn(t, got, rs)
	require.Empty(t, cmp.Diff(before, rs))
	rs.Name = "Web_1"
	require.Equal(t, rs.Name, kube.NewPod(rs).GenerateName, "no name may begin with this and a dash")
}

func TestReplicaSetStatus(t *testing.T) {
	status := replicaSetStatus()
	rs := kube.ReplicaSet(replicaSet("web-1"))
	back := kube.ReplicaSetStatus(rs.Status)
	require.True(t, equality.Semantic.DeepEqual(status, back), cmp.Diff(status, back))
	require.Empty(t, allUnset(status), "the status must have every field set, or it proves nothing")
	*back.TerminatingReplicas, back.Conditions[0].Reason = 99, "changed"
	require.Empty(t, cmp.Diff(kube.ReplicaSetStatus(rs.Status), status, semantic), "the result shares nothing")
	require.Equal(t, appsv1.ReplicaSetStatus{}, kube.ReplicaSetStatus(replicaset.Status{}))
}

// Whatever size and annotations are planned, the next snapshot shows them, and
// nothing else of it changes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.MapOfN(rapid.StringMatching(`[a-c]`), rapid.String(), 0, 3)
		rs := replicaSet("web-1")
		rs.Annotations = texts.Draw(t, "annotations")
		rs.Spec.Template = *drawTemplate(t)
		before, inbound := rs.DeepCopy(), kube.ReplicaSet(rs)
		a := deploy.ScaleReplicaSet{To: rapid.Int32Min(0).Draw(t, "to"), Set: texts.Draw(t, "set")}
		want := inbound
		want.Replicas, want.Annotations = &a.To, map[string]string{}
		maps.Copy(want.Annotations, inbound.Annotations)
		maps.Copy(want.Annotations, a.Set)
		if diff := cmp.Diff(want, kube.ReplicaSet(kube.Scaled(rs, a))); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(before, rs, semantic); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(inbound, kube.ReplicaSet(before)); diff != "" {
			t.Fatal("equal objects, different snapshots:", diff)
		}
	})
}

func TestNil(t *testing.T) {
	require.Equal(t, podorder.Pod{}, kube.Pod(nil))
	require.Equal(t, replicaset.ReplicaSet{}, kube.ReplicaSet(nil))
	require.Equal(t, kube.TemplateID(&corev1.PodTemplateSpec{}), kube.TemplateID(nil))
	require.ErrorIs(t, kube.Validate(nil), kplan.ErrInvalid)
	require.Equal(t, int32(3), *kube.Scaled(nil, deploy.ScaleReplicaSet{To: 3}).Spec.Replicas)
	require.Empty(t, kube.NewPod(nil).GenerateName)
	require.Empty(t, kube.ReplicaSetSnapshot(nil, nil, nil))
	s, err := kube.Snapshot(nil, nil, nil)
	require.NoError(t, err)
	require.Empty(t, s.Deployment.Name)
}
