// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan/replicaset/expect"
)

// forgetExpectations leaves what was written to the versions alone, as if all events had come.
func (b *base) forgetExpectations() {
	b.tracker.expect(meta.UID, func(expect.Expectations) expect.Expectations { return expect.Expectations{} })
}

func readTo(versions map[client.Object]string) readUpTo {
	r := readUpTo{}
	for kind, version := range versions {
		r[reflect.TypeOf(kind)] = func() string { return version }
	}
	return r
}

// A pass that sees neither the pod nor the status that the one before has written makes no
// second pod, from whichever cache, until that has read as far.
func TestReplicaSetFromOldCaches(t *testing.T) {
	b, w := newBase(7, replicaSet(1))
	r := &replicaSetReconciler{base: b}
	pass := func(pods, sets string) reconcile.Result {
		r.read = readTo(map[client.Object]string{&corev1.Pod{}: pods, &appsv1.ReplicaSet{}: sets})
		r.forgetExpectations()
		r.tracker.change(meta.UID, func(m *memory) { m.written = nil })
		result, err := r.Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
		return result
	}
	pass("7", "7")
	require.Equal(t, 1, w.count("create pods"))
	written := r.tracker.of(meta.UID).versions
	require.NotEmpty(t, written.Children)
	require.Equal(t, behindDelay, pass("6", "100").RequeueAfter, "the pods are older")
	require.Equal(t, 1, w.count("create pods"))
	pass(written.Children, "100")
	require.Equal(t, 2, w.count("create pods"), "as new as what was written")
	pass("", "")
	require.Equal(t, 3, w.count("create pods"), "caches that do not tell are not waited for")

	r.tracker.owners[meta.UID] = memory{versions: expect.Versions{}.WroteOwner(string(meta.UID), "50")}
	require.Equal(t, behindDelay, pass("100", "49").RequeueAfter, "the ReplicaSet is older")
	require.Equal(t, 3, w.count("create pods"))
	pass("100", "50")
	require.Equal(t, 4, w.count("create pods"))
	r.tracker.forget(meta.UID)
	require.NotContains(t, r.tracker.owners, meta.UID)
}

func TestDaemonSetFromOldCaches(t *testing.T) {
	ds := &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec}}
	b, w := newBase(7, ds, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}})
	r := &daemonSetReconciler{base: b}
	pass := func(pods, sets string) reconcile.Result {
		r.read = readTo(map[client.Object]string{&corev1.Pod{}: pods, &appsv1.DaemonSet{}: sets})
		r.forgetExpectations()
		r.tracker.change(meta.UID, func(m *memory) { m.written = nil })
		result, err := r.Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
		return result
	}
	pass("7", "7")
	require.Equal(t, 1, w.count("create pods"))
	written := r.tracker.of(meta.UID).versions
	require.NotEmpty(t, written.Children)
	require.NotEmpty(t, written.Owner)
	require.Equal(t, behindDelay, pass("6", "100").RequeueAfter, "the pods are older")
	require.Equal(t, behindDelay, pass("100", "6").RequeueAfter, "the DaemonSet is older")
	require.Equal(t, 1, w.count("create pods"))
	pass("100", "100")
	require.Equal(t, 2, w.count("create pods"))
	r.tracker.forget(meta.UID)
	require.NotContains(t, r.tracker.owners, meta.UID)
}

// oneInformer gives real informers for pods, and none for other kinds.
type oneInformer struct {
	cache.Informers
	pods cache.Informer
}

func (o oneInformer) GetInformer(_ context.Context, kind client.Object, _ ...cache.InformerGetOption) (cache.Informer, error) {
	switch kind.(type) {
	case *corev1.Pod:
		return o.pods, nil
	case *appsv1.ReplicaSet:
		return struct{ cache.Informer }{}, nil // one without a store
	}
	return nil, errors.New("no such kind")
}

// The store of a real cache tells what it has read.
func TestReadUpTo(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", ResourceVersion: "12"}}
	pods := informers.NewSharedInformerFactory(fake.NewClientset(), 0).Core().V1().Pods().Informer()
	r, err := newReadUpTo(t.Context(), oneInformer{pods: pods}, &corev1.Pod{}, &appsv1.ReplicaSet{})
	require.NoError(t, err)
	require.Empty(t, r.version(&corev1.Pod{}), "nothing has been read")
	require.NoError(t, pods.GetStore().Add(pod))
	require.Equal(t, "12", r.version(&corev1.Pod{}))
	pods.GetStore().Bookmark("15")
	require.Equal(t, "15", r.version(&corev1.Pod{}))
	require.Empty(t, r.version(&appsv1.ReplicaSet{}))
	require.Empty(t, r.version(&appsv1.DaemonSet{}))
	_, err = newReadUpTo(t.Context(), oneInformer{}, &corev1.Node{})
	require.ErrorContains(t, err, "cache of *v1.Node: no such kind")
}
