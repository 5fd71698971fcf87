// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// oneEach is a command line for each command that writes documents, with the names of what
// they are about.
var oneEach = []struct {
	args  []string
	names string
}{
	{at("plan", "-f", live+"/waiting.yaml"), "deployment.apps/web\n"},
	{at("plan", "-f", daemons+"blocked.yaml"), "daemonset.apps/agent\n"},
	{at("explain", "-f", progressive+"batch.yaml"), "rollout.rollouts.kruise.io/web\ndeployment.apps/web\n"},
	{at("explain", "-f", data+"argo/canary-timed.yaml"), "rollout.argoproj.io/canary-timed\n"},
	{at("explain", "-f", data+"replicaset/controller.yaml"), "replicationcontroller/db\n"},
	{[]string{"simulate", "-f", daemons + "agent-v1.yaml", "--nodes", "2"}, "daemonset.apps/agent\n"},
	{[]string{"simulate", "-f", data + "echoserver-v1.yaml", "--try", "maxSurge=1"}, "deployment.apps/echoserver\n"},
	{[]string{"history", "-f", live + "/history.yaml"}, "deployment.apps/web\n"},
	{[]string{"undo", "-f", live + "/history.yaml"}, "deployment.apps/web\n"},
	{[]string{"order", "-f", live + "/growth.yaml"}, "replicaset.apps/" + setName("web", 1) + "\nreplicaset.apps/" + setName("web", 2) + "\n"},
	{[]string{"quirks"}, ""},
}

// TestFormats: -o yaml is the document of -o json, and -o name is as kubectl's.
func TestFormats(t *testing.T) {
	for _, tt := range oneEach {
		text := succeed(t, nil, append(tt.args, "-o", "yaml")...)
		got, err := yaml.YAMLToJSON([]byte(text))
		require.NoError(t, err)
		require.JSONEq(t, succeed(t, nil, append(tt.args, "-o", "json")...), string(got), tt.args)
		names := succeed(t, nil, append(tt.args, "-o", "name")...)
		if tt.names == "" {
			require.Contains(t, names, "StaleAnnotationBlocksRollout\n")
			continue
		}
		require.Equal(t, tt.names, names, tt.args)
	}
	require.Contains(t, succeed(t, nil, "plan", "-f", daemons+"partition.yaml", "-o", "name"), "daemonset.apps.kruise.io/")
}

// elsewhere returns a file whose objects are in another namespace, and others.
func elsewhere(t *testing.T, file, namespace string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return "---\n" + strings.NewReplacer("namespace: default", "namespace: "+namespace, "uid: ", "uid: "+namespace+"-").Replace(string(text))
}

// TestSummary: several answers begin with one line, the worst first.
func TestSummary(t *testing.T) {
	var many strings.Builder
	for namespace, file := range map[string]string{"a": "finished", "b": "deadline-exceeded", "c": "waiting", "d": "growth", "e": "deadline-exceeded"} {
		many.WriteString(elsewhere(t, live+"/"+file+".yaml", namespace))
	}
	first := func(args ...string) string {
		_, stdout, stderr := run([]byte(many.String()), at(append(args, "-f", "-")...)...)
		line, _, _ := strings.Cut(stdout, "\n\n")
		require.NotEmpty(t, line, stderr)
		names := "b/web, e/web"
		if strings.Contains(line, "e/web, b/web") {
			names = "e/web, b/web" // as they come in the input
		}
		return strings.Replace(strings.ReplaceAll(line, "\n  ", " "), names, "NAMES", 1)
	}
	const want = "5 Deployments: 2 are stuck (NAMES), 1 waits, 1 is progressing, 1 is complete."
	require.Equal(t, want, first("explain"))
	require.Equal(t, want, first("plan"))
	require.Equal(t, "5 Deployments: 2 do not finish (NAMES), 1 is progressing (c/web), 1 will roll (d/web), 1 stays as it is.", first("simulate"))
	require.NotContains(t, succeed(t, nil, at("explain", "-f", live+"/waiting.yaml")...), "1 Deployment", "one has its headline")

	text := succeed(t, nil, "simulate", "--from", data+"storefront-v1.yaml", "-f", data+"storefront-v2.yaml",
		"-f", data+"echoserver-v1.yaml", "-f", daemons+"agent-v1.yaml", "--nodes", "2")
	golden(t, data+"golden/summary.txt", []byte(text))
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	line, _, _ := strings.Cut(text, "\n")
	require.Contains(t, string(readme), "| head -1)\n"+line+"\n```\n")
}

// TestVerdicts: what becomes of a workload, in a word.
func TestVerdicts(t *testing.T) {
	v1, err := os.ReadFile(data + "echoserver-v1.yaml")
	require.NoError(t, err)
	for change, want := range map[string][2]string{
		"will roll":                    {"echoserver:1.9", "echoserver:1.10"},
		"will scale":                   {"replicas: 6", "replicas: 9"},
		"stays as it is":               {"replicas: 6", "replicas: 6"},
		"does not finish (echoserver)": {"spec:\n  replicas", "spec:\n  paused: true\n  replicas"},
	} {
		text := strings.Replace(string(v1), want[0], want[1], 1)
		require.Contains(t, text, want[1])
		if strings.Contains(want[1], "paused") {
			text = strings.Replace(text, "echoserver:1.9", "echoserver:1.10", 1)
		}
		second := "---\n" + strings.ReplaceAll(good, "name: web", "name: shop")
		_, stdout, stderr := run([]byte(text+second), "simulate", "--from", data+"echoserver-v1.yaml", "-f", "-", "--time-limit", "5m")
		require.Contains(t, stdout, "2 Deployments: ", stderr)
		require.Contains(t, strings.ReplaceAll(stdout, "\n  ", " "), " 1 "+change, stdout)
		require.Contains(t, stdout, "1 will start", stdout)
	}
}
