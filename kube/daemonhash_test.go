// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
)

// currentRevision is the revision of ds that has its template.
func currentRevision(t *testing.T, ds *appsv1.DaemonSet) *appsv1.ControllerRevision {
	t.Helper()
	d, err := kube.DaemonSet(ds)
	require.NoError(t, err)
	r := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{
		Namespace: ds.Namespace, Name: "log-mine", UID: "r", Labels: map[string]string{"app": "x", "controller-revision-hash": "mine"},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(ds, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))},
	}, Revision: 3}
	r.Data.Raw = d.Template.Data
	return r
}

// TestDaemonSetSnapshotHash: the hash is that of the revision with the template, as long
// as nothing can take this one away from the DaemonSet, and else computed. What is
// planned is the same as with the computed one.
func TestDaemonSetSnapshotHash(t *testing.T) {
	ds := daemonSet()
	ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
	ds.DeletionTimestamp = nil
	d, err := kube.DaemonSet(ds)
	require.NoError(t, err)
	computed := d.Template.Hash
	require.NotEmpty(t, computed)
	for _, c := range []struct {
		why    string
		change func(r *appsv1.ControllerRevision)
		want   string
	}{
		{"its own", func(*appsv1.ControllerRevision) {}, "mine"},
		{"another template", func(r *appsv1.ControllerRevision) { r.Data.Raw = append([]byte(" "), r.Data.Raw...) }, computed},
		{"an orphan, which need not be adopted", func(r *appsv1.ControllerRevision) { r.OwnerReferences = nil }, computed},
		{"another owner's", func(r *appsv1.ControllerRevision) { r.OwnerReferences[0].UID = "else" }, computed},
		{"no longer matched, and so released", func(r *appsv1.ControllerRevision) { r.Labels["app"] = "y" }, computed},
		{"without a hash", func(r *appsv1.ControllerRevision) { delete(r.Labels, "controller-revision-hash") }, computed},
		{"with an empty hash", func(r *appsv1.ControllerRevision) { r.Labels["controller-revision-hash"] = "" }, computed},
	} {
		t.Run(c.why, func(t *testing.T) {
			r := currentRevision(t, ds)
			c.change(r)
			lazy, err := kube.DaemonSetSnapshot(ds, nil, nil, []*appsv1.ControllerRevision{r})
			require.NoError(t, err)
			require.Equal(t, c.want, lazy.DaemonSet.Template.Hash)
			eager := lazy
			eager.DaemonSet = d
			now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			want, err := daemonset.Reconcile(eager, now, daemonset.Options{})
			require.NoError(t, err)
			got, err := daemonset.Reconcile(lazy, now, daemonset.Options{})
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(want, got))
		})
	}
}

func TestAdvancedDaemonSetSnapshot(t *testing.T) {
	ds := daemonSet()
	ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
	advanced := kubekruise.Advanced{Partition: ptr.To(intstr.FromString("30%")), Paused: true}
	got, err := kubekruise.AdvancedDaemonSetSnapshot(ds, advanced, nil, nil, []*appsv1.ControllerRevision{currentRevision(t, ds)})
	require.NoError(t, err)
	want, err := kube.DaemonSetSnapshot(ds, nil, nil, []*appsv1.ControllerRevision{currentRevision(t, ds)})
	require.NoError(t, err)
	require.Equal(t, "mine", got.DaemonSet.Template.Hash)
	want.DaemonSet, err = kubekruise.AdvancedDaemonSet(ds, advanced)
	require.NoError(t, err)
	want.DaemonSet.Template.Hash = "mine"
	require.Empty(t, cmp.Diff(want, got))

	advanced.Partition = ptr.To(intstr.FromString("x"))
	_, err = kubekruise.AdvancedDaemonSetSnapshot(ds, advanced, nil, nil, nil)
	require.ErrorIs(t, err, kplan.ErrInvalid)
	s, err := kubekruise.AdvancedDaemonSetSnapshot(nil, kubekruise.Advanced{}, nil, nil, nil)
	require.NoError(t, err)
	require.NotEmpty(t, s.DaemonSet.Template.Hash)
}
