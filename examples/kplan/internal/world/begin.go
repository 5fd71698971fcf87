// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/record"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// Finished returns the workload as it has been rolled out an hour ago: the ReplicaSet of a Deployment, or
// the ControllerRevision of a DaemonSet, has revision 1, and all pods are available, but on nodes that do
// not answer. The workload is rolled out from nothing, so the planners have written its status and annotations.
func (b Beginning) Finished() (Beginning, error) {
	switch b.Kind {
	case sim.KindDaemonSet:
		return b.finishedDaemonSet()
	case sim.KindArgoRollout:
		return b.finishedArgo()
	}
	before := cluster.Snapshot{Now: b.Now, Deployments: slices.Clone(b.Deployments)}
	paused := false
	for i := range before.Deployments {
		d := &before.Deployments[i]
		paused = d.Paused
		d.Paused, d.Generation, d.Status = false, max(d.Generation, 1), deploy.Status{}
	}
	if b.Kind == sim.KindReplicaSet {
		before.ReplicaSets = b.ReplicaSets
	}
	s, err := b.rolledOut(before)
	if err != nil {
		return b, err
	}
	for i := range s.Deployments {
		s.Deployments[i].Paused = paused
	}
	b.Deployments, b.ReplicaSets, b.Pods = s.Deployments, s.ReplicaSets, s.Pods
	b.Now = b.Now.Add(time.Hour)
	return b, nil
}

// rolledOut returns what becomes of a snapshot in which the workload is to be rolled out.
func (b *Beginning) rolledOut(before cluster.Snapshot) (s cluster.Snapshot, err error) {
	config := sim.Config{ReplicaSet: replicaset.Options{Burst: math.MaxInt32}}
	steps := record.NewSteps(&config)
	w, err := sim.New(before, config)
	if err != nil {
		return s, err
	}
	if _, err = w.Settle(forever); err != nil {
		return s, err
	}
	if _, complete := steps.Workload(b.Kind, b.Name); complete.IsZero() {
		return s, fmt.Errorf("%s does not roll out", b.Name)
	}
	return w.Snapshot(), nil
}

// forever is longer than anything that ends.
const forever = 10 * 365 * 24 * time.Hour

// Place moves pods that are on none of the nodes to these, in turn: to one that they fit, if there is one.
func (b *Beginning) Place() {
	if len(b.Nodes) == 0 {
		return
	}
	known := map[string]bool{}
	for i := range b.Nodes {
		known[b.Nodes[i].Name] = true
	}
	nodes, choose := scheduler.New(b.Nodes, len(b.Resources)), InTurn()
	templates := map[string]cluster.Template{}
	for i := range b.ReplicaSets {
		templates[b.ReplicaSets[i].UID] = b.Templates[b.ReplicaSets[i].Template.ID]
	}
	for i := range b.Pods {
		p := &b.Pods[i]
		pod := scheduler.Pod{Pod: p, Template: templates[p.ControllerUID]}
		if p.NodeName != "" && !known[p.NodeName] {
			if p.NodeName = choose(pod, nodes); p.NodeName == "" {
				p.NodeName = b.Nodes[i%len(b.Nodes)].Name
			}
		}
		nodes.Take(pod, p.NodeName)
	}
}

// Wanted returns the Deployment that is rolled out.
func (b *Beginning) Wanted() deploy.Deployment {
	if len(b.Applied) > 0 {
		return b.Applied[0].(deploy.Deployment)
	}
	return b.Deployments[0]
}

// Most returns how many pods may be wanted at once.
func (b *Beginning) Most() int32 {
	if b.Kind == sim.KindReplicaSet {
		rs := b.ReplicaSets[0]
		if len(b.Applied) > 0 {
			rs = b.Applied[0].(replicaset.ReplicaSet)
		}
		return orOne(rs.Replicas)
	}
	if b.Kind == sim.KindArgoRollout {
		r := b.WantedArgo()
		return ArgoBounds(&r.Rollout).MaxTotal()
	}
	d := b.Wanted()
	if d.Strategy == deploy.Recreate {
		return orOne(d.Replicas)
	}
	return rollout.Resolve(orOne(d.Replicas), d.MaxSurge, d.MaxUnavailable).MaxTotal()
}

func orOne(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

// Running is how many pods there are that have not ended.
func (b *Beginning) Running() (n int) {
	for i := range b.Pods {
		if !b.Pods[i].Finished() {
			n++
		}
	}
	for i := range b.DaemonPods {
		if !b.DaemonPods[i].Finished() {
			n++
		}
	}
	return n
}
