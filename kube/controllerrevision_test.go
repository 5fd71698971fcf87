// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/quirk"
)

func controllerRevision() *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Name: "db-69966c9df7", Namespace: "shop", UID: "uid-of-r", ResourceVersion: "42", CreationTimestamp: created,
			Labels:          map[string]string{"app": "db", "controller.kubernetes.io/hash": "69966c9df7"},
			Annotations:     map[string]string{"kubernetes.io/change-cause": "first"},
			OwnerReferences: []metav1.OwnerReference{{Name: "other"}, owner("StatefulSet", "db")},
		},
		Data:     runtime.RawExtension{Raw: []byte(`{"a":1}`)},
		Revision: 3,
	}
}

func TestControllerRevision(t *testing.T) {
	r := controllerRevision()
	before := r.DeepCopy()
	got := kube.ControllerRevision(r)
	want := revision.ControllerRevision{
		Name: "db-69966c9df7", UID: "uid-of-r", ResourceVersion: "42",
		Labels: r.Labels, Annotations: r.Annotations,
		ControllerKind: "StatefulSet", ControllerName: "db", ControllerUID: "uid-of-db",
		CreationTimestamp: created.UTC(), Data: []byte(`{"a":1}`), Revision: 3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	require.Equal(t, "UTC", got.CreationTimestamp.Location().String())
	require.Equal(t, before, r, "the argument stays as it is")

	require.Equal(t, revision.ControllerRevision{}, kube.ControllerRevision(nil))
	require.Equal(t, revision.ControllerRevision{}, kube.ControllerRevision(&appsv1.ControllerRevision{}))
	require.Nil(t, kube.ControllerRevisions(nil))
	require.Equal(t, []revision.ControllerRevision{got, {}}, kube.ControllerRevisions([]*appsv1.ControllerRevision{r, nil}), "in its order")
}

// Data that was decoded counts by its dump, which is the text that upstream hashes.
func TestControllerRevisionDump(t *testing.T) {
	r := controllerRevision()
	r.Data.Object = &corev1.PodTemplate{Template: *template(func(*corev1.PodTemplateSpec) {})}
	a := kube.ControllerRevision(r)
	require.Contains(t, a.Dump, "(*v1.PodTemplate){")
	r.Data.Raw = []byte(`{"a":2}`)
	b := kube.ControllerRevision(r)
	hash := func(r revision.ControllerRevision, opts revision.Options) string {
		return revision.HashRevision(r.Data, r.Dump, nil, opts)
	}
	require.Equal(t, hash(a, revision.Options{}), hash(b, revision.Options{}), "the data is ignored")
	require.NotEqual(t, hash(a, revision.Options{Repair: quirk.All}), hash(b, revision.Options{Repair: quirk.All}), "corrected it is not")
	require.False(t, a.SameData(b, revision.Options{}))
}

func TestNewControllerRevision(t *testing.T) {
	parent := revision.Parent{Kind: "StatefulSet", Name: "db", UID: "uid-of-db"}
	r := revision.NewControllerRevision(parent, map[string]string{"app": "db"}, []byte(`{"a":1}`), 3, nil, revision.Options{})
	got := kube.NewControllerRevision("shop", r)
	want := &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Name: "db-69966c9df7", Namespace: "shop",
			Labels:          map[string]string{"app": "db", "controller.kubernetes.io/hash": "69966c9df7"},
			OwnerReferences: []metav1.OwnerReference{owner("StatefulSet", "db")},
		},
		Data:     runtime.RawExtension{Raw: []byte(`{"a":1}`)},
		Revision: 3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got.Labels["app"], got.Data.Raw[0] = "changed", 'x'
	require.Equal(t, "db", r.Labels["app"], "nothing is shared")
	require.Equal(t, `{"a":1}`, string(r.Data))
	require.Empty(t, kube.NewControllerRevision("shop", revision.ControllerRevision{Name: "orphan"}).OwnerReferences, "nobody controls it")
}

// Property: a ControllerRevision survives the way to the API and back, apart from
// what the API server sets.
func TestControllerRevisionRoundTrip(t *testing.T) {
	text := rapid.StringMatching(`[a-z]{0,3}`)
	maps := rapid.MapOfN(text, text, 1, 3)
	rapid.Check(t, func(t *rapid.T) {
		r := revision.ControllerRevision{
			Name: text.Draw(t, "name"), Labels: maps.Draw(t, "labels"), Annotations: maps.Draw(t, "annotations"),
			Data: rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "data"), Revision: rapid.Int64().Draw(t, "revision"),
		}
		if rapid.Bool().Draw(t, "controlled") {
			r.ControllerKind, r.ControllerName, r.ControllerUID = "DaemonSet", text.Draw(t, "owner"), "u"+text.Draw(t, "uid")
		}
		object := kube.NewControllerRevision("shop", r)
		if diff := cmp.Diff(r, kube.ControllerRevision(object)); diff != "" {
			t.Fatalf("(-before +after):\n%s", diff)
		}
		object.UID, object.ResourceVersion, object.CreationTimestamp = types.UID("u"), "7", created
		r.UID, r.ResourceVersion, r.CreationTimestamp = "u", "7", created.UTC()
		if diff := cmp.Diff(r, kube.ControllerRevision(object)); diff != "" {
			t.Fatalf("as the API server returns it (-want +got):\n%s", diff)
		}
	})
}
