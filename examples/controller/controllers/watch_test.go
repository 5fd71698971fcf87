// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/kplan-go/kplan/replicaset/expect"
)

// A ReplicaSet that is left alone for the class of its Deployment has no event of its own
// when that changes, nor when the cache shows the Deployment later than the ReplicaSet.
func TestDeploymentWakesItsReplicaSets(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: *meta.DeepCopy()}
	rs := replicaSet(3)
	rs.Name, rs.UID = "web-1", "r1"
	rs.OwnerReferences = []metav1.OwnerReference{{Kind: "Deployment", Name: "web", UID: d.UID, Controller: new(true)}}
	b, _ := newBase(0, d, rs)
	handler := (&replicaSetReconciler{base: b}).deploymentEvents()
	without := d.DeepCopy()
	without.Annotations = nil

	q := events()
	handler.Create(t.Context(), event.CreateEvent{Object: d}, q)
	require.Equal(t, []string{"web-1"}, requests(q), "it is seen at last")
	handler.Update(t.Context(), event.UpdateEvent{ObjectOld: without, ObjectNew: d}, q)
	require.Equal(t, []string{"web-1"}, requests(q), "it has asked for us")
	handler.Update(t.Context(), event.UpdateEvent{ObjectOld: d, ObjectNew: d}, q)
	require.Empty(t, requests(q), "nothing that matters here has changed")
}

// A child that is gone will never show what was written to it, and is not waited for.
func TestDeletedChildrenAreNotWaitedFor(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: *meta.DeepCopy()}
	rs := replicaSet(3)
	rs.UID, rs.ResourceVersion = "r1", "7"
	rs.OwnerReferences = []metav1.OwnerReference{{Kind: "Deployment", Name: "web", UID: d.UID, Controller: new(true)}}
	rev := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", UID: "c1", ResourceVersion: "8",
		OwnerReferences: []metav1.OwnerReference{{Kind: "DaemonSet", Name: "web", UID: "o2", Controller: new(true)}},
	}}
	b, w := newBase(0, d)
	w.tracker.wrote(rs)
	w.tracker.wrote(rev)
	foreign := rs.DeepCopy()
	foreign.UID, foreign.OwnerReferences[0].Kind, foreign.OwnerReferences[0].UID = "r2", "Rollout", "o3"
	w.tracker.wrote(foreign)
	require.True(t, w.tracker.behind(d.UID, d))
	require.True(t, w.tracker.behind("o2"))
	(&deploymentReconciler{b}).replicaSetEvents().Delete(t.Context(), event.DeleteEvent{Object: rs}, events())
	require.False(t, w.tracker.behind(d.UID, d))
	(&daemonSetReconciler{base: b}).revisionEvents().Delete(t.Context(), event.DeleteEvent{Object: rev}, events())
	require.False(t, w.tracker.behind("o2"))
	(&deploymentReconciler{b}).replicaSetEvents().Delete(t.Context(), event.DeleteEvent{Object: foreign}, events())
	require.Empty(t, w.tracker.owners, "nothing is kept of what is gone")
}

// While a watch was broken an object was deleted, and another has got its name: the cache
// tells of a change.
func TestMissedDeletion(t *testing.T) {
	other := replicaSet(1)
	other.Name, other.UID = "other", "o2"
	b, w := newBase(0, replicaSet(1), other)
	r := &replicaSetReconciler{base: b}
	before, after := ownedBy("ReplicaSet", meta, "a"), ownedBy("ReplicaSet", other.ObjectMeta, "a")
	after.UID, after.ResourceVersion = "a2", "2"
	w.tracker.owners["o1"] = memory{expected: expect.Deletions([]string{"a"}, time.Now())}
	w.tracker.owners["o2"] = memory{expected: expect.Creations(1, time.Now())}
	q := events()
	r.podEvents().Update(t.Context(), event.UpdateEvent{ObjectOld: before, ObjectNew: after}, q)
	require.Equal(t, []string{"web", "other"}, requests(q))
	require.Empty(t, w.tracker.owners, "the deletion and the creation were seen")
}
