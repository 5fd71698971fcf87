// SPDX-License-Identifier: Apache-2.0

package world

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// WantedArgo returns the Rollout of Argo that is rolled out.
func (b *Beginning) WantedArgo() cluster.ArgoRollout {
	if len(b.Applied) > 0 {
		return b.Applied[0].(cluster.ArgoRollout)
	}
	return b.ArgoRollouts[0]
}

// finishedArgo is [Beginning.Finished] for a Rollout of Argo. If a restart is asked for, its pods are older
// than that.
func (b Beginning) finishedArgo() (Beginning, error) {
	restart := b.WantedArgo().RestartAt
	if !b.Now.After(restart) {
		b.Now = restart.Add(-24 * time.Hour)
	}
	before := cluster.Snapshot{Now: b.Now, ArgoRollouts: slices.Clone(b.ArgoRollouts[:1]), Services: slices.Clone(b.Services)}
	r := &before.ArgoRollouts[0]
	paused := r.Paused
	r.Paused, r.Generation, r.Status = false, max(r.Generation, 1), argo.Status{}
	s, err := b.rolledOut(before)
	if err != nil {
		return b, err
	}
	s.ArgoRollouts[0].Paused = paused
	b.ArgoRollouts, b.ReplicaSets, b.Pods, b.Services = s.ArgoRollouts, s.ReplicaSets, s.Pods, s.Services
	if b.Now = b.Now.Add(time.Hour); b.Now.Before(restart) {
		b.Now = restart
	}
	return b, nil
}

// ArgoBounds returns within which bounds pods of a Rollout are changed.
func ArgoBounds(r *argo.Rollout) rollout.Budget {
	n := orOne(r.Replicas)
	quarter := func(limit rollout.IntOrPercent) rollout.IntOrPercent {
		if limit == (rollout.IntOrPercent{}) {
			return rollout.Percent(25)
		}
		return limit
	}
	if r.BlueGreen != nil || r.Routing != nil { // the old pods stay until the new ones have the requests
		return rollout.Budget{Replicas: n, Surge: n}
	}
	return rollout.Resolve(n, quarter(r.MaxSurge), quarter(r.MaxUnavailable))
}
