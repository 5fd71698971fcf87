// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

// server is a client that notes the requests and answers as it is told. Objects that it
// answers with have the resource version answered.
type server struct {
	mu       sync.Mutex
	requests []kube.Request
	versions []string                          // of the objects of the requests, before they were answered
	answer   func(r kube.Request, n int) error // n counts the requests so far; nil means all is well
	get      func(o kube.Object) error         // nil means that nothing is there
}

func (s *server) Do(_ context.Context, r kube.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.versions = append(s.requests, r), append(s.versions, r.Object.GetResourceVersion())
	if s.answer != nil {
		if err := s.answer(r, len(s.requests)); err != nil {
			return err
		}
	}
	if r.Verb != kube.VerbDelete {
		r.Object.SetResourceVersion("answered")
	}
	return nil
}

func (s *server) Get(_ context.Context, o kube.Object) error {
	if s.get == nil {
		return apierrors.NewNotFound(schema.GroupResource{}, o.GetName())
	}
	return s.get(o)
}

// lines returns the requests in order, or sorted where order is left to chance.
func (s *server) lines(sorted bool) []string {
	var lines []string
	for _, r := range s.requests {
		lines = append(lines, r.String())
	}
	if sorted {
		slices.Sort(lines)
	}
	return lines
}

var (
	conflict  = apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "x", errors.New("changed"))
	notFound  = apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, "x")
	exists    = apierrors.NewAlreadyExists(schema.GroupResource{Resource: "pods"}, "x")
	forbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "x", errors.New("exceeded quota"))
	invalid   = apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "x", nil)
	timeout   = apierrors.NewTimeoutError("slow", 1)
	leaving   = func() error {
		err := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "x", errors.New("terminating"))
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
		return err
	}()
)

func set() *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web", UID: "r1", ResourceVersion: "7"},
		Spec:       appsv1.ReplicaSetSpec{Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}}},
	}
}

func execute(c kube.Client) kube.Executor { return kube.Executor{Client: c} }

func plan(actions ...replicaset.Action) replicaset.Plan { return replicaset.Plan{Actions: actions} }

func answers(made []kplan.Outcome) []kplan.ServerAnswer {
	var list []kplan.ServerAnswer
	for _, o := range made {
		list = append(list, o.Answer)
	}
	return list
}

func TestStale(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false}, {conflict, true}, {notFound, true}, {exists, true}, {forbidden, false}, {invalid, false}, {io.EOF, false},
		{errors.Join(conflict, notFound), true}, {errors.Join(conflict, forbidden), false}, {fmt.Errorf("x: %w", kplan.ErrGone), true},
	} {
		require.Equal(t, c.want, kube.Stale(c.err), "%v", c.err)
	}
}

// With a quota of five, ten pods are asked for in batches of 1, 2, 4 and no more.
func TestExecuteReplicaSetSlowStart(t *testing.T) {
	s := &server{answer: func(_ kube.Request, n int) error {
		if n > 5 {
			return forbidden
		}
		return nil
	}}
	r := execute(s).ReplicaSet(t.Context(), set(), plan(replicaset.CreatePods{Count: 10}))
	require.Len(t, s.requests, 7)
	got := answers(r.Creates)
	require.Equal(t, 5, count(got, kplan.Done))
	require.Equal(t, 2, count(got, kplan.Failed))
	names := map[string]bool{}
	for i, o := range r.Creates {
		require.Equal(t, o.Answer == kplan.Done, o.Name != "", "outcome %d", i)
		names[s.requests[i].Object.GetName()] = true
		require.Regexp(t, `^web-[a-z0-9]{5}$`, s.requests[i].Object.GetName())
	}
	require.Len(t, names, 7, "each has a name of its own")
}

func count[T comparable](list []T, x T) (n int) {
	for _, y := range list {
		if x == y {
			n++
		}
	}
	return n
}

// A pod that has changed is spared, and that is no failure.
func TestExecuteReplicaSetDeletions(t *testing.T) {
	for err, want := range map[error]kplan.ServerAnswer{
		nil: kplan.Done, conflict: kplan.Changed, notFound: kplan.NotFound, forbidden: kplan.Failed,
	} {
		s := &server{answer: func(kube.Request, int) error { return err }}
		r := execute(s).ReplicaSet(t.Context(), set(), plan(replicaset.DeletePod{Name: "a", UID: "1", ResourceVersion: "3"}))
		require.Equal(t, []kplan.ServerAnswer{want}, answers(r.Deletes))
		require.Equal(t, "3", *s.requests[0].Options.Preconditions.ResourceVersion)
	}
}

// Nothing is adopted by a ReplicaSet that the API server knows to be gone or going, and
// after a claim that failed no pod is created or deleted.
func TestExecuteReplicaSetClaims(t *testing.T) {
	present := func(o kube.Object) error { o.SetUID("r1"); return nil }
	for name, c := range map[string]struct {
		get    func(kube.Object) error
		answer error // to the claims
		claims []kplan.ServerAnswer
		lines  []string
	}{
		"all is well": {present, nil, []kplan.ServerAnswer{kplan.Done, kplan.Done},
			[]string{"delete pods/d", "patch pods/a", "patch pods/b"}},
		"owner gone": {nil, nil, []kplan.ServerAnswer{"", kplan.Done}, []string{"patch pods/b"}},
		"owner going": {func(o kube.Object) error {
			o.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
			return present(o)
		}, nil, []kplan.ServerAnswer{"", kplan.Done}, []string{"patch pods/b"}},
		"another owner": {func(o kube.Object) error { o.SetUID("r2"); return nil }, nil, []kplan.ServerAnswer{"", kplan.Done}, []string{"patch pods/b"}},
		"pods gone":     {present, notFound, []kplan.ServerAnswer{kplan.NotFound, kplan.NotFound}, []string{"patch pods/a", "patch pods/b"}},
		"foreign pods":  {present, invalid, []kplan.ServerAnswer{kplan.Invalid, kplan.Invalid}, []string{"patch pods/a", "patch pods/b"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{get: c.get, answer: func(r kube.Request, _ int) error {
				if r.Verb == kube.VerbPatch {
					return c.answer
				}
				return nil
			}}
			p := plan(replicaset.AdoptPod{Name: "a", UID: "1"}, replicaset.ReleasePod{Name: "b", UID: "2", OwnerUID: "r1"}, replicaset.DeletePod{Name: "d"})
			p.LiveCheck = true
			r := execute(s).ReplicaSet(t.Context(), set(), p)
			require.Equal(t, c.claims, answers(r.Claims))
			require.Equal(t, c.lines, s.lines(true))
			require.Equal(t, slices.Contains(c.claims, kplan.ServerAnswer("")), r.LiveCheck != nil)
		})
	}
}

func TestReplicaSetStatusRequest(t *testing.T) {
	rs := set()
	r := kube.ReplicaSetStatusRequest(rs, replicaset.Status{Replicas: 3})
	require.Equal(t, "update replicasets/web status", r.String())
	require.Equal(t, "7", r.Object.GetResourceVersion())
	require.Equal(t, int32(3), r.Object.(*appsv1.ReplicaSet).Status.Replicas)
	require.Zero(t, rs.Status.Replicas, "the argument stays as it is")
}
