// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	argoquirk "github.com/kplan-go/kplan/rollout/argo/quirk"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/plantest"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
)

// Our own planners pass all checks, whatever is drawn.
func TestReconcile(t *testing.T) {
	t.Run("kruise", func(t *testing.T) { kruiseRoom.Sound(t, kruise.Options{Repair: workloadquirk.All}) })
	t.Run("batchrelease", func(t *testing.T) { batchRoom.Sound(t, batchrelease.Options{Repair: workloadquirk.All}) })
	t.Run("rolling back", func(t *testing.T) { Batches().From(RollingBack()).Check(t, batchrelease.Reconcile) })
	t.Run("argo", func(t *testing.T) { argoRoom.Sound(t, argo.Options{Repair: argoquirk.All}) })
}

// halfway is a canary of 4 pods that is to have 1 new one, with a surge of 1.
func halfway() argo.Snapshot {
	replicas, share, index := int32(4), int32(25), int32(0)
	old := argo.ReplicaSet{Name: "web-v1", Hash: "v1", DesiredReplicas: &replicas, Size: argo.Size{Replicas: 4, StatusReplicas: 4, AvailableReplicas: 4}}
	fresh := argo.ReplicaSet{Name: "web-v2", Hash: "v2", DesiredReplicas: &replicas}
	return argo.Snapshot{
		Rollout: argo.Rollout{
			Name: "web", TemplateHash: "v2", Replicas: &replicas, MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(0), Steps: []argo.Step{{SetWeight: &share}},
			Status: argo.Status{CurrentPodHash: "v2", StableRS: "v1", CurrentStepIndex: &index},
		},
		Sets: []argo.ReplicaSet{old, fresh},
	}
}

// A planner that creates all new pods at once is told each violation, and no other.
func TestFindings(t *testing.T) {
	plan, err := argo.Reconcile(halfway(), plantest.Now(), argo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	properties.Each(plan.Actions, func(a *argo.ScaleReplicaSet) {
		if a.To > a.From {
			a.To = 4
		}
	})
	after := halfway()
	after.Sets[1].Replicas = 4
	pass := plantest.Pass[argo.Snapshot, argo.Options, argo.Plan]{Snapshot: halfway(), Now: plantest.Now(), Plan: plan}
	argoRoom.Finds(t, `
    surge bound: 8 pods wanted, at most max(4+1, 4)+0
`, func(t rapid.TB) { Argo().CheckPass(t, pass) })
	argoRoom.Finds(t, "", func(t rapid.TB) { Argo().Except("surge bound").CheckPass(t, pass) })
	argoRoom.Finds(t, `
    bounds after every prefix: 8 pods wanted, at most max(4+1, 4)+0
    surge bound: 8 pods wanted, at most max(4+1, 4)+0
`, func(t rapid.TB) {
		Argo().CheckChange(t, plantest.Change[argo.Snapshot, argo.Options]{Before: halfway(), After: after, Now: plantest.Now()})
	})
}

// A name that is no check's for the planner, and a change that no check looks at, would test nothing.
func TestNothingToCheck(t *testing.T) {
	for want, check := range map[string]func(t rapid.TB){
		`there is no check "rollback in batches"; there are: snapshots are accepted, `: func(t rapid.TB) {
			Argo().Only("rollback in batches").CheckPass(t, plantest.Pass[argo.Snapshot, argo.Options, argo.Plan]{Now: plantest.Now()})
		},
		"no check of these planners looks at a change": func(t rapid.TB) {
			Kruise().CheckChange(t, plantest.Change[kruise.Snapshot, kruise.Options]{Now: plantest.Now()})
		},
	} {
		if text := properties.Said(check); !strings.Contains(text, want) {
			t.Errorf("%q, want %q", text, want)
		}
	}
}
