// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/argo"
)

// counted is a Rollout of 8 pods from v1 to v2, with v0 in between. Each count of each
// ReplicaSet is another power of 2, so that a sum tells what is in it.
func counted(t *testing.T) argo.Snapshot {
	s := between(t, 8, nil, argo.Size{}, argo.Size{}, argo.Size{})
	for i, hash := range []string{"v0", "v1", "v2"} {
		set := &s.Sets[i]
		set.Hash, set.Replicas = hash, 8
		set.AvailableReplicas, set.ReadyReplicas, set.StatusReplicas = 1<<i, 8<<i, 64<<i
	}
	s.Rollout.TemplateHash = "v2"
	s.Rollout.Status = argo.Status{CurrentPodHash: "v2", StableRS: "v1", Replicas: 1000, UpdatedReplicas: 2000, ReadyReplicas: 3000, AvailableReplicas: 4000}
	return s
}

// serving makes the update blue-green, with a Service that leads the traffic to a hash.
func serving(s *argo.Snapshot, active string) {
	s.Rollout.BlueGreen = &argo.BlueGreen{}
	s.Active, s.Preview = &argo.Service{Name: "active", Selector: map[string]string{argo.HashLabel: active}}, &argo.Service{Name: "preview"}
	s.Rollout.Status.ActiveSelector = active
}

// TestWhosePods: each count of the status is that of the ReplicaSets that it is about. All
// pods are there (64+128+256) and ready (8+16+32), or available (1+2+4), those of v2 are
// updated (256), and a blue-green update reports the pods that serve.
func TestWhosePods(t *testing.T) {
	type status struct{ replicas, updated, ready, available int32 }
	all := status{448, 256, 56, 7}
	for _, c := range []struct {
		why    string
		change func(*argo.Snapshot)
		want   status
	}{
		{"a canary", func(*argo.Snapshot) {}, all},
		{"a canary that leads requests", func(s *argo.Snapshot) { s.Rollout.Routing = &argo.Routing{} }, all},
		{"a canary that begins its steps anew", func(s *argo.Snapshot) { s.Rollout.Status.CurrentPodHash = "v1" }, all},
		{"a canary of a template without a ReplicaSet: none is updated", func(s *argo.Snapshot) {
			s.Rollout.TemplateHash, s.Rollout.Status.CurrentPodHash = "v3", "v3"
		}, status{448, 0, 56, 7}},
		{"a canary of another size: the rest is counted in the next pass", func(s *argo.Snapshot) {
			s.Sets[1].DesiredReplicas = ptr.To(int32(9))
		}, status{1000, 2000, 3000, 7}},
		{"a canary whose pause is noted: nothing is counted", func(s *argo.Snapshot) {
			s.Rollout.Status.PauseConditions = []argo.PauseCondition{{Reason: argo.PauseStep, StartTime: now}}
		}, status{1000, 2000, 3000, 4000}},
		{"v1 serves", func(s *argo.Snapshot) { serving(s, "v1") }, status{448, 256, 16, 2}},
		{"v2 serves, and is not stable yet", func(s *argo.Snapshot) {
			serving(s, "v2")
			s.Rollout.BlueGreen.PostPromotionAnalysis = true
		}, status{448, 256, 32, 4}},
		{"v0 serves, after a person has led the traffic there", func(s *argo.Snapshot) { serving(s, "v0") }, status{448, 256, 8, 1}},
		{"nobody knows who serves", func(s *argo.Snapshot) { serving(s, "") }, all},
		{"a ReplicaSet that is gone serves", func(s *argo.Snapshot) { serving(s, "gone") }, all},
		{"v1 serves, and the template is new", func(s *argo.Snapshot) {
			serving(s, "v1")
			s.Rollout.Status.CurrentPodHash = "v0"
		}, status{448, 256, 16, 2}},
		{"v1 serves, and the size is another", func(s *argo.Snapshot) {
			serving(s, "v1")
			s.Sets[1].DesiredReplicas = ptr.To(int32(9))
		}, status{1000, 2000, 3000, 2}},
	} {
		s := counted(t)
		c.change(&s)
		p, err := reconcile(s, now)
		require.NoError(t, err, c.why)
		st := p.Status
		require.Equal(t, c.want, status{st.Replicas, st.UpdatedReplicas, st.ReadyReplicas, st.AvailableReplicas}, c.why)
	}
}

// TestWhoseNames: the status names the template, what was promoted last, and what the
// Services select when the pass is over.
func TestWhoseNames(t *testing.T) {
	type names struct{ current, stable, active, preview string }
	restart := now.Add(-time.Minute)
	for _, c := range []struct {
		why    string
		change func(*argo.Snapshot)
		want   names
	}{
		{"a canary", func(*argo.Snapshot) {}, names{"v2", "v1", "", ""}},
		{"a canary that begins its steps anew", func(s *argo.Snapshot) { s.Rollout.Status.CurrentPodHash = "v0" }, names{"v2", "v1", "", ""}},
		{"a first canary", func(s *argo.Snapshot) { s.Rollout.Status.StableRS = "" }, names{"v2", "v2", "", ""}},
		{"v1 serves, and v2 is previewed", func(s *argo.Snapshot) { serving(s, "v1") }, names{"v2", "v1", "v1", "v2"}},
		{"v1 serves, and v2 is complete", func(s *argo.Snapshot) {
			serving(s, "v1")
			s.Sets[2].AvailableReplicas = 8
		}, names{"v2", "v2", "v2", "v2"}},
		{"v2 serves, and is not stable yet", func(s *argo.Snapshot) {
			serving(s, "v2")
			s.Rollout.BlueGreen.PostPromotionAnalysis = true
		}, names{"v2", "v1", "v2", "v2"}},
		{"v0 serves, without a preview", func(s *argo.Snapshot) {
			serving(s, "v0")
			s.Preview = nil
		}, names{"v2", "v1", "v0", ""}},
	} {
		s := counted(t)
		c.change(&s)
		s.Rollout.RestartAt, s.Rollout.Status.RestartedAt = restart, restart
		p, err := reconcile(s, now)
		require.NoError(t, err, c.why)
		st := p.Status
		require.Equal(t, c.want, names{st.CurrentPodHash, st.StableRS, st.ActiveSelector, st.PreviewSelector}, c.why)
		require.Equal(t, restart, st.RestartedAt, c.why)
	}
}
