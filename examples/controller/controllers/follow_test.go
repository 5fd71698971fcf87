// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// A scene is a cache in which pods and nodes change at random.
type scene struct {
	t      *testing.T
	random *rand.Rand
	cache  client.Client
	uids   int
	now    time.Time
}

func newScene(t *testing.T, b *base) *scene {
	return &scene{t: t, random: rand.New(rand.NewPCG(1, 2)), cache: b.cache.(client.Client), now: time.Now().Truncate(time.Second)}
}

// replace puts another object in place of one of its name, or nothing.
func (s *scene) replace(o, old client.Object) {
	there := s.cache.Get(s.t.Context(), client.ObjectKeyFromObject(o), old) == nil
	switch {
	case there && s.random.IntN(4) > 0:
		o.SetUID(old.GetUID())
		o.SetResourceVersion(old.GetResourceVersion())
		require.NoError(s.t, s.cache.Update(s.t.Context(), o))
		return
	case there:
		require.NoError(s.t, s.cache.Delete(s.t.Context(), old))
		if s.random.IntN(2) == 0 {
			return
		}
	}
	s.uids++
	o.SetUID(types.UID(fmt.Sprint("u", s.uids)))
	require.NoError(s.t, s.cache.Create(s.t.Context(), o))
}

// change changes a pod of one of some owners, which decide what it is one of.
func (s *scene) change(pod *corev1.Pod, owners ...*metav1.OwnerReference) {
	pod.Namespace, pod.Name, pod.Labels = "ns", fmt.Sprint("p", s.random.IntN(9)), pairs
	if s.random.IntN(5) == 0 {
		pod.Labels = nil
	}
	if owner := owners[s.random.IntN(len(owners))]; owner != nil {
		pod.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	pod.Spec.NodeName = fmt.Sprint("n", s.random.IntN(4))
	if pod.Status.Phase = corev1.PodRunning; s.random.IntN(3) > 0 {
		since := metav1.NewTime(s.now.Add(-time.Duration(1+s.random.IntN(4)) * time.Hour))
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: since}}
	}
	s.replace(pod, &corev1.Pod{})
}

// samePlan wants the plan of one for the other, and returns it as text.
func samePlan[P fmt.Stringer, S, O any](s *scene, of func(time.Time, O) (P, error), reconcile func(S, time.Time, O) (P, error), snapshot S) string {
	var o O
	plan, err := reconcile(snapshot, s.now, o)
	require.NoError(s.t, err)
	got, err := of(s.now, o)
	require.NoError(s.t, err)
	require.Equal(s.t, plan, got)
	return got.String()
}

// list returns all objects of a kind.
func list[T any](s *scene, all client.ObjectList, items func() []T) []*T {
	require.NoError(s.t, s.cache.List(s.t.Context(), all))
	return pointers(items())
}

// TestReplicaSetIsFollowed: from pass to pass, each planned from what is other than in the one before,
// there are the plans for all that there is; as sizes change, neighbours come to matter, and cease to.
func TestReplicaSetIsFollowed(t *testing.T) {
	rs, sibling := replicaSet(4), replicaSet(4)
	owner := metav1.NewControllerRef(&metav1.ObjectMeta{Name: "web", UID: "d1"}, appsv1.SchemeGroupVersion.WithKind("Deployment"))
	rs.OwnerReferences, sibling.OwnerReferences = []metav1.OwnerReference{*owner}, []metav1.OwnerReference{*owner}
	sibling.Name, sibling.UID = "web-2", "o2"
	b, _ := newBase(0, rs, sibling)
	r, s, kind := &replicaSetReconciler{base: b}, newScene(t, &b), appsv1.SchemeGroupVersion.WithKind(replicaset.Kind)
	texts := map[string]bool{}
	for range 500 {
		if s.random.IntN(10) == 0 {
			rs.Spec.Replicas = new(int32(s.random.IntN(6)))
		}
		for range 1 + s.random.IntN(3) {
			s.change(&corev1.Pod{}, metav1.NewControllerRef(rs, kind), metav1.NewControllerRef(sibling, kind), nil)
		}
		var all corev1.PodList
		pods := list(s, &all, func() []corev1.Pod { return all.Items })
		tr, err := r.follow(t.Context(), rs, expect.Expectations{})
		require.NoError(t, err)
		texts[samePlan(s, tr.Plan, replicaset.Reconcile, kube.ReplicaSetSnapshot(rs, pods, []*appsv1.ReplicaSet{rs, sibling}))] = true
	}
	require.Greater(t, len(texts), 100, "they differ")
}

// TestDaemonSetIsFollowed: as TestReplicaSetIsFollowed, with nodes that come, change and go.
func TestDaemonSetIsFollowed(t *testing.T) {
	ds := &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec}}
	b, _ := newBase(0, ds)
	r, s, kind := &daemonSetReconciler{base: b}, newScene(t, &b), appsv1.SchemeGroupVersion.WithKind(daemonset.Kind)
	own := metav1.NewControllerRef(ds, kind)
	texts := map[string]bool{}
	for range 500 {
		if s.random.IntN(4) == 0 {
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", s.random.IntN(4))}}
			if s.random.IntN(3) == 0 {
				n.Spec.Taints = []corev1.Taint{{Key: "maint", Effect: corev1.TaintEffectNoExecute}}
			}
			s.replace(n, &corev1.Node{})
		}
		s.change(&corev1.Pod{}, own, own, metav1.NewControllerRef(&metav1.ObjectMeta{Name: "other", UID: "o2"}, kind), nil)
		var pods corev1.PodList
		var nodes corev1.NodeList
		snapshot, err := kube.DaemonSetSnapshot(ds, list(s, &nodes, func() []corev1.Node { return nodes.Items }), list(s, &pods, func() []corev1.Pod { return pods.Items }), nil)
		require.NoError(t, err)
		tr, err := r.follow(t.Context(), ds, nil)
		require.NoError(t, err)
		texts[samePlan(s, tr.Plan, daemonset.Reconcile, snapshot)] = true
	}
	require.Greater(t, len(texts), 100, "they differ")
}

// TestCacheGoesBack: a cache that was filled from a server which has lost some writes is right.
func TestCacheGoesBack(t *testing.T) {
	rs, f := replicaSet(1), &follower[replicaset.Tracker]{}
	set, later, earlier := kube.ReplicaSet(rs), ownedBy(replicaset.Kind, rs.ObjectMeta, "web-1"), ownedBy(replicaset.Kind, rs.ObjectMeta, "web-1")
	later.ResourceVersion, later.Status.Conditions = "100", []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	earlier.ResourceVersion = "60"
	for _, pod := range []*corev1.Pod{later, earlier} {
		require.NoError(t, tellSet(f, replicaset.Delta{ReplicaSet: &set}, []*corev1.Pod{pod}))
		require.Equal(t, pod.ResourceVersion, f.tracker.Snapshot().Pods[0].ResourceVersion)
	}
}

// TestFollowers: what is kept of an owner goes with it, when others take it, and for one that was made
// anew under its name.
func TestFollowers(t *testing.T) {
	ds := &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec}}
	rs := replicaSet(0)
	b, _ := newBase(0, rs, ds)
	sets, daemons := &replicaSetReconciler{base: b}, &daemonSetReconciler{base: b}
	pass := func() {
		for _, r := range []reconcile.Reconciler{sets, daemons} {
			_, err := r.Reconcile(t.Context(), theWeb)
			require.NoError(t, err)
		}
	}
	pass()
	require.Len(t, sets.followed.of, 1)
	require.Len(t, daemons.followed.of, 1)
	again := replicaSet(0)
	again.UID = "o2"
	require.NotSame(t, sets.followed.get(rs), sets.followed.get(again))
	require.Len(t, sets.followed.of, 1)

	s := newScene(t, &b)
	rs.Annotations, rs.ResourceVersion = nil, ""
	require.NoError(t, s.cache.Update(t.Context(), rs))
	require.NoError(t, s.cache.Delete(t.Context(), ds))
	pass()
	require.Empty(t, sets.followed.of, "it is another class's")
	require.Empty(t, daemons.followed.of, "it is gone")
}

// TestPodsFor: of the orphans of a namespace only those concern an owner that it may adopt.
func TestPodsFor(t *testing.T) {
	rs := replicaSet(1)
	own, mine, stranger := ownedBy(replicaset.Kind, rs.ObjectMeta, "own"), ownedBy(replicaset.Kind, rs.ObjectMeta, "mine"), ownedBy(replicaset.Kind, rs.ObjectMeta, "stranger")
	own.Labels, mine.OwnerReferences, stranger.OwnerReferences, stranger.Labels = nil, nil, nil, nil
	b, _ := newBase(0, rs, own, mine, stranger)
	names := func(selects *metav1.LabelSelector) (names []string) {
		pods, err := b.podsFor(t.Context(), rs, selects)
		require.NoError(t, err)
		for _, p := range pods {
			names = append(names, p.Name)
		}
		return names
	}
	require.Equal(t, []string{"own", "mine"}, names(rs.Spec.Selector))
	require.Equal(t, []string{"own"}, names(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "?"}}}))
}

// BenchmarkFollow is a pass in which one pod is other than in the one before, without the list and
// without calls: of all pods, and of what is other.
func BenchmarkFollow(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		rs, now := replicaSet(int32(n)), time.Now()
		set, pods := kube.ReplicaSetSnapshot(rs, nil, nil).ReplicaSet, make([]*corev1.Pod, n)
		for i := range pods {
			pods[i] = ownedBy(replicaset.Kind, rs.ObjectMeta, fmt.Sprint("web-", i))
		}
		change := func(i int) { pods[i%n].ResourceVersion = fmt.Sprint(i + 2) }
		b.Run(fmt.Sprintf("snapshot/pods=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				change(i)
				_, err := replicaset.Reconcile(kube.ReplicaSetSnapshot(rs, pods, nil), now, replicaset.Options{})
				require.NoError(b, err)
			}
		})
		b.Run(fmt.Sprintf("tracker/pods=%d", n), func(b *testing.B) {
			f := &follower[replicaset.Tracker]{}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				change(i)
				require.NoError(b, tellSet(f, replicaset.Delta{ReplicaSet: &set}, pods))
				_, err := f.tracker.Plan(now, replicaset.Options{})
				require.NoError(b, err)
			}
		})
	}
}
