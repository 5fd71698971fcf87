// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim/internal/controllers"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A plantedBug is a defect of a planner, with a part of the message of the bound that it must break in one of
// a number of loops.
type plantedBug struct {
	name, loop, want string
	plant            func(*controllers.Env)
}

// scaling plants a change of the sizes that a Deployment asks for.
func scaling(name, loop, want string, reason kplan.Reason, change func(*deploy.ScaleReplicaSet)) plantedBug {
	return plantedBug{name, loop, want, func(env *controllers.Env) {
		env.PlanDeployment = func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
			p, err := deploy.Reconcile(s, now, o)
			return scaled(p, reason, change), err
		}
	}}
}

// replicating plants a change of what a ReplicaSet plans for.
func replicating(name, want string, plan func(replicaset.Snapshot, replicaset.Plan) replicaset.Plan) plantedBug {
	return plantedBug{name, "Deployments", want, func(env *controllers.Env) {
		env.PlanReplicaSet = func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
			p, err := replicaset.Reconcile(s, now, o)
			p.Actions = slices.Clone(p.Actions)
			return plan(s, p), err
		}
	}}
}

// onDaemons plants a change of what a DaemonSet plans for, or of its plan.
func onDaemons(name, want string, before func(*daemonset.Snapshot), after func(*daemonset.Plan)) plantedBug {
	return plantedBug{name, "DaemonSets", want, func(env *controllers.Env) {
		env.PlanDaemonSet = func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
			before(&s)
			p, err := daemonset.Reconcile(s, now, o)
			after(&p)
			return p, err
		}
	}}
}

// onSets plants a change of what a set plans for.
func onSets(name, want string, change func(*podset.Snapshot)) plantedBug {
	return plantedBug{name, "Sets", want, func(env *controllers.Env) {
		env.PlanSet = func(s podset.Snapshot, now time.Time) podset.Plan {
			change(&s)
			return podset.Reconcile(s, now)
		}
	}}
}

var plantedBugs = []plantedBug{
	scaling("one more than the surge", "Deployments", "surge: ", reason.RolloutUp, func(a *deploy.ScaleReplicaSet) { a.To++ }),
	scaling("one fewer than must be available", "Deployments", "availability: ", reason.RolloutDown, func(a *deploy.ScaleReplicaSet) { a.To = max(0, a.To-1) }),
	scaling("no partition", "Partition", "partition: ", reason.RolloutUp, func(a *deploy.ScaleReplicaSet) { a.To++ }),
	replicating("one pod more than wanted", "creation: ", func(_ replicaset.Snapshot, p replicaset.Plan) replicaset.Plan {
		for i, a := range p.Actions {
			if a, ok := a.(replicaset.CreatePods); ok {
				a.Count++
				p.Actions[i] = a
			}
		}
		return p
	}),
	replicating("one pod fewer than wanted", "deletion: ", func(s replicaset.Snapshot, p replicaset.Plan) replicaset.Plan {
		for i := range s.Pods {
			if pod := &s.Pods[i]; pod.ControllerUID == s.ReplicaSet.UID && pod.Ready && pod.Active() && len(p.Actions) == 0 {
				p.Actions = append(p.Actions, replicaset.DeletePod{Name: pod.Name, UID: pod.UID})
			}
		}
		return p
	}),
	onDaemons("all nodes at once", "unavailable nodes: ", func(s *daemonset.Snapshot) { s.DaemonSet.MaxUnavailable = rollout.Percent(100) }, func(*daemonset.Plan) {}),
	onDaemons("no hook", "hook: ", func(s *daemonset.Snapshot) { s.DaemonSet.PreDelete = nil }, func(*daemonset.Plan) {}),
	onDaemons("each pod twice", "pods of a node: ", func(*daemonset.Snapshot) {}, func(p *daemonset.Plan) {
		var twice daemonset.Actions
		for _, a := range p.Actions {
			twice = append(twice, a)
			if a, ok := a.(daemonset.CreatePod); ok {
				twice = append(twice, a)
			}
		}
		p.Actions = twice
	}),
	onSets("one pod beyond the partition", "stay old", func(s *podset.Snapshot) {
		if kept := keptOf(&store.Set{Set: s.Set}); kept > 0 {
			s.Set.Partition = rollout.Int(kept - 1)
		}
	}),
	onSets("one pod more may be unavailable", "pods that serve", func(s *podset.Snapshot) {
		if s.Set.GroupKind() != podset.StatefulSet {
			b := podset.Budget(&s.Set)
			s.Set.RollingUpdate = &partition.RollingUpdate{MaxSurge: rollout.Int(b.Surge), MaxUnavailable: rollout.Int(b.Unavailable + 1)}
		}
	}),
	onSets("pods serve before their time", "pods that serve", func(s *podset.Snapshot) { s.Set.MinReadySeconds = 0 }),
	onSets("the last pod stays old", "wanted is", func(s *podset.Snapshot) {
		if s.Set.Partition.IsZero() {
			s.Set.Partition = rollout.Int(1)
		}
	}),
}

// TestPlantsOfLoops: each planted bug is found in one of a number of loops.
func TestPlantsOfLoops(t *testing.T) {
	for _, bug := range plantedBugs {
		t.Run(bug.name, func(t *testing.T) {
			i := slices.IndexFunc(closedLoops, func(l closedLoop) bool { return l.name == bug.loop })
			found := ""
			for seed := uint64(1); seed <= 400 && found == ""; seed++ {
				if err := closedLoops[i].loop(t, seed, newGuard(), map[string]int{}, bug.plant); err != nil {
					found = err.Error()
					t.Logf("in loop %d: %s", seed, found)
				}
			}
			require.Contains(t, found, bug.want)
		})
	}
}

// TestGuardOfBatches: a partition of a set that grows within a release is found.
func TestGuardOfBatches(t *testing.T) {
	set := func(kept int32) *store.Set {
		o := &store.Set{}
		o.APIVersion, o.Kind, o.Replicas, o.Partition = "apps/v1", "StatefulSet", ptr.To(int32(5)), rollout.Int(kept)
		o.Annotations = map[string]string{partition.AnnotationControlInfo: "x"}
		return o
	}
	e := &written{
		Write:  store.Write{Cause: store.Cause{By: store.BatchController}, Kind: store.KindSet},
		before: state{sets: []*store.Set{set(3)}}, after: state{sets: []*store.Set{set(2)}},
	}
	g := newGuard()
	require.NoError(t, g.rollout(e))
	e.before, e.after = e.after, e.before
	require.ErrorContains(t, g.rollout(e), "3 pods stay old, 2 did before")
	e.before.sets[0].Annotations = nil
	require.NoError(t, g.rollout(e), "another release")
	require.Equal(t, 2, g.checked["batch of a set"])
}
