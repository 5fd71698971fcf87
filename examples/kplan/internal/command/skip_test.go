// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSkipped: what is passed over is told in a line or two, however much it is, and what
// is probably a mistake by name.
func TestSkipped(t *testing.T) {
	good := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}\n"
	input := good
	for i, kind := range []string{
		"apps/v1 StatefulSet", "batch/v1 Job", "apps/v1 StatefulSet", "v1 ConfigMap", "networking.k8s.io/v1 Ingress",
		"networking.k8s.io/v1 Ingress", "v1 Service", "apps/v1 Deploymnet", "apps/v2 Deployment", "v1 DaemonSet", "example.com/v1 Deployment",
		"networking.k8s.io/v1 NetworkPolicy", "policy/v1 Policy", "policy/v1 Policy",
	} {
		version, kind, _ := strings.Cut(kind, " ")
		input += fmt.Sprintf("---\napiVersion: %s\nkind: %s\nmetadata: {name: other-%d}\n", version, kind, i)
	}
	code, _, stderr := run([]byte(input), "plan", "-f", "-")
	require.Zero(t, code, stderr)
	require.Equal(t, `note: standard input: skipped Deploymnet "other-7": did you mean Deployment?
note: standard input: skipped Deployment "other-8" of apps/v2: its apiVersion is apps/v1
note: standard input: skipped DaemonSet "other-9" of v1: its apiVersion is apps/v1
note: standard input: skipped Deployment "other-10" of example.com/v1
note: 1 Job, 2 StatefulSets are not planned
note: skipped 1 ConfigMap, 2 Ingresses, 1 NetworkPolicy, 2 Policies, 1 Service
`, stderr)
	again := filepath.Join(t.TempDir(), "all.yaml")
	require.NoError(t, os.WriteFile(again, []byte(input), 0o600))
	_, _, stderr = run([]byte(input), "simulate", "--from", again, "-f", "-")
	require.Equal(t, 1, strings.Count(stderr, "note: skipped 1 ConfigMap, "), "what --from and -f share is told once: %s", stderr)
	require.Equal(t, 2, strings.Count(stderr, `skipped Deploymnet "other-7"`), "each file has a mistake of its own: %s", stderr)
	code, _, stderr = run([]byte("apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\n"), "plan", "-f", "-")
	require.Equal(t, 1, code)
	require.Equal(t, "error: no Deployment, DaemonSet, Rollout, ReplicaSet or ReplicationController in the input; 1 StatefulSet is not planned\n", stderr)
	_, _, stderr = run([]byte(strings.Replace(good, "kind: Deployment", "kind: Deploymnet", 1)), "plan", "-f", "-")
	require.Contains(t, stderr, `skipped Deploymnet "web": did you mean Deployment?`)
}
