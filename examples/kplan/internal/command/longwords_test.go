// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// wordFields are fields of what strangers write that commands print, and of no limit.
var wordFields = map[string]string{
	"image": "IMAGE", "condition": "CONDITION", "pod": "POD", "event": "EVENT", "cause": "CAUSE", "zone": "ZONE", "annotation": "ANNOTATION", "quota": "QUOTA",
}

// wordObjects are a Deployment that is stuck, with each of these fields.
const wordObjects = `{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default", "uid": "d", "generation": 2,
  "annotations": {"deployment.kubernetes.io/revision": "2", "kubernetes.io/change-cause": "CAUSE", "a": "ANNOTATION"}},
 "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "IMAGE"}]}}},
 "status": {"observedGeneration": 2, "replicas": 3, "updatedReplicas": 1, "availableReplicas": 2, "readyReplicas": 2, "conditions": [
  {"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated", "message": "CONDITION", "lastUpdateTime": "2026-01-02T15:00:00Z", "lastTransitionTime": "2026-01-02T15:00:00Z"},
  {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "CONDITION", "lastUpdateTime": "2026-01-02T15:00:00Z", "lastTransitionTime": "2026-01-02T15:00:00Z"}]}},
{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web-1", "namespace": "default", "uid": "r1", "labels": {"app": "web", "pod-template-hash": "1"},
  "annotations": {"deployment.kubernetes.io/revision": "1", "kubernetes.io/change-cause": "CAUSE"},
  "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": true}]},
 "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web", "pod-template-hash": "1"}}, "template": {"metadata": {"labels": {"app": "web", "pod-template-hash": "1"}}, "spec": {"containers": [{"name": "web", "image": "old-IMAGE"}]}}},
 "status": {"observedGeneration": 1, "replicas": 3, "conditions": [{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "CONDITION"}]}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-1-a", "namespace": "default", "uid": "p", "labels": {"app": "web", "pod-template-hash": "1"}, "creationTimestamp": "2026-01-02T14:00:00Z",
  "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "r1", "controller": true}]},
 "spec": {"nodeName": "node-1", "containers": [{"name": "web", "image": "old-IMAGE"}]},
 "status": {"phase": "Pending", "containerStatuses": [{"name": "web", "image": "old-IMAGE", "imageID": "", "ready": false, "restartCount": 0, "state": {"waiting": {"reason": "ImagePullBackOff", "message": "POD"}}}]}},
{"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"}, "type": "Warning", "reason": "FailedCreate", "message": "EVENT",
 "involvedObject": {"kind": "ReplicaSet", "name": "web-1", "uid": "r1"}, "lastTimestamp": "2026-01-02T15:00:00Z"},
{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "QUOTA", "namespace": "default"}, "spec": {"hard": {"pods": "3"}}, "status": {"used": {"pods": "3"}}},
{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1", "labels": {"topology.kubernetes.io/zone": "ZONE"}}}]}`

// words returns the objects with a word of so many characters in one field, or in all for "".
func words(field string, n int) []byte {
	text := wordObjects
	for name, place := range wordFields {
		word := strings.ToLower(place)
		if field == "" || field == name {
			word = strings.Repeat(word[:1], n)
		}
		text = strings.ReplaceAll(text, place, word)
	}
	return []byte(text)
}

// wordCommands are all renderers.
var wordCommands = []string{
	"plan", "plan -o wide", "plan -o json", "plan -o yaml", "explain", "explain -o json", "history", "history --full", "undo", "order", "quirks",
	"simulate", "simulate --chart", "simulate -o wide", "simulate -o json", "simulate -o csv", "simulate --try maxSurge=1", "simulate --html -", "simulate --svg -",
	"simulate --mermaid -", "simulate --trace -", "simulate --metrics - --scrape-every 10m", "diff --from FILE", "diff --from FILE -o markdown", "diff --from FILE -o json",
}

// askWords runs a command on the objects. Those of --from have short words.
func askWords(tb testing.TB, command, file string, input []byte) (stdout, stderr string) {
	tb.Helper()
	args := strings.Fields(strings.ReplaceAll(command, "FILE", file))
	if command != "quirks" {
		args = append(args, "-f", "-", "--now", "2026-01-02T15:04:05Z")
	}
	code, stdout, stderr := run(input, args...)
	require.LessOrEqual(tb, code, exitFailure, "%s: %.300s", command, stderr)
	return stdout, stderr
}

// TestLongWords: with eight times as long words in all fields a command allocates and writes about
// eight times as much, and not sixty-four times.
func TestLongWords(t *testing.T) {
	const short, times, most = 2_000, 8, 16
	file := t.TempDir() + "/old.yaml"
	require.NoError(t, os.WriteFile(file, words("", 1), 0o600))
	for _, command := range wordCommands {
		measure := func(n int) (allocated, written int) {
			input := words("", n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			stdout, stderr := askWords(t, command, file, input)
			runtime.ReadMemStats(&after)
			return int(after.TotalAlloc - before.TotalAlloc), len(stdout) + len(stderr)
		}
		base, _ := measure(10)
		less, written := measure(short)
		more, wrote := measure(short * times)
		require.Less(t, more-base, most*max(less-base, 300*short), "%s: bytes allocated", command)
		require.Less(t, wrote, most*max(written, short), "%s: bytes written", command)
	}
}

// TestLongWordsInErrors: what is refused, or passed over, is quoted with at most 200 characters,
// wherever a word of 100,000 stands.
func TestLongWordsInErrors(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	inputs := map[string]string{
		"name":          strings.Replace(good, "name: web}", "name: "+long+"}", 1),
		"label":         strings.ReplaceAll(good, "app: web", "app: "+long),
		"key":           strings.ReplaceAll(good, "app: web", long+": web"),
		"operator":      strings.Replace(good, "matchLabels: {app: web}", "matchExpressions: [{key: a, operator: "+long+"}]", 1),
		"container":     strings.Replace(good, "[{name: web", "[{name: "+long, 1),
		"replicas":      with("replicas: " + long),
		"surge":         with("strategy: {rollingUpdate: {maxSurge: " + long + "}}"),
		"strategy":      with("strategy: {type: " + long + "}"),
		"field":         with(long + ": 1"),
		"repeated":      with(long + ": 1\n  " + long + ": 2"),
		"kind":          strings.Replace(good, "kind: Deployment", "kind: "+long, 1),
		"version":       strings.Replace(good, "apps/v1", long, 1),
		"another kind":  good + "---\nkind: " + long + "\n",
		"another":       good + "---\napiVersion: apps/v2\nkind: Deployment\nmetadata: {name: " + long + "}\n",
		"skipped":       good + "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: " + long + "}\nspec: " + long + "\n",
		"quantity":      good + "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {pods: " + long + "}}\n",
		"time":          strings.Replace(good, "name: web}", "name: web, creationTimestamp: "+long+"}", 1),
		"syntax":        good + long + "\n",
		"JSON":          `{"kind": "Deployment", "` + long + `": `,
		"Helm template": good + "{{ " + long + " }}",
	}
	for what, input := range inputs {
		for _, command := range []string{"plan", "simulate", "order"} {
			_, _, stderr := run([]byte(input), command, "-f", "-")
			for word := range strings.FieldsSeq(stderr) {
				require.LessOrEqual(t, utf8.RuneCountInString(word), 210, "%s: %s", what, command)
			}
			require.Less(t, len(stderr), 3000, "%s: %s", what, command)
		}
	}
	for _, args := range [][]string{{long}, {"plan", "-f", long}, {"plan", "-o", long}, {"plan", "--" + long}, {"plan", "--now", long}, {"simulate", "--nodes", long, "-f", "-"}, {"help", long}} {
		code, _, stderr := run([]byte(good), args...)
		require.NotZero(t, code)
		require.Less(t, len(stderr), 3000, "%.100s", args)
	}
}

// TestNoServer: that no server answers is said once, with what to do.
func TestNoServer(t *testing.T) {
	handlers := utilruntime.ErrorHandlers
	defer func() { utilruntime.ErrorHandlers = handlers }()
	var notes bytes.Buffer
	Libraries(&notes)
	utilruntime.HandleError(errors.New("another one"))
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	code, _, stderr := run(nil, "explain", "deployment/web", "--server", "http://127.0.0.1:1", "--cache-dir", t.TempDir())
	require.Equal(t, exitFailure, code)
	require.Equal(t, 1, strings.Count(stderr, "connection refused; -f FILE reads files in place of a cluster"), stderr)
	require.Equal(t, "note: another one\n", notes.String())
}

// BenchmarkLongWords runs each renderer with a word of so many characters in each field.
func BenchmarkLongWords(b *testing.B) {
	file := b.TempDir() + "/old.yaml"
	require.NoError(b, os.WriteFile(file, words("", 1), 0o600))
	for _, command := range wordCommands {
		for field := range wordFields {
			for n := 1000; n <= 1_000_000; n *= 10 {
				b.Run(fmt.Sprintf("%s/%s/%d", strings.ReplaceAll(command, " ", "_"), field, n), func(b *testing.B) {
					input := words(field, n)
					b.ReportAllocs()
					b.SetBytes(int64(len(input)))
					for b.Loop() {
						askWords(b, command, file, input)
					}
				})
			}
		}
	}
}
