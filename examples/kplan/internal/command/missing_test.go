// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// ofKinds leaves of a text the objects of some kinds.
func ofKinds(t *testing.T, text []byte, kinds ...string) []byte {
	t.Helper()
	var left [][]byte
	for _, document := range bytes.Split(text, []byte("---\n")) {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		require.NoError(t, yaml.Unmarshal(document, &u.Object))
		items := []any{u.Object}
		if list, ok := u.Object["items"].([]any); ok {
			items = list
		}
		for _, item := range items {
			o, ok := item.(map[string]any)
			if kind, _ := o["kind"].(string); ok && slices.Contains(kinds, kind) {
				text, err := yaml.Marshal(o)
				require.NoError(t, err)
				left = append(left, text)
			}
		}
	}
	require.NotEmpty(t, left)
	return bytes.Join(left, []byte("---\n"))
}

// Of a live object that was printed without what belongs to it no answer would be true: that
// is told, with the command that prints the rest.
func TestMissing(t *testing.T) {
	daemons, err := os.ReadFile(data + "daemonset/done.yaml")
	require.NoError(t, err)
	deployment := ofKinds(t, applied("").yaml(t), "Deployment")
	sizeless := applied("")
	sizeless.replicas, sizeless.sets[0].size, sizeless.sets[0].available = 0, 0, 0
	rollout := ofKinds(t, liveArgo(t, argoData+"canary-timed.yaml", nil), "Rollout")
	for _, c := range []struct {
		why, lacks, get string
		input           []byte
		commands        []string
	}{
		{"a Deployment alone", "ReplicaSets", "deployment,replicaset,pod", deployment, []string{"plan", "explain", "simulate", "history", "undo"}},
		{"one that wants no pod has a ReplicaSet as well", "ReplicaSets", "deployment,replicaset,pod", ofKinds(t, sizeless.yaml(t), "Deployment"), []string{"plan"}},
		{"a DaemonSet without pods", "pods", "daemonset,controllerrevision,pod,node", ofKinds(t, daemons, "DaemonSet", "ControllerRevision", "Node"), []string{"plan", "explain", "simulate"}},
		{"one without its history", "ControllerRevisions", "daemonset,controllerrevision,pod,node", ofKinds(t, daemons, "DaemonSet", "Pod", "Node"), []string{"plan", "explain", "simulate", "history"}},
		{"a Rollout of Argo alone", "ReplicaSets", "rollout,replicaset,pod,service", rollout, []string{"plan", "explain", "simulate", "history", "undo"}},
	} {
		for _, command := range c.commands {
			code, stdout, stderr := run(c.input, command, "-f", "-")
			require.Equal(t, 1, code, "%s: %s", c.why, command)
			require.Empty(t, stdout)
			require.Contains(t, stderr, "its "+c.lacks+" are not in the input; kubectl get "+c.get+" -o yaml prints all that is needed", "%s: %s", c.why, command)
		}
	}
	stdout := succeed(t, ofKinds(t, daemons, "DaemonSet", "ControllerRevision"), "history", "-f", "-")
	require.Contains(t, stdout, "REVISION", "which needs no pods")
	_, _, stderr := run(deployment, "order", "-f", "-")
	require.Contains(t, stderr, "kubectl get replicaset,pod -o yaml")

	_, stdout, stderr = run(slices.Concat(deployment, []byte("---\n"), []byte(strings.Replace(newWeb("", "1"), "{name: web, labels", "{name: other, labels", 1))), "plan", "-f", "-")
	require.Contains(t, stderr, `skipped Deployment "web": its ReplicaSets`)
	require.Contains(t, stdout, "Deployment default/other", "which is a manifest, and can be planned")
}

// Of an OpenKruise release whose workload is printed alone nothing is said either.
func TestMissingOfRelease(t *testing.T) {
	text, err := os.ReadFile(data + "rollout/healthy.yaml")
	require.NoError(t, err)
	code, stdout, stderr := run(ofKinds(t, text, "Rollout", "Deployment", "Service"), "plan", "-f", "-")
	require.Equal(t, 1, code, stdout)
	require.Contains(t, stderr, "its ReplicaSets are not in the input")
}

// TestReleasedBesideSkipped: a DaemonSet of which something is missing is skipped, and the one of
// a Rollout behind it stays what it is.
func TestReleasedBesideSkipped(t *testing.T) {
	const spec = "spec: {selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: a:1}]}}}\n"
	text := "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: skipped, uid: u, generation: 1}\n" + spec + "status: {observedGeneration: 1}\n---\n" +
		"apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent}\n" + spec + "---\n" +
		"apiVersion: rollouts.kruise.io/v1beta1\nkind: Rollout\nmetadata: {name: agent}\n" +
		"spec: {workloadRef: {apiVersion: apps/v1, kind: DaemonSet, name: agent}, strategy: {canary: {steps: [{replicas: 50%}]}}}\n"
	code, _, stderr := run([]byte(text), "simulate", "-f", "-", "--nodes", "2")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, `error: standard input: Rollout "agent": nothing is being released; --from must hold its DaemonSet`)
}
