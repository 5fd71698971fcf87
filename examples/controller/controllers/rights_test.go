// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

// askedFor is one request of each kind that plans make of the API server. Pause points are
// not asked for here, and an annotation of a Deployment is written with its status.
func askedFor(t *testing.T) []kube.Request {
	meta := metav1.ObjectMeta{Namespace: "ns", Name: "a"}
	d, rs, ds := &appsv1.Deployment{ObjectMeta: meta}, &appsv1.ReplicaSet{ObjectMeta: meta}, &appsv1.DaemonSet{ObjectMeta: meta}
	r, o := &appsv1.ControllerRevision{ObjectMeta: meta}, daemonset.Object{Name: "a"}
	list := []kube.Request{
		kube.DeploymentStatusRequest(d, deploy.Result{}), kube.ReplicaSetStatusRequest(rs, replicaset.Status{}), kube.DaemonSetStatusRequest(ds, daemonset.Status{}),
	}
	add := func(more []kube.Request, err error) {
		require.NoError(t, err)
		list = append(list, more...)
	}
	for _, a := range []deploy.Action{
		deploy.CreateReplicaSet{}, deploy.AdoptReplicaSet{}, deploy.ReleaseReplicaSet{}, deploy.AnnotateReplicaSet{}, deploy.ScaleReplicaSet{}, deploy.DeleteReplicaSet{},
		deploy.RollBackDeployment{Name: "a"}, deploy.ClearRollback{},
	} {
		add(kube.DeploymentRequests(d, []*appsv1.ReplicaSet{rs}, a))
	}
	for _, a := range []replicaset.Action{replicaset.CreatePods{Count: 1}, replicaset.DeletePod{}, replicaset.AdoptPod{}, replicaset.ReleasePod{}} {
		add(kube.ReplicaSetRequests(rs, a))
	}
	for _, a := range []daemonset.Action{
		daemonset.CreatePod{}, daemonset.DeletePod{}, daemonset.AdoptPod{}, daemonset.ReleasePod{}, daemonset.RelabelPod{}, daemonset.CreateRevision{},
		daemonset.UpdateRevision{Object: o}, daemonset.AdoptRevision{}, daemonset.ReleaseRevision{}, daemonset.DeleteRevision{},
	} {
		add(kube.DaemonSetRequests(ds, []*appsv1.ControllerRevision{r}, a))
	}
	return list
}

// rights returns the rights of the ClusterRole, as "verb resource".
func rights(t *testing.T) (list []string) {
	text, err := os.ReadFile("../manifests/rbac.yaml")
	require.NoError(t, err)
	for _, document := range strings.Split(string(text), "\n---\n") {
		o, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(document), nil, nil)
		require.NoError(t, err)
		role, ok := o.(*rbacv1.ClusterRole)
		if !ok {
			continue
		}
		for _, rule := range role.Rules {
			require.Empty(t, rule.NonResourceURLs)
			for _, resource := range rule.Resources {
				require.Equal(t, []string{groupOf(resource)}, rule.APIGroups, resource)
				for _, verb := range rule.Verbs {
					list = append(list, verb+" "+resource)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

func groupOf(resource string) string {
	if slices.Contains([]string{"pods", "nodes", "events"}, resource) {
		return corev1.GroupName
	}
	return appsv1.GroupName
}

// TestRights: the account may do what plans ask for, read what they are made from, be a
// controller and tell events, and nothing else.
func TestRights(t *testing.T) {
	want := []string{"create events", "patch events"}
	for _, r := range askedFor(t) {
		right := string(r.Verb) + " " + r.Resource()
		if r.Subresource != "" {
			right += "/" + r.Subresource
		}
		want = append(want, right)
	}
	for _, resource := range []string{"deployments", "replicasets", "daemonsets", "controllerrevisions", "pods", "nodes"} {
		want = append(want, "get "+resource, "list "+resource, "watch "+resource)
	}
	for _, owner := range []string{"deployments", "replicasets", "daemonsets"} {
		want = append(want, "update "+owner+"/finalizers")
	}
	slices.Sort(want)
	require.Equal(t, slices.Compact(want), rights(t))
}
