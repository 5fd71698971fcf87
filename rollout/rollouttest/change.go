// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/rollout/argo"
)

// A Change is a Rollout of Argo before and after one pass of a controller that writes objects,
// when nobody else has written in between. What ReplicaSets report is that of before.
type Change struct {
	Before, After argo.Snapshot
	Now           time.Time
	Options       argo.Options
	// Partial tells that the pass has ended early, by a crash or a refused write. Then only
	// the bounds are checked.
	Partial bool
	// Slack is by how many pods a bound may be missed: those that were created or deleted
	// and that the controller could not see yet.
	Slack int64
}

// CheckChange checks what a controller has made of a Rollout of Argo, its ReplicaSets and
// its Services. It needs no plan, so that it is for controllers which have none.
func CheckChange(t rapid.TB, c Change, settings ...Setting) {
	t.Helper()
	argoRoom.CheckChange(t, properties.Change[argo.Snapshot, argo.Options](c), chosen[argo.Snapshot, argo.Options](t, settings))
}

// derive returns a plan that makes of before what after is. What shrinks comes first: nobody
// can tell the order of writes from their results.
func derive(before, after *argo.Snapshot, _ *argo.Options) argo.Plan {
	var shrinking, growing, others argo.Actions
	known := map[string]argo.ReplicaSet{}
	for _, rs := range before.Sets {
		known[rs.Hash] = rs
	}
	for _, rs := range after.Sets {
		was, there := known[rs.Hash]
		switch scale := (argo.ScaleReplicaSet{Name: rs.Name, Hash: rs.Hash, From: was.Replicas, To: rs.Replicas}); {
		case !there:
			growing = append(growing, argo.CreateReplicaSet{Name: rs.Name, Hash: rs.Hash, Revision: rs.Revision, Replicas: rs.Replicas})
		case rs.Replicas < was.Replicas:
			shrinking = append(shrinking, scale)
		case rs.Replicas > was.Replicas:
			growing = append(growing, scale)
		}
	}
	if a, b := before.Active, after.Active; a != nil && b != nil && a.Selector[argo.HashLabel] != b.Selector[argo.HashLabel] {
		others = append(others, argo.SelectPods{Service: b.Name, Key: argo.HashLabel, Value: b.Selector[argo.HashLabel]})
	}
	if w := after.Rollout.Status.Weights; w != nil && (before.Rollout.Status.Weights == nil || before.Rollout.Status.Weights.Canary != w.Canary) {
		others = append(others, argo.SetWeight{Canary: w.Canary, Stable: w.Stable})
	}
	actions := append(append(shrinking, growing...), others...)
	return argo.Plan{Actions: actions, Status: after.Rollout.Status}
}
