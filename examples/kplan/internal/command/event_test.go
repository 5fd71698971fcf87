// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// eventOf is an event about pods that could not be created, and a later one of another group.
const eventOf = `
---
{apiVersion: v1, kind: Event, metadata: {name: a}, type: Warning, reason: FailedCreate, count: 2, lastTimestamp: "2025-12-01T00:00:00Z",
 involvedObject: {kind: KIND, name: NAME, uid: UID}, message: "an older one"}
---
{apiVersion: events.k8s.io/v1, kind: Event, metadata: {name: b}, type: Warning, reason: FailedCreate, deprecatedCount: 7, deprecatedLastTimestamp: "2025-12-01T00:01:00Z",
 regarding: {kind: KIND, name: NAME, uid: UID}, note: "admission webhook \"images.example.com\" denied the request: \e[2Jno\nHeld back: \u202e"}
---
{apiVersion: v1, kind: Event, metadata: {name: c}, type: Warning, reason: FailedCreate, lastTimestamp: "2025-12-01T00:01:00Z",
 involvedObject: {kind: KIND, name: other, uid: other}, message: "not about it"}
---
{apiVersion: v1, kind: Event, metadata: {name: d}, type: Normal, reason: SuccessfulCreate, lastTimestamp: "2025-12-01T00:01:00Z",
 involvedObject: {kind: KIND, name: NAME, uid: UID}, message: "no failure"}
`

// Events of either group say who refuses pods, as quotations that cannot pass for words of ours.
func TestEvents(t *testing.T) {
	daemonSet := `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, uid: d1}, spec: {selector: {matchLabels: {app: a}},
 template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: "a:1"}]}}}}`
	deployment, err := os.ReadFile(live + "/deadline-exceeded.yaml")
	require.NoError(t, err)
	for _, c := range []struct{ text, kind, name, uid string }{
		{daemonSet, "DaemonSet", "agent", "d1"},
		{string(deployment), "ReplicaSet", "web-86dd985b8b", "990d99c4-f9b8-404d-9955-e124293056ab"},
	} {
		events := strings.NewReplacer("KIND", c.kind, "NAME", c.name, "UID", c.uid).Replace(eventOf)
		out := succeed(t, []byte(c.text+events), "explain", "-f", "-", "--nodes", "1", "--now", "2026-01-02T00:01:00Z")
		require.Contains(t, out, "Creations that failed, as events tell:\n  "+c.kind+" \""+c.name+"\": 7 times, last ")
		require.Contains(t, out, "    In the words of the admission webhook images.example.com: \"admission webhook")
		require.Contains(t, out, "    What ends it: Change what it objects to in the template, or have its owner\n")
		for _, never := range []string{"an older one", "not about it", "no failure", "\x1b", "\u202e", "\nHeld back: \\u"} {
			require.NotContains(t, out, never)
		}
		require.Contains(t, succeed(t, []byte(c.text+events), "explain", "-f", "-", "--nodes", "1", "-o", "json"), `"count": 7`)
	}
}

// The events of a cluster are asked for, and only those that tell of refused pods.
func TestEventsOfCluster(t *testing.T) {
	server, flags := newAPIServer(t, filepath.Join(live, "deadline-exceeded.yaml"))
	events := strings.NewReplacer("KIND", "ReplicaSet", "NAME", "web-86dd985b8b", "UID", "990d99c4-f9b8-404d-9955-e124293056ab", "{name: ", "{namespace: default, name: ").Replace(eventOf)
	for _, text := range strings.Split(events, "---")[1:] {
		server.objects = append(server.objects, object(t, text))
	}
	out := succeed(t, nil, append([]string{"explain", "deployment/web"}, flags...)...)
	require.Contains(t, out, "Creations that failed, as events tell:\n  ReplicaSet \"web-86dd985b8b\": 2 times, last ")
	require.Contains(t, out, "an older one")
	require.NotContains(t, out, "no failure")
}
