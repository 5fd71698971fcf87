// SPDX-License-Identifier: Apache-2.0

//go:build go1.25

// These tests run in the time of testing/synctest, which Go has since 1.25.

package kube_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"reflect"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

// A creation that broke off is repeated under the same name, and one that had been carried
// out is found to be there.
func TestExecuteReplicaSetUnknownCreation(t *testing.T) {
	for name, c := range map[string]struct {
		answers []error // one after the other; then all is well
		want    kplan.ServerAnswer
		calls   int
	}{
		"carried out":     {[]error{io.ErrUnexpectedEOF, exists}, kplan.Done, 2},
		"not carried out": {[]error{io.ErrUnexpectedEOF, io.EOF}, kplan.Done, 3},
		"refused later":   {[]error{timeout, forbidden}, kplan.Failed, 2},
		"refused at once": {[]error{forbidden}, kplan.Failed, 1},
		"namespace gone":  {[]error{leaving}, kplan.NamespaceTerminating, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{get: ofReplicaSet, answer: func(_ kube.Request, n int) error {
					if n <= len(c.answers) {
						return c.answers[n-1]
					}
					return nil
				}}
				r := execute(s).ReplicaSet(t.Context(), set(), plan(replicaset.CreatePods{Count: 1}))
				require.Equal(t, []kplan.ServerAnswer{c.want}, answers(r.Creates))
				require.Len(t, s.requests, c.calls)
				for _, q := range s.requests {
					require.Equal(t, s.requests[0].Object.GetName(), q.Object.GetName())
				}
			})
		})
	}
}

func ofReplicaSet(o kube.Object) error {
	o.SetOwnerReferences([]metav1.OwnerReference{{UID: "r1", Controller: ptr.To(true)}})
	return nil
}

func ofOther(o kube.Object) error {
	o.SetOwnerReferences([]metav1.OwnerReference{{UID: "r2", Controller: ptr.To(true)}})
	return nil
}

// A drawn name that another pod has is drawn again, as by an API server: 8 names in all, whatever
// the policy for creations that were not answered.
func TestExecuteTakenNames(t *testing.T) {
	daemon := func(e kube.Executor, ctx context.Context) []kplan.Outcome {
		return e.DaemonSet(ctx, daemon(), nil, daemonset.Plan{Actions: daemonset.Actions{daemonset.CreatePod{Node: "n1"}}}).Outcomes
	}
	replicas := func(e kube.Executor, ctx context.Context) []kplan.Outcome {
		return e.ReplicaSet(ctx, set(), plan(replicaset.CreatePods{Count: 1})).Creates
	}
	controller := func(e kube.Executor, ctx context.Context) []kplan.Outcome {
		return e.ReplicationController(ctx, &corev1.ReplicationController{ObjectMeta: set().ObjectMeta}, plan(replicaset.CreatePods{Count: 1})).Creates
	}
	for name, c := range map[string]struct {
		get     func(kube.Object) error
		retry   kube.Retry
		answers []error // one after the other; then all is well
		want    kplan.ServerAnswer
		names   int
	}{
		"the first is taken":         {ofOther, kube.RetryCreations, []error{exists}, kplan.Done, 2},
		"without repetitions":        {ofOther, kube.NoRetry, []error{exists}, kplan.Done, 2},
		"seven are taken":            {ofOther, kube.RetryCreations, slices.Repeat([]error{exists}, 7), kplan.Done, 8},
		"eight are taken":            {ofOther, kube.RetryCreations, slices.Repeat([]error{exists}, 8), kplan.AlreadyExists, 8},
		"the second is over quota":   {ofOther, kube.RetryCreations, []error{exists, forbidden}, kplan.Failed, 2},
		"taken by another meanwhile": {ofOther, kube.RetryCreations, []error{io.EOF, exists}, kplan.Done, 2},
		"the second is not answered": {ofReplicaSet, kube.RetryCreations, []error{exists, io.EOF, exists}, kplan.Done, 2},
	} {
		for kind, run := range map[string]func(kube.Executor, context.Context) []kplan.Outcome{"ReplicaSet": replicas, "ReplicationController": controller, "DaemonSet": daemon} {
			if kind == "DaemonSet" && name == "the second is not answered" {
				continue // its UID is another one
			}
			t.Run(name+", "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &server{get: c.get, answer: func(_ kube.Request, n int) error {
						if n <= len(c.answers) {
							return c.answers[n-1]
						}
						return nil
					}}
					made := run(kube.Executor{Client: s, Retry: c.retry}, t.Context())
					require.Equal(t, []kplan.ServerAnswer{c.want}, answers(made))
					names := map[string]bool{}
					for _, q := range s.requests {
						require.Regexp(t, `^(web|agent)-[a-z0-9]{5}$`, q.Object.GetName())
						names[q.Object.GetName()] = true
					}
					require.Len(t, names, c.names)
				})
			})
		}
	}
}

// What is not known is asked for twice, and what cannot have been carried out is not; a
// deletion never is.
func TestRetry(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for name, c := range map[string]struct {
		retry kube.Retry
		err   error
		calls int
	}{
		"cut off":          {kube.RetryCreations, io.EOF, 3},
		"reset":            {kube.RetryCreations, &net.OpError{Op: "read", Err: syscall.ECONNRESET}, 3},
		"time-out":         {kube.RetryCreations, timeout, 3},
		"server time-out":  {kube.RetryCreations, apierrors.NewServerTimeout(schema.GroupResource{Resource: "pods"}, "create", 1), 3},
		"slow connection":  {kube.RetryCreations, &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, 3},
		"never":            {kube.NoRetry, io.EOF, 1},
		"refused":          {kube.RetryCreations, refused, 1},
		"dial time-out":    {kube.RetryCreations, &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, 1},
		"no name":          {kube.RetryCreations, &net.DNSError{Err: "no such host"}, 1},
		"certificate":      {kube.RetryCreations, x509.UnknownAuthorityError{}, 1},
		"encoding":         {kube.RetryCreations, &json.UnsupportedTypeError{Type: reflect.TypeFor[int]()}, 1},
		"ended":            {kube.RetryCreations, context.Canceled, 1},
		"somebody's error": {kube.RetryCreations, errors.New("no"), 1},
		"refused by quota": {kube.RetryCreations, forbidden, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{answer: func(kube.Request, int) error { return c.err }}
				e, start := kube.Executor{Client: s, Retry: c.retry}, time.Now()
				r := e.ReplicaSet(t.Context(), set(), plan(replicaset.CreatePods{Count: 1}))
				require.Equal(t, kplan.Failed, r.Creates[0].Answer)
				require.ErrorIs(t, r.Creates[0].Err, c.err)
				require.Len(t, s.requests, c.calls)
				require.Equal(t, time.Duration(c.calls/3)*110*time.Millisecond, time.Since(start))

				s.requests = nil
				r = e.ReplicaSet(t.Context(), set(), plan(replicaset.DeletePod{Name: "a", UID: "1"}))
				require.Equal(t, kplan.Failed, r.Deletes[0].Answer)
				require.Len(t, s.requests, 1)

				s.requests = nil
				e.Deployment(t.Context(), liveDeployment(), nil, deploy.Plan{Actions: deploy.Actions{deploy.CreateReplicaSet{Name: "web-1"}}})
				require.Len(t, s.requests, c.calls)

				s.requests = nil
				e.DaemonSet(t.Context(), daemon(), nil, daemonset.Plan{Actions: daemonset.Actions{daemonset.CreateRevision{Name: "rev"}}})
				require.Len(t, s.requests, c.calls)
			})
		})
	}
}

// A context that ends meanwhile ends the pause.
func TestRetryEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		s := &server{answer: func(kube.Request, int) error { return io.EOF }}
		execute(s).ReplicaSet(ctx, set(), plan(replicaset.CreatePods{Count: 1}))
		require.Len(t, s.requests, 2)
	})
}

// Pods without a controller are created without one. One whose creation was not answered is told
// from others of its name by the prefix of the name.
func TestExecuteWithoutController(t *testing.T) {
	prefixed := func(prefix, owner string) func(kube.Object) error {
		return func(o kube.Object) error {
			if o.SetGenerateName(prefix); owner != "" {
				o.SetOwnerReferences([]metav1.OwnerReference{{UID: types.UID(owner), Controller: ptr.To(true)}})
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		get   func(kube.Object) error
		names int
	}{
		"carried out":                   {prefixed("web-", ""), 1},
		"taken by another":              {prefixed("other-", ""), 2},
		"taken by one of a controller":  {prefixed("web-", "r1"), 2},
		"taken by one that has a name":  {prefixed("", ""), 2},
		"taken by one of another owner": {prefixed("web-", "r2"), 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{get: c.get, answer: func(_ kube.Request, n int) error {
					return append([]error{io.EOF, exists}, make([]error, 8)...)[n-1]
				}}
				r := execute(s).ReplicationController(t.Context(), &corev1.ReplicationController{ObjectMeta: set().ObjectMeta}, plan(replicaset.CreatePods{Count: 1, WithoutController: true}))
				require.Equal(t, []kplan.ServerAnswer{kplan.Done}, answers(r.Creates))
				names := map[string]bool{}
				for _, q := range s.requests {
					require.Empty(t, q.Object.GetOwnerReferences())
					names[q.Object.GetName()] = true
				}
				require.Len(t, names, c.names)
			})
		})
	}
	requests, err := kube.ReplicaSetRequests(set(), replicaset.CreatePods{Count: 1, WithoutController: true})
	require.NoError(t, err)
	require.Empty(t, requests[0].Object.GetOwnerReferences())
}
