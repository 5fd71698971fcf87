// SPDX-License-Identifier: Apache-2.0

package rollouttest

import "github.com/kplan-go/kplan/rollout/argo"

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
