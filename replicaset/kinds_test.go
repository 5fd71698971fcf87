// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// TestPropertyKinds: kinds of one's own, and whatever kinds the controllers of pods are said
// to have, change no more than the kinds in actions.
func TestPropertyKinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, opts := anything(t), options(t)
		own := purity.Clone(s)
		if own.ReplicaSet.Kind != replicaset.KindController { // those report no terminating pods
			own.ReplicaSet.Kind, own.ReplicaSet.APIVersion = "Group", "games.example.com/v1"
		}
		own.ReplicaSet.PodKind = "Server"
		for i := range own.Pods {
			if own.Pods[i].ControllerUID != "" {
				own.Pods[i].ControllerKind = random.OneOf(random.Rapid(t), "controller", "", "Group", replicaset.Kind, "Fleet")
			}
		}
		want, err := replicaset.Reconcile(s, t0, opts)
		if err != nil {
			t.Skip()
		}
		got := mustPlan(t, own, opts)
		for i, a := range got.Actions {
			switch a := a.(type) {
			case replicaset.AdoptPod:
				require.Equal(t, "Server", a.Kind)
				a.Kind, a.Reference = "", want.Actions[i].(replicaset.AdoptPod).Reference
				got.Actions[i] = a
			case replicaset.ReleasePod:
				a.Kind = ""
				got.Actions[i] = a
			case replicaset.CreatePods:
				a.Kind = ""
				got.Actions[i] = a
			case replicaset.DeletePod:
				a.Kind = ""
				got.Actions[i] = a
			}
		}
		if diff := cmp.Diff(text(t, want), text(t, got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func text(t *rapid.T, p replicaset.Plan) string {
	data, err := json.Marshal(p)
	require.NoError(t, err)
	return string(data) + p.String()
}

// TestKinds goes through the texts once: five servers that are there are five servers.
func TestKinds(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{
		Kind: "Group", APIVersion: "games.example.com/v1", PodKind: "Server", Name: "db", UID: "g", Replicas: ptr.To(int32(3)),
	}}
	create, err := replicaset.Reconcile(s, t0, replicaset.Options{})
	require.NoError(t, err)
	require.Equal(t, "Created 3 of kind Server (TooFew)", create.Actions[0].String())
	for _, name := range []string{"a", "b", "c", "d"} {
		s.Pods = append(s.Pods, podorder.Pod{Name: name, UID: name, Phase: podorder.Running, Ready: true, ControllerKind: strings.Repeat("K", len(s.Pods)), ControllerUID: "g"})
	}
	remove, err := replicaset.Reconcile(s, t0, replicaset.Options{})
	require.NoError(t, err)
	require.Len(t, remove.Actions, 1)
	require.Regexp(t, `^Deleted Server: [a-d] \(TooMany\)$`, remove.Actions[0].String())
	require.EqualValues(t, 4, remove.Status.Replicas)
	done := []kplan.Outcome{{Answer: kplan.Done, Name: "x"}}
	r := replicaset.FinishPlan(s, remove, replicaset.Report{Deletes: done}, t0, replicaset.Options{})
	require.Regexp(t, "^Deleted Server: ", r.Events[0].Message)
	r = replicaset.FinishPlan(s, create, replicaset.Report{Creates: done}, t0, replicaset.Options{})
	require.Equal(t, "Created Server: x", r.Events[0].Message)
}
