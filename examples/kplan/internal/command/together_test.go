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

// rolledText is a Deployment as it is written in a file.
func rolledText(namespace, name, version string, replicas int, more string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: %[2]s, namespace: %[1]s}
spec:
  replicas: %[4]d
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  selector: {matchLabels: {app: %[2]s}}
  template:
    metadata: {labels: {app: %[2]s}}
    spec: {%[5]scontainers: [{name: c, image: "x:%[3]s", resources: {requests: {memory: 1Gi}}}]}
---
`, namespace, name, version, replicas, more)
}

func nodeText(name, memory string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {kubernetes.io/hostname: %[1]s}}\nstatus: {allocatable: {memory: %s}, conditions: [{type: Ready, status: \"True\"}]}\n---\n", name, memory)
}

func quotaText(namespace string, pods int) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: all, namespace: %s}\nspec: {hard: {pods: %d}}\n---\n", namespace, pods)
}

// rolledFrom simulates what is rolled out from one text to another.
func rolledFrom(t *testing.T, from, to string, flags ...string) (code int, text, stderr string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "from.yaml"), []byte(from), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "to.yaml"), []byte(to), 0o600))
	return run(nil, append([]string{"simulate", "--from", filepath.Join(dir, "from.yaml"), "-f", filepath.Join(dir, "to.yaml")}, flags...)...)
}

// answersOf are the answers about workloads by their names.
func answersOf(text string) map[string]string {
	all := map[string]string{}
	for _, part := range strings.Split("\n"+text, "\nDeployment ")[1:] {
		name, _, _ := strings.Cut(part, ":")
		all[strings.Trim(name, `"`)] = part
	}
	return all
}

// TestCompeteForRoom: a node has room for one pod more. One of two Deployments that grow by one gets it, though
// each alone would.
func TestCompeteForRoom(t *testing.T) {
	from := rolledText("shop", "api", "1", 2, "") + rolledText("shop", "web", "1", 2, "") + nodeText("a", "5Gi")
	code, text, stderr := rolledFrom(t, from, rolledText("shop", "api", "1", 3, "")+rolledText("shop", "web", "1", 2, ""))
	require.Zero(t, code, "%s\n%s", text, stderr)
	code, text, _ = rolledFrom(t, from, rolledText("shop", "api", "1", 3, "")+rolledText("shop", "web", "1", 3, ""))
	require.Equal(t, exitFailure, code)
	require.Equal(t, 1, strings.Count(text, "Complete after "), text)
	require.Equal(t, 1, strings.Count(text, "Not complete"), text)
	require.Contains(t, inWords(text), "waits for a node: 0/1 nodes are available: 1 Insufficient memory.")
	require.Contains(t, text, "in one cluster with the other workload of the input")
}

// TestCompeteForTurn: two updates share the room for one pod more, and take turns.
func TestCompeteForTurn(t *testing.T) {
	from := rolledText("shop", "api", "1", 2, "") + rolledText("shop", "web", "1", 2, "") + nodeText("a", "5Gi")
	code, text, _ := rolledFrom(t, from, rolledText("shop", "api", "2", 2, "")+rolledText("shop", "web", "1", 2, ""))
	require.Zero(t, code, text)
	require.Contains(t, text, "Complete after 20s.")
	code, text, _ = rolledFrom(t, from, rolledText("shop", "api", "2", 2, "")+rolledText("shop", "web", "2", 2, ""))
	require.Zero(t, code, text)
	require.Contains(t, text, "Complete after 41s.", "the scheduler looks again a second after there is room")
}

// TestCompeteForQuota: so it is with a quota, of which another namespace takes nothing.
func TestCompeteForQuota(t *testing.T) {
	from := rolledText("shop", "api", "1", 2, "") + rolledText("shop", "web", "1", 2, "") + quotaText("shop", 5)
	code, text, _ := rolledFrom(t, from, rolledText("shop", "api", "1", 3, "")+rolledText("shop", "web", "1", 3, "")+quotaText("shop", 5))
	require.Equal(t, exitFailure, code)
	require.Equal(t, 1, strings.Count(text, "Complete after "), text)
	require.Equal(t, 1, strings.Count(text, "Not complete"), text)
	from = rolledText("shop", "api", "1", 2, "") + rolledText("store", "web", "1", 2, "") + quotaText("shop", 3)
	code, text, _ = rolledFrom(t, from, rolledText("shop", "api", "1", 3, "")+rolledText("store", "web", "1", 3, "")+quotaText("shop", 3))
	require.Zero(t, code, text)
}

// TestCompeteForPorts: the pods of a DaemonSet have the port of each node that a Deployment wants.
func TestCompeteForPorts(t *testing.T) {
	port := func(text string) string {
		return strings.Replace(text, "name: c, ", "name: c, ports: [{containerPort: 80, hostPort: 80}], ", 1)
	}
	agent := port(strings.NewReplacer("kind: Deployment", "kind: DaemonSet", "  replicas: 1\n", "", "  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n", "").Replace(rolledText("shop", "agent", "1", 1, "")))
	nodes := nodeText("a", "5Gi") + nodeText("b", "5Gi")
	web, to := rolledText("shop", "web", "1", 1, ""), port(rolledText("shop", "web", "2", 1, ""))
	code, text, stderr := rolledFrom(t, web+nodes, to)
	require.Zero(t, code, "%s\n%s", text, stderr)
	code, text, _ = rolledFrom(t, agent+web+nodes, agent+to)
	require.Equal(t, exitFailure, code)
	require.Contains(t, inWords(answersOf(text)["shop/web"]), "0/2 nodes are available: 2 node(s) didn't have free ports")
}

// setText is a StatefulSet.
func setText(template string, replicas int) string {
	return strings.NewReplacer("kind: Deployment", "kind: StatefulSet", "  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n", "  serviceName: db\n").Replace(rolledText("shop", "db", template, replicas, ""))
}

// TestCompeteWithSets: a StatefulSet is no subject of the command, but its pods take the room that a Deployment
// wants, and leave it when it gets smaller.
func TestCompeteWithSets(t *testing.T) {
	held := strings.Replace(setText("2", 3), "serviceName: db", "serviceName: db\n  updateStrategy: {rollingUpdate: {partition: 3}}", 1)
	web, wider := rolledText("shop", "web", "1", 2, ""), rolledText("shop", "web", "1", 3, "")
	for why, c := range map[string]struct {
		before, after string
		code          int
	}{
		"alone":        {"", "", 0},
		"beside a set": {setText("1", 3), setText("1", 3), exitFailure},
		"beside one that rolls, whose pods go before they come": {setText("1", 3), setText("2", 3), 0},
		"beside one that its partition holds":                   {setText("1", 3), held, exitFailure},
		"beside one that leaves room":                           {setText("1", 3), setText("1", 2), 0},
	} {
		code, text, stderr := rolledFrom(t, web+c.before+nodeText("a", "5Gi"), wider+c.after)
		require.Equal(t, c.code, code, "%s: %s%s", why, text, stderr)
		require.Equal(t, c.before != "", strings.Contains(stderr, "1 StatefulSet is not planned"), stderr)
		require.Equal(t, c.before != "", strings.Contains(text, "in one cluster with the other workload of the input"), text)
	}
}

// TestTooLargeSet: a set that is too large to simulate is told, and stops nobody else.
func TestTooLargeSet(t *testing.T) {
	set := setText("1", 2147483647)
	for _, before := range []string{set, ""} {
		code, text, stderr := rolledFrom(t, rolledText("shop", "web", "1", 2, "")+before, rolledText("shop", "web", "2", 2, "")+set)
		require.Zero(t, code, "%s%s", text, stderr)
		require.Contains(t, stderr, "note: not looked at: ")
		require.Contains(t, stderr, "must be at most")
	}
}

// TestOtherNamespace: what is believed of pods in one namespace says nothing about pods of the same template in
// another one.
func TestOtherNamespace(t *testing.T) {
	live := func(namespace, state string) string {
		return fmt.Sprintf(`apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-1, namespace: %[1]s, uid: r-%[1]s}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "x:1"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1-a, namespace: %[1]s, uid: p-%[1]s, labels: {app: web}, creationTimestamp: "2026-05-01T12:00:00Z", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: r-%[1]s, controller: true}]}
spec: {nodeName: a, containers: [{name: c, image: "x:1"}]}
status: {phase: Running%[2]s}
---
`, namespace, state)
	}
	broken := `, containerStatuses: [{name: c, image: "x:1", imageID: "", ready: false, restartCount: 9, state: {waiting: {reason: CrashLoopBackOff}}}]`
	file := filepath.Join(t.TempDir(), "live.yaml")
	require.NoError(t, os.WriteFile(file, []byte(live("shop", broken)+live("store", "")), 0o600))
	_, text, stderr := run(nil, "simulate", "-f", file, "--now", "2026-05-01T12:00:05Z", "-o", "wide")
	require.Contains(t, text, "1 pod in CrashLoopBackOff stays so", stderr)
	require.Equal(t, 1, strings.Count(text, "CrashLoopBackOff"), text)
	require.Equal(t, 1, strings.Count(text, "Not complete"), text)
	require.Equal(t, 1, strings.Count(text, "Complete after 10s."), text)
}

// TestUnreadableAmongOthers: what cannot be simulated does not keep others from it.
func TestUnreadableAmongOthers(t *testing.T) {
	to := rolledText("shop", "web", "1", 1, "") + strings.Replace(rolledText("shop", "zoo", "1", 1, ""), "replicas: 1", "replicas: 2000000", 1)
	before, after := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(before, "all.yaml"), []byte(rolledText("shop", "web", "2", 1, "")), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(after, "all.yaml"), []byte(to), 0o600))
	code, text, stderr := run(nil, "diff", "--from", before, "-f", after)
	require.Equal(t, exitFailure, code, stderr)
	require.Contains(t, text+stderr, "must be at most 100000 to be simulated")
	require.Contains(t, text, "will roll")
}
