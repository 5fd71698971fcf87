// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// writer answers every write and tells the tracker, but the cache never sees it: it stands
// for a cache that lags.
type writer struct {
	mu      sync.Mutex
	lines   []string
	tracker *tracker
	version int    // of what was written; 0 leaves the version as it is
	refuse  string // the calls to refuse
	taken   string // the line of calls that are answered AlreadyExists
	objects []kube.Object
	patches []kube.Patch
	live    types.UID // what the API server knows, if anything
}

func (w *writer) Get(_ context.Context, o kube.Object) error {
	if w.live == "" {
		return apierrors.NewNotFound(schema.GroupResource{}, o.GetName())
	}
	o.SetUID(w.live)
	return nil
}

func (w *writer) Do(_ context.Context, r kube.Request) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	line := fmt.Sprint(r.Verb, " ", r.Resource(), r.Subresource)
	w.lines, w.objects = append(w.lines, line), append(w.objects, r.Object)
	if r.Verb == kube.VerbPatch {
		w.patches = append(w.patches, r.Patch)
	}
	if line == w.refuse {
		return apierrors.NewForbidden(schema.GroupResource{}, r.Object.GetName(), nil)
	}
	if line == w.taken {
		return apierrors.NewAlreadyExists(schema.GroupResource{}, r.Object.GetName())
	}
	if w.version > 0 {
		w.version++
		r.Object.SetUID(types.UID(r.Resource() + r.Object.GetName()))
		r.Object.SetResourceVersion(fmt.Sprint(w.version))
		w.tracker.wrote(r.Object)
	}
	return nil
}

// count returns how many writes of a kind there were.
func (w *writer) count(line string) (n int) {
	for _, l := range w.lines {
		if l == line {
			n++
		}
	}
	return n
}

func newBase(version int, cached ...client.Object) (base, *writer) {
	w := &writer{tracker: newTracker(), version: version}
	cache := fake.NewClientBuilder().WithObjects(cached...).
		WithIndex(&corev1.Pod{}, ownerIndex, ownerKey).WithIndex(&appsv1.ReplicaSet{}, ownerIndex, ownerKey).Build()
	return base{cache: cache, client: w, events: record.NewFakeRecorder(1000), tracker: w.tracker, class: "kplan"}, w
}

var (
	meta   = metav1.ObjectMeta{Namespace: "ns", Name: "web", UID: "o1", Generation: 1, Annotations: map[string]string{AnnotationClass: "kplan"}}
	pairs  = map[string]string{"app": "web"}
	spec   = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pairs}}
	theWeb = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "ns", Name: "web"}}
)

func replicaSet(replicas int32) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec,
	}}
}

func ownedBy(kind string, owner metav1.ObjectMeta, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: name, UID: types.UID(name), Labels: pairs, ResourceVersion: "1",
		OwnerReferences: []metav1.OwnerReference{{Kind: kind, Name: owner.Name, UID: owner.UID, Controller: new(true)}},
	}}
}

// events returns a queue for what a handler asks for.
func events() queue {
	return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
}

// requests returns what is in a queue.
func requests(q queue) (names []string) {
	for q.Len() > 0 {
		r, _ := q.Get()
		names = append(names, r.Name)
		q.Done(r)
	}
	return names
}

// While the cache does not show the pods that were created, no more are.
func TestReplicaSetCreatesOnce(t *testing.T) {
	b, w := newBase(0, replicaSet(3))
	r := &replicaSetReconciler{base: b}
	for range 3 {
		_, err := r.Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
	}
	require.Equal(t, 3, w.count("create pods"))

	for i := range 3 { // they are seen, and gone at once
		r.podEvents().Create(t.Context(), event.CreateEvent{Object: ownedBy("ReplicaSet", meta, fmt.Sprint(i))}, events())
	}
	_, err := r.Reconcile(t.Context(), theWeb)
	require.NoError(t, err)
	require.Equal(t, 6, w.count("create pods"))
}

// The status is written once, when all pods that were created are seen.
func TestReplicaSetStatusWaitsForPods(t *testing.T) {
	b, w := newBase(0, replicaSet(3))
	r := &replicaSetReconciler{base: b}
	for seen := range 4 {
		_, err := r.Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
		require.Equal(t, seen/3, w.count("update replicasetsstatus"))
		if seen < 3 {
			pod := ownedBy("ReplicaSet", meta, fmt.Sprint(seen))
			pod.ResourceVersion = ""
			require.NoError(t, b.cache.(client.Client).Create(t.Context(), pod))
			r.podEvents().Create(t.Context(), event.CreateEvent{Object: pod}, events())
		}
	}
	require.Equal(t, 3, w.count("create pods"))
}

// A pod that was gone before it was seen holds the status up for a while only.
func TestReplicaSetStatusDoesNotWaitForLostPods(t *testing.T) {
	b, w := newBase(0, replicaSet(3))
	r := &replicaSetReconciler{base: b}
	result, err := r.Reconcile(t.Context(), theWeb)
	require.NoError(t, err)
	require.Equal(t, 0, w.count("update replicasetsstatus"))
	require.InDelta(t, behindLimit, result.RequeueAfter, float64(time.Second))

	r.tracker.expect(meta.UID, func(e expect.Expectations) expect.Expectations {
		e.At = e.At.Add(-behindLimit)
		return e
	})
	_, err = r.Reconcile(t.Context(), theWeb)
	require.NoError(t, err)
	require.Equal(t, 1, w.count("update replicasetsstatus"))
	require.Equal(t, 3, w.count("create pods"))
}

// A failure is reported at once.
func TestReplicaSetStatusOfFailure(t *testing.T) {
	b, w := newBase(0, replicaSet(3))
	w.refuse = "create pods"
	_, err := (&replicaSetReconciler{base: b}).Reconcile(t.Context(), theWeb)
	require.Error(t, err)
	require.Equal(t, 1, w.count("update replicasetsstatus"))
}

// A Deployment that resizes leaves the status to the pass that follows.
func TestDeploymentStatusFollowsSizes(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: *meta.DeepCopy(), Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec,
	}}
	d.Annotations["deployment.kubernetes.io/revision"] = "1"
	rs := replicaSet(1)
	rs.Name, rs.UID, rs.Labels = "web-1", "r1", pairs
	rs.Annotations = map[string]string{
		"deployment.kubernetes.io/revision": "1", "deployment.kubernetes.io/desired-replicas": "3",
		"deployment.kubernetes.io/max-replicas": "4", AnnotationClass: "kplan",
	}
	rs.OwnerReferences = []metav1.OwnerReference{{Kind: "Deployment", Name: "web", UID: d.UID, Controller: new(true)}}
	b, w := newBase(0, d, rs)
	r := &deploymentReconciler{b}
	_, err := r.Reconcile(t.Context(), theWeb)
	require.NoError(t, err)
	require.Equal(t, []string{"patch replicasets"}, w.lines)

	rs.ResourceVersion, rs.Spec.Replicas = "", new(int32(3))
	require.NoError(t, b.cache.(client.Client).Update(t.Context(), rs))
	_, err = r.Reconcile(t.Context(), theWeb)
	require.NoError(t, err)
	require.Equal(t, []string{"patch replicasets", "update deploymentsstatus"}, w.lines)
}

// Nor are more deleted than is wanted.
func TestReplicaSetDeletesOnce(t *testing.T) {
	b, w := newBase(0, replicaSet(1), ownedBy("ReplicaSet", meta, "a"), ownedBy("ReplicaSet", meta, "b"), ownedBy("ReplicaSet", meta, "c"))
	r := &replicaSetReconciler{base: b}
	for range 3 {
		_, err := r.Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
	}
	require.Equal(t, 2, w.count("delete pods"))
}

func TestDaemonSetCreatesOnce(t *testing.T) {
	ds := &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec}}
	b, w := newBase(0, ds, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n2"}})
	r := &daemonSetReconciler{base: b}
	for range 3 {
		result, err := r.Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
		require.LessOrEqual(t, result.RequeueAfter, 5*time.Minute)
	}
	require.Equal(t, 2, w.count("create pods"))
	for i := range 2 {
		r.podEvents().Create(t.Context(), event.CreateEvent{Object: ownedBy("DaemonSet", meta, fmt.Sprint(i))}, events())
	}
	_, err := r.Reconcile(t.Context(), theWeb)
	require.NoError(t, err)
	require.Equal(t, 4, w.count("create pods"))
}

// A Deployment whose new ReplicaSet the cache does not show waits, but not forever.
func TestDeploymentWaitsForItsWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec}}
		b, w := newBase(1000, d)
		r := &deploymentReconciler{b}
		_, err := r.Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
		require.Equal(t, []string{"create replicasets", "update deploymentsstatus"}, w.lines)
		result, err := r.Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
		require.Equal(t, behindDelay, result.RequeueAfter)
		require.Len(t, w.lines, 2)
		time.Sleep(behindLimit + time.Second)
		_, err = r.Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
		require.Greater(t, len(w.lines), 2)
	})
}

func TestTrackerBehind(t *testing.T) {
	tr := newTracker()
	at := func(version string) *appsv1.ReplicaSet {
		rs := replicaSet(1)
		rs.ResourceVersion = version
		return rs
	}
	tr.wrote(at("20"))
	require.True(t, tr.behind("o1", at("9")), "numbers, not texts")
	require.True(t, tr.behind("o1"), "it is not there yet")
	require.False(t, tr.behind("o1", at("20")))
	require.False(t, tr.behind("o1", at("9")), "it was seen")
	tr.wrote(at("30"))
	tr.wrote(at("29"))
	require.True(t, tr.behind("o1", at("29")), "two workers have written, and the first is told of last")
	tr.forget("o1")
	require.False(t, tr.behind("o1", at("9")), "another object of that name")
	require.False(t, tr.behind("o2", at("9")))
}

func TestTakes(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: meta}
	b, _ := newBase(0, d)
	plain := replicaSet(1)
	plain.Annotations = nil
	of := func(owner string, annotations map[string]string) *appsv1.ReplicaSet {
		rs := replicaSet(1)
		rs.Annotations = annotations
		rs.OwnerReferences = []metav1.OwnerReference{{Kind: "Deployment", Name: owner, Controller: new(true)}}
		return rs
	}
	for name, c := range map[string]struct {
		o     client.Object
		class string
		want  bool
	}{
		"its own annotation":    {replicaSet(1), "kplan", true},
		"no annotation":         {plain, "kplan", false},
		"another class":         {replicaSet(1), "other", false},
		"everything":            {plain, "", true},
		"that of a Deployment":  {of("web", nil), "kplan", true},
		"only that":             {of("web", map[string]string{AnnotationClass: "other"}), "other", false},
		"of one that is gone":   {of("gone", meta.Annotations), "kplan", false},
		"of another Deployment": {of("web", nil), "other", false},
	} {
		b.class = c.class
		require.Equal(t, c.want, b.takes(t.Context(), c.o), name)
	}
}

// Nothing is written for an object that somebody else takes.
func TestOthersAreLeftAlone(t *testing.T) {
	rs := replicaSet(3)
	rs.Annotations = nil
	b, w := newBase(0, rs)
	_, err := (&replicaSetReconciler{base: b}).Reconcile(t.Context(), theWeb)
	require.NoError(t, err)
	require.Empty(t, w.lines)
}

// A pod concerns its owner and its former one; an orphan those that may adopt it.
func TestPodEvents(t *testing.T) {
	another := replicaSet(1)
	another.Name, another.UID, another.Spec.Selector = "other", "o2", &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
	b, _ := newBase(0, replicaSet(1), another)
	handler := (&replicaSetReconciler{base: b}).podEvents()
	owned, other := ownedBy("ReplicaSet", meta, "a"), ownedBy("ReplicaSet", another.ObjectMeta, "a")
	orphaned := ownedBy("ReplicaSet", meta, "a")
	orphaned.OwnerReferences = nil
	stranger := orphaned.DeepCopy()
	stranger.Labels = map[string]string{"app": "db"}
	other.ResourceVersion, stranger.ResourceVersion = "2", "3"
	for name, c := range map[string]struct {
		before, after *corev1.Pod
		want          []string
	}{
		"created":              {nil, owned, []string{"web"}},
		"gone":                 {owned, nil, []string{"web"}},
		"handed over":          {owned, other, []string{"other", "web"}},
		"a repetition":         {owned, owned, nil},
		"an orphan":            {nil, orphaned, []string{"web"}},
		"an orphan of nobody":  {nil, stranger, nil},
		"an orphan, relabeled": {stranger, orphaned, []string{"web"}},
		"of another kind":      {nil, ownedBy("Job", meta, "a"), nil},
	} {
		q := events()
		switch {
		case c.before == nil:
			handler.Create(t.Context(), event.CreateEvent{Object: c.after}, q)
		case c.after == nil:
			handler.Delete(t.Context(), event.DeleteEvent{Object: c.before}, q)
		default:
			handler.Update(t.Context(), event.UpdateEvent{ObjectOld: c.before, ObjectNew: c.after}, q)
		}
		require.Equal(t, c.want, requests(q), name)
	}
}

// lock is a lease that is always free.
type lock struct{ resourcelock.Interface }

func (lock) Identity() string                                                { return "me" }
func (lock) Update(context.Context, resourcelock.LeaderElectionRecord) error { return nil }
func (lock) Create(context.Context, resourcelock.LeaderElectionRecord) error { return nil }

// A process that has slept for longer than its lease lasts writes nothing.
func TestLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lease{Interface: lock{}, duration: 10 * time.Second}
		b, _ := newBase(0)
		c := &apiClient{writer: fake.NewClientBuilder().Build(), tracker: b.tracker, lease: l}
		create := func(name string) error {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
			return c.Do(t.Context(), kube.Request{Verb: kube.VerbCreate, Object: pod})
		}
		mine := resourcelock.LeaderElectionRecord{HolderIdentity: "me"}
		require.ErrorIs(t, create("a"), errNoLease, "not elected yet")
		require.NoError(t, l.Create(t.Context(), mine))
		require.NoError(t, create("a"))
		time.Sleep(9 * time.Second)
		require.NoError(t, create("b"))
		require.NoError(t, l.Update(t.Context(), mine))
		time.Sleep(9 * time.Second)
		require.NoError(t, create("c"))
		time.Sleep(time.Second)
		require.ErrorIs(t, create("d"), errNoLease, "it has slept")
		require.NoError(t, l.Update(t.Context(), mine))
		require.NoError(t, create("d"))
		require.NoError(t, l.Update(t.Context(), resourcelock.LeaderElectionRecord{}))
		require.ErrorIs(t, create("e"), errNoLease, "it was given back")
	})
	require.True(t, (*lease)(nil).held(), "there is no election")
}
