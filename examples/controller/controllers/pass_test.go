// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

// Without room for a surge the new ReplicaSet is created empty, which is no event, and the
// old one gives way in the same pass, which is one as soon as it is done.
func TestEventsBehindAnEmptyReplicaSet(t *testing.T) {
	d, rs := deployment(limits(0, 1))
	b, w := newBase(0, d, rs)
	_, err := (&deploymentReconciler{b}).Reconcile(t.Context(), theWeb)
	require.NoError(t, err)
	require.Equal(t, []string{"create replicasets", "patch replicasets", "update deploymentsstatus"}, w.lines)
	require.Equal(t, []string{"Normal ScalingReplicaSet Scaled down replica set web-1 from 3 to 2"}, b.recorded())

	b, w = newBase(0, d, rs)
	w.refuse = "patch replicasets"
	_, err = (&deploymentReconciler{b}).Reconcile(t.Context(), theWeb)
	require.Error(t, err)
	require.Empty(t, b.recorded(), "nothing was scaled")
}

// The status that tells of a new ReplicaSet is written in the pass that creates it, whatever
// else changes size: no later pass knows.
func TestStatusTellsOfANewReplicaSet(t *testing.T) {
	for _, revision := range []string{"1", "2"} { // with the second the Deployment needs no annotation
		d, rs := deployment(limits(0, 1))
		d.Annotations["deployment.kubernetes.io/revision"] = revision
		b, w := newBase(0, d, rs)
		_, err := (&deploymentReconciler{b}).Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
		require.Equal(t, 1, w.count("create replicasets"))
		require.Equal(t, 1, w.count("patch replicasets"), "it scales too")
		require.Equal(t, 1, w.count("update deploymentsstatus"))
	}
}

// A pass that was stopped has a status that nobody may see.
func TestNoStatusOfAStoppedPass(t *testing.T) {
	ds := &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec}}
	b, w := newBase(0, ds, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}})
	w.refuse = "create controllerrevisions"
	_, err := (&daemonSetReconciler{base: b}).Reconcile(t.Context(), theWeb)
	require.Error(t, err)
	require.Equal(t, []string{"create controllerrevisions"}, w.lines)
}

// A pod that is gone wakes up what waits for it: a Deployment that recreates, and no other. One
// that has ended and is there for a while yet changes the status of its ReplicaSet.
func TestRecreateWaitsForPods(t *testing.T) {
	for _, strategy := range []appsv1.DeploymentStrategyType{appsv1.RecreateDeploymentStrategyType, appsv1.RollingUpdateDeploymentStrategyType} {
		d, rs := deployment(limits(1, 0))
		d.Spec.Strategy = appsv1.DeploymentStrategy{Type: strategy}
		b, _ := newBase(0, d, rs)
		handler := (&deploymentReconciler{b}).podEvents()
		pod, ended := ownedBy("ReplicaSet", rs.ObjectMeta, "a"), ownedBy("ReplicaSet", rs.ObjectMeta, "a")
		ended.Status.Phase, ended.ResourceVersion = corev1.PodFailed, "2"
		bare := pod.DeepCopy()
		bare.OwnerReferences = nil
		q := events()
		handler.Create(t.Context(), event.CreateEvent{Object: pod}, q)
		handler.Update(t.Context(), event.UpdateEvent{ObjectOld: pod, ObjectNew: ended}, q)
		handler.Delete(t.Context(), event.DeleteEvent{Object: bare}, q)
		require.Empty(t, requests(q))
		handler.Delete(t.Context(), event.DeleteEvent{Object: pod}, q)
		require.Equal(t, strategy == appsv1.RecreateDeploymentStrategyType, len(requests(q)) > 0)
	}
}

// A child that its owner has let go of concerns everybody who may adopt it, also if its
// labels are as before.
func TestLetGo(t *testing.T) {
	rival := replicaSet(1)
	rival.Name, rival.UID = "rival", "o2"
	former := replicaSet(1)
	former.Name, former.UID, former.Spec.Selector = "former", "o3", &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
	b, _ := newBase(0, rival, former)
	held := ownedBy("ReplicaSet", former.ObjectMeta, "a")
	free := held.DeepCopy()
	free.OwnerReferences, free.ResourceVersion = nil, "2"
	q := events()
	(&replicaSetReconciler{base: b}).podEvents().Update(t.Context(), event.UpdateEvent{ObjectOld: held, ObjectNew: free}, q)
	require.Equal(t, []string{"former", "rival"}, requests(q))
	taken := ownedBy("ReplicaSet", rival.ObjectMeta, "a")
	taken.ResourceVersion = "2"
	(&replicaSetReconciler{base: b}).podEvents().Update(t.Context(), event.UpdateEvent{ObjectOld: held, ObjectNew: taken}, q)
	require.Equal(t, []string{"former", "rival"}, requests(q))
	again := free.DeepCopy()
	again.ResourceVersion = "3"
	(&replicaSetReconciler{base: b}).podEvents().Update(t.Context(), event.UpdateEvent{ObjectOld: free, ObjectNew: again}, q)
	require.Empty(t, requests(q), "nothing that matters here has changed")
}

// Of two pods that are alike otherwise the one goes beside which a pod of another ReplicaSet
// of the Deployment runs, also if it is the older one.
func TestNeighbours(t *testing.T) {
	d, old := deployment(limits(1, 0))
	rs := replicaSet(1)
	rs.OwnerReferences = old.OwnerReferences
	on := func(owner metav1.ObjectMeta, name, node string, created int64) *corev1.Pod {
		p := ownedBy("ReplicaSet", owner, name)
		p.Spec.NodeName, p.CreationTimestamp = node, metav1.Unix(created, 0)
		p.Status = corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}
		return p
	}
	alone, beside := on(rs.ObjectMeta, "alone", "n1", 2_000_000), on(rs.ObjectMeta, "beside", "n2", 1)
	for want, objects := range map[string][]client.Object{
		"alone":  {d, old, rs, alone, beside},
		"beside": {d, old, rs, alone, beside, on(old.ObjectMeta, "neighbour", "n2", 1)},
	} {
		b, w := newBase(0, objects...)
		_, err := (&replicaSetReconciler{base: b}).Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
		require.Equal(t, 1, w.count("delete pods"))
		require.Equal(t, want, w.objects[slices.Index(w.lines, "delete pods")].GetName())
	}
}

// TestNameOfAStranger: a ReplicaSet of another controller has the name of the new one. No snapshot of the
// Deployment has it, and yet the collision is counted, which changes the name.
func TestNameOfAStranger(t *testing.T) {
	d, old := deployment(limits(1, 0))
	stranger := replicaSet(1)
	stranger.UID = "x"
	stranger.OwnerReferences = []metav1.OwnerReference{{Kind: "Deployment", Name: "other", UID: "other", Controller: new(true)}}
	pass := func(objects ...client.Object) *writer {
		b, w := newBase(0, objects...)
		w.taken = "create replicasets"
		result, err := (&deploymentReconciler{b}).Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
		require.Equal(t, behindDelay, result.RequeueAfter)
		return w
	}
	w := pass(d, old)
	require.Equal(t, []string{"create replicasets"}, w.lines, "the cache does not know yet who has the name")
	stranger.Name = w.objects[0].GetName()
	w = pass(d, old, stranger)
	require.Equal(t, []string{"create replicasets", "update deploymentsstatus"}, w.lines)
	require.Equal(t, new(int32(1)), w.objects[1].(*appsv1.Deployment).Status.CollisionCount)
}
