// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan/rollout/partition"
)

// A planned is what a reader of the JSON output of plan takes from it.
type planned struct {
	Actions []map[string]plannedAction
	Holds   []struct {
		Name, Reason string
		Have, Limit  int64
	}
}

type plannedAction struct {
	Name, Reason string
	From, To     int32
}

// planned returns what plan says in JSON and in text, and what explain does.
func (c liveCase) planned(t *testing.T) (p planned, text, explained string) {
	input := c.yaml(t)
	require.NoError(t, json.Unmarshal([]byte(succeed(t, input, at("plan", "-f", "-", "-o", "json")...)), &p))
	return p, succeed(t, input, at("plan", "-f", "-", "-o", "wide")...), succeed(t, input, at("explain", "-f", "-", "-o", "wide")...)
}

// TestNotEmpty: an old ReplicaSet beyond the limit that is not empty is told with the pods
// that it wants or has, whichever are more.
func TestNotEmpty(t *testing.T) {
	for _, has := range []int32{1, 2, 4} {
		c := liveCase{
			replicas: 3, surge: 1, unavailable: 0, version: 3, revision: "3", progressing: "NewReplicaSetAvailable",
			change: func(d *appsv1.Deployment) { d.Spec.RevisionHistoryLimit = new(int32(0)) },
			sets: []liveSet{
				{version: 1, revision: "1", size: 0, desired: 3, max: 4, age: 48 * hour},
				{version: 3, revision: "3", size: 3, desired: 3, max: 4, age: hour, available: 3},
			},
			edit: func(o *liveObjects) { o.sets[0].Status.Replicas = has },
		}
		p, text, explained := c.planned(t)
		require.Len(t, p.Holds, 1)
		require.Equal(t, setName("web", 1), p.Holds[0].Name)
		require.Equal(t, "HistoryNotEmpty", p.Holds[0].Reason)
		require.Equal(t, int64(has), p.Holds[0].Have)
		for _, text := range []string{text, explained} {
			require.Regexp(t, setName("web", 1)+`.*still has or wants pods: `+strconv.Itoa(int(has))+`\b`, text)
		}
	}
}

// TestTakenForOld: that a partitioned Deployment shrinks its new ReplicaSet, which is the
// oldest, is told with the reason.
func TestTakenForOld(t *testing.T) {
	set := func(version, size int) liveSet {
		return liveSet{version: version, revision: strconv.Itoa(version), size: int32(size), desired: 6, max: 8, age: hour * time.Duration(5-version), available: size}
	}
	c := liveCase{
		replicas: 6, version: 1, revision: "1", progressing: "ReplicaSetUpdated",
		change: func(d *appsv1.Deployment) {
			d.Spec.Paused = true
			d.Annotations[partition.AnnotationControlInfo] = `{"name":"web"}`
			d.Annotations[partition.AnnotationStrategy] = `{"rollingStyle":"Partition","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"},"partition":"20%"}`
		},
		sets: []liveSet{set(1, 2), set(2, 3), set(3, 1), set(4, 2)},
	}
	p, text, explained := c.planned(t)
	require.Contains(t, p.Actions, map[string]plannedAction{"scaleReplicaSet": {Name: setName("web", 1), Reason: "TakenForOld", From: 2}})
	for _, text := range []string{text, explained} {
		require.Regexp(t, setName("web", 1)+` from 2 to 0 +TakenForOld +the new ReplicaSet is taken for an old one`, text)
	}
}
