// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// patient is a workload whose pods are available some time after they are ready.
const patient = `
apiVersion: apps/v1
kind: %s
metadata: {name: web, namespace: default}
spec:
  %s
  minReadySeconds: %d
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "registry.example.com/web:%d"}]}}
`

// TestPicturesFollowTheWorld: at every second the page, which has the numbers of the picture, and
// the last row of the table up to then tell of as many ready and available pods as the metrics do,
// also between steps.
func TestPicturesFollowTheWorld(t *testing.T) {
	dir := t.TempDir()
	file := func(kind, spec string, minReady, image int) string {
		name := filepath.Join(dir, fmt.Sprintf("%s-%d-%d.yaml", kind, minReady, image))
		require.NoError(t, os.WriteFile(name, fmt.Appendf(nil, patient, kind, spec, minReady, image), 0o644))
		return name
	}
	both := func(kind, spec string, minReady int) []string {
		return []string{"--from", file(kind, spec, minReady, 1), "-f", file(kind, spec, minReady, 2), "--terminate-after", "3s"}
	}
	const uneven = "strategy: {rollingUpdate: {maxSurge: 3, maxUnavailable: 1}}\n  replicas: 7"
	const deployment, daemonSet = `kube_deployment_status_replicas_available{[^}]*deployment="web"}`, `kube_daemonset_status_number_available{[^}]*daemonset="web"}`
	const ready = `kube_replicaset_status_ready_replicas{[^}]*replicaset="%s"}`
	for name, tt := range map[string]struct {
		args   []string
		series map[string]string // columns and what the metrics call them
	}{
		"young pods":       {[]string{"-f", data + "replicaset/controller.yaml"}, map[string]string{"pods ready": fmt.Sprintf(ready, "db")}},
		"ReplicaSet":       {[]string{"-f", file("ReplicaSet", "replicas: 3", 100, 1)}, map[string]string{"pods ready": fmt.Sprintf(ready, "web")}},
		"Deployment":       {both("Deployment", "replicas: 4", 100), map[string]string{"available": deployment, "rev 1 ready": "", "rev 2 ready": ""}},
		"uneven":           {both("Deployment", uneven, 15), map[string]string{"available": deployment, "rev 1 ready": "", "rev 2 ready": ""}},
		"ready at once":    {both("Deployment", uneven, 0), map[string]string{"available": deployment, "rev 1 ready": "", "rev 2 ready": ""}},
		"DaemonSet":        {append(both("DaemonSet", "updateStrategy: {rollingUpdate: {maxUnavailable: 2}}", 100), "--nodes", "5"), map[string]string{"available": daemonSet}},
		"DaemonSet surges": {append(both("DaemonSet", "updateStrategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 2}}", 7), "--nodes", "5"), map[string]string{"available": daemonSet}},
	} {
		t.Run(name, func(t *testing.T) {
			write := func(flags ...string) string {
				_, text, stderr := run(nil, append(append([]string{"simulate"}, tt.args...), flags...)...)
				require.NotEmpty(t, text, stderr)
				return text
			}
			table, page, metrics := write("-o", "csv"), write("--html", "-"), write("--metrics", "-", "--scrape-every", "1s")
			for column, metric := range tt.series {
				if metric == "" {
					set := regexp.MustCompile(strings.TrimSuffix(column, " ready") + ` is (\S+):`).FindStringSubmatch(page)
					require.NotNil(t, set)
					metric = fmt.Sprintf(ready, set[1])
				}
				want := samples(t, metrics, metric)
				require.Greater(t, len(want), 10)
				require.Equal(t, want, rowsOver(t, table, column, len(want)), "the table: %s", column)
				require.Equal(t, want, drawnOver(t, page, column, len(want)), "the picture: %s", column)
			}
		})
	}
}

// samples returns a metric at every second, 0 where it is not.
func samples(t *testing.T, text, metric string) (values []float64) {
	t.Helper()
	begin := regexp.MustCompile(`(?m)^[^#]\S* \S+ (\d+)$`).FindStringSubmatch(text) // the first family has a sample at the start
	require.NotNil(t, begin)
	start, err := strconv.Atoi(begin[1])
	require.NoError(t, err)
	name, _, _ := strings.Cut(metric, "{")
	series := regexp.MustCompile(`^` + metric + ` (\S+) (\d+)$`)
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, name) { // most lines, and expressions are slow
			continue
		}
		m := series.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		at, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		value, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		for len(values) <= at-start {
			values = append(values, 0)
		}
		values[at-start] = value
	}
	return values
}

// rowsOver returns a column of a table at each of so many seconds: that of the last row up to then.
func rowsOver(t *testing.T, text, column string, seconds int) (values []float64) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	places := map[string]int{}
	for i, name := range rows[0] {
		places[name] = i
	}
	require.Contains(t, places, column)
	next, value := 1, 0.0
	for second := range seconds {
		for ; next < len(rows); next++ {
			at, err := strconv.ParseFloat(rows[next][places["seconds"]], 64)
			require.NoError(t, err)
			if at > float64(second) {
				break
			}
			value, _ = strconv.ParseFloat(rows[next][places[column]], 64) // "" is 0
		}
		values = append(values, value)
	}
	return values
}

// drawnOver returns a series of a page at each of so many seconds.
func drawnOver(t *testing.T, text, name string, seconds int) (values []float64) {
	t.Helper()
	var page struct {
		Series []struct {
			Name   string
			Points [][2]float64
		}
	}
	found := regexp.MustCompile(`<script type="application/json">(.*)</script>`).FindStringSubmatch(text)
	require.NotNil(t, found)
	require.NoError(t, json.Unmarshal([]byte(found[1]), &page))
	for _, s := range page.Series {
		if s.Name != name {
			continue
		}
		for second := range seconds {
			value := 0.0
			for _, p := range s.Points {
				if p[0] <= float64(second) {
					value = p[1]
				}
			}
			values = append(values, value)
		}
	}
	return values
}
