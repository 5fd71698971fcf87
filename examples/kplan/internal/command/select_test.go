// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// labelled returns the good Deployment with another name, namespace and label of its own.
func labelled(name, namespace, tier string) string {
	return strings.Replace(good, "metadata: {name: web}", fmt.Sprintf("metadata: {name: %s, namespace: %q, labels: {tier: %s}}", name, namespace, tier), 1)
}

// TestFilesAreNarrowed: of a file with many workloads all commands answer for those that are
// asked for, as kubectl get does in a cluster, and what is wrong with others fails nothing.
func TestFilesAreNarrowed(t *testing.T) {
	broken := strings.Replace(labelled("broken", "shop", "back"), "spec:\n", "spec:\n  replicas: -1\n", 1)
	agent := "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent, namespace: shop}\nspec:\n  selector: {matchLabels: {app: a}}\n" +
		"  template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: a:1}]}}\n"
	text := []byte(strings.Join([]string{
		labelled("web", "shop", "front"), labelled("api", "shop", "front"), labelled("web", "blog", "front"), labelled("db", "shop", "back"), agent, broken,
	}, "---\n"))
	for _, tt := range []struct{ args, want string }{
		{"deployment/web -n shop", "deployment.apps/web"},
		{"deploy/api deployments.apps/db", "deployment.apps/api deployment.apps/db"},
		{"deployment api db", "deployment.apps/api deployment.apps/db"},
		{"deployments -n shop -l tier=front", "deployment.apps/web deployment.apps/api"},
		{"-l tier=front", "deployment.apps/web deployment.apps/api deployment.apps/web"},
		{"-l tier=front -A -n shop", "deployment.apps/web deployment.apps/api deployment.apps/web"},
		{"-n blog", "deployment.apps/web"},
		{"ds --nodes 2", "daemonset.apps/agent"},
		{"deploy/db,ds/agent", ""},
		{"deploy,ds -l tier!=front -n shop --nodes 1", ""},
	} {
		for _, command := range []string{"plan", "explain", "simulate"} {
			code, stdout, stderr := run(text, append([]string{command, "-f", "-", "-o", "name"}, strings.Fields(tt.args)...)...)
			if tt.want == "" {
				require.Equal(t, 1, min(code, 1), "%s %s", command, tt.args) // broken is among them, or it is no TYPE/NAME
				continue
			}
			require.Zero(t, code, "%s %s: %s", command, tt.args, stderr)
			require.Equal(t, tt.want, strings.Join(strings.Fields(stdout), " "), "%s %s", command, tt.args)
			require.NotContains(t, stderr, "broken")
		}
	}
	for args, want := range map[string]string{
		"deployment/shop":        "error: deployment/shop is not in the input\n",
		"deployment/api -n blog": "error: deployment/api is not in the input in the namespace blog\n",
		"deployments -l tier=no": "error: there is nothing to plan in the input: no deployment with the labels tier=no\n",
		"-n elsewhere":           "error: there is nothing to plan in the input: no workload in the namespace elsewhere\n",
	} {
		code, stdout, stderr := run(text, append([]string{"explain", "-f", "-"}, strings.Fields(args)...)...)
		require.Equal(t, exitFailure, code)
		require.Empty(t, stdout)
		require.Equal(t, want, stderr, args)
	}
	for args, want := range map[string]string{
		"pods":          "pods: must be a type such as deployment, daemonset, replicaset, replicationcontroller or rollout",
		"deploy/a b":    "b: must be TYPE/NAME, as the arguments before it",
		"deploy a rs/b": "rs/b: must be a name, as there is the type deploy before it",
		"-l tier=(":     "-l tier=(: ",
		"web.yaml":      "web.yaml is a file: -f web.yaml",
	} {
		code, _, stderr := run(text, append([]string{"plan", "-f", "-"}, strings.Fields(args)...)...)
		require.Equal(t, exitUsage, code)
		require.Contains(t, stderr, want)
	}
}

// TestOtherCommandsAreNarrowed: so it is with what history, undo, order and diff read, and with
// ReplicaSets, which are planned by themselves if they are named.
func TestOtherCommandsAreNarrowed(t *testing.T) {
	dump, err := os.ReadFile(live + "/deadline-exceeded.yaml")
	require.NoError(t, err)
	other := regexp.MustCompile(`uid: .`).ReplaceAllString(strings.ReplaceAll(string(dump), "web", "shop"), "uid: f")
	both := []byte(string(dump) + "\n---\n" + other)
	for _, command := range []string{"history", "undo", "order", "plan", "explain", "simulate"} {
		_, all, _ := run(both, at(command, "-f", "-", "-o", "name")...)
		require.Contains(t, all, "shop", command)
		_, one, stderr := run(both, at(command, "-f", "-", "-o", "name", "deployment/web")...)
		require.NotEmpty(t, one, stderr)
		require.NotContains(t, one, "shop", command)
	}
	_, sets, _ := run(both, at("order", "-f", "-", "-o", "name")...)
	name, _, _ := strings.Cut(sets, "\n")
	require.Equal(t, name+"\n", succeed(t, both, at("plan", "-f", "-", "-o", "name", strings.Replace(name, ".apps", "", 1))...))
	require.Equal(t, name+"\n", succeed(t, both, at("order", "-f", "-", "-o", "name", name)...))

	old, changed := inFile(t, "old.yaml", labelled("web", "", "a")+"---\n"+labelled("shop", "", "b")), strings.ReplaceAll(labelled("web", "", "a")+"---\n"+labelled("shop", "", "b"), "web:1", "web:2")
	require.Equal(t, "deployment.apps/shop\n", succeed(t, []byte(changed), "diff", "--from", old, "-f", "-", "-o", "name", "deployment/shop"))
	require.Equal(t, "deployment.apps/web\n", succeed(t, []byte(changed), "diff", "--from", old, "-f", "-", "-o", "name", "-l", "tier=a"))
}

// TestUnchangedIsOneLine: of 200 workloads of which 67 change the others take one line, and the
// summary names those that change.
func TestUnchangedIsOneLine(t *testing.T) {
	var before, after strings.Builder
	for i := range 200 {
		text := strings.ReplaceAll(good, "name: web", fmt.Sprintf("name: web-%03d", i)) + "---\n"
		before.WriteString(text)
		if i%3 == 0 {
			text = strings.ReplaceAll(text, "web:1", "web:2")
		}
		after.WriteString(text)
	}
	text := succeed(t, []byte(after.String()), "simulate", "--from", inFile(t, "old.yaml", before.String()), "-f", "-", "-o", "wide")
	summary, rest, _ := strings.Cut(text, "\n")
	require.True(t, strings.HasPrefix(summary, "200 Deployments: 67 will roll (web-000, web-003, "), summary)
	require.True(t, strings.HasSuffix(summary, "web-198), 133 stay as they are."), summary)
	require.Equal(t, 67, strings.Count(rest, "Complete after "))
	require.Equal(t, 1, strings.Count(rest, "\nStay as they are: web-001, web-002, web-004 and 130 more.\n"))
	require.NotContains(t, rest, "Deployment web-001")

	one := succeed(t, []byte(good), "simulate", "--from", inFile(t, "old.yaml", good), "-f", "-")
	require.Equal(t, "Deployment web: 1 replica, at most 2 wanted, at least 1 available\nNothing changes: all pods are new and available.\n", one)
}

// TestAnswersAreLists: JSON and YAML are a list however many workloads there are, and the object
// itself if it is asked for by its name, as with kubectl get.
func TestAnswersAreLists(t *testing.T) {
	file := live + "/deadline-exceeded.yaml"
	for _, command := range []string{"plan", "explain", "simulate", "undo", "history", "order"} {
		kind := strings.ToUpper(command[:1]) + command[1:] + "List"
		for _, format := range []string{"json", "yaml"} {
			_, stdout, stderr := runWhole(nil, at(command, "-f", file, "-o", format)...)
			var list struct {
				APIVersion, Kind string
				Items            []struct{ APIVersion, Kind, Name string }
			}
			require.NoError(t, yaml.Unmarshal([]byte(stdout), &list), stderr)
			require.Equal(t, "kplan/v1", list.APIVersion)
			require.Equal(t, kind, list.Kind)
			require.NotEmpty(t, list.Items)
			require.Equal(t, "apps/v1", list.Items[0].APIVersion)
			if command != "order" {
				require.Len(t, list.Items, 1)
				require.Equal(t, "Deployment", list.Items[0].Kind)
				require.Equal(t, "web", list.Items[0].Name)
			}
		}
		if command == "order" {
			continue
		}
		_, stdout, _ := runWhole(nil, at(command, "-f", file, "-o", "json", "deployment/web")...)
		var one struct{ APIVersion, Kind, Name string }
		require.NoError(t, json.Unmarshal([]byte(stdout), &one))
		require.Equal(t, "Deployment", one.Kind, command)
	}
	require.Contains(t, succeed(t, nil, "diff", "--from", data+"echoserver-v1.yaml", "-f", data+"echoserver-v2.yaml", "-o", "json"), "\"apiVersion\": \"kplan/v1\",\n  \"kind\": \"Diff\",")
}
