// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/argo"
)

// greenUpdate is a blue-green update of 3 pods from v1 to v2, both complete, which waits
// to be promoted.
func greenUpdate(t *testing.T, b argo.BlueGreen) *world {
	w := newWorld(t, 3).green(b)
	w.s.Rollout.TemplateHash = "v2"
	w.s.Rollout.Status = argo.Status{CurrentPodHash: "v2", StableRS: "v1", ActiveSelector: "v1", PreviewSelector: "v2"}
	w.s.Active.Selector = map[string]string{argo.HashLabel: "v1"}
	w.s.Preview.Selector = map[string]string{argo.HashLabel: "v2"}
	for i, hash := range []string{"v1", "v2"} {
		w.s.Sets = append(w.s.Sets, argo.ReplicaSet{
			Hash: hash, Revision: int64(i) + 1, DesiredReplicas: w.s.Rollout.Replicas, Size: argo.Size{Replicas: 3, AvailableReplicas: 3, StatusReplicas: 3},
		})
	}
	return w
}

// What is wanted keeps its pods: the stable ReplicaSet always, the new one until the update
// is given up. Who goes back to what was stable a short while ago does not wait; who tries
// again what was given up does, though its pods were about to go as well.
func TestRemovesDeadlines(t *testing.T) {
	removed := "Removed scale down deadline of replica set v1 (ScaleDownDelay)\nRemoved scale down deadline of replica set v2 (ScaleDownDelay)"
	for _, c := range []struct {
		why   string
		abort bool
		age   time.Duration // of the new ReplicaSet
		until time.Duration
		want  string
	}{
		{"a rollback is promoted at once", false, time.Hour, time.Minute,
			"Set rollouts-pod-template-hash to v2 in the selector of service active (Promotion)\n" + removed},
		{"not if it comes too late", false, time.Hour, -time.Minute, removed},
		{"another try waits for a person", false, 0, time.Minute, removed},
		{"the new one is not wanted any more", true, 0, time.Minute, "Removed scale down deadline of replica set v1 (ScaleDownDelay)"},
	} {
		w := greenUpdate(t, argo.BlueGreen{AutoPromotionEnabled: ptr.To(false)})
		w.s.Rollout.Status.Abort = c.abort
		for i := range w.s.Sets {
			w.s.Sets[i].ScaleDownAt = now.Add(c.until)
		}
		w.s.Sets[0].CreationTimestamp, w.s.Sets[1].CreationTimestamp = now.Add(-time.Minute), now.Add(-c.age)
		p, err := reconcile(w.s, now)
		require.NoError(t, err)
		require.Equal(t, c.want, argo.Plan{Actions: p.Actions}.String(), c.why)
	}
}

// A rollback to what was stable a short while ago is not analyzed.
func TestRollbackIsNotAnalyzed(t *testing.T) {
	w := greenUpdate(t, argo.BlueGreen{PostPromotionAnalysis: true})
	w.s.Rollout.Status.ActiveSelector = "v2"
	w.s.Active.Selector = map[string]string{argo.HashLabel: "v2"}
	w.s.Rollout.Status.Runs.PostPromotion.Phase = argo.RunFailed
	w.s.Sets[0].CreationTimestamp, w.s.Sets[1].ScaleDownAt = now.Add(-time.Minute), now.Add(time.Minute)
	p, err := reconcile(w.s, now)
	require.NoError(t, err)
	require.Equal(t, "v2", p.Status.StableRS)
	require.False(t, p.Status.Abort)
}

// A new size reaches the stable ReplicaSet although the new one does not exist.
func TestScalesWithoutNew(t *testing.T) {
	w := greenUpdate(t, argo.BlueGreen{})
	w.s.Sets, w.s.Rollout.Replicas = w.s.Sets[:1], ptr.To(int32(5))
	p, err := reconcile(w.s, now)
	require.NoError(t, err)
	require.Equal(t, "Scaled up replica set v1 from 3 to 5 (Stable)", p.String())
}

// So many old ReplicaSets begin to wait as the limit says, the newest ones.
func TestScaleDownLimits(t *testing.T) {
	for limit, want := range []string{
		"Scaled down replica set v1 from 3 to 0 (ScaleDownDelay)\nScaled down replica set v2 from 3 to 0 (ScaleDownDelay)",
		"Scaled down replica set v1 from 3 to 0 (ScaleDownDelay)\nSet scale down deadline of replica set v2 to 2026-03-01T12:00:30Z (ScaleDownDelay)",
		"Set scale down deadline of replica set v1 to 2026-03-01T12:00:30Z (ScaleDownDelay)\nSet scale down deadline of replica set v2 to 2026-03-01T12:00:30Z (ScaleDownDelay)",
	} {
		w := greenUpdate(t, argo.BlueGreen{ScaleDownDelayRevisionLimit: ptr.To(int32(limit))})
		w.s.Sets = append(w.s.Sets, w.s.Sets[0])
		w.s.Sets[2].Hash = "v3"
		w.s.Rollout.TemplateHash = "v3"
		w.s.Rollout.Status = argo.Status{CurrentPodHash: "v3", StableRS: "v3", ActiveSelector: "v3", PreviewSelector: "v3"}
		w.s.Active.Selector = map[string]string{argo.HashLabel: "v3"}
		w.s.Preview.Selector = w.s.Active.Selector
		p, err := reconcile(w.s, now)
		require.NoError(t, err)
		require.Equal(t, want, strings.TrimSpace(p.String()), "limit %d", limit)
	}
}

// A pause that time ends is over before the promotion, for which the preview has to grow
// first.
func TestPauseEndsBeforePromotion(t *testing.T) {
	w := newWorld(t, 3).green(argo.BlueGreen{AutoPromotionSeconds: 60, PreviewReplicaCount: ptr.To(int32(1))})
	w.run(false)
	w.s.Rollout.TemplateHash = "v2"
	for len(w.s.Rollout.Status.PauseConditions) == 0 {
		require.True(t, w.pass())
	}
	w.pass() // notes the pause
	w.clock = w.clock.Add(60*time.Second + 1)
	w.pass()
	require.Empty(t, w.s.Rollout.Status.PauseConditions)
	require.Equal(t, "v1=3 v2=1", w.sizes())
	require.True(t, w.s.Rollout.Status.ScaleUpPreviewCheckPoint)
	w.run(false)
	require.Equal(t, "v2=3", w.sizes())
}

// Time alone promotes nothing that waits for a person, not even if the clock of the one
// who noted the pause is ahead.
func TestPauseWithoutEnd(t *testing.T) {
	w := newWorld(t, 3).green(argo.BlueGreen{AutoPromotionEnabled: ptr.To(false)})
	w.run(false)
	w.s.Rollout.TemplateHash = "v2"
	for len(w.s.Rollout.Status.PauseConditions) == 0 {
		require.True(t, w.pass())
	}
	w.pass() // notes the pause
	p, err := reconcile(w.s, w.clock.Add(-time.Minute))
	require.NoError(t, err)
	require.Zero(t, p.RecheckAt)
}

// Another size of the Rollout is followed while the new ReplicaSet is missing, whatever
// analyses there are.
func TestResizedBeforeCreated(t *testing.T) {
	w := newWorld(t, 3).green(argo.BlueGreen{PostPromotionAnalysis: true})
	w.run(false)
	w.s.Rollout.TemplateHash, w.s.Rollout.Replicas = "v2", ptr.To(int32(4))
	w.pass()
	require.Equal(t, "v1=4", w.sizes())
}
