// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/rollout/argo"
)

// A Change is a Rollout of Argo before and after one pass of a controller that writes objects,
// without writes of others during the pass. ReplicaSets report the same status in both.
type Change struct {
	Before, After argo.Snapshot
	Now           time.Time
	Options       argo.Options
	// Partial means that the pass has ended early, by a crash or a refused write. Only the bounds
	// are checked in this case.
	Partial bool
	// Slack is the number of pods by which a bound may be missed: pods that were created or
	// deleted but not yet visible to the controller.
	Slack int64
}

// CheckChange checks the writes of a controller to a Rollout of Argo, its ReplicaSets and its
// Services. It needs no plan, so it suits controllers that do not make plans.
func CheckChange(t rapid.TB, c Change, settings ...Setting) {
	t.Helper()
	argoRoom.CheckChange(t, properties.Change[argo.Snapshot, argo.Options](c), chosen[argo.Snapshot, argo.Options](t, settings))
}

// derive returns a plan that leads from before to after. Shrinking writes come first, because
// the results do not show the order of the writes.
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
