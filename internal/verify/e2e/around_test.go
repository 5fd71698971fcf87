// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// sizesOf keeps a Deployment between bounds.
const sizesOf = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {minReplicas: %d, maxReplicas: %d, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
`

// The autoscaler of Kubernetes brings an applied size into its bounds, although it has no metrics,
// and leaves a size of 0 alone: as simulated, each time.
func TestAutoscaled(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		name              string
		live, least, most int
		next              func(w *whatIf) string
	}{
		{"few", 2, 4, 6, func(w *whatIf) string { return w.manifest(2, "2") }},
		{"many", 5, 1, 3, func(w *whatIf) string { return w.manifest(5, "2") }},
		{"dropped", 5, 4, 6, func(w *whatIf) string { return w.manifest(1, "1") }},
		{"within", 3, 2, 4, func(w *whatIf) string { return w.manifest(0, "2") }},
		{"off", 2, 2, 4, func(w *whatIf) string { return strings.Replace(w.manifest(7, "1"), "replicas: 7", "replicas: 0", 1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t, shared, fmt.Sprintf("autoscaled-%d", i), upstream, script{})
			defer e.close(script{})
			w := &whatIf{env: e, random: rand.New(rand.NewPCG(1, 1)), size: c.live, limits: oneByOne, tag: "1", flags: []string{"--ready-after", "1s"}}
			w.begin(c.live)
			w.apply(fmt.Sprintf(sizesOf, c.least, c.most))
			w.next = c.next(w)
			w.after = func() {
				require.NoError(t, cluster.StartAutoscaler(e.ctx, e.world.Config(cluster.Admin), e.namespace, time.Second))
				time.Sleep(5 * time.Second) // the autoscaler has made a pass by then
			}
			w.check()
		})
	}
}

// Events say why pods are refused. explain reads them from a cluster as far as the user may, and
// prints a line if not.
func TestRefusedPods(t *testing.T) {
	t.Parallel()
	e := newEnv(t, shared, "refused", upstream, script{})
	defer e.close(script{})
	e.behave(quick)
	e.quota("1")
	e.apply(web(3, "1", oneByOne))
	e.wait("the failure", func(s *cluster.State) bool {
		d := s.Deployments["web"]
		return d != nil && condition(d, appsv1.DeploymentReplicaFailure) == corev1.ConditionTrue
	})
	e.settle()
	for _, args := range [][]string{{"explain", "deployment/web"}, {"explain", "--live", "-f", e.file(web(3, "1", oneByOne))}} {
		out, err := e.kplan(args...).CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "Creations that failed, as events tell:\n  ReplicaSet \"web-")
		require.Contains(t, string(out), "In the words of the ResourceQuota limit: ")
	}
	e.kubectl("create", "role", "reader", "--verb=get,list,watch", "--resource=deployments,replicasets,pods")
	e.kubectl("create", "rolebinding", "reader", "--role=reader", "--user=joe")
	out, err := e.kplan("explain", "deployment/web", "--as", "joe").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "note: not looked at: resourcequotas, limitranges, poddisruptionbudgets, horizontalpodautoscalers, events: that is not allowed\n")
	require.Contains(t, string(out), "Deployment "+e.namespace+"/web is ")
	require.NotContains(t, string(out), "as events tell")
}

// file returns a file with a text.
func (e *env) file(text string) string {
	e.Helper()
	path := filepath.Join(e.TempDir(), "file.yaml")
	require.NoError(e, os.WriteFile(path, []byte(text), 0o600))
	return path
}
