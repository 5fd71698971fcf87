// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/replicaset"
)

// ordered is what a reader of the JSON output takes from it.
type ordered struct {
	Name, Controller string
	Wanted           int32
	Terminating      int
	Pods             []struct {
		Place, Neighbours, Cost, Restarts int
		Name, Node, Rule, Why             string
		Goes                              *bool
	}
}

func order(t *testing.T, args ...string) []ordered {
	t.Helper()
	text := []byte(succeed(t, nil, append(args, "-o", "json")...))
	var list struct{ Items []ordered }
	require.NoError(t, json.Unmarshal(text, &list))
	if list.Items == nil {
		list.Items = make([]ordered, 1)
		require.NoError(t, json.Unmarshal(text, &list.Items[0]))
	}
	return list.Items
}

// TestOrder: eight pods that differ in one thing each, in the order that the rules
// give by hand.
func TestOrder(t *testing.T) {
	args := at("order", "-f", extraFile("pods"), "--count", "4")
	golden(t, data+"golden/order/pods.txt", []byte(succeed(t, nil, args...)))
	golden(t, data+"golden/order/pods.json", []byte(succeed(t, nil, append(args, "-o", "json")...)))
	o := order(t, args...)
	require.Len(t, o, 1)
	require.Equal(t, "Deployment web", o[0].Controller)
	want := []struct {
		name, rule string
		neighbours int
	}{
		{"web-unscheduled", "Unassigned", 1},
		{"web-crashing", "NotReady", 1},
		{"web-cheap", "DeletionCost", 1},
		{"web-orphan", "ReadyTime", 2},
		{"web-crowded", "Neighbours", 2},
		{"web-young", "ReadyTime", 1},
		{"web-old", "", 1},
	}
	require.Len(t, o[0].Pods, len(want))
	for i, w := range want {
		p := o[0].Pods[i]
		require.Equal(t, w.name, p.Name)
		require.Equal(t, w.rule, p.Rule, w.name)
		require.Equal(t, w.neighbours, p.Neighbours, w.name)
		require.Equal(t, i+1, p.Place)
		require.Equal(t, i < 4, *p.Goes, w.name)
		require.Equal(t, w.rule != "", p.Why != "", w.name)
	}
	for _, p := range order(t, at("order", "-f", extraFile("pods"))...)[0].Pods {
		require.Nil(t, p.Goes, "nothing is marked unless asked for")
	}
}

// TestOrderWithDeployment: the Deployment makes no difference.
func TestOrderWithDeployment(t *testing.T) {
	require.Equal(t, succeed(t, nil, at("order", "-f", extraFile("pods"))...), succeed(t, nil, at("order", "-f", extraFile("resized"))...))
}

// TestOrderPlan: the pods that the plan deletes are the first of the order.
func TestOrderPlan(t *testing.T) {
	text := succeed(t, nil, at("plan", "-f", extraFile("resized"), "-o", "json")...)
	golden(t, data+"golden/plan/resized.json", []byte(text))
	golden(t, data+"golden/plan/resized.txt", []byte(succeed(t, nil, at("plan", "-f", extraFile("resized"))...)))
	var plan struct {
		ReplicaSets []struct {
			Actions []map[string]struct{ Name string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &plan))
	var deleted, others []string
	for _, a := range plan.ReplicaSets[0].Actions {
		for kind, what := range a {
			if kind == "deletePod" {
				deleted = append(deleted, what.Name)
			} else {
				others = append(others, kind+" "+what.Name)
			}
		}
	}
	require.Equal(t, []string{"releasePod web-debugged", "adoptPod web-orphan"}, others)
	require.Equal(t, []string{"web-unscheduled", "web-crashing", "web-cheap", "web-orphan"}, deleted)
	golden(t, data+"golden/plan/quota.txt", []byte(succeed(t, nil, at("plan", "-f", extraFile("quota"))...)))
}

// TestOrderAgrees: the order that the command shows is the one in which a ReplicaSet
// deletes all its pods.
func TestOrderAgrees(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(live, "*.yaml"))
	require.NoError(t, err)
	extras, err := filepath.Glob(extraFile("*"))
	require.NoError(t, err)
	pods := 0
	for _, file := range append(files, extras...) {
		sets, _, err := manifest.LoadReplicaSets(manifest.Source{Filenames: []string{file}})
		if err != nil {
			require.ErrorContains(t, err, "no Pod in the input", file)
			continue
		}
		for i := range sets {
			s := new(sets[i].Full())
			s.ReplicaSet.Replicas, s.ReplicaSet.DeletionTimestamp = new(int32), time.Time{}
			plan, err := replicaset.Reconcile(*s, liveNow, replicaset.Options{Burst: math.MaxInt32})
			require.NoError(t, err)
			var want, names []string
			for _, a := range plan.Actions {
				if a, ok := a.(replicaset.DeletePod); ok {
					want = append(want, a.Name)
				}
			}
			order, candidates, err := replicaset.Order(*s, liveNow, replicaset.Options{})
			require.NoError(t, err)
			for _, v := range order.Victims(s.Pods, candidates, len(candidates)) {
				names = append(names, s.Pods[v].Name)
			}
			require.Equal(t, want, names, "%s %s", file, s.ReplicaSet.Name)
			pods += len(names)
		}
	}
	require.Greater(t, pods, 100)
}

// TestOrderNotes: a ReplicaSet that reports pods of which none is in the input is told
// of and left out, and one without a controller has no neighbours.
func TestOrderNotes(t *testing.T) {
	const sets = `apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: hidden, uid: h}
spec: {replicas: 2, selector: {matchLabels: {app: hidden}}}
status: {replicas: 2}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: lonely, uid: l}
spec: {replicas: 2, selector: {matchLabels: {app: lonely}}}
status: {replicas: 1}
---
apiVersion: v1
kind: Pod
metadata:
  name: lonely-1
  uid: p
  labels: {app: lonely}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: lonely, uid: l, controller: true}]
`
	code, stdout, stderr := run([]byte(sets), at("order", "-f", "-", "-o", "json")...)
	require.Zero(t, code)
	require.Equal(t, "note: standard input: skipped ReplicaSet \"hidden\": its pods are not in the input; kubectl get replicaset,pod -o yaml prints all that is needed\n", stderr)
	var o ordered
	require.NoError(t, json.Unmarshal([]byte(stdout), &o))
	require.Equal(t, "lonely", o.Name)
	require.Empty(t, o.Controller)
	require.Len(t, o.Pods, 1)
	require.Zero(t, o.Pods[0].Neighbours)
	require.Contains(t, succeed(t, []byte(sets), at("order", "-f", "-")...), "ReplicaSet lonely, without a controller: wants 2 pods, has 1\n")
}

// TestOrderNames: ReplicaSets without pods are left out, and one can be chosen.
func TestOrderNames(t *testing.T) {
	file := live + "/rollback.yaml"
	require.Len(t, order(t, at("order", "-f", file)...), 1)
	require.Len(t, order(t, at("order", "-f", live+"/unhealthy.yaml")...), 2)
	o := order(t, at("order", "-f", live+"/unhealthy.yaml", "--replicaset", setName("web", 2))...)
	require.Len(t, o, 1)
	require.Equal(t, setName("web", 2), o[0].Name)
	require.Contains(t, succeed(t, nil, at("order", "-f", live+"/recreate-waiting.yaml")...), "Being deleted already: 1 pod\n\nNo pod to delete.\n")
}
