// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan/daemonset"
)

// podOfRelease is one of the ten pods of the release of [cloneSetLive].
func podOfRelease(owner, name, revision, tag, status string) string {
	hash := revision[strings.LastIndex(revision, "-")+1:]
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Pod, metadata: {name: %[1]s, namespace: shop, uid: %[1]s, creationTimestamp: "2026-11-23T09:59:51Z",
  labels: {app: guestbook, controller-revision-hash: %[2]s, pod-template-hash: %[3]s}, ownerReferences: [%[4]s]},
 spec: {nodeName: worker-1, containers: [{name: web, image: "registry.example/guestbook:%[5]s"}]}, status: %[6]s}
`, name, revision, hash, owner, tag, status)
}

const (
	servingPod  = `{phase: Running, conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-11-23T09:00:00Z"}]}`
	pullingPod  = `{phase: Pending, containerStatuses: [{name: web, image: x, state: {waiting: {reason: ImagePullBackOff}}}]}`
	creatingPod = `{phase: Pending, containerStatuses: [{name: web, image: x, state: {waiting: {reason: ContainerCreating}}}]}`
	roomlessPod = `{phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "0/3 nodes are available: 3 Insufficient cpu."}]}`
)

// releasing returns a release of a kind of which one pod of ten is new, in a status.
func releasing(t *testing.T, kind, status string) []byte {
	t.Helper()
	const was, is = "guestbook-86dd985b8b", "guestbook-7c9d5b6f48"
	text := cloneSetLive(t)
	owner := "{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, name: guestbook, uid: c1, controller: true}"
	name := func(i int) string { return fmt.Sprintf("guestbook-%cbcde", 'a'+i) }
	if kind == "StatefulSet" { // which is known by the full names of its revisions
		text = cloneSetLive(t, "apps.kruise.io/v1alpha1, kind: CloneSet", "apps/v1, kind: StatefulSet", "apps.kruise.io/v1alpha1\nkind: CloneSet", "apps/v1\nkind: StatefulSet",
			"partition: 90%, maxUnavailable: 20%", "rollingUpdate: {partition: 9}", "workload-type: cloneset", "workload-type: statefulset",
			": 86dd985b8b", ": "+was, ": 7c9d5b6f48", ": "+is)
		owner = strings.NewReplacer("apps.kruise.io/v1alpha1", "apps/v1", "CloneSet", "StatefulSet").Replace(owner)
		name = func(i int) string { return fmt.Sprintf("guestbook-%d", 9-i) }
	}
	text += podOfRelease(owner, name(0), is, "2", status)
	for i := 1; i < 10; i++ {
		text += podOfRelease(owner, name(i), was, "1", servingPod)
	}
	return []byte(text)
}

// A release of a CloneSet or a StatefulSet that is under way goes on from its pods as they are:
// broken ones stay so, unless they are taken to heal.
func TestBelievesReleaseOfSets(t *testing.T) {
	for _, kind := range []string{"CloneSet", "StatefulSet"} {
		broken := releasing(t, kind, pullingPod)
		r := releasedBy(t, broken, "-f", "-", "--time-limit", "1h")
		require.False(t, r.Done, kind)
		require.Equal(t, []string{"1 pod in ImagePullBackOff stays so", "new pods of a template of which no pod is ready do not become ready either"}, r.Assumed, kind)
		r = releasedBy(t, broken, "-f", "-", "--heal")
		require.True(t, r.Done, kind)
		require.Equal(t, []string{"all pods become ready, and nodes have room (--heal)"}, r.Assumed, kind)
		r = releasedBy(t, releasing(t, kind, creatingPod), "-f", "-")
		require.True(t, r.Done, kind)
		require.Equal(t, []string{"1 pod in ContainerCreating becomes ready"}, r.Assumed, kind)
		unbound := strings.Replace(string(releasing(t, kind, roomlessPod)), "nodeName: worker-1, ", "", 1)
		r = releasedBy(t, []byte(unbound), "-f", "-", "--time-limit", "1h")
		require.False(t, r.Done, kind)
		require.Contains(t, strings.Join(r.Assumed, "\n"), "1 pod in Unschedulable waits for room on a node", kind)
	}
	golden(t, data+"golden/simulate/rollout-cloneset-live.txt", []byte(succeed(t, releasing(t, "CloneSet", creatingPod), "simulate", "-f", "-", "--terminate-after", "5s")))

	unseen := strings.Replace(string(releasing(t, "CloneSet", creatingPod)), "  generation: 3\n", "  generation: 4\n", 1)
	code, _, stderr := run([]byte(unseen), "simulate", "-f", "-")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, `CloneSet "guestbook": status.observedGeneration: 3: its controller has yet to see generation 4`)
}

// An image that is put into a pod where it runs may heal it, and what is put in place is told.
func TestBelievesReleaseInPlace(t *testing.T) {
	text := strings.Replace(string(releasing(t, "CloneSet", servingPod)), "partition: 90%, ", "type: InPlaceIfPossible, partition: 90%, ", 1)
	i := strings.Index(text, servingPod) + len(servingPod) // the new one
	text = text[:i] + strings.Replace(text[i:], servingPod, pullingPod, 1)
	r := releasedBy(t, []byte(text), "-f", "-")
	require.True(t, r.Done)
	require.Equal(t, []string{"pods are updated in place, as if no more than images had changed", "1 pod in ImagePullBackOff stays so"}, r.Assumed)
}

// So it is with a DaemonSet of OpenKruise.
func TestBelievesReleaseOfDaemonSet(t *testing.T) {
	releasing := func(pods string) []byte {
		c := daemonCase{unavailable: 1, version: "v1alpha1", advanced: map[string]any{"partition": "80%"}}
		for _, p := range pods {
			c.nodes = append(c.nodes, daemonNode{pods: string(p)})
		}
		before, now := c.versionOf(t, 1).revision.Labels[daemonset.LabelHash], c.versionOf(t, 2).revision.Labels[daemonset.LabelHash]
		var list struct{ Items []map[string]any }
		require.NoError(t, yaml.Unmarshal(c.yaml(t), &list))
		ds := list.Items[0]
		namespace := ds["metadata"].(map[string]any)["namespace"].(string)
		ds["status"].(map[string]any)["daemonSetHash"] = now
		text := cloneSetLive(t, "kind: CloneSet", "kind: DaemonSet", "name: guestbook", "name: agent", "namespace: shop", "namespace: "+namespace,
			"86dd985b8b", before, "7c9d5b6f48", now, "observedWorkloadReplicas: 10", "observedWorkloadReplicas: 5", "10%", "20%", "guestbook-", "")
		parts := strings.Split(text, "---\n")
		var set map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(parts[2]), &set))
		ds["metadata"].(map[string]any)["annotations"] = set["metadata"].(map[string]any)["annotations"]
		live, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": list.Items})
		require.NoError(t, err)
		return []byte(parts[0] + "---\n" + parts[1] + "---\n" + string(live))
	}
	r := releasedBy(t, releasing("uoooo"), "-f", "-", "--time-limit", "1h")
	require.False(t, r.Done)
	require.Equal(t, []string{"1 pod in ImagePullBackOff stays so", "new pods of a template of which no pod is ready do not become ready either"}, r.Assumed)
	require.True(t, releasedBy(t, releasing("uoooo"), "-f", "-", "--heal").Done)
	require.True(t, releasedBy(t, releasing("noooo"), "-f", "-").Done)

	code, _, stderr := run([]byte(strings.ReplaceAll(string(releasing("noooo")), "kind: ControllerRevision", "kind: Revision")), "simulate", "-f", "-")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, "its ControllerRevisions are not in the input")
}
