// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/kplan-go/kplan/kube"
)

var writes = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "kplan_writes_total", Help: "Writes to the API server by verb, resource and result.",
}, []string{"verb", "resource", "result"})

func init() { metrics.Registry.MustRegister(writes) }

// apiClient makes the calls of plans with the client of controller-runtime, and reports
// each write to the tracker.
type apiClient struct {
	writer  client.Client
	reader  client.Reader // of the API server
	tracker *tracker
	lease   *lease
}

func (c *apiClient) Get(ctx context.Context, o kube.Object) error {
	return c.reader.Get(ctx, client.ObjectKeyFromObject(o), o)
}

func (c *apiClient) Do(ctx context.Context, r kube.Request) error {
	err := error(errNoLease)
	if c.lease.held() {
		err = c.do(ctx, r)
	}
	writes.WithLabelValues(string(r.Verb), r.Resource(), result(err)).Inc()
	if err == nil && r.Verb != kube.VerbDelete {
		c.tracker.wrote(r.Object)
	}
	return err
}

func (c *apiClient) do(ctx context.Context, r kube.Request) error {
	switch {
	case r.Verb == kube.VerbCreate:
		return c.writer.Create(ctx, r.Object)
	case r.Verb == kube.VerbUpdate && r.Subresource == "status":
		return c.writer.Status().Update(ctx, r.Object)
	case r.Verb == kube.VerbUpdate:
		return c.writer.Update(ctx, r.Object)
	case r.Verb == kube.VerbPatch:
		return c.writer.Patch(ctx, r.Object, client.RawPatch(r.Patch.Type, r.Patch.Data))
	case r.Verb == kube.VerbDelete:
		return c.writer.Delete(ctx, r.Object, &client.DeleteOptions{Preconditions: r.Options.Preconditions})
	}
	return fmt.Errorf("no call for %s", r)
}

func result(err error) string {
	switch {
	case err == nil:
		return "ok"
	case kube.Stale(err):
		return "stale"
	}
	return "error"
}
