package rollout_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

func TestBatchActions(t *testing.T) {
	all := rollout.BatchActions{
		rollout.BatchSetFinalizer{Kind: "BatchRelease", Name: "web", Finalizer: "f", Reason: rollout.BatchReasonFinalizer},
		rollout.BatchSetFinalizer{Kind: "Deployment", Name: "web-x", Finalizer: "f", Remove: true, Reason: rollout.BatchReasonGiveBack},
		rollout.BatchPatchWorkload{Workload: deployment, Patch: rollout.WorkloadPatch{Replicas: new(int32(3))}, Reason: rollout.ReasonUpgrade},
		rollout.CreateCanary{GenerateName: "web-", Stable: "web", Reason: rollout.ReasonInitialize},
		rollout.PatchReplicaSet{Name: "web-1", MinReadySeconds: 3, Reason: rollout.ReasonInitialize},
		rollout.RetargetAutoscaler{Name: "hpa", From: "a", To: "b", Reason: rollout.ReasonInitialize},
		rollout.LabelPod{Name: "p", Labels: map[string]string{"b": "1", "a": "2"}, Reason: rollout.ReasonBatchLabel},
	}
	require.Equal(t, strings.TrimSpace(`
Added finalizer f of BatchRelease web (Finalizer)
Removed finalizer f of Deployment web-x (GiveBack)
Patched deployment demo: {"spec":{"replicas":3}} (Upgrade)
Created canary deployment of web (Initialize)
Set minReadySeconds of replica set web-1 to 3 (Initialize)
Retargeted autoscaler hpa from a to b (Initialize)
Labelled pod p: a=2, b=1 (BatchLabel)
held back: TooFewUpdated (1 of 2)`), rollout.BatchPlan{Actions: all, Holds: []rollout.BatchHold{{Reason: rollout.BatchReasonTooFewUpdated, Have: 1, Limit: 2}}}.String())
	data, err := json.Marshal(all)
	require.NoError(t, err)
	var back rollout.BatchActions
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, all, back)
	require.Error(t, json.Unmarshal([]byte(`[{"unknown":{}}]`), &back))
	_, err = json.Marshal(rollout.BatchActions{nil})
	require.Error(t, err)
	require.Equal(t, "nothing to do", rollout.BatchPlan{}.String())
}
