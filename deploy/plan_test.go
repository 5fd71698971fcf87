// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// everyAction has one of each kind.
var everyAction = deploy.Actions{
	deploy.AdoptReplicaSet{Name: "o", UID: "u", Reason: reason.Orphan},
	deploy.ReleaseReplicaSet{Name: "l", UID: "u", Reason: reason.NoMatch},
	deploy.AnnotateReplicaSet{Name: "a", UID: "u", Set: map[string]string{"y": "1", "x": "2"}, MinReadySeconds: ptr.To(int32(0)), Reason: reason.Revision},
	deploy.CreateReplicaSet{Name: "b", Replicas: 3, Template: revision.Template{ID: "i", Hash: "h"}, Revision: 2,
		Labels: map[string]string{"app": "b"}, Annotations: map[string]string{"k": "v"}, Reason: reason.NewTemplate},
	deploy.AnnotateDeployment{Set: map[string]string{"r": "2"}, Reason: reason.Revision},
	deploy.ScaleReplicaSet{Name: "c", UID: "u", From: 10, To: 7, Unhealthy: 1, Set: map[string]string{"d": "1"}, Reason: reason.RolloutDown},
	deploy.DeleteReplicaSet{Name: "e", UID: "u", ResourceVersion: "7", Revision: 1, Reason: reason.HistoryLimit},
	deploy.RollBackDeployment{Revision: 3, Name: "f", Template: revision.Template{ID: "i"}, Annotations: map[string]string{"k": "v"}, Reason: reason.Rollback},
	deploy.ClearRollback{Reason: reason.Rollback},
	deploy.PauseDeployment{UID: "u", ResourceVersion: "7", Set: map[string]string{"k": "v"}, Pod: "p", Mode: "before", Reason: reason.PausePoint},
}

func TestActionsText(t *testing.T) {
	p := deploy.Plan{Actions: everyAction, Holds: []kplan.Hold{
		{Name: "c", Reason: reason.MinAvailable, Have: 8, Limit: 8}, {Reason: reason.Paused},
	}}
	require.Equal(t, `Adopted replica set o (Orphan)
Released replica set l (NoMatch)
Annotated replica set a: x, y, minReadySeconds=0 (Revision)
Scaled up replica set b from 0 to 3 (NewTemplate, revision 2)
Annotated deployment: r (Revision)
Scaled down replica set c from 10 to 7 (RolloutDown, 1 unhealthy)
Deleted replica set e (HistoryLimit, revision 1)
Rolled back deployment to revision 3 of replica set f (Rollback)
Cleared rollback request (Rollback)
Paused deployment before deleting pod p (PausePoint)
c held back: MinAvailable (8 of 8)
held back: Paused`, p.String())
	require.Equal(t, "nothing to do", deploy.Plan{}.String())
	require.Equal(t, "Annotated replica set a: minReadySeconds=5 (Revision)",
		deploy.AnnotateReplicaSet{Name: "a", MinReadySeconds: ptr.To(int32(5)), Reason: reason.Revision}.String())
	require.Equal(t, "Created replica set b (NewTemplate, revision 2)",
		deploy.CreateReplicaSet{Name: "b", Revision: 2, Reason: reason.NewTemplate}.String(), "there is no room for a pod yet")
	require.True(t, deploy.Plan{}.Empty())
	require.False(t, p.Empty())
	require.Equal(t, "11 replicas, 2 updated, 9 ready, 8 available, 3 unavailable",
		deploy.Status{Replicas: 11, UpdatedReplicas: 2, ReadyReplicas: 9, AvailableReplicas: 8, UnavailableReplicas: 3}.String())
}

func TestActionsJSON(t *testing.T) {
	data, err := json.Marshal(everyAction)
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"adoptReplicaSet": {"name": "o", "uid": "u", "reason": "Orphan"}},
		{"releaseReplicaSet": {"name": "l", "uid": "u", "reason": "NoMatch"}},
		{"annotateReplicaSet": {"name": "a", "uid": "u", "set": {"x": "2", "y": "1"}, "minReadySeconds": 0, "reason": "Revision"}},
		{"createReplicaSet": {"name": "b", "replicas": 3, "template": {"id": "i", "hash": "h"}, "revision": 2, "labels": {"app": "b"}, "annotations": {"k": "v"}, "reason": "NewTemplate"}},
		{"annotateDeployment": {"set": {"r": "2"}, "reason": "Revision"}},
		{"scaleReplicaSet": {"name": "c", "uid": "u", "from": 10, "to": 7, "unhealthy": 1, "set": {"d": "1"}, "reason": "RolloutDown"}},
		{"deleteReplicaSet": {"name": "e", "uid": "u", "resourceVersion": "7", "revision": 1, "reason": "HistoryLimit"}},
		{"rollBackDeployment": {"revision": 3, "name": "f", "template": {"id": "i"}, "annotations": {"k": "v"}, "reason": "Rollback"}},
		{"clearRollback": {"reason": "Rollback"}},
		{"pauseDeployment": {"uid": "u", "resourceVersion": "7", "set": {"k": "v"}, "pod": "p", "mode": "before", "reason": "PausePoint"}}]`, string(data))
	var back deploy.Actions
	require.NoError(t, json.Unmarshal(data, &back))
	requireEqual(t, "and back", everyAction, back)
}

func TestActionsJSONErrors(t *testing.T) {
	for _, text := range []string{`[{"launchRocket": {}}]`, `[{}]`, `{}`, `[{"scaleReplicaSet": {"by": 3}}]`, `x`} {
		var as deploy.Actions
		require.Error(t, as.UnmarshalJSON([]byte(text)), text)
	}
	_, err := json.Marshal(deploy.Actions{nil})
	require.ErrorContains(t, err, "unknown member <nil>")
}

func FuzzActionsJSON(f *testing.F) {
	data, err := json.Marshal(everyAction)
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(`[{}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var as, again deploy.Actions
		if as.UnmarshalJSON(data) != nil {
			return
		}
		text, err := json.Marshal(as)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &again))
		requireEqual(t, "round trip", as, again)
	})
}

// A plan that creates the new ReplicaSet and takes the pods of an old one that are not
// available holds nothing back, and says so as JSON does.
func TestHoldsThatAreNone(t *testing.T) {
	s := deploy.Snapshot{
		Deployment:  deploy.Deployment{Name: "0", UID: "web-uid", MaxSurge: rollout.Percent(1), MaxUnavailable: rollout.Int(1)},
		ReplicaSets: []replicaset.ReplicaSet{{Name: "0", UID: "0", ControllerUID: "web-uid", Template: revision.Template{ID: "0"}}},
	}
	p := reconcile(t, s)
	require.Nil(t, p.Holds)
	require.Len(t, p.Actions, 3)
	purity.ThroughJSON(t, p)
}
