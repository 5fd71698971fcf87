// SPDX-License-Identifier: Apache-2.0

// Command testserver runs a Kubernetes API server with etcd on the loopback interface, with
// simulated kubelets, and writes a kubeconfig for it. It needs no installation and leaves no files.
// With --kplan it also runs the controllers of examples/controller.
//
//	go run ./cmd/testserver --kplan
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/kplan-go/kplan/examples/controller/controllers"
	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

func main() {
	cluster.Main(nil)
	var o options
	flags := flag.NewFlagSet("testserver", flag.ExitOnError) // controller-runtime adds --kubeconfig to the default flag set
	flags.StringVar(&o.kubeconfig, "kubeconfig", "kubeconfig", "file to write for kubectl")
	flags.IntVar(&o.nodes, "nodes", 3, "number of nodes")
	flags.DurationVar(&o.ready, "ready-after", 2*time.Second, "how long a pod takes to become ready")
	flags.DurationVar(&o.gone, "gone-after", 2*time.Second, "how long a pod takes to end")
	flags.BoolVar(&o.kplan, "kplan", false, "run the controllers of examples/controller")
	flags.BoolVar(&o.upstream, "upstream", false, "run the workload controllers of Kubernetes")
	flags.StringVar(&o.account, "account-kubeconfig", "", "also write a kubeconfig for the service account of examples/controller")
	_ = flags.Parse(os.Args[1:]) // exits on errors
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "testserver:", err)
		os.Exit(1)
	}
}

type options struct {
	kubeconfig, account string
	nodes               int
	ready, gone         time.Duration
	kplan, upstream     bool
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "testserver")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	logs, err := cluster.LogTo(dir)
	if err != nil {
		return err
	}
	defer logs.Close()
	c, err := cluster.Start(ctx, dir)
	if err != nil {
		return err
	}
	defer c.Stop()
	kubelet, err := c.StartAround(ctx)
	if err != nil {
		return err
	}
	kubelet.Behave(metav1.NamespaceDefault, cluster.Behaviour{Pool: metav1.NamespaceDefault, Ready: o.ready, Terminate: o.gone})
	if err := addNodes(ctx, c, o.nodes); err != nil {
		return err
	}
	if o.upstream {
		if err := cluster.StartUpstream(ctx, c.Config(cluster.Admin), ""); err != nil {
			return err
		}
	}
	ended := make(chan error, 1)
	if o.kplan {
		go func() { ended <- runControllers(ctx, c) }()
	}
	defer removeKubeconfigs(o)
	if err := writeKubeconfigs(c, o); err != nil {
		return err
	}
	fmt.Printf("ready; in another terminal:\n\n\texport KUBECONFIG=%s\n\nlogs are in %s; stop with Ctrl-C\n", absolute(o.kubeconfig), dir)
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		return err
	}
}

// runControllers runs the controllers of examples/controller as their command does.
func runControllers(ctx context.Context, c *cluster.Cluster) error {
	ctrl.SetLogger(klog.Background())
	options := controllers.Defaults()
	options.MetricsAddress, options.HealthAddress = "0", "0"
	return controllers.Run(ctx, c.Config(cluster.Admin), options)
}

func writeKubeconfigs(c *cluster.Cluster, o options) error {
	if o.account != "" {
		if err := cluster.WriteKubeconfig(o.account, c.Config(cluster.Controller), metav1.NamespaceDefault); err != nil {
			return err
		}
	}
	return cluster.WriteKubeconfig(o.kubeconfig, c.Config(cluster.Admin), metav1.NamespaceDefault)
}

// removeKubeconfigs removes the kubeconfigs, which are useless without the server.
func removeKubeconfigs(o options) {
	_ = os.Remove(o.kubeconfig)
	if o.account != "" {
		_ = os.Remove(o.account)
	}
}

func addNodes(ctx context.Context, c *cluster.Cluster, n int) error {
	client, err := kubernetes.NewForConfig(c.Config(cluster.Admin))
	if err != nil {
		return err
	}
	for i := range n {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name:   fmt.Sprintf("node-%d", i),
			Labels: map[string]string{corev1.LabelHostname: fmt.Sprintf("node-%d", i), cluster.PoolLabel: metav1.NamespaceDefault},
		}}
		if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func absolute(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		return abs
	}
	return file
}
