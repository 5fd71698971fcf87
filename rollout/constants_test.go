package rollout_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

// The keys and numbers that others read and write too.
func TestConstants(t *testing.T) {
	const r = "rollouts.kruise.io/"
	for want, got := range map[string]string{
		r + "in-progressing": rollout.AnnotationInProgress, r + "deployment-strategy": rollout.AnnotationStrategy,
		r + "deployment-extra-status": rollout.AnnotationExtraStatus, r + "original-deployment-strategy": rollout.AnnotationOriginalStrategy,
		"batchrelease.rollouts.kruise.io/control-info": rollout.AnnotationControlInfo, r + "hash": rollout.AnnotationHash,
		r + "rollback-in-batch": rollout.AnnotationRollbackInBatch, r + "rolling-style": rollout.AnnotationRollingStyle,
		r + "trafficrouting": rollout.AnnotationTrafficRouting, r + "rollout-id": rollout.LabelRolloutID, r + "rollout-batch-id": rollout.LabelBatchID,
		r + "no-need-update": rollout.LabelNoNeedUpdate, r + "stable-revision": rollout.LabelStableRevision,
		r + "controlled-by-advanced-deployment-controller": rollout.LabelAdvanced, r + "workload-type": rollout.LabelWorkloadType,
		r + "canary-deployment": rollout.LabelCanaryDeployment, r + "daemonset-revision": rollout.AnnotationDaemonSetRevision,
		r + "daemonset-advanced-control": rollout.AnnotationDaemonSetControl, r + "daemonset-original-update-strategy": rollout.AnnotationDaemonSetStrategy,
		r + "rollout": rollout.FinalizerRollout, r + "batch-release-finalizer": rollout.FinalizerBatchRelease,
		"finalizer.rollouts.kruise.io/batch-release": rollout.FinalizerCanaryDeployment,
	} {
		require.Equal(t, want, got)
	}
	require.Equal(t, []int{2147483646, 2147483647, 32767, 50, 50},
		[]int{rollout.InfiniteMinReady, rollout.InfiniteDeadline, rollout.HoldEverything, rollout.MaxSteps, rollout.MaxRoutedPercent})
	require.Equal(t, "-DisableByRollout", rollout.AutoscalerSuffix)
}

// The text of annotations, member by member.
func TestAnnotations(t *testing.T) {
	limits := &rollout.RollingUpdate{MaxUnavailable: rollout.Percent(25), MaxSurge: rollout.Percent(25)}
	for want, s := range map[string]rollout.DeploymentStrategy{
		`{"rollingStyle":"Partition","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"},"paused":true,"partition":"20%"}`: {
			RollingStyle: rollout.StylePartition, RollingUpdate: limits, Paused: true, Partition: rollout.Percent(20),
		},
		`{"partition":0}`: {},
		`{"partition":5}`: {Partition: rollout.Int(5)},
	} {
		require.Equal(t, want, s.Text())
		back, err := rollout.ParseStrategy(want)
		require.NoError(t, err)
		require.Equal(t, want, back.Text())
	}
	require.Equal(t, `{"updatedReadyReplicas":3,"expectedUpdatedReplicas":3}`, rollout.ExtraStatus{UpdatedReadyReplicas: 3, ExpectedUpdatedReplicas: 3}.Text())
	require.Equal(t, `{}`, rollout.ExtraStatus{}.Text())
	require.Equal(t, rollout.ExtraStatus{}, rollout.ParseExtraStatus(""))
	require.Equal(t, rollout.ExtraStatus{UpdatedReadyReplicas: 3, ExpectedUpdatedReplicas: 4}, rollout.ParseExtraStatus(`{"updatedReadyReplicas":3,"expectedUpdatedReplicas":4}`))
	require.Equal(t, rollout.ExtraStatus{}, rollout.ParseExtraStatus(`{"updatedReadyReplicas":3,"expectedUpdatedReplicas":"4"}`), "nothing of what cannot be read whole")
	original, err := json.Marshal(rollout.OriginalStrategy{MaxSurge: new(rollout.Int(1)), ProgressDeadlineSeconds: new(int32(600))})
	require.NoError(t, err)
	require.Equal(t, `{"maxSurge":1,"progressDeadlineSeconds":600}`, string(original))
	s, err := rollout.ParseStrategy("")
	require.NoError(t, err)
	require.Equal(t, rollout.DeploymentStrategy{}, s)
}

// Text that upstream silently reads as 0 is an error, wherever a manifest
// has it.
func TestMalformedPercentages(t *testing.T) {
	for _, text := range []string{`"50"`, `"abc"`, `"33.3%"`, `" 50%"`, `""`, `"%"`, `"5 0%"`, `1.5`} {
		for _, manifest := range []string{`{"replicas":` + text + `}`, `{"traffic":` + text + `}`} {
			var s rollout.Step
			err := json.Unmarshal([]byte(manifest), &s)
			require.ErrorIs(t, err, rollout.ErrInvalid, manifest)
			var fe *rollout.FieldError
			require.ErrorAs(t, err, &fe)
		}
		_, err := rollout.ParseStrategy(`{"partition":` + text + `}`)
		require.ErrorIs(t, err, rollout.ErrInvalid, text)
		var plan rollout.ReleasePlan
		require.ErrorIs(t, json.Unmarshal([]byte(`{"batches":[{"canaryReplicas":`+text+`}]}`), &plan), rollout.ErrInvalid)
	}
	for text, want := range map[string]int32{`"+50%"`: 5, `"050%"`: 5, `"-50%"`: -5, `12`: 12, `-1`: -1} {
		var v rollout.IntOrPercent
		require.NoError(t, json.Unmarshal([]byte(text), &v))
		require.Equal(t, want, v.OfUp(10), text)
	}
}

// The style of a strategy.
func TestStyles(t *testing.T) {
	extra := &rollout.Strategy{EnableExtraWorkloadForCanary: true}
	for _, c := range []struct {
		why           string
		r             rollout.Rollout
		style         rollout.Style
		realPartition bool
	}{
		{"partition", rollout.Rollout{WorkloadRef: deployment, Canary: &rollout.Strategy{}}, rollout.Partition, true},
		{"canary", rollout.Rollout{WorkloadRef: deployment, Canary: extra}, rollout.Canary, false},
		{"the extra Deployment exists for one of apps/v1 only", rollout.Rollout{WorkloadRef: cloneSet, Canary: extra}, rollout.Canary, true},
		{"a StatefulSet", rollout.Rollout{WorkloadRef: statefulSet, Canary: extra}, rollout.Canary, true},
		{"a Deployment of somebody else", rollout.Rollout{WorkloadRef: rollout.WorkloadRef{APIVersion: "x/v1", Kind: "Deployment"}, Canary: extra}, rollout.Canary, true},
		{"blue-green", rollout.Rollout{WorkloadRef: cloneSet, BlueGreen: &rollout.Strategy{}}, rollout.BlueGreen, false},
		{"blue-green wins", rollout.Rollout{WorkloadRef: deployment, BlueGreen: &rollout.Strategy{}, Canary: extra}, rollout.BlueGreen, false},
	} {
		require.Equal(t, c.style, c.r.Style(), c.why)
		require.Equal(t, c.realPartition, c.r.RealPartition(), c.why)
	}
	require.Nil(t, rollout.Rollout{}.Strategy(), "an empty release")
}
