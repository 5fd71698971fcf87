// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
)

// recorded returns the events so far.
func (b *base) recorded() (list []string) {
	for c := b.events.(*record.FakeRecorder).Events; len(c) > 0; {
		list = append(list, <-c)
	}
	return list
}

// What has been done is told, whatever fails after it.
func TestDeploymentEventsOfFailedPass(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: *meta.DeepCopy(), Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec,
	}}
	created := func(b *base) string {
		list := b.recorded()
		require.Len(t, list, 1)
		return list[0]
	}
	b, w := newBase(0, d)
	w.refuse = "update deploymentsstatus"
	_, err := (&deploymentReconciler{b}).Reconcile(t.Context(), theWeb)
	require.Error(t, err)
	require.Contains(t, created(&b), "Normal ScalingReplicaSet Scaled up replica set web-")

	b, w = newBase(0, d)
	w.refuse = "create replicasets"
	_, err = (&deploymentReconciler{b}).Reconcile(t.Context(), theWeb)
	require.Error(t, err)
	require.Contains(t, created(&b), "Warning ReplicaSetCreateError Failed to create new replica set")
}
