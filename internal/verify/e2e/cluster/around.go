// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"time"

	"k8s.io/klog/v2"
)

// StartAround starts the other components of a cluster: kubelets, a scheduler, and the garbage
// collector.
func (c *Cluster) StartAround(ctx context.Context) (*Kubelet, error) {
	if err := StartCollector(ctx, c.Config(Admin)); err != nil {
		return nil, err
	}
	return StartKubelet(ctx, c.Config(Admin))
}

// LogTo sends the logs of Kubernetes' components in this process to a file in dir.
func LogTo(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, "process.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"logtostderr": "false", "stderrthreshold": "FATAL"} {
		if err := flags.Set(name, value); err != nil {
			return nil, err
		}
	}
	klog.SetOutput(f)
	klog.StartFlushDaemon(time.Second)
	return f, nil
}
