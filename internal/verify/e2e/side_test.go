// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/kplan-go/kplan/examples/controller/controllers"
	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// A side is an implementation of the controllers.
type side struct {
	name string
	user cluster.User
	run  func(ctx context.Context, cfg *rest.Config, namespace string) error
}

var (
	ours     = side{"ours", cluster.Controller, runOurs}
	upstream = side{"upstream", cluster.Admin, runUpstream}
	// fenced is ours with the fence for several processes.
	fenced = side{"fenced", cluster.Controller, func(ctx context.Context, cfg *rest.Config, namespace string) error {
		o := options(namespace)
		o.Fence = true
		return controllers.Run(ctx, cfg, o)
	}}
	// corrected is ours without the defects of upstream.
	corrected = side{"corrected", cluster.Controller, func(ctx context.Context, cfg *rest.Config, namespace string) error {
		o := options(namespace)
		o.Corrected = true
		return controllers.Run(ctx, cfg, o)
	}}
)

func options(namespace string) controllers.Options {
	o := controllers.Defaults()
	o.Name, o.MetricsAddress, o.HealthAddress, o.MaxDelay = "kplan-"+namespace, "0", "0", time.Second
	if namespace != "" {
		o.Namespaces = []string{namespace}
	}
	return o
}

// instances tells controllers of the same namespace apart, which one process has only in
// tests.
var instances = struct {
	sync.Mutex
	n int
}{}

func runOurs(ctx context.Context, cfg *rest.Config, namespace string) error {
	o := options(namespace)
	instances.Lock()
	instances.n++
	o.Name += "-" + strconv.Itoa(instances.n)
	instances.Unlock()
	return controllers.Run(ctx, cfg, o)
}

func runUpstream(ctx context.Context, cfg *rest.Config, namespace string) error {
	if err := cluster.StartUpstream(ctx, cfg, namespace); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// A job says which controllers a separate process runs, and how.
type job struct {
	Host, Token, CA string
	Namespace       string
	Lease           string        // elect a leader by this lease, "" for none
	LeaseDuration   time.Duration // for our controllers
	Counts          string        // file to write the calls to at the end of the process
}

const jobVariable = "KPLAN_E2E_JOB"

// child returns the function of a process that runs the controllers of a side: until it is killed,
// or its standard input is closed.
func child(s side) func() error {
	return func() error {
		var j job
		if err := json.Unmarshal([]byte(os.Getenv(jobVariable)), &j); err != nil {
			return err
		}
		cfg := &rest.Config{Host: j.Host, BearerToken: j.Token, TLSClientConfig: rest.TLSClientConfig{CAFile: j.CA}, QPS: -1}
		cfg.ContentType = runtime.ContentTypeProtobuf // as kube-controller-manager and controller-runtime do
		counter := newCounter(cfg)
		if j.Counts != "" {
			go counter.save(j.Counts)
		}
		logs, err := cluster.LogTo(os.TempDir())
		_ = logs
		if err != nil {
			return err
		}
		if j.Lease == "" {
			return s.run(context.Background(), cfg, j.Namespace)
		}
		o := options(j.Namespace)
		o.Name, o.LeaderElection, o.LeaseDuration = j.Lease, true, j.LeaseDuration
		return controllers.Run(context.Background(), cfg, o)
	}
}

// A counter counts the calls of a client.
type counter struct {
	mu    sync.Mutex
	calls map[string]int // by verb, resource and status code
}

func newCounter(cfg *rest.Config) *counter {
	c := &counter{calls: map[string]int{}}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return counting{c, next} })
	return c
}

type counting struct {
	*counter
	next http.RoundTripper
}

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(r)
	code := 0
	if err == nil {
		code = response.StatusCode
	}
	c.mu.Lock()
	c.calls[fmt.Sprintf("%s %s %d", r.Method, resourceOf(r.URL.Path), code)]++
	c.mu.Unlock()
	return response, err
}

// save writes the counts to a file every now and then: the process may be killed.
func (c *counter) save(file string) {
	for range time.Tick(100 * time.Millisecond) {
		c.mu.Lock()
		data, err := json.Marshal(c.calls)
		c.mu.Unlock()
		if err == nil && os.WriteFile(file+".new", data, 0o600) == nil {
			_ = os.Rename(file+".new", file)
		}
	}
}

// resourceOf returns the resource, and subresource, that a path of the API is about.
func resourceOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, p := range parts {
		if p == "namespaces" && len(parts) > i+2 {
			parts = parts[i+2:]
			if len(parts) > 2 {
				return parts[0] + "/" + parts[2]
			}
			return parts[0]
		}
	}
	return parts[len(parts)-1]
}
