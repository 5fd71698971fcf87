// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// tracker returns a Tracker of a snapshot.
func tracker(t testing.TB, s *deploy.Snapshot) *deploy.Tracker {
	var tr deploy.Tracker
	require.NoError(t, tr.Apply(deploy.Delta{Deployment: &s.Deployment}))
	for i := range s.ReplicaSets {
		require.NoError(t, tr.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{New: &s.ReplicaSets[i]}}))
	}
	for i := range s.Pods {
		require.NoError(t, tr.Apply(deploy.Delta{Pod: replicaset.PodEvent{New: &s.Pods[i]}}))
	}
	return &tr
}

// The zero Tracker is the zero Snapshot.
func TestTrackerZero(t *testing.T) {
	var tr deploy.Tracker
	require.Equal(t, deploy.Snapshot{}, tr.Snapshot())
	_, want := deploy.Reconcile(deploy.Snapshot{}, t0, deploy.Options{})
	_, err := tr.Plan(t0, deploy.Options{})
	require.Equal(t, want, err)
	require.NoError(t, tr.Apply(deploy.Delta{}))
}

func TestTrackerJSON(t *testing.T) {
	s := busy(3, 4)
	tr := tracker(t, &s)
	text, err := json.Marshal(tr)
	require.NoError(t, err)
	want, err := json.Marshal(s)
	require.NoError(t, err)
	require.Equal(t, string(want), string(text))
	var again deploy.Tracker
	require.NoError(t, json.Unmarshal(text, &again))
	for text, wrong := range map[string]string{
		`{"replicaSets":[{"name":"a"},{"name":"a"}]}`: `ReplicaSets["a"].Name: "a": must be unique`,
		`{"pods":[{"name":"a"},{"name":"a"}]}`:        `Pods["a"].Name: "a": must be unique`,
		`{"pods":[{"name":""}]}`:                      `Pods[""].Name: "": must be set`,
		`[]`:                                          "cannot unmarshal array",
	} {
		require.ErrorContains(t, json.Unmarshal([]byte(text), &again), wrong)
		require.Equal(t, tr.Snapshot(), again.Snapshot(), "it stays as it was")
	}
}

// TestTrackerRefusesAll: if one part of a change is refused, nothing of it is taken.
func TestTrackerRefusesAll(t *testing.T) {
	s := busy(3, 4)
	tr := tracker(t, &s)
	d, stranger := web(9), podorder.Pod{Name: "x"}
	require.Error(t, tr.Apply(deploy.Delta{
		Deployment: &d, ReplicaSet: deploy.ReplicaSetEvent{Old: &s.ReplicaSets[0]}, Pod: replicaset.PodEvent{Old: &stranger, New: &stranger},
	}))
	require.Equal(t, s, tr.Snapshot())
}

// busy is a Deployment in the middle of a Recreate whose last old pods are ending, among so many
// ReplicaSets of others, and with so many pods.
func busy(others, pods int) deploy.Snapshot {
	s := snapshot(web(int32(pods), recreate), set(1, 0), set(2, 0))
	s.ReplicaSets[0].Status.Replicas = 0
	for i := range others {
		s.ReplicaSets = append(s.ReplicaSets, replicaset.ReplicaSet{Name: fmt.Sprint("x", i), UID: fmt.Sprint("x", i), ControllerUID: "x"})
	}
	for i := range pods {
		s.Pods = append(s.Pods, podorder.Pod{Name: fmt.Sprint("p", i), UID: fmt.Sprint("p", i), ControllerUID: "v1", Phase: podorder.Running})
	}
	return s
}

// happen makes a pod end, or start again, and plans.
func happen(tr *deploy.Tracker, pods []podorder.Pod, i int) (deploy.Plan, error) {
	old := &pods[i%len(pods)]
	p := *old
	if i/len(pods)%2 == 0 {
		p.Phase = podorder.Succeeded
	}
	if err := tr.Apply(deploy.Delta{Pod: replicaset.PodEvent{Old: old, New: &p}}); err != nil {
		return deploy.Plan{}, err
	}
	return tr.Plan(t0, deploy.Options{})
}

// TestTrackerAllocates: a change and a plan cost the same number of allocations however many
// ReplicaSets and pods there are.
func TestTrackerAllocates(t *testing.T) {
	allocations := func(n int) float64 {
		s := busy(n, n)
		tr, i := tracker(t, &s), 0
		return testing.AllocsPerRun(n/2, func() {
			p, err := happen(tr, s.Pods, i)
			require.NoError(t, err)
			require.True(t, p.Empty())
			i++
		})
	}
	few, many := allocations(20), allocations(20_000)
	require.Equal(t, few, many)
}

// TestTrackerMemory: beside the objects, a Tracker takes at most 64 bytes for each.
func TestTrackerMemory(t *testing.T) {
	const n = 100_000
	s := busy(n, n)
	before := trackedtest.InUse()
	tr := tracker(t, &s)
	each := (trackedtest.InUse() - before) / (2 * n)
	t.Logf("%.1f bytes each", each)
	require.LessOrEqual(t, each, 64.0)
	runtime.KeepAlive(s)
	runtime.KeepAlive(tr)
}

// An event, and the plan after it: of all ReplicaSets and pods anew, and of the one.
func BenchmarkTracker(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("batch/pods=%d", n), func(b *testing.B) {
			s := busy(n/10, n)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := deploy.Reconcile(s, t0, deploy.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("incremental/pods=%d", n), func(b *testing.B) {
			s := busy(n/10, n)
			tr := tracker(b, &s)
			b.ReportAllocs()
			trackedtest.Latency(b, func(i int) error {
				_, err := happen(tr, s.Pods, i)
				return err
			})
		})
	}
}

// TestTrackerPass: a name that was taken when the plan was made is free by now, and the new ReplicaSet
// is seen already. The pass ends as its snapshot says.
func TestTrackerPass(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	one, deadline := int32(1), int32(600)
	d := deploy.Deployment{Name: "web", UID: "d", Replicas: &one, ProgressDeadlineSeconds: &deadline, Template: revision.Template{ID: "v2", Hash: "h2"}}
	d.Status.Conditions = []kplan.Condition{{
		Type: deploy.ConditionProgressing, Status: "True", Reason: "ReplicaSetUpdated", LastUpdateTime: now.Add(-time.Hour), LastTransitionTime: now.Add(-time.Hour),
	}}
	stranger := replicaset.ReplicaSet{Name: "web-h2", UID: "x", ControllerUID: "other"}
	made := replicaset.ReplicaSet{Name: "web-h2", UID: "y", ControllerUID: "d", Template: d.Template}
	opts := deploy.Options{Repair: quirk.ReusedSetKeepsDeadline}
	var tr deploy.Tracker
	require.NoError(t, tr.Apply(deploy.Delta{Deployment: &d, ReplicaSet: deploy.ReplicaSetEvent{New: &stranger}}))
	before := tr.Snapshot()
	p, err := tr.Pass(now, opts)
	require.NoError(t, err)
	require.NoError(t, tr.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{Old: &stranger}}))
	require.NoError(t, tr.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{New: &made}}))
	r := deploy.Report{Outcomes: make([]kplan.Outcome, len(p.Plan.Actions))}
	for i := range r.Outcomes {
		r.Outcomes[i].Answer = kplan.Done
	}
	require.Equal(t, deploy.FinishPlan(before, p.Plan, r, now, opts), p.Finish(r))
}
