// SPDX-License-Identifier: Apache-2.0

// Command controller runs controllers for Deployments, ReplicaSets and DaemonSets that
// decide by kplan. They take objects with the annotation
//
//	kplan-go.github.io/class: kplan
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/kplan-go/kplan/examples/controller/controllers"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "controller:", err)
		os.Exit(1)
	}
}

func run() error {
	o := controllers.Defaults()
	var all bool
	var namespaces string
	var qps float64
	var burst int
	flag.StringVar(&o.Name, "name", o.Name, "name of the lease, and in events and metrics; shards need different ones")
	flag.StringVar(&o.Class, "class", o.Class, "value of the annotation "+controllers.AnnotationClass+" of the objects to take")
	flag.BoolVar(&all, "all", false, "take all objects, whatever their annotations; for clusters without the built-in controllers")
	flag.StringVar(&namespaces, "namespaces", "", "comma-separated namespaces to take and cache; empty means all")
	flag.BoolVar(&o.Corrected, "corrected", false, "repair the known defects of the built-in controllers instead of repeating them")
	flag.BoolVar(&o.Fence, "fence", false, "keep the sum of sizes of a Deployment in its bound also beside other processes that have this flag")
	flag.IntVar(&o.Workers, "workers", o.Workers, "objects of a kind to work on at once")
	flag.DurationVar(&o.MaxDelay, "max-delay", o.MaxDelay, "longest pause between attempts that fail")
	flag.Float64Var(&qps, "qps", 50, "requests to the API server per second, for each kind of object; negative means no limit")
	flag.IntVar(&burst, "burst", 100, "how many of them may be made at once")
	flag.BoolVar(&o.LeaderElection, "leader-elect", false, "run beside others of the same name, one at a time")
	flag.StringVar(&o.LeaderElectionNamespace, "leader-election-namespace", o.LeaderElectionNamespace, "namespace of the lease")
	flag.DurationVar(&o.LeaseDuration, "lease-duration", o.LeaseDuration, "when the lease of a process that has died is free")
	flag.StringVar(&o.MetricsAddress, "metrics-address", o.MetricsAddress, "where to serve metrics, 0 for nowhere")
	flag.StringVar(&o.HealthAddress, "health-address", o.HealthAddress, "where to serve /healthz and /readyz, 0 for nowhere")
	logs := zap.Options{}
	logs.BindFlags(flag.CommandLine)
	flag.Parse()
	if all {
		o.Class = ""
	}
	if namespaces != "" {
		o.Namespaces = strings.Split(namespaces, ",")
	}
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&logs)))
	cfg, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	cfg.QPS, cfg.Burst = float32(qps), burst
	return controllers.Run(ctrl.SetupSignalHandler(), cfg, o)
}
