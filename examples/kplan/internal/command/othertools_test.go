// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOtherTools: what other tools open, for a Deployment and for every other kind. That it opens
// there is tested in package viewers.
func TestOtherTools(t *testing.T) {
	golden(t, data+"golden/formats/echoserver.csv", []byte(succeed(t, nil, append(echoserver, "-o", "csv")...)))
	golden(t, data+"golden/formats/echoserver.md", []byte(succeed(t, nil, append(echoserver, "--mermaid", "-")...)))
	golden(t, data+"golden/formats/echoserver.trace.json", []byte(succeed(t, nil, append(echoserver, "--terminate-after", "5s", "--trace", "-")...)))
	metrics := succeed(t, nil, append(echoserver, "--metrics", "-", "--scrape-every", "10m")...)
	ofDeployments := regexp.MustCompile(`(?m)^(# (TYPE|HELP) )?kube_deployment_.*\n`).FindAllString(metrics, -1)
	golden(t, data+"golden/formats/echoserver.metrics.txt", []byte(strings.Join(ofDeployments, "")))

	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for _, shown := range []string{"csv", "md"} {
		text, err := os.ReadFile(data + "golden/formats/echoserver." + shown)
		require.NoError(t, err)
		want := string(text)
		if shown == "csv" { // as cut(1) shows it
			want = regexp.MustCompile(`(?m)^(?:[^,]*,){3}((?:[^,]*,){7}[^,]*),.*$`).ReplaceAllString(want, "$1")
		}
		require.Contains(t, string(readme), "\n"+want, shown)
	}

	argo := data + "argo/alb.yaml"
	for kind, args := range map[string][]string{
		"DaemonSet":  {"--from", daemons + "agent-v1.yaml", "-f", daemons + "agent-v2.yaml", "--nodes", "3"},
		"ReplicaSet": {"-f", data + "replicaset/surplus.yaml"},
		"Rollout":    {"-f", progressive + "batch.yaml", "--heal"},
		"Argo":       {"-f", argo},
	} {
		args = append([]string{"simulate"}, args...)
		_, steps, stderr := run(nil, append(args, "-o", "csv")...)
		require.Greater(t, strings.Count(steps, "\n"), 1, stderr)
		dir := t.TempDir()
		for _, format := range []string{"trace", "metrics", "mermaid", "svg"} {
			file := filepath.Join(dir, format)
			run(nil, append(args, "--"+format, file)...)
			text, err := os.ReadFile(file)
			require.NoError(t, err, kind)
			require.NotEmpty(t, text, "%s %s", kind, format)
			if format == "trace" {
				require.Contains(t, string(text), `"cat":"pod"`, kind)
			}
			if format == "metrics" {
				require.Contains(t, string(text), "\nkube_pod_status_ready{", kind)
			}
		}
	}
}

// TestOtherToolsTellOfWaits: the end of what does not finish says what it waits for, and the page
// also what ends that.
func TestOtherToolsTellOfWaits(t *testing.T) {
	canary := argoData + "canary-approval.yaml"
	for _, tt := range []struct {
		args       []string
		why, means string
	}{
		{append(echoserver, "--never-ready"), "rev 1: waits", "What ends it: Pods become available"},
		{[]string{"simulate", "-f", progressive + "approval.yaml", "--never-approve"}, "waits,a person has to confirm step", "The step has no duration, and waits for a person."},
		{[]string{"simulate", "-f", live + "/deadline-exceeded.yaml"}, "deployment: waits", "It goes on by itself if pods become available"},
		{[]string{"simulate", "--from", before(t, canary), "-f", canary, "--never-approve"}, ",step 2 of 6 waits for a person", "Someone promotes it"},
	} {
		code, steps, stderr := run(nil, append(tt.args, "-o", "csv")...)
		require.Equal(t, exitFailure, code)
		require.Contains(t, steps, tt.why, stderr)
		_, page, _ := run(nil, append(tt.args, "--html", "-")...)
		require.Contains(t, page, `"more":"`)
		require.Contains(t, page, tt.means)
	}
}

// TestOtherToolsTogether: several workloads share a file, and standard output holds one thing.
func TestOtherToolsTogether(t *testing.T) {
	two := append(echoserver, "-f", data+"storefront-v1.yaml")
	text := succeed(t, nil, append(two, "--mermaid", "-")...)
	require.Equal(t, 2, strings.Count(text, "```mermaid\n"))
	require.Equal(t, 2, strings.Count(text, "\n```\n"))
	text = succeed(t, nil, append(two, "--metrics", "-")...)
	require.Contains(t, text, `deployment="storefront"`)
	require.Contains(t, text, `deployment="echoserver"`)
	require.Equal(t, 1, strings.Count(text, "# TYPE kube_deployment_spec_replicas "))
	for _, tt := range []struct {
		args []string
		want string
	}{
		{append(echoserver, "--trace", "-", "--svg", "-"), "only one of --svg"},
		{append(echoserver, "--metrics", "-", "--scrape-every", "0s"), "must not be zero"},
		{append(echoserver, "--trace", "-", "--try", "maxSurge=1"), "--start and --try do not have"},
		{append(echoserver, "-o", "csv", "--try", "maxSurge=1"), "--start and --try do not have"},
		{append(two, "--svg", "-"), "draws one rollout"},
		{append(echoserver, "--trace", filepath.Join(t.TempDir(), "no", "where")), "no such file or directory"},
	} {
		code, stdout, stderr := run(nil, tt.args...)
		want := exitFailure
		if strings.Contains(tt.want, "only one of") || strings.Contains(tt.want, "must not be zero") {
			want = exitUsage // which shows before the input is read
		}
		require.Equal(t, want, code, tt.args)
		require.Contains(t, stderr, tt.want)
		require.NotContains(t, stdout, "traceEvents")
	}
	code, _, stderr := run(nil, "plan", "-f", data+"echoserver-v1.yaml", "-o", "csv")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "must be text")
}
