// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

func TestActions(t *testing.T) {
	all := argo.Actions{
		argo.CreateReplicaSet{Name: "web-v2", Hash: "v2", Revision: 2, Replicas: 1, Desired: 4, Reason: reason.NewTemplate},
		argo.ScaleReplicaSet{Hash: "v2", From: 1, To: 2, Desired: 4, Reason: reason.Weight},
		argo.ScaleReplicaSet{Hash: "v1", From: 4, To: 3, Desired: 4, Reason: reason.Weight},
		argo.ScaleReplicaSet{Hash: "v1", From: 4, To: 4, Desired: 4, Reason: reason.Stable},
		argo.DelayReplicaSet{Hash: "v1", Until: now, Reason: reason.ScaleDownDelay},
		argo.DelayReplicaSet{Hash: "v1", Reason: reason.ScaleDownDelay},
		argo.SelectPods{Service: "active", Key: argo.HashLabel, Value: "v2", Reason: reason.Promotion},
	}
	require.Equal(t, strings.TrimSpace(`
Created replica set v2 with 1 (NewTemplate)
Scaled up replica set v2 from 1 to 2 (Weight)
Scaled down replica set v1 from 4 to 3 (Weight)
Noted size 4 at replica set v1 (Stable)
Set scale down deadline of replica set v1 to 2026-03-01T12:00:00Z (ScaleDownDelay)
Removed scale down deadline of replica set v1 (ScaleDownDelay)
Set rollouts-pod-template-hash to v2 in the selector of service active (Promotion)
held back: BatchNotReady (1 of 2)`), argo.Plan{Actions: all, Holds: []kplan.Hold{{Reason: reason.BatchNotReady, Have: 1, Limit: 2}}}.String())
	data, err := json.Marshal(all)
	require.NoError(t, err)
	var back argo.Actions
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, all, back)
	require.Error(t, json.Unmarshal([]byte(`[{"unknown":{}}]`), &back))
	_, err = json.Marshal(argo.Actions{nil})
	require.Error(t, err)
	require.Equal(t, "nothing to do", argo.Plan{}.String())
}
