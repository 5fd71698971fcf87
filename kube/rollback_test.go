// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
)

func TestReplicaSetClaimPatches(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "d1"}}
	adopt, err := deploymentPatch(d, deploy.AdoptReplicaSet{Name: "web-1", UID: "r1"})
	require.NoError(t, err)
	require.Equal(t, types.StrategicMergePatchType, adopt.Type)
	require.JSONEq(t, `{"metadata":{"uid":"r1","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web",
		"uid":"d1","controller":true,"blockOwnerDeletion":true}]}}`, string(adopt.Data))
	release, err := deploymentPatch(d, deploy.ReleaseReplicaSet{Name: "web-1", UID: "r1"})
	require.NoError(t, err)
	require.JSONEq(t, `{"metadata":{"uid":"r1","ownerReferences":[{"$patch":"delete","uid":"d1"}]}}`, string(release.Data))
}

func TestPausePatch(t *testing.T) {
	a := deploy.PauseDeployment{UID: "d1", ResourceVersion: "7", Set: map[string]string{"k": "v"}}
	p, err := deploymentPatch(nil, a)
	require.NoError(t, err)
	require.Equal(t, types.MergePatchType, p.Type)
	require.JSONEq(t, `{"metadata":{"uid":"d1","resourceVersion":"7","annotations":{"k":"v"}},"spec":{"paused":true}}`, string(p.Data))
	a.ResourceVersion = ""
	p, err = deploymentPatch(nil, a)
	require.NoError(t, err)
	require.JSONEq(t, `{"metadata":{"uid":"d1","annotations":{"k":"v"}},"spec":{"paused":true}}`, string(p.Data))
}

func TestRolledBack(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"deprecated.deployment.rollback.to": "1", "a": "b"}}}
	rs := &appsv1.ReplicaSet{}
	rs.Spec.Template.Labels = map[string]string{"app": "web", "pod-template-hash": "x"}
	rs.Spec.Template.Spec.NodeName = "n1"
	back := kube.RolledBack(d, rs, deploy.RollBackDeployment{Annotations: map[string]string{"c": "d"}})
	require.Equal(t, map[string]string{"app": "web"}, back.Spec.Template.Labels)
	require.Equal(t, "n1", back.Spec.Template.Spec.NodeName)
	require.Equal(t, map[string]string{"c": "d"}, back.Annotations)
	require.Len(t, rs.Spec.Template.Labels, 2, "the ReplicaSet stays as it is")

	require.Equal(t, map[string]string{}, kube.RolledBack(d, &appsv1.ReplicaSet{}, deploy.RollBackDeployment{}).Spec.Template.Labels)
	require.Equal(t, map[string]string{"a": "b"}, kube.RollbackCleared(d, deploy.ClearRollback{}).Annotations)
	require.Len(t, d.Annotations, 2, "and so does the Deployment")
}
