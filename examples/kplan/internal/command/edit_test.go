// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOneManifestIsEnough: what a new image or a restart makes of one manifest is simulated from
// where that has been rolled out, for each kind that can be.
func TestOneManifestIsEnough(t *testing.T) {
	argo := "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n" +
		"  strategy: {canary: {steps: [{setWeight: 50}, {pause: {duration: 10}}]}}\n" +
		"  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: 'registry:5000/web:1'}]}}\n"
	daemon := strings.Replace(strings.Replace(argo, "argoproj.io/v1alpha1\nkind: Rollout", "apps/v1\nkind: DaemonSet", 1), "  replicas: 2\n", "", 1)
	daemon = strings.Replace(daemon, "  strategy: {canary: {steps: [{setWeight: 50}, {pause: {duration: 10}}]}}\n", "", 1)
	kruise := good + "---\napiVersion: rollouts.kruise.io/v1beta1\nkind: Rollout\nmetadata: {name: web}\nspec:\n" +
		"  workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n  strategy: {canary: {steps: [{replicas: 1}]}}\n"
	for name, tt := range map[string]struct {
		text, image, flags string
		want               string
	}{
		"a Deployment":          {good, "web=web:2", "", "2         web-"},
		"a Deployment, * :2":    {good, "*=:2", "", "web:2"},
		"a Rollout of Argo":     {argo, "web=:2", "", "Complete after"},
		"a DaemonSet":           {daemon, "web=:2", "--nodes 3", "delete the pod of node"},
		"a kruise Rollout":      {kruise, "web=:2", "", "StepUpgrade"},
		"a digest":              {good, "web=@sha256:abc", "", "web@sha256:abc"},
		"the image that it has": {good, "web=:1", "", "Nothing changes: "},
	} {
		for _, edit := range []string{"--set-image=" + tt.image, "--restart"} {
			if edit == "--restart" && (name == "a Rollout of Argo" || strings.Contains(name, "image") || strings.Contains(name, "digest") || strings.Contains(name, "*")) {
				continue
			}
			args := append([]string{"simulate", "-f", "-", edit, "--now", "2026-05-01T12:00:00Z"}, strings.Fields(tt.flags)...)
			code, stdout, stderr := run([]byte(tt.text), args...)
			require.Zero(t, code, "%s %s: %s", name, edit, stderr)
			require.Contains(t, stdout, tt.want[:min(len(tt.want), 40)], "%s %s", name, edit)
		}
	}
	// It is what a second manifest says.
	old := inFile(t, "old.yaml", good)
	second := succeed(t, []byte(strings.ReplaceAll(good, "web:1", "web:2")), "simulate", "--from", old, "-f", "-")
	require.Equal(t, second, succeed(t, nil, "simulate", "-f", old, "--set-image", "web=:2"))
	second = succeed(t, []byte(strings.ReplaceAll(good, "web:1", "web:2")), "diff", "--from", old, "-f", "-")
	require.Equal(t, second, succeed(t, nil, "diff", "-f", old, "--set-image", "web=:2"))
	// Restarts of Argo delete pods, and make no ReplicaSet.
	require.Contains(t, succeed(t, []byte(argo), "simulate", "-f", "-", "--restart", "-o", "json"), `"reason": "Restart"`)
}

// TestOneDumpIsEnough: of what kubectl prints of a cluster the pods run before, and the change
// is one of its generation.
func TestOneDumpIsEnough(t *testing.T) {
	file := live + "/waiting.yaml"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	_, stdout, stderr := run(nil, at("simulate", "-f", file, "--set-image", "*=:9")...)
	require.Contains(t, stdout, ":9", stderr)
	require.Contains(t, stdout, "Complete after", stderr)
	_, piped, _ := run(text, at("simulate", "-f", "-", "--set-image", "*=:9")...)
	require.Equal(t, stdout, piped)
	_, named, _ := run(text, at("simulate", "-f", "-", "--set-image", "*=:9", "deployment/web")...)
	require.Equal(t, stdout, named)
}

// TestOneNameIsEnough: so it is with a workload of a cluster.
func TestOneNameIsEnough(t *testing.T) {
	_, flags := newAPIServer(t, live+"/finished.yaml")
	args := at(append([]string{"simulate", "deployment/web", "--set-image", "*=:9"}, flags...)...)
	code, stdout, stderr := run(nil, args...)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, ":9")
	require.Contains(t, stdout, "Complete after")
	code, stdout, stderr = run(nil, append(args, "--restart")...)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "create with ")
}

// TestDaemonSetDumpIsEnough: a changed template of a live DaemonSet has another number, so that
// no pod passes for a new one.
func TestDaemonSetDumpIsEnough(t *testing.T) {
	_, stdout, stderr := run(nil, at("simulate", "-f", daemons+"blocked.yaml", "--set-image", "*=:9", "--heal", "-o", "json")...)
	s := readDaemonRollout(t, stdout)
	require.True(t, s.Done, stderr)
	deleted := strings.Count(stdout, "deletePod")
	require.Equal(t, 5, deleted, "of five nodes with a pod each, one of which should have none")
}

// TestRepository: a tag or a digest takes the place of those that there are, and ports stay.
func TestRepository(t *testing.T) {
	for image, want := range map[string]string{
		"web": "web", "web:1": "web", "registry:5000/web": "registry:5000/web", "registry:5000/shop/web:1": "registry:5000/shop/web",
		"registry:5000/web:1@sha256:abc": "registry:5000/web", "web@sha256:abc": "web",
	} {
		require.Equal(t, want, repository(image))
	}
}

// TestWrongEdits: one line says what is wrong.
func TestWrongEdits(t *testing.T) {
	code, _, stderr := run([]byte(good), "simulate", "-f", "-", "--set-image", "shop=:2")
	require.Equal(t, exitFailure, code)
	require.Equal(t, "error: --set-image shop=:2: unable to find container named \"shop\"\n", stderr)
	code, _, stderr = run([]byte(with("paused: true")), "simulate", "-f", "-", "--restart")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, "can't restart paused deployment (run rollout resume first)")
	for _, wrong := range []string{"web", "web=", "=web:2", "web=:"} {
		code, _, stderr = run([]byte(good), "simulate", "-f", "-", "--set-image", wrong)
		require.Equal(t, exitUsage, code, wrong)
		require.Contains(t, stderr, "must be CONTAINER=IMAGE")
	}
}
