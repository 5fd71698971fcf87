// SPDX-License-Identifier: Apache-2.0

package view

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout/argo"
)

// A Rollout is complete while the pods of before are kept for a while, and they are told of.
func TestArgoComplete(t *testing.T) {
	for old, want := range map[int32]string{
		0: "All pods have the template that is wanted, and get the traffic.",
		1: "All pods that are wanted are available, and get the traffic. 1 old pod is left.",
		5: "All pods that are wanted are available, and get the traffic. 5 old pods are left.",
	} {
		e := ArgoExplanation{}
		e.Snapshot.Rollout.TemplateHash = "v2"
		e.Snapshot.Sets = []argo.ReplicaSet{{Hash: "v1", Size: argo.Size{StatusReplicas: old}}, {Hash: "v2", Size: argo.Size{StatusReplicas: 5}}}
		e.Snapshot.Rollout.Status.Phase, e.Plan.Status.Phase = argo.PhaseHealthy, argo.PhaseHealthy
		state, why := e.State()
		require.Equal(t, StateComplete, state)
		require.Equal(t, want, why)
	}
}
