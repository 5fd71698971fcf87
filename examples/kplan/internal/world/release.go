// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"math"
	"time"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// Released returns a workload with its Rollout as they are an hour after the workload has been rolled out
// from nothing: all pods are available, and nothing is being released.
func (b Beginning) Released() (Beginning, error) {
	before := cluster.Snapshot{
		Now: b.Now, Deployments: b.Deployments, Sets: b.Sets, DaemonSets: b.DaemonSets, AdvancedDaemonSets: b.AdvancedDaemonSets, Rollouts: b.Rollouts,
		Services: b.Services, Routes: b.Routes, Ingresses: b.Ingresses,
	}
	if len(b.DaemonSets)+len(b.AdvancedDaemonSets) > 0 {
		before.Nodes = b.Nodes
	}
	w, err := sim.New(before, sim.Config{ReplicaSet: replicaset.Options{Burst: math.MaxInt32}})
	if err != nil {
		return b, err
	}
	if _, err = w.Settle(forever); err != nil {
		return b, err
	}
	s := w.Snapshot()
	if s.Rollouts[0].Status.Phase != kruise.PhaseHealthy {
		return b, fmt.Errorf("%s does not roll out", b.Name)
	}
	b.Deployments, b.ReplicaSets, b.Pods, b.Meta = s.Deployments, s.ReplicaSets, s.Pods, s.Meta
	b.Sets, b.DaemonSets, b.AdvancedDaemonSets, b.DaemonPods, b.Revisions = s.Sets, s.DaemonSets, s.AdvancedDaemonSets, s.DaemonPods, s.Revisions
	b.Rollouts, b.Services, b.Routes, b.Ingresses = s.Rollouts, s.Services, s.Routes, s.Ingresses
	b.Now = w.Start().Add(time.Hour)
	return b, nil
}
