// SPDX-License-Identifier: Apache-2.0

package viewers

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The alerts that most clusters have, as kubernetes-mixin writes them: on the metrics and the
// job of kube-state-metrics, after a quarter of an hour.
const rules = `
groups:
- name: rollouts
  rules:
  - alert: KubeDeploymentRolloutStuck
    expr: kube_deployment_status_condition{condition="Progressing", status="false", job="kube-state-metrics"} != 0
    for: 15m
  - alert: KubeDeploymentReplicasMismatch
    expr: >
      (kube_deployment_spec_replicas{job="kube-state-metrics"} > kube_deployment_status_replicas_available{job="kube-state-metrics"})
      and (changes(kube_deployment_status_replicas_updated{job="kube-state-metrics"}[10m]) == 0)
    for: 15m
`

// promtool runs it.
func promtool(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.Command(filepath.Join(tools(t), "promtool"), args...)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%v\n%s", args, out)
	return string(out)
}

// A stored series is what Prometheus has read: values by time, in seconds.
type stored map[string]map[int64]string

// store lets Prometheus read metrics into blocks of its database, and reads them back.
func store(t *testing.T, file string) stored {
	blocks := t.TempDir()
	promtool(t, "tsdb", "create-blocks-from", "openmetrics", file, blocks)
	require.NoError(t, os.MkdirAll(filepath.Join(blocks, "wal"), 0o755)) // a server would have one
	series := stored{}
	line := regexp.MustCompile(`^\{__name__="(\w+)", (.*)\} (\S+) (\d+)$`)
	for text := range strings.Lines(promtool(t, "tsdb", "dump", blocks)) {
		m := line.FindStringSubmatch(strings.TrimSpace(text))
		require.NotNil(t, m, text)
		name := m[1] + "{" + m[2] + "}"
		if series[name] == nil {
			series[name] = map[int64]string{}
		}
		at, err := strconv.ParseInt(m[4], 10, 64)
		require.NoError(t, err)
		series[name][at/1000] = m[3]
	}
	return series
}

// samples returns how many there are, in a file of metrics or of Prometheus.
func (s stored) samples() (n int) {
	for _, values := range s {
		n += len(values)
	}
	return n
}

func samplesOf(t *testing.T, file string) int {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.True(t, bytes.HasSuffix(text, []byte("\n# EOF\n")))
	return len(regexp.MustCompile(`(?m)^kube_`).FindAllIndex(text, -1))
}

// fires asks the rule engine whether exactly these alerts fire at a minute of the rollout, given
// as labels by name.
func (s stored) fires(t *testing.T, minute int, alerts map[string]string) {
	t.Helper()
	first, last := int64(1<<62), int64(0)
	for _, values := range s {
		for at := range values {
			first, last = min(first, at), max(last, at)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "rule_files: [rules.yaml]\nevaluation_interval: 30s\ntests:\n- interval: 30s\n  input_series:\n")
	for name, values := range s {
		if !strings.HasPrefix(name, "kube_deployment_") {
			continue
		}
		var list []string
		for at := first; at <= last; at += 30 {
			if v, ok := values[at]; ok {
				list = append(list, v)
			} else {
				list = append(list, "_")
			}
		}
		fmt.Fprintf(&b, "  - series: %q\n    values: %q\n", name, strings.Join(list, " "))
	}
	fmt.Fprintf(&b, "  alert_rule_test:\n")
	for _, name := range []string{"KubeDeploymentRolloutStuck", "KubeDeploymentReplicasMismatch"} {
		fmt.Fprintf(&b, "  - eval_time: %dm\n    alertname: %s\n    exp_alerts: [%s]\n", minute, name, alerts[name])
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(rules), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "test.yaml"), []byte(b.String()), 0o644))
	promtool(t, "test", "rules", filepath.Join(dir, "test.yaml"))
}

// TestPrometheus: Prometheus reads every sample, and its alerts fire on a rollout that is stuck,
// a quarter of an hour after pods are missing and the deadline of ten minutes is missed, and not
// on one that goes well.
func TestPrometheus(t *testing.T) {
	tools(t)
	dir := t.TempDir()
	good, stuck, daemons, hostile := filepath.Join(dir, "good"), filepath.Join(dir, "stuck"), filepath.Join(dir, "daemons"), filepath.Join(dir, "hostile")
	kplan(t, nil, append(echoserver, "--metrics", good)...)
	kplan(t, nil, append(echoserver, "--never-ready", "--metrics", stuck)...)
	kplan(t, nil, "simulate", "--from", data+"daemonset/agent-v1.yaml", "-f", data+"daemonset/agent-v2.yaml", "--nodes", "3", "--metrics", daemons)
	kplan(t, forged(t), "simulate", "-f", "-", "--metrics", hostile)
	for _, file := range []string{daemons, hostile} {
		require.Equal(t, samplesOf(t, file), store(t, file).samples(), file)
	}
	well := store(t, good)
	require.Equal(t, samplesOf(t, good), well.samples())
	for _, minute := range []int{0, 10, 20, 30} {
		well.fires(t, minute, nil)
	}
	bad := store(t, stuck)
	require.Equal(t, samplesOf(t, stuck), bad.samples())
	const of = `namespace: default, deployment: echoserver, job: kube-state-metrics`
	const stuckToo = "{exp_labels: {" + of + `, condition: Progressing, status: "false", reason: ProgressDeadlineExceeded}}`
	const mismatch = "{exp_labels: {" + of + "}}" // five are available of six from the start
	for minute, alerts := range map[int]map[string]string{
		14: nil,
		16: {"KubeDeploymentReplicasMismatch": mismatch},
		24: {"KubeDeploymentReplicasMismatch": mismatch},
		26: {"KubeDeploymentReplicasMismatch": mismatch, "KubeDeploymentRolloutStuck": stuckToo},
		40: {"KubeDeploymentReplicasMismatch": mismatch, "KubeDeploymentRolloutStuck": stuckToo},
	} {
		bad.fires(t, minute, alerts)
	}
}
