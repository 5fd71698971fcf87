// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

// leastSnapshot is a canary at the first of two steps.
func leastSnapshot() argo.Snapshot {
	return argo.Snapshot{
		Rollout: argo.Rollout{
			Generation: 2, TemplateHash: "v2", StepHash: "steps", Replicas: ptr.To(int32(6)), MaxSurge: rollout.Int(3),
			Steps:  []argo.Step{{SetWeight: ptr.To(int32(50))}, {Pause: &argo.Pause{}}},
			Status: argo.Status{CurrentPodHash: "v2", CurrentStepHash: "steps", StableRS: "v1", CurrentStepIndex: ptr.To(int32(0))},
		},
		Sets: []argo.ReplicaSet{leastSet("v1", 1, 6), leastSet("v2", 2, 1)},
	}
}

func leastSet(hash string, revision int64, n int32) argo.ReplicaSet {
	return argo.ReplicaSet{Hash: hash, Revision: revision, Size: argo.Size{Replicas: n, AvailableReplicas: n, StatusReplicas: n}, ReadyReplicas: n}
}

// TestLeastSnapshot leaves out each field of the table in the comment of Snapshot: without
// it there is the error, or the plan is another one.
func TestLeastSnapshot(t *testing.T) {
	purity.Least(t, "snapshot.go", leastSnapshot, []purity.Row[argo.Snapshot]{
		{Field: "now", Err: "now: 0001-01-01 00:00:00 +0000 UTC: must be set"},
		{
			Field: "Rollout.TemplateHash", Leave: func(s *argo.Snapshot) { s.Rollout.TemplateHash = "" },
			Err: `Rollout.TemplateHash: "": must be set`,
		},
		{
			Field: "Active", Edit: func(s *argo.Snapshot) { s.Rollout.BlueGreen, s.Active = &argo.BlueGreen{}, &argo.Service{Name: "web"} },
			Leave: func(s *argo.Snapshot) { s.Active = nil }, Err: "Active: <nil>: must be set for a blue-green update",
		},
		{
			Field: "Rollout.Replicas", Leave: func(s *argo.Snapshot) { s.Rollout.Replicas = nil },
			With: "v1 from 6 to 4", Less: "v1 from 6 to 1",
		},
		{
			Field: "Rollout.Steps", Leave: func(s *argo.Snapshot) { s.Rollout.Steps = nil },
			With: "BatchNotReady (1 of 3)", Less: "BatchNotReady (1 of 6)",
		},
		{Field: "Rollout.StepHash", Leave: func(s *argo.Snapshot) { s.Rollout.StepHash = "" }, With: "v1 from 6 to 4", Less: "nothing to do"},
		{
			Field: "Rollout.MaxSurge", Edit: func(s *argo.Snapshot) { s.Rollout.MaxUnavailable, s.Sets[1] = rollout.Int(0), leastSet("v2", 2, 0) },
			Leave: func(s *argo.Snapshot) { s.Rollout.MaxSurge = rollout.IntOrPercent{} },
			With:  "v2 from 0 to 3", Less: "v2 from 0 to 2",
		},
		{
			Field: "Rollout.Status.StableRS", Leave: func(s *argo.Snapshot) { s.Rollout.Status.StableRS = "" },
			With: "v1 from 6 to 4", Less: "v2 from 1 to 3",
		},
		{
			Field: "Rollout.Status.CurrentStepIndex", Edit: func(s *argo.Snapshot) { s.Rollout.Status.CurrentStepIndex = ptr.To(int32(1)) },
			Leave: func(s *argo.Snapshot) { s.Rollout.Status.CurrentStepIndex = nil },
			With:  "Approval", Less: "BatchNotReady",
		},
		{
			Field: "Sets[].Hash", Leave: func(s *argo.Snapshot) { s.Sets[1].Hash = "" },
			With: "v1 from 6 to 4", Less: "Created replica set v2",
		},
		{
			Field: "Sets[].Replicas", Leave: func(s *argo.Snapshot) { s.Sets[1].Replicas = 0 },
			With: "v1 from 6 to 4", Less: "v1 from 6 to 5",
		},
		{
			Field: "Sets[].AvailableReplicas", Leave: func(s *argo.Snapshot) { s.Sets[1].AvailableReplicas = 0 },
			With: "(1 of 3)", Less: "(0 of 3)",
		},
		{Field: "Sets[].ReadyReplicas", Leave: func(s *argo.Snapshot) { s.Sets[0].ReadyReplicas = 0 }, With: "7 ready", Less: "1 ready"},
		{
			Field: "CanaryService", Edit: func(s *argo.Snapshot) {
				s.Rollout.Routing, s.CanaryService = &argo.Routing{}, &argo.Service{Name: "canary"}
			},
			Leave: func(s *argo.Snapshot) { s.CanaryService = nil },
			With:  "in the selector of service canary", Less: "plan: Set weight",
		},
	}, func(s argo.Snapshot, now time.Time) (string, error) {
		p, err := argo.Reconcile(s, now, argo.Options{})
		return fmt.Sprintf("plan: %v; %d updated, %d ready", p, p.Status.UpdatedReplicas, p.Status.ReadyReplicas), err
	}, now)
}
