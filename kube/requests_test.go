// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

// patchOf returns the patch of the only request.
func patchOf(list []kube.Request, err error) (kube.Patch, error) {
	if err != nil {
		return kube.Patch{}, err
	}
	return list[0].Patch, nil
}

func deploymentPatch(d *appsv1.Deployment, a deploy.Action) (kube.Patch, error) {
	return patchOf(kube.DeploymentRequests(d, nil, a))
}

// daemonRequest returns the only request of an action that cannot fail.
func daemonRequest(ds *appsv1.DaemonSet, a daemonset.Action, revisions ...*appsv1.ControllerRevision) kube.Request {
	list, err := kube.DaemonSetRequests(ds, revisions, a)
	if err != nil {
		panic(err)
	}
	return list[0]
}

func daemonPatch(ds *appsv1.DaemonSet, a daemonset.Action) kube.Patch {
	return daemonRequest(ds, a).Patch
}

func podRequest(a replicaset.Action) kube.Request {
	list, err := kube.ReplicaSetRequests(nil, a)
	if err != nil {
		panic(err)
	}
	return list[0]
}

func lines(t *testing.T, list []kube.Request, err error) (all []string) {
	t.Helper()
	require.NoError(t, err)
	for _, r := range list {
		all = append(all, r.String())
	}
	return all
}

// Each action of a Deployment is one write.
func TestDeploymentRequests(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "ns", Name: "web", UID: "d1"}
	d, rs := &appsv1.Deployment{ObjectMeta: meta}, &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}}
	for want, a := range map[string]deploy.Action{
		"create replicasets/a":         deploy.CreateReplicaSet{Name: "a"},
		"delete replicasets/a":         deploy.DeleteReplicaSet{Name: "a"},
		"patch deployments/web status": deploy.AnnotateDeployment{},
		"patch deployments/web":        deploy.PauseDeployment{},
		"update deployments/web":       deploy.RollBackDeployment{Name: "a"},
	} {
		list, err := kube.DeploymentRequests(d, []*appsv1.ReplicaSet{nil, rs}, a)
		require.Equal(t, []string{want}, lines(t, list, err), "%T", a)
	}
	for _, a := range []deploy.Action{
		deploy.AdoptReplicaSet{Name: "a"}, deploy.ReleaseReplicaSet{Name: "a"}, deploy.AnnotateReplicaSet{Name: "a"}, deploy.ScaleReplicaSet{Name: "a"},
	} {
		list, err := kube.DeploymentRequests(d, nil, a)
		require.Equal(t, []string{"patch replicasets/a"}, lines(t, list, err), "%T", a)
		require.Equal(t, "ns", list[0].Object.GetNamespace())
	}
	list, err := kube.DeploymentRequests(d, nil, deploy.ClearRollback{})
	require.Equal(t, []string{"update deployments/web"}, lines(t, list, err))
	_, err = kube.DeploymentRequests(d, nil, deploy.RollBackDeployment{Name: "a"})
	require.ErrorIs(t, err, kplan.ErrInvalid)
	_, err = kube.DeploymentRequests(nil, nil, nil)
	require.Error(t, err)
	p, err := deploymentPatch(d, deploy.ScaleReplicaSet{UID: "u", ResourceVersion: "7", To: 2})
	require.NoError(t, err)
	require.JSONEq(t, `{"metadata":{"uid":"u","resourceVersion":"7"},"spec":{"replicas":2}}`, string(p.Data))
}

func TestPodRequests(t *testing.T) {
	rc := &corev1.ReplicationController{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"}, Spec: corev1.ReplicationControllerSpec{Template: &corev1.PodTemplateSpec{}}}
	list, err := kube.ReplicationControllerRequests(rc, replicaset.CreatePods{Count: 2})
	require.Equal(t, []string{"create pods/web-*", "create pods/web-*"}, lines(t, list, err))
	require.NotSame(t, list[0].Object, list[1].Object)
	list, err = kube.ReplicaSetRequests(set(), replicaset.CreatePods{Count: 1})
	require.Equal(t, []string{"create pods/web-*"}, lines(t, list, err))
	list, err = kube.ReplicaSetRequests(set(), replicaset.DeletePod{Name: "p"})
	require.Equal(t, []string{"delete pods/p"}, lines(t, list, err))
	_, err = kube.ReplicaSetRequests(nil, nil)
	require.Error(t, err)
}

func TestDaemonSetRequests(t *testing.T) {
	o := daemonset.Object{Name: "x"}
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "log"}}
	r := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "x", ResourceVersion: "3"}}
	for _, c := range []struct {
		want string
		a    daemonset.Action
	}{
		{"create pods/log-*", daemonset.CreatePod{}}, {"delete pods/x", daemonset.DeletePod{Object: o}},
		{"patch pods/x", daemonset.AdoptPod{Object: o}}, {"patch pods/x", daemonset.ReleasePod{Object: o}}, {"patch pods/x", daemonset.RelabelPod{Object: o}},
		{"create controllerrevisions/x", daemonset.CreateRevision{Name: "x"}}, {"update controllerrevisions/x", daemonset.UpdateRevision{Object: o}},
		{"patch controllerrevisions/x", daemonset.AdoptRevision{Object: o}}, {"patch controllerrevisions/x", daemonset.ReleaseRevision{Object: o}},
		{"delete controllerrevisions/x", daemonset.DeleteRevision{Object: o}},
	} {
		list, err := kube.DaemonSetRequests(ds, []*appsv1.ControllerRevision{nil, r}, c.a)
		require.Equal(t, []string{c.want}, lines(t, list, err), "%T", c.a)
	}
	for _, a := range []daemonset.Action{daemonset.CreatePod{Revision: "x"}, daemonset.CreatePod{Revision: "y"}, daemonset.UpdateRevision{}} {
		_, err := kube.DaemonSetRequests(ds, []*appsv1.ControllerRevision{r}, a)
		require.ErrorIs(t, err, kplan.ErrInvalid, "%T", a)
	}
	_, err := kube.DaemonSetRequests(ds, nil, daemonset.UpdatePod{})
	require.Error(t, err)
	o.ResourceVersion = "9"
	require.Equal(t, "9", daemonRequest(ds, daemonset.UpdateRevision{Object: o}, r).Object.GetResourceVersion())
}
