// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// scenariosAtOnce is how many scenarios run at the same time: they wait most of it.
const scenariosAtOnce = 8

// real is the real cluster.
var real struct {
	client    kubernetes.Interface
	informers informers.SharedInformerFactory
}

func TestMain(m *testing.M) {
	cluster.Main(nil)
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(strconv.Itoa(scenariosAtOnce))
	}
	dir, err := os.MkdirTemp("", "beside")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	logs, err := cluster.LogTo(dir)
	if err != nil {
		return 0, err
	}
	defer logs.Close()
	ctx, cancel := context.WithCancel(context.Background())
	c, err := cluster.Start(ctx, dir)
	if err != nil {
		cancel()
		return 0, err
	}
	defer func() {
		cancel()
		time.Sleep(100 * time.Millisecond) // clients see the end before their server does
		c.Stop()
	}()
	if err := start(ctx, c); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// start starts the controllers, and watches the cluster.
func start(ctx context.Context, c *cluster.Cluster) (err error) {
	cfg := c.Config(cluster.Admin)
	if real.client, err = kubernetes.NewForConfig(cfg); err != nil {
		return err
	}
	if err := cluster.StartCollector(ctx, cfg); err != nil {
		return err
	}
	if err := cluster.StartUpstream(ctx, cfg, ""); err != nil {
		return err
	}
	if err := cluster.StartLimits(ctx, cfg); err != nil {
		return err
	}
	real.informers = informers.NewSharedInformerFactory(real.client, 0)
	core, apps := real.informers.Core().V1(), real.informers.Apps().V1()
	core.Pods().Informer()
	core.Nodes().Informer()
	core.ResourceQuotas().Informer()
	core.ReplicationControllers().Informer()
	apps.Deployments().Informer()
	apps.ReplicaSets().Informer()
	apps.DaemonSets().Informer()
	apps.StatefulSets().Informer()
	real.informers.Policy().V1().PodDisruptionBudgets().Informer()
	real.informers.Start(ctx.Done())
	real.informers.WaitForCacheSync(ctx.Done())
	return nil
}
