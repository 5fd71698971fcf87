// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// Pause points tell pods apart by name and UID: of two pods that are equal in both and of which
// one has a point, the order of the list would decide whether the rollout pauses.
func TestPausePointPodsAreUnique(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(s *deploy.Snapshot)
		want   string
	}{
		{"no change", func(*deploy.Snapshot) {}, ""},
		{"one name and one UID", func(s *deploy.Snapshot) { s.Pods[3].Name, s.Pods[3].UID = "p2", "uid-p2" },
			"Pods[\"p2\"].Name: \"p2\": must be unique\nPods[\"p2\"].UID: \"uid-p2\": must be unique"},
		{"one name", func(s *deploy.Snapshot) { s.Pods[3].Name = "p2" }, `Pods["p2"].Name: "p2": must be unique`},
		{"one UID, of pods of two ReplicaSets", func(s *deploy.Snapshot) { s.Pods[3].UID, s.Pods[3].ControllerUID = "uid-p2", "v2" },
			`Pods["p2"].UID: "uid-p2": must be unique`},
		{"no name", func(s *deploy.Snapshot) { s.Pods[3].Name = "" }, `Pods[""].Name: "": must be set`},
		{"no UIDs", func(s *deploy.Snapshot) { s.Pods[3].UID, s.Pods[1].UID = "", "" }, ""},
		{"pods of others are not read", func(s *deploy.Snapshot) { s.Pods[3] = podorder.Pod{Name: "p2", UID: "uid-p2", ControllerUID: "x"} }, ""},
		{"together with other errors", func(s *deploy.Snapshot) { s.Pods[3].Name, s.Deployment.Name = "p2", "" },
			"Deployment.Name: \"\": must be set\nPods[\"p2\"].Name: \"p2\": must be unique"},
	} {
		s := stops(map[string]string{"p2": "before"})
		c.change(&s)
		_, err := deploy.Reconcile(s, t0, withPoints)
		_, same := deploy.OldPodsRunning(s, t0, withPoints)
		require.Equal(t, err, same, c.why)
		if c.want == "" {
			require.NoError(t, err, c.why)
			continue
		}
		require.ErrorIs(t, err, kplan.ErrInvalid, c.why)
		require.EqualError(t, err, c.want, c.why)
	}
}

// Where pause points read no pods, equal pods do not matter.
func TestEqualPodsWithoutPausePoints(t *testing.T) {
	s := stops(map[string]string{"p2": "before"})
	s.Pods[3] = s.Pods[1]
	reconcile(t, s)
	s.Deployment.Strategy = deploy.Recreate
	reconcileWith(t, s, withPoints)
	s.Deployment.Strategy = deploy.RollingUpdate
	s.ReplicaSets[0].Replicas = new(int32)
	reconcileWith(t, s, withPoints)
}

// A Tracker makes names unique, but not UIDs.
func TestTrackerRefusesPodsOfOneUID(t *testing.T) {
	s := stops(map[string]string{"p2": "before"})
	s.Pods[3].UID = s.Pods[1].UID
	var tracker deploy.Tracker
	require.NoError(t, tracker.Apply(deploy.Delta{Deployment: &s.Deployment}))
	for i := range s.ReplicaSets {
		require.NoError(t, tracker.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{New: &s.ReplicaSets[i]}}))
	}
	for i := range s.Pods {
		require.NoError(t, tracker.Apply(deploy.Delta{Pod: replicaset.PodEvent{New: &s.Pods[i]}}))
	}
	_, err := tracker.Plan(t0, withPoints)
	require.EqualError(t, err, `Pods["p2"].UID: "uid-p2": must be unique`)
}
