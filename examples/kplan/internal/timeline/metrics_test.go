// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMetrics: samples every 20 seconds until the end and 20 seconds more. What changes at 30
// seconds is seen at 40. A pod has samples while it is there.
func TestMetrics(t *testing.T) {
	text := written(t, func(b *strings.Builder) error {
		return Metrics(b, []*Timeline{example("web")}, Scrape{Every: 20 * time.Second, After: 20 * time.Second})
	})
	of := func(prefix string) (values []string) {
		for line := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(line, prefix); ok {
				fields := strings.Fields(rest)
				at, err := strconv.Atoi(fields[1])
				require.NoError(t, err)
				values = append(values, fmt.Sprintf("%s@%d", fields[0], at-int(start.Unix())))
			}
		}
		return values
	}
	const shop = `{job="kube-state-metrics",namespace="shop",`
	require.Equal(t, []string{"1@0", "1@20", "2@40", "2@60", "2@80", "2@100"}, of("kube_deployment_status_replicas_available"+shop+`deployment="web"} `))
	progressing := "kube_deployment_status_condition" + shop + `deployment="web",condition="Progressing",status=`
	require.Equal(t, []string{"1@0", "1@20", "0@40", "0@60", "0@80", "0@100"}, of(progressing+`"true",reason="R"} `))
	require.Equal(t, []string{"0@0", "0@20", "1@40", "1@60", "1@80", "1@100"}, of(progressing+`"false",reason="R"} `))
	require.Equal(t, []string{"1@0"}, of("kube_pod_status_ready"+shop+`pod="web-old-x",condition="true"} `), "it is gone after 15 seconds")
	require.Equal(t, []string{"0@0", "1@20", "1@40", "1@60", "1@80", "1@100"}, of("kube_pod_status_ready"+shop+`pod="web-new-x",condition="true"} `))
	require.Equal(t, []string{"1@0", "0@20", "0@40", "0@60", "0@80", "0@100"}, of("kube_pod_status_phase"+shop+`pod="web-new-x",phase="Pending"} `))
	require.True(t, strings.HasSuffix(text, "\n# EOF\n"))
	require.Equal(t, 1, strings.Count(text, "# TYPE kube_pod_info gauge\n"))
	require.NotContains(t, text, "# TYPE kube_daemonset", "what there is none of is not told")

	err := Metrics(&strings.Builder{}, []*Timeline{example("web")}, Scrape{Every: time.Microsecond, After: time.Hour})
	require.ErrorContains(t, err, "samples are too many")
}
