// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// populate gives each ReplicaSet its pods, available and created now. Those that are
// being deleted have ended.
func (w *world) populate() {
	w.s.Pods = slices.DeleteFunc(slices.Clone(w.s.Pods), func(p argo.Pod) bool { return p.Deleting })
	for _, set := range w.s.Sets {
		for i := range set.Replicas {
			name := fmt.Sprintf("%s-%d", set.Hash, i)
			if !slices.ContainsFunc(w.s.Pods, func(p argo.Pod) bool { return p.Name == name }) {
				w.s.Pods = append(w.s.Pods, argo.Pod{Name: name, CreationTimestamp: w.clock, Available: true})
			}
		}
	}
}

func (w *world) evicted() (names []string) {
	for _, a := range w.plan.Actions {
		if e, ok := a.(argo.EvictPod); ok {
			names = append(names, e.Name)
		}
	}
	return names
}

// A restart takes as many pods as may be unavailable in each pass, of a canary in the middle
// of its update as well, and ends when none is older.
func TestRestart(t *testing.T) {
	w := newWorld(t, 4, weight(50), pause(-1))
	w.s.Rollout.MaxSurge, w.s.Rollout.MaxUnavailable = rollout.Int(0), rollout.Int(2)
	w.run(false)
	w.s.Rollout.TemplateHash = "v2"
	w.run(false)
	require.Equal(t, "v1=2 v2=2", w.sizes())
	w.populate()
	w.s.Rollout.RestartAt = w.clock.Add(time.Hour)
	w.pass()
	require.Empty(t, w.plan.Actions)
	require.Equal(t, w.s.Rollout.RestartAt.Add(1), w.plan.RecheckAt)
	w.clock = w.plan.RecheckAt
	before := w.s.Rollout.Status
	w.pass()
	require.Equal(t, []string{"v1-0", "v1-1"}, w.evicted())
	require.Len(t, w.plan.Actions, 2)
	require.Equal(t, before, w.s.Rollout.Status)
	require.Equal(t, []kplan.Hold{{Reason: reason.Restart, Have: 0, Limit: 4}}, w.plan.Holds)
	require.Equal(t, w.clock.Add(30*time.Second), w.plan.RecheckAt)
	w.pass()
	require.Empty(t, w.evicted(), "two are unavailable")
	w.populate()
	w.pass()
	require.Equal(t, []string{"v2-0", "v2-1"}, w.evicted())
	require.True(t, w.s.Rollout.Status.RestartedAt.IsZero(), "they are still there")
	w.populate()
	w.pass()
	require.Empty(t, w.evicted())
	require.Equal(t, w.s.Rollout.RestartAt, w.s.Rollout.Status.RestartedAt)
	w.clock = w.clock.Add(time.Hour)
	require.False(t, w.pass())
	w.s.Rollout.Status.PauseConditions = nil
	w.run(false)
	require.Equal(t, "v2=4", w.sizes())
}

// One pod may be restarted at least, if all are there; none while another one is missing,
// or while a ReplicaSet has more than the Rollout wants.
func TestRestartOne(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(w *world)
		want   []string
	}{
		{"one", func(*world) {}, []string{"v1-0"}},
		{"one is not available", func(w *world) { w.s.Pods[3].Available = false }, nil},
		{"one is being deleted already", func(w *world) { w.s.Pods[3].Deleting = true }, nil},
		{"what is being deleted is not evicted again", func(w *world) {
			w.s.Pods[0].Deleting, w.s.Rollout.MaxUnavailable = true, rollout.Int(2)
		}, []string{"v1-1"}},
		{"not yet", func(w *world) { w.s.Rollout.RestartAt = w.clock }, nil},
		{"a ReplicaSet wants more", func(w *world) { w.s.Sets[0].Replicas++ }, nil},
		{"the others are newer", func(w *world) {
			for i := range w.s.Pods[:3] {
				w.s.Pods[i].CreationTimestamp = w.s.Rollout.RestartAt
			}
		}, []string{"v1-3"}},
		{"all is done", func(w *world) { w.s.Rollout.Status.RestartedAt = w.s.Rollout.RestartAt }, nil},
	} {
		w := newWorld(t, 4, weight(50))
		w.s.Rollout.MaxUnavailable = rollout.Int(0)
		w.run(false)
		w.populate()
		w.s.Rollout.RestartAt, w.clock = w.clock.Add(time.Second), w.clock.Add(time.Minute)
		c.change(w)
		slices.Reverse(w.s.Pods)
		w.pass()
		require.Equal(t, c.want, w.evicted(), c.why)
	}
}

// A blue-green update goes on while it restarts pods, and has its own maxUnavailable.
func TestRestartBlueGreen(t *testing.T) {
	w := newWorld(t, 8).green(argo.BlueGreen{})
	w.run(false)
	w.populate()
	w.s.Rollout.RestartAt, w.clock = w.clock.Add(time.Second), w.clock.Add(time.Minute)
	w.s.Rollout.Replicas = ptr.To(int32(8))
	w.s.Sets[0].ScaleDownAt = w.clock.Add(time.Minute)
	w.pass()
	require.Equal(t, []string{"v1-0", "v1-1"}, w.evicted(), "a quarter, if it is not said")
	require.Len(t, w.plan.Actions, 3, "it goes on")
	w.s.Rollout.MaxUnavailable = rollout.Percent(60)
	w.populate()
	w.pass()
	require.Equal(t, []string{"v1-2", "v1-3", "v1-4", "v1-5"}, w.evicted())
	w.populate()
	w.pass()
	require.Equal(t, []string{"v1-6", "v1-7"}, w.evicted())
	require.Equal(t, w.s.Rollout.RestartAt, w.s.Rollout.Status.RestartedAt, "as upstream, when the last ones are evicted")
}

// A new template restarts all pods itself.
func TestRestartByUpdate(t *testing.T) {
	w := newWorld(t, 4, weight(50))
	w.run(false)
	w.populate()
	w.s.Rollout.TemplateHash, w.s.Rollout.RestartAt, w.clock = "v2", w.clock.Add(time.Second), w.clock.Add(time.Minute)
	w.pass()
	require.Empty(t, w.plan.Actions)
	require.Equal(t, w.s.Rollout.RestartAt, w.s.Rollout.Status.RestartedAt)
}
