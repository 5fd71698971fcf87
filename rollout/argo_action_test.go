package rollout_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

func TestArgoActions(t *testing.T) {
	all := rollout.ArgoActions{
		rollout.CreateReplicaSet{Name: "web-v2", Hash: "v2", Revision: 2, Replicas: 1, Desired: 4, Reason: rollout.ReasonNewTemplate},
		rollout.ScaleReplicaSet{Hash: "v2", From: 1, To: 2, Desired: 4, Reason: rollout.ReasonWeight},
		rollout.ScaleReplicaSet{Hash: "v1", From: 4, To: 3, Desired: 4, Reason: rollout.ReasonWeight},
		rollout.ScaleReplicaSet{Hash: "v1", From: 4, To: 4, Desired: 4, Reason: rollout.ReasonStable},
		rollout.DelayReplicaSet{Hash: "v1", Until: now, Reason: rollout.ReasonScaleDownDelay},
		rollout.DelayReplicaSet{Hash: "v1", Reason: rollout.ReasonScaleDownDelay},
		rollout.ArgoSelectPods{Service: "active", Key: rollout.ArgoHashLabel, Value: "v2", Reason: rollout.ReasonPromotion},
	}
	require.Equal(t, strings.TrimSpace(`
Created replica set v2 with 1 (NewTemplate)
Scaled up replica set v2 from 1 to 2 (Weight)
Scaled down replica set v1 from 4 to 3 (Weight)
Noted size 4 at replica set v1 (Stable)
Set scale down deadline of replica set v1 to 2026-01-02T03:04:05Z (ScaleDownDelay)
Removed scale down deadline of replica set v1 (ScaleDownDelay)
Set rollouts-pod-template-hash to v2 in the selector of service active (Promotion)
held back: BatchNotReady (1 of 2)`), rollout.ArgoPlan{Actions: all, Holds: []rollout.ArgoHold{{Reason: rollout.ArgoReasonBatchNotReady, Have: 1, Limit: 2}}}.String())
	data, err := json.Marshal(all)
	require.NoError(t, err)
	var back rollout.ArgoActions
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, all, back)
	require.Error(t, json.Unmarshal([]byte(`[{"unknown":{}}]`), &back))
	_, err = json.Marshal(rollout.ArgoActions{nil})
	require.Error(t, err)
	require.Equal(t, "nothing to do", rollout.ArgoPlan{}.String())
}
