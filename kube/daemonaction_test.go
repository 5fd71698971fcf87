// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/revision"
)

func TestNewDaemonPod(t *testing.T) {
	ds := daemonSet(func(ds *appsv1.DaemonSet) {
		node := ds.Spec.Template.Spec.Affinity.NodeAffinity
		node.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.PreferredSchedulingTerm{{Weight: 3}}
		ds.Spec.Template.Spec.Affinity.PodAffinity = &corev1.PodAffinity{}
		ds.Spec.Template.Labels[daemonset.LabelHash] = "by hand"
	})
	before := ds.DeepCopy()
	got := kube.NewDaemonPod(ds, daemonset.CreatePod{Node: "n7", Hash: "h", Generation: "5", Gate: true})
	spec := ds.Spec.Template.Spec.DeepCopy()
	spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: "In", Values: []string{"n7"}}},
		}},
	}
	for _, key := range []string{"not-ready", "unreachable"} {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: "node.kubernetes.io/" + key, Operator: "Exists", Effect: "NoExecute"})
	}
	for _, key := range []string{"disk-pressure", "memory-pressure", "pid-pressure", "unschedulable", "network-unavailable"} {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: "node.kubernetes.io/" + key, Operator: "Exists", Effect: "NoSchedule"})
	}
	spec.ReadinessGates = append(spec.ReadinessGates, corev1.PodReadinessGate{ConditionType: "InPlaceUpdateReady"})
	want := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: "log-", Namespace: "shop",
			Labels:      map[string]string{"app": "x", "controller-revision-hash": "h", "pod-template-generation": "5"},
			Annotations: map[string]string{"note": "n"}, Finalizers: []string{"example.com/f"},
			OwnerReferences: []metav1.OwnerReference{owner("DaemonSet", "log")},
		},
		Spec: *spec,
	}
	require.Empty(t, cmp.Diff(want, got))
	require.Empty(t, cmp.Diff(before, ds), "the object must not change")
	requireOwn(t, got, ds)

	bound := kube.NewDaemonPod(ds, daemonset.CreatePod{Node: "n7", Bind: true})
	require.Equal(t, "n7", bound.Spec.NodeName)
	require.Empty(t, cmp.Diff(ds.Spec.Template.Spec.Affinity, bound.Spec.Affinity))
	require.Equal(t, ds.Spec.Template.Labels, bound.Labels, "neither hash nor generation")
	require.Len(t, bound.Spec.ReadinessGates, 2)
	requireOwn(t, bound, ds)
}

// A created pod is read back as one of its DaemonSet, its node and its revision.
func TestNewDaemonPodRoundTrip(t *testing.T) {
	for _, affinity := range []*corev1.Affinity{nil, {}, {NodeAffinity: &corev1.NodeAffinity{}}, requiredAffinity("zone", corev1.NodeSelectorOpExists)} {
		ds := daemonSet(func(ds *appsv1.DaemonSet) {
			ds.Spec.Template.Spec.NodeName, ds.Spec.Template.Spec.Affinity, ds.Spec.Template.Labels = "", affinity, nil
		})
		p := kube.DaemonSetPod(kube.NewDaemonPod(ds, daemonset.CreatePod{Node: "n7", Hash: "h", Generation: "5"}))
		require.Equal(t, "n7", p.PinnedNode)
		require.Equal(t, "uid-of-log", p.ControllerUID)
		require.True(t, daemonset.NewVersion("h", nil).Current(p.Labels))
		require.True(t, daemonset.NewVersion("", ds.Annotations).Current(p.Labels))
	}
}

func TestToTolerations(t *testing.T) {
	list := []daemonset.Toleration{{Key: "k", Operator: "Equal", Value: "v", Effect: "NoExecute", Seconds: ptr.To(int64(30))}, {Operator: "Exists"}}
	got := kube.ToTolerations(list)
	require.Equal(t, []corev1.Toleration{
		{Key: "k", Operator: "Equal", Value: "v", Effect: "NoExecute", TolerationSeconds: ptr.To(int64(30))}, {Operator: "Exists"},
	}, got)
	requireOwn(t, got, list)
	require.Nil(t, kube.ToTolerations(nil))
}

func TestNewDaemonSetRevision(t *testing.T) {
	ds := daemonSet()
	d, err := kube.DaemonSet(ds)
	require.NoError(t, err)
	parent := revision.Parent{Kind: "DaemonSet", Name: "log", UID: "uid-of-log"}
	r := revision.NewDaemonSetRevision(parent, d.Template.Hash, d.Template.Labels, ds.Annotations, d.Template.Data, 3, revision.Options{})
	a := daemonset.CreateRevision{
		Name: r.Name, Hash: d.Template.Hash, Revision: 3, Labels: r.Labels, Annotations: r.Annotations, Data: r.Data,
	}
	got := kube.NewDaemonSetRevision(ds, a)
	require.Empty(t, cmp.Diff(kube.NewControllerRevision("shop", r), got))
	require.Equal(t, []metav1.OwnerReference{owner("DaemonSet", "log")}, got.OwnerReferences)
	require.Equal(t, d.Template.Hash, got.Labels["controller-revision-hash"])

	restored, err := kube.RestoredDaemonSet(&appsv1.DaemonSet{}, got)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(ds.Spec.Template, restored.Spec.Template, semantic))

	requireOwn(t, got, ds, a)
	got.Data.Raw[0] = 'x'
	require.Equal(t, d.Template.Data, a.Data, "nor are the bytes shared")
	require.Equal(t, byte('{'), a.Data[0])
}

// updated returns what an update writes.
func updated(r *appsv1.ControllerRevision, a daemonset.UpdateRevision) *appsv1.ControllerRevision {
	a.Name = r.Name
	return daemonRequest(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace}}, a, r).Object.(*appsv1.ControllerRevision)
}

func TestUpdatedRevision(t *testing.T) {
	r := controllerRevision()
	want := r.DeepCopy()
	want.Revision, want.Labels[daemonset.LabelHash] = 8, "h"
	got := updated(r, daemonset.UpdateRevision{Hash: "h", From: 3, To: 8})
	require.Empty(t, cmp.Diff(want, got))
	require.Empty(t, cmp.Diff(controllerRevision(), r))
	requireOwn(t, got, r)

	require.NotContains(t, updated(r, daemonset.UpdateRevision{To: 8}).Labels, daemonset.LabelHash)
	r.Labels = nil
	require.Equal(t, map[string]string{daemonset.LabelHash: "h"}, updated(r, daemonset.UpdateRevision{Hash: "h"}).Labels)
}

func TestRestoredDaemonSet(t *testing.T) {
	ds := daemonSet()
	before := ds.DeepCopy()
	r := controllerRevision()
	r.Data.Raw = []byte(`{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"old":"1"}},"spec":{"nodeName":"n2","containers":null}}}}`)
	got, err := kube.RestoredDaemonSet(ds, r)
	require.NoError(t, err)
	want := ds.DeepCopy()
	want.Spec.Template = corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"old": "1"}}, Spec: corev1.PodSpec{NodeName: "n2"},
	}
	require.Empty(t, cmp.Diff(want, got))
	require.Empty(t, cmp.Diff(before, ds))

	for _, raw := range []string{"", "{", "{}", `{"spec":{"template":null}}`, `{"spec":{"template":7}}`} {
		_, err := kube.RestoredDaemonSet(ds, &appsv1.ControllerRevision{Data: runtime.RawExtension{Raw: []byte(raw)}})
		require.ErrorIs(t, err, kplan.ErrInvalid, raw)
	}
	_, err = kube.RestoredDaemonSet(nil, nil)
	require.EqualError(t, err, `data: "": must hold a template`)
}

func TestDaemonPatches(t *testing.T) {
	ds := daemonSet()
	o := daemonset.Object{Name: "p", UID: "u", ResourceVersion: "7"}
	const reference = `{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"log","uid":"uid-of-log",` +
		`"controller":true,"blockOwnerDeletion":true}],"uid":"u"}}`
	const release = `{"metadata":{"uid":"u","ownerReferences":[{"$patch":"delete","uid":"uid-of-log"}]}}`
	for _, tt := range []struct {
		why  string
		got  kube.Patch
		kind types.PatchType
		want string
	}{
		{"adopt pod", daemonPatch(ds, daemonset.AdoptPod{Object: o}), types.StrategicMergePatchType, reference},
		{"adopt revision", daemonPatch(ds, daemonset.AdoptRevision{Object: o}), types.StrategicMergePatchType, reference},
		{"release pod", daemonPatch(ds, daemonset.ReleasePod{Object: o}), types.StrategicMergePatchType, release},
		{"release revision", daemonPatch(ds, daemonset.ReleaseRevision{Object: o}), types.StrategicMergePatchType, release},
		{"relabel", daemonPatch(ds, daemonset.RelabelPod{Object: o, From: "a", To: "b"}), types.MergePatchType,
			`{"metadata":{"uid":"u","labels":{"controller-revision-hash":"b"}}}`},
		{"relabel without UID", daemonPatch(ds, daemonset.RelabelPod{To: "b"}), types.MergePatchType,
			`{"metadata":{"labels":{"controller-revision-hash":"b"}}}`},
	} {
		t.Run(tt.why, func(t *testing.T) {
			require.Equal(t, tt.kind, tt.got.Type)
			require.JSONEq(t, tt.want, string(tt.got.Data))
		})
	}
	want := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(types.UID("u")), ResourceVersion: ptr.To("7")}}
	require.Equal(t, want, daemonRequest(ds, daemonset.DeletePod{Object: o}).Options)
	require.Equal(t, want, daemonRequest(ds, daemonset.DeleteRevision{Object: o}).Options)
}

func TestDaemonSetNil(t *testing.T) {
	require.Equal(t, daemonset.Node{}, kube.Node(nil))
	require.Equal(t, daemonset.Pod{}, kube.DaemonSetPod(nil))
	d, err := kube.DaemonSet(nil)
	require.NoError(t, err)
	require.Empty(t, d.Name)
	_, err = kubekruise.AdvancedDaemonSet(nil, kubekruise.Advanced{})
	require.NoError(t, err)
	s, err := kube.DaemonSetSnapshot(nil, nil, nil, nil)
	require.NoError(t, err)
	require.Empty(t, s.Pods)
	long := strings.Repeat("a", 253)
	for name, prefix := range map[string]string{"log": "log-", "": "", "Log": "Log", long: long + "-", long + "a": long + "a"} {
		named := kube.NewDaemonPod(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name}}, daemonset.CreatePod{})
		require.Equal(t, prefix, named.GenerateName)
	}
	require.Empty(t, kube.NewDaemonPod(nil, daemonset.CreatePod{}).GenerateName)
	require.Equal(t, "r", kube.NewDaemonSetRevision(nil, daemonset.CreateRevision{Name: "r"}).Name)
	for _, p := range []kube.Patch{
		daemonPatch(nil, daemonset.AdoptPod{}), daemonPatch(nil, daemonset.ReleasePod{}),
		daemonPatch(nil, daemonset.AdoptRevision{}), daemonPatch(nil, daemonset.ReleaseRevision{}),
	} {
		require.NotEmpty(t, p.Data)
	}
}
