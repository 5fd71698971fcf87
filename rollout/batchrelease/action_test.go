// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/workload"
)

func TestBatchActions(t *testing.T) {
	all := batchrelease.Actions{
		batchrelease.SetFinalizer{Kind: "BatchRelease", Name: "web", Finalizer: "f", Reason: reason.Finalizer},
		batchrelease.SetFinalizer{Kind: "Deployment", Name: "web-x", Finalizer: "f", Remove: true, Reason: reason.GiveBack},
		batchrelease.PatchWorkload{Workload: deployment, Patch: workload.Patch{Replicas: ptr.To(int32(3))}, Reason: reason.Upgrade},
		batchrelease.CreateCanary{GenerateName: "web-", Stable: "web", Reason: reason.Initialize},
		batchrelease.PatchReplicaSet{Name: "web-1", MinReadySeconds: 3, Reason: reason.Initialize},
		batchrelease.RetargetAutoscaler{Name: "hpa", From: "a", To: "b", Reason: reason.Initialize},
		batchrelease.LabelPod{Name: "p", Labels: map[string]string{"b": "1", "a": "2"}, Reason: reason.BatchLabel},
	}
	require.Equal(t, strings.TrimSpace(`
Added finalizer f of BatchRelease web (Finalizer)
Removed finalizer f of Deployment web-x (GiveBack)
Patched deployment demo: {"spec":{"replicas":3}} (Upgrade)
Created canary deployment of web (Initialize)
Set minReadySeconds of replica set web-1 to 3 (Initialize)
Retargeted autoscaler hpa from a to b (Initialize)
Labelled pod p: a=2, b=1 (BatchLabel)
held back: TooFewUpdated (1 of 2)`), batchrelease.Plan{Actions: all, Holds: []kplan.Hold{{Reason: reason.TooFewUpdated, Have: 1, Limit: 2}}}.String())
	data, err := json.Marshal(all)
	require.NoError(t, err)
	var back batchrelease.Actions
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, all, back)
	require.Error(t, json.Unmarshal([]byte(`[{"unknown":{}}]`), &back))
	_, err = json.Marshal(batchrelease.Actions{nil})
	require.Error(t, err)
	require.Equal(t, "nothing to do", batchrelease.Plan{}.String())
}
