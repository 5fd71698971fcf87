// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// A world is a cluster with its other components. Most tests share one, in separate namespaces;
// tests that break the server have their own.
type world struct {
	*cluster.Cluster
	kubelet    *cluster.Kubelet
	recorder   *cluster.Recorder
	kubeconfig string
}

// shared is the world that TestMain starts.
var shared *world

// newWorld starts a world in a directory, with a recorder if asked for. The function that
// it returns ends it.
func newWorld(dir string, record bool) (*world, func(), error) {
	ctx, cancel := context.WithCancel(context.Background())
	w := &world{kubeconfig: filepath.Join(dir, "kubeconfig")}
	stop := func() {
		cancel()
		time.Sleep(100 * time.Millisecond) // clients see the end before their server does
		if w.Cluster != nil {
			w.Stop()
		}
	}
	if err := w.start(ctx, dir, record); err != nil {
		stop()
		return nil, nil, err
	}
	return w, stop, nil
}

func (w *world) start(ctx context.Context, dir string, record bool) (err error) {
	if w.Cluster, err = cluster.Start(ctx, dir); err != nil {
		return err
	}
	if record {
		if w.recorder, err = w.Record(ctx); err != nil {
			return err
		}
	}
	if w.kubelet, err = w.StartAround(ctx); err != nil {
		return err
	}
	if err := cluster.WriteKubeconfig(w.kubeconfig, w.Config(cluster.Admin), "default"); err != nil {
		return err
	}
	if out, err := w.kubectl("apply", "-f", "../../../examples/controller/manifests/rbac.yaml"); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// ownWorld starts a world for one test.
func ownWorld(t *testing.T, record bool) *world {
	w, stop, err := newWorld(t.TempDir(), record)
	require.NoError(t, err)
	t.Cleanup(stop)
	return w
}

// kubectlPath is where kubectl is.
var kubectlPath string

// buildKubectl builds kubectl from its module.
func buildKubectl() (err error) {
	cmd := exec.Command("go", "tool", "-n", "k8s.io/kubernetes/cmd/kubectl")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	kubectlPath = strings.TrimSpace(string(out))
	return err
}

func (w *world) kubectl(args ...string) (string, error) {
	cmd := exec.Command(kubectlPath, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+w.kubeconfig)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
