// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// The keys and numbers that others read and write too.
func TestConstants(t *testing.T) {
	const r = "rollouts.kruise.io/"
	for want, got := range map[string]string{
		r + "in-progressing": workload.AnnotationInProgress, r + "deployment-strategy": partition.AnnotationStrategy,
		r + "deployment-extra-status": partition.AnnotationExtraStatus, r + "original-deployment-strategy": workload.AnnotationOriginalStrategy,
		"batchrelease.rollouts.kruise.io/control-info": partition.AnnotationControlInfo, r + "hash": workload.AnnotationHash,
		r + "rollback-in-batch": workload.AnnotationRollbackInBatch, r + "rolling-style": workload.AnnotationRollingStyle,
		r + "trafficrouting": workload.AnnotationTrafficRouting, r + "rollout-id": workload.LabelRolloutID, r + "rollout-batch-id": workload.LabelBatchID,
		r + "no-need-update": workload.LabelNoNeedUpdate, r + "stable-revision": workload.LabelStableRevision,
		r + "controlled-by-advanced-deployment-controller": workload.LabelAdvanced, r + "workload-type": workload.LabelWorkloadType,
		r + "canary-deployment": workload.LabelCanaryDeployment, r + "daemonset-revision": workload.AnnotationDaemonSetRevision,
		r + "daemonset-advanced-control": workload.AnnotationDaemonSetControl, r + "daemonset-original-update-strategy": workload.AnnotationDaemonSetStrategy,
		r + "rollout": workload.FinalizerRollout, r + "batch-release-finalizer": workload.FinalizerBatchRelease,
		"finalizer.rollouts.kruise.io/batch-release": workload.FinalizerCanaryDeployment,
	} {
		require.Equal(t, want, got)
	}
	require.Equal(t, []int{2147483646, 2147483647, 32767},
		[]int{workload.InfiniteMinReady, workload.InfiniteDeadline, workload.HoldEverything})
	require.Equal(t, "-DisableByRollout", batchrelease.AutoscalerSuffix)
}

// The text of annotations, member by member.
func TestAnnotations(t *testing.T) {
	limits := &partition.RollingUpdate{MaxUnavailable: rollout.Percent(25), MaxSurge: rollout.Percent(25)}
	for want, s := range map[string]partition.Strategy{
		`{"rollingStyle":"Partition","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"},"paused":true,"partition":"20%"}`: {
			RollingStyle: partition.Style, RollingUpdate: limits, Paused: true, Partition: rollout.Percent(20),
		},
		`{"partition":0}`: {},
		`{"partition":5}`: {Partition: rollout.Int(5)},
	} {
		require.Equal(t, want, s.Text())
		back, err := partition.ParseStrategy(want)
		require.NoError(t, err)
		require.Equal(t, want, back.Text())
	}
	require.Equal(t, `{"updatedReadyReplicas":3,"expectedUpdatedReplicas":3}`, partition.ExtraStatus{UpdatedReadyReplicas: 3, ExpectedUpdatedReplicas: 3}.Text())
	require.Equal(t, `{}`, partition.ExtraStatus{}.Text())
	require.Equal(t, partition.ExtraStatus{}, partition.ParseExtraStatus(""))
	require.Equal(t, partition.ExtraStatus{UpdatedReadyReplicas: 3, ExpectedUpdatedReplicas: 4}, partition.ParseExtraStatus(`{"updatedReadyReplicas":3,"expectedUpdatedReplicas":4}`))
	require.Equal(t, partition.ExtraStatus{}, partition.ParseExtraStatus(`{"updatedReadyReplicas":3,"expectedUpdatedReplicas":"4"}`), "nothing of what cannot be read whole")
	original, err := json.Marshal(workload.OriginalStrategy{MaxSurge: ptr.To(rollout.Int(1)), ProgressDeadlineSeconds: ptr.To(int32(600))})
	require.NoError(t, err)
	require.Equal(t, `{"maxSurge":1,"progressDeadlineSeconds":600}`, string(original))
	s, err := partition.ParseStrategy("")
	require.NoError(t, err)
	require.Equal(t, partition.Strategy{}, s)
}

// Text that upstream silently reads as 0 is an error, wherever a manifest
// has it.
func TestMalformedPercentages(t *testing.T) {
	for _, text := range []string{`"50"`, `"abc"`, `"33.3%"`, `" 50%"`, `""`, `"%"`, `"5 0%"`, `1.5`} {
		for _, manifest := range []string{`{"replicas":` + text + `}`, `{"traffic":` + text + `}`} {
			var s kruise.Step
			err := json.Unmarshal([]byte(manifest), &s)
			require.ErrorIs(t, err, kplan.ErrInvalid, manifest)
			var fe *kplan.FieldError
			require.ErrorAs(t, err, &fe)
		}
		_, err := partition.ParseStrategy(`{"partition":` + text + `}`)
		require.ErrorIs(t, err, kplan.ErrInvalid, text)
		var plan batchrelease.ReleasePlan
		require.ErrorIs(t, json.Unmarshal([]byte(`{"batches":[{"canaryReplicas":`+text+`}]}`), &plan), kplan.ErrInvalid)
	}
	for text, want := range map[string]int32{`"+50%"`: 5, `"050%"`: 5, `"-50%"`: -5, `12`: 12, `-1`: -1} {
		var v rollout.IntOrPercent
		require.NoError(t, json.Unmarshal([]byte(text), &v))
		require.Equal(t, want, v.OfUp(10), text)
	}
}

// The style of a strategy.
func TestStyles(t *testing.T) {
	extra := &kruise.Strategy{EnableExtraWorkloadForCanary: true}
	for _, c := range []struct {
		why           string
		r             kruise.Rollout
		style         workload.Style
		realPartition bool
	}{
		{"partition", kruise.Rollout{WorkloadRef: deployment, Canary: &kruise.Strategy{}}, workload.Partition, true},
		{"canary", kruise.Rollout{WorkloadRef: deployment, Canary: extra}, workload.Canary, false},
		{"the extra Deployment exists for one of apps/v1 only", kruise.Rollout{WorkloadRef: cloneSet, Canary: extra}, workload.Canary, true},
		{"a StatefulSet", kruise.Rollout{WorkloadRef: statefulSet, Canary: extra}, workload.Canary, true},
		{"a Deployment of somebody else", kruise.Rollout{WorkloadRef: workload.Ref{APIVersion: "x/v1", Kind: "Deployment"}, Canary: extra}, workload.Canary, true},
		{"blue-green", kruise.Rollout{WorkloadRef: cloneSet, BlueGreen: &kruise.Strategy{}}, workload.BlueGreen, false},
		{"blue-green wins", kruise.Rollout{WorkloadRef: deployment, BlueGreen: &kruise.Strategy{}, Canary: extra}, workload.BlueGreen, false},
	} {
		require.Equal(t, c.style, c.r.Style(), c.why)
		require.Equal(t, c.realPartition, c.r.RealPartition(), c.why)
	}
	require.Nil(t, kruise.Rollout{}.Strategy(), "an empty release")
}
