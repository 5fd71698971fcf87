// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Options selects which objects the controllers of a process take, and how fast.
type Options struct {
	// Name is the name of the controllers in leases, events and metrics. Processes with
	// the same name take turns, the leader first; each shard needs a different name.
	Name string
	// Class is the class of objects to take, see [AnnotationClass]. With "" all are taken.
	Class string
	// Namespaces are the namespaces that this process takes and caches; none means all.
	Namespaces []string
	// Workers is the number of objects of a kind that are worked on at once.
	Workers int
	// Corrected repairs the defects of the built-in controllers that the packages deploy,
	// replicaset and daemonset list.
	Corrected bool
	// Fence keeps the sum of the sizes of the ReplicaSets of a Deployment within replicas and
	// surge even if several processes with this option work on the Deployment at once. It costs
	// a write of the status for each pass that grows a ReplicaSet, and new ReplicaSets are
	// created without pods.
	Fence bool
	// MaxDelay is the longest pause between failed attempts.
	MaxDelay time.Duration

	// LeaderElection makes processes of the same name take turns, by a lease in the
	// namespace. If a process dies, its lease is free after LeaseDuration.
	LeaderElection          bool
	LeaderElectionNamespace string
	LeaseDuration           time.Duration

	// MetricsAddress and HealthAddress are the addresses of metrics and probes; "0" disables
	// them.
	MetricsAddress, HealthAddress string
}

// Defaults are the default options of the command.
func Defaults() Options {
	return Options{
		Name: "kplan-controller", Class: "kplan", Workers: 5, MaxDelay: 5 * time.Minute,
		LeaderElectionNamespace: "kplan-system", LeaseDuration: 15 * time.Second,
		MetricsAddress: ":8080", HealthAddress: ":8081",
	}
}

// Run runs the controllers until the context ends, or the lease is lost: then the process
// must end as well.
func Run(ctx context.Context, cfg *rest.Config, o Options) error {
	options := ctrl.Options{
		Cache:                  cacheOptions(o),
		Metrics:                server.Options{BindAddress: o.MetricsAddress},
		HealthProbeBindAddress: o.HealthAddress,
	}
	var l *lease
	if o.LeaderElection {
		var err error
		renew, retry := o.LeaseDuration*2/3, o.LeaseDuration/8
		if l, err = newLease(cfg, o, renew); err != nil {
			return err
		}
		options.LeaderElection, options.LeaderElectionResourceLockInterface = true, l
		options.LeaderElectionID, options.LeaderElectionReleaseOnCancel = o.Name, true
		options.LeaseDuration, options.RenewDeadline, options.RetryPeriod = &o.LeaseDuration, &renew, &retry
	}
	mgr, err := ctrl.NewManager(cfg, options)
	if err != nil {
		return err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := setup(ctx, mgr, o, l); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// cacheOptions limits the cache to the namespaces. Nodes have none.
func cacheOptions(o Options) cache.Options {
	var c cache.Options
	for _, namespace := range o.Namespaces {
		if c.DefaultNamespaces == nil {
			c.DefaultNamespaces = map[string]cache.Config{}
		}
		c.DefaultNamespaces[namespace] = cache.Config{}
	}
	return c
}
