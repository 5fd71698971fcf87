// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/kplan-go/kplan/examples/controller/controllers"
	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// free returns a free address.
func free(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

func (e *env) page(url string) string {
	response, err := http.Get(url)
	require.NoError(e, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(e, err)
	require.Equal(e, http.StatusOK, response.StatusCode, "%s", text)
	return string(text)
}

// Metrics and health checks show the work and the health of the controllers.
func TestMetricsAndHealth(t *testing.T) {
	metrics, health := free(t), free(t)
	seen := side{"seen", cluster.Controller, func(ctx context.Context, cfg *rest.Config, namespace string) error {
		o := options(namespace)
		o.MetricsAddress, o.HealthAddress = metrics, health
		return controllers.Run(ctx, cfg, o)
	}}
	both(t, script{sides: []side{seen}, rules: rolling, run: func(e *env) {
		e.apply(web(3, "1", threeAndTwo))
		e.rolled("deployment/web")
		require.Equal(e, "ok", e.page("http://"+health+"/healthz"))
		require.Equal(e, "ok", e.page("http://"+health+"/readyz"))
		text := e.page("http://" + metrics + "/metrics")
		shows := func(pattern string) {
			require.True(e, regexp.MustCompile(pattern).MatchString(text), pattern)
		}
		shows(`kplan_writes_total\{resource="pods",result="ok",verb="create"\} [1-9]`)
		for _, kind := range []string{"deployment", "replicaset"} {
			name := "kplan-" + e.namespace + "-" + kind
			shows(`workqueue_depth\{[^}]*name="` + name + `"[^}]*\} [0-9]`)
			shows(`controller_runtime_reconcile_total\{controller="` + name + `",result="[a-z_]+"\} [1-9]`)
		}
	}})
}
