// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const alone = data + "replicaset/"

// aloneSet is a ReplicaSet of a manifest that wants so many pods.
func aloneSet(replicas, image string) string {
	return "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\nspec: {replicas: " + replicas + ", selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: \"" + image + "\"}]}}}\n"
}

// ReplicaSets and ReplicationControllers that nobody owns are planned like Deployments: the
// verdict first, what is done and why, and how it goes on.
func TestReplicaSetsAlone(t *testing.T) {
	for _, name := range []string{"broken", "controller", "surplus"} {
		for _, command := range []string{"plan", "explain", "simulate"} {
			args := at(command, "-f", alone+name+".yaml")
			code, text, stderr := run(nil, args...)
			require.Equal(t, command == "simulate" && name != "surplus", code != 0, stderr)
			golden(t, data+"golden/replicaset/"+name+"-"+command+".txt", []byte(text))
			_, text, _ = run(nil, append(args, "-o", "json")...)
			golden(t, data+"golden/replicaset/"+name+"-"+command+".json", []byte(text))
		}
		golden(t, data+"golden/replicaset/"+name+"-order.txt", []byte(succeed(t, nil, at("order", "-f", alone+name+".yaml", "--count", "1")...)))
	}
}

// aloneSteps is what a reader of the JSON output of simulate takes from it.
type aloneSteps struct {
	Kind    string
	Why     string
	Done    bool
	Assumed []string
	Steps   []struct {
		Time             float64
		Total, Available int32
	}
}

func simulateAlone(t *testing.T, args ...string) (s aloneSteps) {
	t.Helper()
	_, stdout, stderr := run(nil, append([]string{"simulate", "-o", "json"}, args...)...)
	require.NoError(t, json.Unmarshal([]byte(stdout), &s), stderr)
	return s
}

// A quota stops a ReplicaSet, and nodes without room its pods; both are told.
func TestReplicaSetLimits(t *testing.T) {
	old, next := inFile(t, "old.yaml", aloneSet("3", "web:1")), inFile(t, "new.yaml", aloneSet("6", "web:2"))
	s := simulateAlone(t, "--from", old, "-f", next)
	require.True(t, s.Done)
	require.Equal(t, "3 pods keep the old template: only new pods are made from the new one", s.Assumed[0])
	require.Contains(t, s.Assumed[1], "a new pod is ready 10s after its start (--ready-after)")
	require.Len(t, s.Steps, 2)
	require.Equal(t, [2]int32{6, 3}, [2]int32{s.Steps[0].Total, s.Steps[0].Available}, "after the step")
	require.Equal(t, [2]int32{6, 6}, [2]int32{s.Steps[1].Total, s.Steps[1].Available})

	few := inFile(t, "quota.yaml", quota)
	s = simulateAlone(t, "--from", old, "-f", next, "-f", few)
	require.False(t, s.Done)
	require.Contains(t, s.Why, "4 of 6 pods are available")
	require.Len(t, s.Steps, 2, "attempts that the quota forbids are no steps")
	require.Equal(t, s.Assumed[0], "creations will fail: ResourceQuota few leaves room for 4 pods (pods), and up to 6 are wanted")
	for _, command := range []string{"plan", "explain"} {
		_, _, stderr := run(nil, command, "-f", next, "-f", few)
		require.Contains(t, stderr, `note: ReplicaSet "web": creations will fail: ResourceQuota few leaves room for 4 pods`)
	}

	node := inFile(t, "node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: only}\nstatus: {allocatable: {cpu: \"4\", memory: 8Gi, pods: \"5\"}}\n")
	s = simulateAlone(t, "-f", next, "-f", node)
	require.EqualValues(t, 5, s.Steps[len(s.Steps)-1].Available)
	require.Contains(t, s.Assumed, "nodes have the room that the pods in the input leave")
	require.True(t, simulateAlone(t, "-f", next, "-f", node, "--heal").Done)

	scaler := strings.Replace(autoscaler, "kind: Deployment", "kind: ReplicaSet", 1)
	s = simulateAlone(t, "-f", old, "-f", inFile(t, "hpa.yaml", strings.Replace(scaler, "minReplicas: 3", "minReplicas: 5", 1)))
	require.EqualValues(t, 5, s.Steps[len(s.Steps)-1].Total)
}

// What is wrong is refused as the API server does, and what belongs to others is told.
func TestReplicaSetInput(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no selector":   {"apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\nspec: {template: {metadata: {labels: {app: web}}}}\n", `ReplicaSet "web": spec.selector: "": must be set and not empty`},
		"other labels":  {strings.Replace(aloneSet("1", "web"), "labels: {app: web}", "labels: {app: shop}", 1), `ReplicaSet "web": spec.template.metadata.labels: "app=shop": must match the selector app=web`},
		"negative":      {aloneSet("-1", "web"), `ReplicaSet "web": spec.replicas: -1: must not be negative`},
		"too many":      {aloneSet("2000000", "web"), `ReplicaSet "web": spec.replicas: 2000000: must be at most 100000 to be simulated`},
		"twice":         {aloneSet("1", "web") + "---\n" + aloneSet("1", "web"), `ReplicaSet "web": there is one of this name already, in standard input`},
		"without pods":  {strings.Replace(aloneSet("1", "web"), "{name: web}", "{name: web, uid: w}", 1) + "status: {replicas: 1}\n", `nothing to plan in the input; standard input: skipped ReplicaSet "web": its pods are not in the input`},
		"of another":    {strings.Replace(aloneSet("1", "web"), "{name: web}", "{name: web, uid: w, ownerReferences: [{kind: Fleet, name: f, uid: f, controller: true}]}", 1), `nothing to plan in the input; standard input: skipped ReplicaSet "web": its Fleet is not in the input`},
		"wrong version": {strings.Replace(aloneSet("1", "web"), "ReplicaSet", "ReplicationController", 1), noneOf + `; standard input: skipped ReplicationController "web" of apps/v1: its apiVersion is v1`},
	} {
		code, _, stderr := run([]byte(c.text), "simulate", "-f", "-")
		require.Equal(t, exitFailure, code, name)
		require.Contains(t, lastLine(stderr), c.want, name)
	}
	_, _, stderr := run(nil, "simulate", "-f", inFile(t, "web.yaml", aloneSet("1", "web")), "--try", "replicas=2")
	require.Contains(t, stderr, "--start and --try are for Deployments without a Rollout alone")
	old := inFile(t, "old.yaml", aloneSet("1", "web"))
	_, _, stderr = run([]byte(strings.ReplaceAll(aloneSet("1", "web"), "app: web", "app: shop")), "simulate", "--from", old, "-f", "-")
	require.Contains(t, stderr, `ReplicaSet "web": spec.selector: must not change`)
}

const noneOf = "no Deployment, DaemonSet, Rollout, ReplicaSet or ReplicationController in the input"

// One of a Deployment is planned in a cluster if it is asked for by name.
func TestReplicaSetByName(t *testing.T) {
	_, flags := newAPIServer(t, live+"/deadline-exceeded.yaml")
	name := setName("web", 2)
	text := succeed(t, nil, at(append([]string{"explain", "rs/" + name}, flags...)...)...)
	require.Contains(t, inWords(text), "ReplicaSet default/"+name+" is waiting. Pods that do not serve: 1 ImagePullBackOff. All pods exist, but some are not ready.")
	require.Contains(t, inWords(text), "Deployment web, which may change the size")
	require.NotContains(t, text, setName("web", 1))
}

// A pod that is deleted while it starts keeps nobody waiting.
func TestSurplusStarting(t *testing.T) {
	text := succeed(t, nil, "simulate", "-f", data+"replicaset/surplus.yaml")
	require.Contains(t, text, "1 pod in NotReady becomes ready")
	require.Contains(t, text, "Complete after 0s.")
	text = succeed(t, nil, "simulate", "-f", data+"replicaset/surplus.yaml", "--terminate-after", "1m")
	require.Contains(t, text, "Complete after 0s.", "nor while it is being deleted")
}
