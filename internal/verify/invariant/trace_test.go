// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// TestDeploymentTraces: fair runs have no violations as a whole and step by step, nor has the true
// state after each step.
func TestDeploymentTraces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := invariant.DeploymentPlanner{Snapshot: random.Deployment(random.Rapid(t), random.Truthful), Now: t0, Options: deploymentOptions(t), Plan: deploy.Reconcile}
		trace, ok := invariant.RunDeployment(&c)
		if !ok {
			return
		}
		clean(t, &trace)
		for i := range trace.Passes {
			clean(t, &trace.Passes[i])
			if i > 0 {
				before := &trace.Passes[i-1]
				clean(t, &invariant.DeploymentChange{Pass: *before, Before: before.Snapshot, After: trace.Passes[i].Snapshot})
			}
		}
	})
}

// TestDaemonSetTraces is TestDeploymentTraces for updates of healthy DaemonSets.
func TestDaemonSetTraces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := agents(rapid.IntRange(0, 6).Draw(t, "nodes"), "v1", "v1", "v2", "v1", "v1", "v1")
		d := &s.DaemonSet
		d.MaxSurge, d.MaxUnavailable, d.Partition = random.DaemonLimit(random.Rapid(t), "surge"), random.DaemonLimit(random.Rapid(t), "unavailable"), random.DaemonLimit(random.Rapid(t), "partition")
		o := daemonset.Options{Dialect: pick(t, "dialect", daemonset.Kubernetes, daemonset.OpenKruise), Repair: pick(t, "repair", 0, quirk.All)}
		trace, ok := invariant.RunDaemonSet(&invariant.DaemonSetPlanner{Snapshot: s, Now: t0, Options: o, Plan: daemonset.Reconcile})
		if !ok {
			return
		}
		clean(t, &trace)
		for i := range trace.Passes {
			clean(t, &trace.Passes[i])
		}
	})
}

// TestHeldDaemonSetTraces: neither hooks, nor nodes outside, nor policies make an update
// go round in circles.
func TestHeldDaemonSetTraces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var versions []string
		n := rapid.IntRange(3, 6).Draw(t, "nodes")
		for range rapid.IntRange(0, n).Draw(t, "pods") {
			versions = append(versions, pick(t, "version", "v1", "v1", "v2"))
		}
		s := agents(n, versions...)
		for i := range s.Pods {
			s.Pods[i].Labels["hold"] = pick(t, "hold", "no", "no", "yes")
			s.Pods[i].Labels[daemonset.LabelState] = pick(t, "state", "", "", "", daemonset.StatePreparingDelete)
		}
		for i := range s.Nodes {
			s.Nodes[i].Taints = pick(t, "taints", nil, nil, nil, []daemonset.Taint{{Key: "x", Effect: daemonset.NoSchedule}}, []daemonset.Taint{{Key: "x", Effect: daemonset.NoExecute}})
		}
		d := &s.DaemonSet
		d.MaxUnavailable, d.Partition = random.DaemonLimit(random.Rapid(t), "unavailable"), random.DaemonLimit(random.Rapid(t), "partition")
		d.MaxSurge = pick(t, "surge", rollout.IntOrPercent{}, rollout.IntOrPercent{}, rollout.Int(1))
		d.RollingType = pick(t, "type", daemonset.Standard, daemonset.InPlaceIfPossible, daemonset.Surging)
		d.Progressive = rapid.Bool().Draw(t, "progressive")
		d.PreDelete = pick(t, "hook", nil, &daemonset.PreDelete{Labels: map[string]string{"hold": "yes"}})
		o := daemonset.Options{Dialect: pick(t, "dialect", daemonset.Kubernetes, daemonset.OpenKruise), Repair: pick(t, "repair", 0, quirk.All),
			PartitionCreatesOld: rapid.Bool().Draw(t, "creates old"), Prune: seldom(t, "prune", 4), StrictUnavailable: seldom(t, "strict", 4)}
		surges := d.RollingType == daemonset.Surging || !d.MaxSurge.IsZero()
		if surges && o.Dialect == daemonset.OpenKruise && o.Repair == 0 {
			return // new pods come and go on nodes that should not run one (quirk.SurgeOnExcludedNodes)
		}
		trace, ok := invariant.RunDaemonSet(&invariant.DaemonSetPlanner{Snapshot: s, Now: t0, Options: o, Plan: daemonset.Reconcile})
		if ok {
			clean(t, &trace)
		}
	})
}

// TestReplicaSetTraces is TestDeploymentTraces for ReplicaSets.
func TestReplicaSetTraces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := random.ReplicaSet(random.Rapid(t), random.Anything)
		s.ReplicaSet.Replicas = ptr.To(rapid.Int32Range(0, 9).Draw(t, "few"))
		c := invariant.ReplicaSetPlanner{Snapshot: s, Now: t0, Options: random.ReplicaSetOptions(random.Rapid(t)), Plan: replicaset.Reconcile}
		trace, ok := invariant.RunReplicaSet(&c)
		if !ok {
			return
		}
		clean(t, &trace)
		for i := 1; i < len(trace.Passes); i++ {
			before := &trace.Passes[i-1]
			clean(t, before)
			clean(t, &invariant.ReplicaSetChange{Pass: *before, Before: before.Snapshot, After: trace.Passes[i].Snapshot})
		}
	})
}
