// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

func liveDeployment() *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web", UID: "d1", ResourceVersion: "9"}}
}

func sets(names ...string) []*appsv1.ReplicaSet {
	var list []*appsv1.ReplicaSet
	for _, name := range names {
		list = append(list, &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: "u", ResourceVersion: "v-of-" + name}})
	}
	return list
}

// pass carries out a plan and writes the status.
func pass(t *testing.T, c kube.Client, d *appsv1.Deployment, sets []*appsv1.ReplicaSet, p deploy.Plan) (deploy.Report, deploy.Result) {
	t.Helper()
	s, err := kube.Snapshot(d, sets, nil)
	require.NoError(t, err)
	report := execute(c).Deployment(t.Context(), d, sets, p)
	made, err := deploy.NewPass(s, time.Unix(1, 0), deploy.Options{})
	require.NoError(t, err)
	made.Plan = p
	r := made.Finish(report)
	if r.WriteStatus {
		require.NoError(t, c.Do(t.Context(), kube.DeploymentStatusRequest(d, r)))
	}
	return report, r
}

// Each write to a ReplicaSet has its version as a precondition: that which was read, or
// that which the write before has left.
func TestExecuteDeployment(t *testing.T) {
	s := &server{}
	_, r := pass(t, s, liveDeployment(), sets("old", "new", "older"), deploy.Plan{
		Actions: deploy.Actions{
			deploy.AnnotateReplicaSet{Name: "new", UID: "u", Set: map[string]string{"a": "b"}},
			deploy.ScaleReplicaSet{Name: "new", UID: "u", From: 1, To: 2},
			deploy.AnnotateDeployment{Set: map[string]string{"deployment.kubernetes.io/revision": "2"}},
			deploy.ScaleReplicaSet{Name: "old", UID: "u", ResourceVersion: "planned", From: 3, To: 1},
			deploy.DeleteReplicaSet{Name: "older", UID: "o", ResourceVersion: "5"},
		},
		Status: deploy.Status{Replicas: 4},
	})
	require.NoError(t, r.Err)
	require.Equal(t, []string{
		"patch replicasets/new", "patch replicasets/new", "patch replicasets/old", "delete replicasets/older", "update deployments/web status",
	}, s.lines(false))
	require.JSONEq(t, `{"metadata":{"uid":"u","resourceVersion":"v-of-new","annotations":{"a":"b"}}}`, string(s.requests[0].Patch.Data))
	require.JSONEq(t, `{"metadata":{"uid":"u","resourceVersion":"answered"},"spec":{"replicas":2}}`, string(s.requests[1].Patch.Data))
	require.JSONEq(t, `{"metadata":{"uid":"u","resourceVersion":"planned"},"spec":{"replicas":1}}`, string(s.requests[2].Patch.Data))
	require.Equal(t, "5", *s.requests[3].Options.Preconditions.ResourceVersion)
	status := s.requests[4].Object.(*appsv1.Deployment)
	require.Equal(t, int32(4), status.Status.Replicas)
	require.Equal(t, "2", status.Annotations["deployment.kubernetes.io/revision"], "in one write with the status")
	require.Equal(t, "9", s.versions[4])
}

func TestExecuteDeploymentStopsAtAFailure(t *testing.T) {
	s := &server{answer: func(_ kube.Request, n int) error {
		if n == 2 {
			return conflict
		}
		return nil
	}}
	report, r := pass(t, s, liveDeployment(), sets("old", "new", "older"), deploy.Plan{
		Actions: deploy.Actions{deploy.ScaleReplicaSet{Name: "new", To: 2}, deploy.ScaleReplicaSet{Name: "old", To: 1}, deploy.DeleteReplicaSet{Name: "older"}},
		Status:  deploy.Status{Replicas: 4},
	})
	require.Equal(t, []kplan.ServerAnswer{kplan.Done, kplan.Changed, ""}, answers(report.Outcomes))
	require.Equal(t, conflict, report.Outcomes[1].Err, "as it came: its text goes into a condition")
	require.True(t, kube.Stale(r.Err))
	require.Equal(t, []string{"patch replicasets/new", "patch replicasets/old"}, s.lines(false)[:2])
	require.NotContains(t, s.lines(false), "delete replicasets/older")
}

// A plan that writes a ReplicaSet which is not among those given is not begun.
func TestExecuteDeploymentIncomplete(t *testing.T) {
	for _, a := range []deploy.Action{
		deploy.ScaleReplicaSet{Name: "missing"}, deploy.AnnotateReplicaSet{Name: "missing"}, deploy.DeleteReplicaSet{Name: "missing"},
		deploy.AdoptReplicaSet{Name: "missing"}, deploy.ReleaseReplicaSet{Name: "missing"}, deploy.RollBackDeployment{Name: "missing"},
	} {
		s := &server{}
		report := execute(s).Deployment(t.Context(), liveDeployment(), append(sets("old"), nil), deploy.Plan{Actions: deploy.Actions{deploy.ScaleReplicaSet{Name: "old"}, a}})
		require.Empty(t, s.requests, "%T", a)
		require.ErrorIs(t, report.Outcomes[1].Err, kplan.ErrInvalid)
	}
	s := &server{}
	execute(s).Deployment(t.Context(), liveDeployment(), nil, deploy.Plan{Actions: deploy.Actions{deploy.CreateReplicaSet{Name: "new"}, deploy.ScaleReplicaSet{Name: "new"}}})
	require.Len(t, s.requests, 2, "one that the plan creates")
	require.Contains(t, string(s.requests[1].Patch.Data), `"resourceVersion":"answered"`)
}

func adoptions() deploy.Plan {
	return deploy.Plan{Actions: deploy.Actions{
		deploy.AdoptReplicaSet{Name: "a", UID: "u"}, deploy.AdoptReplicaSet{Name: "b", UID: "u"}, deploy.ReleaseReplicaSet{Name: "c", UID: "u"},
		deploy.ScaleReplicaSet{Name: "a", UID: "u", ResourceVersion: "v-of-a", To: 1}, deploy.DeleteReplicaSet{Name: "a", UID: "u", ResourceVersion: "v-of-a"},
	}}
}

// Adoptions wait for one look at the API server. What is adopted is so as it was read, since
// the plan counts it and this or the next one writes it over the version that is left.
func TestExecuteDeploymentAdopts(t *testing.T) {
	looks := 0
	s := &server{get: func(o kube.Object) error { looks++; o.SetUID("d1"); return nil }}
	execute(s).Deployment(t.Context(), liveDeployment(), sets("a", "b", "c"), adoptions())
	require.Equal(t, 1, looks)
	require.Equal(t, []string{"patch replicasets/a", "patch replicasets/b", "patch replicasets/c", "patch replicasets/a", "delete replicasets/a"}, s.lines(false))
	require.Contains(t, string(s.requests[0].Patch.Data), `"resourceVersion":"v-of-a"`)
	require.Contains(t, string(s.requests[0].Patch.Data), `"ownerReferences"`)
	require.Contains(t, string(s.requests[1].Patch.Data), `"resourceVersion":"v-of-b"`)
	require.Contains(t, string(s.requests[3].Patch.Data), `"resourceVersion":"answered"`)
	require.Equal(t, "answered", *s.requests[4].Options.Preconditions.ResourceVersion)

	gone := &server{}
	report := execute(gone).Deployment(t.Context(), liveDeployment(), sets("a", "b", "c"), adoptions())
	require.ErrorContains(t, report.LiveCheck, "can't recheck DeletionTimestamp")
	require.Equal(t, []string{"patch replicasets/c"}, gone.lines(false))
}

// If an orphan is gone, or its adoption fails, all claims are tried and nothing else.
func TestExecuteDeploymentOrphanGone(t *testing.T) {
	for err, stale := range map[error]bool{notFound: true, conflict: true, invalid: false} {
		s := &server{get: func(o kube.Object) error { o.SetUID("d1"); return nil }, answer: func(_ kube.Request, n int) error {
			if n == 1 {
				return err
			}
			return nil
		}}
		_, r := pass(t, s, liveDeployment(), sets("a", "b", "c"), adoptions())
		require.Equal(t, []string{"patch replicasets/a", "patch replicasets/b", "patch replicasets/c"}, s.lines(false))
		require.Equal(t, stale, kube.Stale(r.Err), "%v", err)
		require.Equal(t, err == notFound, r.Again != nil)
	}
}

// After a rollback the status is written over what the rollback has left.
func TestExecuteDeploymentRollsBack(t *testing.T) {
	s := &server{}
	_, r := pass(t, s, liveDeployment(), sets("old"), deploy.Plan{
		Actions: deploy.Actions{deploy.RollBackDeployment{Name: "old", Annotations: map[string]string{"x": "y"}}, deploy.ClearRollback{},
			deploy.PauseDeployment{UID: "d1", ResourceVersion: "9", Set: map[string]string{"p": "q"}}},
		Status: deploy.Status{Replicas: 1},
	})
	require.NoError(t, r.Err)
	require.Equal(t, []string{"update deployments/web", "update deployments/web", "patch deployments/web", "update deployments/web status"}, s.lines(false))
	require.Contains(t, string(s.requests[2].Patch.Data), `"resourceVersion":"answered"`)
	require.Equal(t, []string{"9", "answered", "", "answered"}, s.versions, "that which the write before has left")
	require.Equal(t, map[string]string{"x": "y", "p": "q"}, s.requests[3].Object.GetAnnotations())
}

func TestExecuteNothing(t *testing.T) {
	s := &server{}
	execute(s).Deployment(t.Context(), nil, []*appsv1.ReplicaSet{nil}, deploy.Plan{})
	execute(s).DaemonSet(t.Context(), nil, []*appsv1.ControllerRevision{nil}, daemonset.Plan{})
	execute(s).ReplicaSet(t.Context(), nil, replicaset.Plan{})
	execute(s).ReplicationController(t.Context(), nil, replicaset.Plan{})
	require.Empty(t, s.requests)
	require.Empty(t, kube.Request{}.String())
	require.NotNil(t, kube.DeploymentStatusRequest(nil, deploy.Result{}).Object)
	require.NotNil(t, kube.ReplicaSetStatusRequest(nil, replicaset.Status{}).Object)
	require.NotNil(t, kube.ReplicationControllerStatusRequest(nil, replicaset.Status{}).Object)
}

// A ReplicationController adopts for itself, after a look at itself, and its pods are its own.
func TestExecuteReplicationController(t *testing.T) {
	rc := &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "rc", UID: "c1", ResourceVersion: "3"},
		Spec:       corev1.ReplicationControllerSpec{Template: &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}}}},
	}
	s := &server{get: func(o kube.Object) error {
		_, ok := o.(*corev1.ReplicationController)
		require.True(t, ok)
		o.SetUID("c1")
		return nil
	}}
	p := plan(replicaset.AdoptPod{Name: "a", UID: "1"}, replicaset.CreatePods{Count: 1})
	p.LiveCheck = true
	r := execute(s).ReplicationController(t.Context(), rc, p)
	require.NoError(t, r.LiveCheck)
	require.Len(t, s.requests, 2)
	pod := s.requests[1].Object.(*corev1.Pod)
	require.Equal(t, "ReplicationController", pod.OwnerReferences[0].Kind)
	require.Equal(t, map[string]string{"a": "b"}, pod.Labels)
	require.Equal(t, "update replicationcontrollers/rc status", kube.ReplicationControllerStatusRequest(rc, replicaset.Status{}).String())
}

// A pod that is adopted and deleted by one plan is adopted as it was read, and deleted as
// the adoption has left it.
func TestExecuteAdoptsAndDeletes(t *testing.T) {
	s := &server{get: func(o kube.Object) error { o.SetUID("r1"); return nil }}
	p := plan(replicaset.AdoptPod{Name: "a", UID: "1"}, replicaset.DeletePod{Name: "a", UID: "1", ResourceVersion: "7"})
	p.LiveCheck = true
	execute(s).ReplicaSet(t.Context(), set(), p)
	require.Contains(t, string(s.requests[0].Patch.Data), `"resourceVersion":"7"`)
	require.Equal(t, "answered", *s.requests[1].Options.Preconditions.ResourceVersion)

	s = &server{get: func(o kube.Object) error { o.SetUID("s1"); return nil }}
	execute(s).DaemonSet(t.Context(), daemon(), nil, daemonset.Plan{Actions: daemonset.Actions{
		daemonset.AdoptPod{Object: named("a")}, daemonset.DeletePod{Object: named("a")},
	}})
	require.Contains(t, string(s.requests[0].Patch.Data), `"resourceVersion":"1"`)
	require.Equal(t, "answered", *s.requests[1].Options.Preconditions.ResourceVersion)
}

// If an orphan of a DaemonSet is gone, no pod is created or deleted.
func TestExecuteDaemonSetOrphanGone(t *testing.T) {
	s := &server{get: func(o kube.Object) error { o.SetUID("s1"); return nil }, answer: func(_ kube.Request, n int) error {
		if n == 1 {
			return notFound
		}
		return nil
	}}
	p := daemonset.Plan{Actions: daemonset.Actions{
		daemonset.AdoptPod{Object: named("a")}, daemonset.AdoptPod{Object: named("b")}, daemonset.DeletePod{Object: named("c")}, daemonset.CreatePod{Node: "n"},
	}}
	report := execute(s).DaemonSet(t.Context(), daemon(), nil, p)
	require.Equal(t, []string{"patch pods/a", "patch pods/b"}, s.lines(false))
	r := daemonset.Pass{Plan: p}.Finish(report)
	require.ErrorIs(t, r.Err, kplan.ErrGone)
	require.NotNil(t, r.Again)
	require.False(t, r.WriteStatus)
}

// A pod of an old revision has its template, and fails without it; tolerations are kept if
// the action says so.
func TestExecuteDaemonSetRevisions(t *testing.T) {
	old := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "old"}}
	old.Data.Raw = []byte(`{"spec":{"template":{"spec":{"containers":[{"image":"image:1"}],"tolerations":[{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":30}]}}}}`)
	s := &server{}
	report := execute(s).DaemonSet(t.Context(), daemon(), []*appsv1.ControllerRevision{nil, old}, daemonset.Plan{Actions: daemonset.Actions{
		daemonset.CreatePod{Node: "n", Hash: "oldhash", Revision: "old", KeepTolerations: true},
	}})
	require.Equal(t, kplan.Done, report.Outcomes[0].Answer)
	pod := s.requests[0].Object.(*corev1.Pod)
	require.Equal(t, "image:1", pod.Spec.Containers[0].Image)
	require.Equal(t, "oldhash", pod.Labels[daemonset.LabelHash])
	require.Equal(t, ptr.To(int64(30)), pod.Spec.Tolerations[0].TolerationSeconds)

	s = &server{}
	report = execute(s).DaemonSet(t.Context(), daemon(), nil, daemonset.Plan{Actions: daemonset.Actions{daemonset.CreatePod{Node: "n", Revision: "old"}}})
	require.ErrorIs(t, report.Outcomes[0].Err, kplan.ErrInvalid)
	require.Empty(t, s.requests)
}
