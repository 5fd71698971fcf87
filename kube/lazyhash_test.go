// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/kube"
)

// TestSnapshotHash: the hash is that of the ReplicaSet with the template, as long as
// nothing can take this one away from the Deployment, and else computed.
func TestSnapshotHash(t *testing.T) {
	computed, err := kube.Deployment(deployment())
	require.NoError(t, err)
	for _, c := range []struct {
		why    string
		change func(rs *appsv1.ReplicaSet)
		want   string
	}{
		{"its own", func(*appsv1.ReplicaSet) {}, "mine"},
		{"another template", func(rs *appsv1.ReplicaSet) { rs.Spec.Template.Spec.NodeName = "n" }, computed.Template.Hash},
		{"an orphan, which need not be adopted", func(rs *appsv1.ReplicaSet) { rs.OwnerReferences = nil }, computed.Template.Hash},
		{"no longer matched, and so released", func(rs *appsv1.ReplicaSet) {
			rs.Labels = map[string]string{"app": "other", "pod-template-hash": "mine"}
		}, computed.Template.Hash},
		{"being deleted", func(rs *appsv1.ReplicaSet) { rs.DeletionTimestamp = ptr.To(metav1.Now()) }, computed.Template.Hash},
		{"without a hash", func(rs *appsv1.ReplicaSet) { rs.Labels = map[string]string{"app": "x"} }, computed.Template.Hash},
	} {
		d := deployment()
		rs := replicaSet("web-1")
		rs.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))}
		d.Spec.Template.DeepCopyInto(&rs.Spec.Template)
		rs.Labels = map[string]string{"app": "x", "pod-template-hash": "mine"}
		rs.DeletionTimestamp = nil
		c.change(rs)
		s, err := kube.Snapshot(d, []*appsv1.ReplicaSet{rs}, nil)
		require.NoError(t, err)
		require.Equal(t, c.want, s.Deployment.Template.Hash, c.why)
	}
}
