// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/selector/claim"
)

func TestPatch(t *testing.T) {
	o := replicaSet(t)
	children := []claim.Child{child("p1", "b", ""), child("p4", "x", "u1")}
	resolve := func() []claim.Action {
		return claim.Resolve(&o, claim.Classify(&o, 2, at(children)), at(children), claim.LiveCheck{OK: true}).Actions
	}
	actions := resolve()
	require.Equal(t, `{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"u1","controller":true,"blockOwnerDeletion":true}],"uid":"uid-p1"}}`, string(actions[0].Patch()))
	require.Equal(t, `{"metadata":{"uid":"uid-p4","ownerReferences":[{"$patch":"delete","uid":"u1"}]}}`, string(actions[1].Patch()))

	o.Finalizers = []string{"batch.kubernetes.io/job-tracking"}
	actions = resolve()
	require.Equal(t, `{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"u1","controller":true,"blockOwnerDeletion":true}],"uid":"uid-p1","finalizers":["batch.kubernetes.io/job-tracking"]}}`, string(actions[0].Patch()))
	require.Equal(t, `{"metadata":{"uid":"uid-p4","ownerReferences":[{"$patch":"delete","uid":"u1"}],"$deleteFromPrimitiveList/finalizers":["batch.kubernetes.io/job-tracking"]}}`, string(actions[1].Patch()))
}

func TestActionsJSON(t *testing.T) {
	o := replicaSet(t)
	o.Finalizers = []string{"f/x"}
	children := []claim.Child{child("p1", "b", ""), child("p4", "x", "u1")}
	actions := claim.Resolve(&o, claim.Classify(&o, 2, at(children)), at(children), claim.LiveCheck{OK: true}).Actions
	data, err := json.Marshal(actions)
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"adoptChild": {"child": 0, "kind": "Pod", "namespace": "ns", "name": "p1", "uid": "uid-p1", "finalizers": ["f/x"], "reason": "Orphan",
			"reference": {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "u1", "controller": true, "blockOwnerDeletion": true}}},
		{"releaseChild": {"child": 1, "kind": "Pod", "namespace": "ns", "name": "p4", "uid": "uid-p4", "ownerUID": "u1", "finalizers": ["f/x"], "reason": "NoMatch"}}
	]`, string(data))
	var back claim.Actions
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, actions, back)
	for text, want := range map[string]string{
		`[{"deleteChild": {}}]`:            `[0]: unknown member "deleteChild"`,
		`[{"releaseChild": {"pod": "a"}}]`: `[0]: json: unknown field "pod"`,
		`[{}]`:                             `[0]: must have one key, has 0`,
	} {
		require.EqualError(t, json.Unmarshal([]byte(text), &back), want)
	}
}

func TestProject(t *testing.T) {
	o, c := replicaSet(t), child("p1", "b", "")
	children := []claim.Child{c, child("p4", "x", "u1")}
	actions := claim.Resolve(&o, claim.Classify(&o, 2, at(children)), at(children), claim.LiveCheck{OK: true}).Actions
	adopted := claim.Project(c, actions[0])
	require.Equal(t, child("p1", "b", "u1"), adopted)
	require.True(t, adopted.ControlledBy(&o))
	require.False(t, c.Controlled(), "the snapshot is as it was")
	require.False(t, c.ControlledBy(&o))
	released := claim.Project(children[1], actions[1])
	require.False(t, released.Controlled())
	require.Equal(t, c, claim.Project(c, nil), "no action changes nothing")
}

func TestReferences(t *testing.T) {
	yes, no := true, false
	ref := func(uid string, controller *bool) claim.OwnerReference {
		return claim.OwnerReference{APIVersion: "v1", Kind: "K", Name: uid, UID: uid, Controller: controller}
	}
	o := replicaSet(t)
	mine := o.Reference()
	tests := []struct {
		why  string
		refs []claim.OwnerReference
		want string // the UID of the controller
		err  string // of adopting
		left int    // after a release
	}{
		{"none", nil, "", "", 0},
		{"p6: the flag is absent; the reference is upgraded", []claim.OwnerReference{ref("u1", nil)}, "", "", 0},
		{"the flag is false", []claim.OwnerReference{ref("u1", &no)}, "", "", 0},
		{"p7: not a controller, then ours", []claim.OwnerReference{ref("z", &no), ref("u1", &yes)}, "u1", "", 1},
		{
			"p8: the first controller wins", []claim.OwnerReference{ref("z", &yes), ref("u1", &yes)}, "z",
			`metadata.ownerReferences: Invalid value: `, 1,
		},
		{"a race lost", []claim.OwnerReference{ref("z", &yes)}, "z", `Only one reference can have Controller set to true. Found "true" in references for K/z and ReplicaSet/rs`, 1},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got, ok := claim.ControllerOf(tt.refs)
			require.Equal(t, tt.want != "", ok)
			require.Equal(t, tt.want, got.UID)
			before := append([]claim.OwnerReference(nil), tt.refs...)
			merged, err := claim.WithReference(tt.refs, mine)
			require.Equal(t, before, tt.refs, "not changed")
			left := claim.WithoutReference(tt.refs, "u1")
			require.Len(t, left, tt.left)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				require.ErrorIs(t, err, kplan.ErrInvalid)
				return
			}
			require.NoError(t, err)
			controller, ok := claim.ControllerOf(merged)
			require.True(t, ok)
			require.Equal(t, mine, controller)
			require.Len(t, merged, tt.left+1)
		})
	}

	require.NoError(t, claim.ValidateReference(mine))
	err := claim.ValidateReference(claim.OwnerReference{})
	require.EqualError(t, err, "[controllerRef has empty APIVersion, controllerRef has empty Kind, controllerRef.Controller is not set to true, controllerRef.BlockOwnerDeletion is not set]")
	require.ErrorIs(t, err, kplan.ErrInvalid)
	half := mine
	half.BlockOwnerDeletion = &no
	require.EqualError(t, claim.ValidateReference(half), "controllerRef.BlockOwnerDeletion is not set")
}
