// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/rollout/argo"
)

func FuzzReconcile(f *testing.F) {
	set := func(hash string, revision int64, replicas int32) argo.ReplicaSet {
		return argo.ReplicaSet{Name: hash, Hash: hash, Revision: revision, Size: argo.Size{Replicas: replicas, AvailableReplicas: replicas, StatusReplicas: replicas}}
	}
	canary := argo.Snapshot{
		Rollout: argo.Rollout{Name: "web", Replicas: ptr.To(int32(5)), TemplateHash: "v2", Steps: []argo.Step{weight(20), pause(-1)}},
		Sets:    []argo.ReplicaSet{set("v1", 1, 5), set("v2", 2, 1)},
	}
	blueGreen := canary
	blueGreen.Rollout.BlueGreen = &argo.BlueGreen{}
	blueGreen.Active = &argo.Service{Name: "active", Selector: map[string]string{argo.HashLabel: "v1"}}
	purity.Fuzz(f, kplan.ErrInvalid, func(s argo.Snapshot) (argo.Plan, error) { return reconcile(s, now) }, canary, blueGreen)
}
