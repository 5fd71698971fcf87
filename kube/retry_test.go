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
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// A creation that broke off is repeated under the same name, and one that had been carried
// out is found to be there.
func TestExecuteReplicaSetUnknownCreation(t *testing.T) {
	for name, c := range map[string]struct {
		answers []error // one after the other; then all is well
		want    selector.ServerAnswer
		calls   int
	}{
		"carried out":     {[]error{io.ErrUnexpectedEOF, exists}, selector.Done, 2},
		"not carried out": {[]error{io.ErrUnexpectedEOF, io.EOF}, selector.Done, 3},
		"refused later":   {[]error{timeout, forbidden}, selector.Failed, 2},
		"refused at once": {[]error{forbidden}, selector.Failed, 1},
		"a foreign name":  {[]error{exists}, selector.AlreadyExists, 1},
		"namespace gone":  {[]error{leaving}, selector.NamespaceTerminating, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mine := func(o kube.Object) error {
					o.SetOwnerReferences([]metav1.OwnerReference{{UID: "r1", Controller: ptr.To(true)}})
					return nil
				}
				s := &server{get: mine, answer: func(_ kube.Request, n int) error {
					if n <= len(c.answers) {
						return c.answers[n-1]
					}
					return nil
				}}
				r := execute(s).ReplicaSet(t.Context(), set(), plan(replicaset.CreatePods{Count: 1}))
				require.Equal(t, []selector.ServerAnswer{c.want}, answers(r.Creates))
				require.Len(t, s.requests, c.calls)
				for _, q := range s.requests {
					require.Equal(t, s.requests[0].Object.GetName(), q.Object.GetName())
				}
			})
		})
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
				require.Equal(t, selector.Failed, r.Creates[0].Answer)
				require.ErrorIs(t, r.Creates[0].Err, c.err)
				require.Len(t, s.requests, c.calls)
				require.Equal(t, time.Duration(c.calls/3)*110*time.Millisecond, time.Since(start))

				s.requests = nil
				r = e.ReplicaSet(t.Context(), set(), plan(replicaset.DeletePod{Name: "a", UID: "1"}))
				require.Equal(t, selector.Failed, r.Deletes[0].Answer)
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
