// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

func tenPods() deploy.Snapshot {
	return snapshot(web(10, limits(3, 2)), set(1, 8), set(2, 3))
}

// TestPolicyTable: each policy makes one difference, in a case that is worked out by hand.
func TestPolicyTable(t *testing.T) {
	there := func(n, available int32) func(*replicaset.ReplicaSet) { return counts(n, available) }
	policy := func(p rollout.Policy) deploy.Options { return deploy.Options{Policy: p} }
	keep := func(name string, p deploy.SetPolicy, with ...rollout.Policy) deploy.Options {
		o := deploy.Options{Sets: map[string]deploy.SetPolicy{name: p}}
		for _, w := range with {
			o.Policy = w
		}
		return o
	}
	for _, c := range []struct {
		why           string
		s             deploy.Snapshot
		without, with string
		opts          deploy.Options
		holds         []string
	}{
		{
			"both in one pass", tenPods(), "web-v2 3->5", "web-v2 3->5, web-v1 8->5", policy(rollout.Policy{Together: true}),
			[]string{"web-v1 MinAvailable 8/8"},
		},
		{
			"pods that are still to go take up room", snapshot(web(10, limits(3, 2)), set(1, 6, there(9, 9)), set(2, 3)), "web-v2 3->7", "web-v2 3->4",
			policy(rollout.Policy{CountLarger: true}), nil,
		},
		{
			"and may take all of it", snapshot(web(10, limits(3, 0)), set(1, 6, there(10, 6)), set(2, 3, there(3, 0))), "web-v2 3->7", "none",
			policy(rollout.Policy{CountLarger: true}), []string{"web-v2 SurgeExhausted 13/13", "web-v1 MinAvailable 6/10"},
		},
		{
			"pods that are not there yet take up none", snapshot(web(10, limits(3, 0)), set(1, 10, there(8, 8)), set(2, 3)), "web-v1 10->7", "web-v2 3->5",
			policy(rollout.Policy{CountThere: true}), nil,
		},
		{
			"in the worst case available pods go first", snapshot(web(10, limits(0, 3)), set(1, 7, there(7, 5)), set(2, 3)), "web-v1 7->4", "web-v1 7->6",
			policy(rollout.Policy{WorstCase: true}), []string{"web-v2 SurgeExhausted 10/10", "web-v1 MinAvailable 6/7"},
		},
		{
			"a deadlock", snapshot(web(5, limits(0, 1)), set(1, 3, there(3, 2)), set(2, 2)), "web-v1 3->2", "web-v1 3->2",
			policy(rollout.Policy{WorstCase: true, BreakDeadlock: true}), nil,
		},
		{
			"a deadlock that nothing else breaks", snapshot(web(5, limits(1, 0)), set(1, 4, there(4, 3)), set(2, 2)), "web-v1 4->3", "none",
			policy(rollout.Policy{WorstCase: true}), []string{"web-v2 SurgeExhausted 6/6", "web-v1 MinAvailable 5/5"},
		},
		{
			"and that is broken", snapshot(web(5, limits(1, 0)), set(1, 4, there(4, 3)), set(2, 2)), "web-v1 4->3", "web-v1 4->3",
			policy(rollout.Policy{WorstCase: true, BreakDeadlock: true}), nil,
		},
		{
			"scaled out to the newest", snapshot(web(14, limits(3, 0)), set(1, 5, sized("10", "10")), set(2, 5, sized("10", "10"))), "web-v2 5->9, web-v1 5->8",
			"web-v2 5->12", policy(rollout.Policy{ScaleNewest: true}), nil,
		},
		{
			"scaled in by shares all the same", snapshot(web(5, limits(0, 1)), set(1, 5, sized("10", "10")), set(2, 5, sized("10", "10"))), "web-v1 5->2, web-v2 5->3",
			"web-v1 5->2, web-v2 5->3", policy(rollout.Policy{ScaleNewest: true}), nil,
		},
		{
			"the new one is waited for", snapshot(web(10, limits(3, 0)), set(1, 7), set(2, 4, there(2, 2))), "web-v2 4->6", "none",
			policy(rollout.Policy{WaitForNew: true}), []string{"web-v2 StatusBehind 2/4", "web-v1 MinAvailable 9/10"},
		},
		{
			"more are there than may be", snapshot(web(10, limits(1, 0)), set(1, 7, there(9, 7)), set(2, 3)), "web-v2 3->4", "none",
			policy(rollout.Policy{FreezeOvershoot: true}), []string{"web-v2 SurgeExhausted 12/11", "web-v1 MinAvailable 10/10"},
		},
		{
			"people delete old pods", snapshot(web(3, limits(1, 1)), set(1, 3, there(2, 2)), set(2, 0)), "web-v2 0->1", "web-v1 3->2",
			policy(rollout.Policy{OnDelete: true}), []string{"web-v2 OnDelete 3/3", "web-v1 OnDelete 2/0"},
		},
		{
			"and the new one takes their places", snapshot(web(3, limits(1, 1)), set(1, 2), set(2, 0)), "web-v2 0->2", "web-v2 0->1",
			policy(rollout.Policy{OnDelete: true}), []string{"web-v1 OnDelete 2/0"},
		},
		{
			"none is there yet", snapshot(web(3, limits(1, 1)), set(1, 2)), "create web-v2 2", "create web-v2 1", policy(rollout.Policy{OnDelete: true}), nil,
		},
		{
			"half of the ready pods, not of all", snapshot(web(10, limits(0, 0), func(d *deploy.Deployment) { d.MaxUnavailable = rollout.Percent(50) }), set(1, 10, there(10, 4)), set(2, 0)),
			"web-v1 10->5", "web-v1 10->2", policy(rollout.Policy{OfReady: true}), nil,
		},
		{
			"a lower bound", snapshot(web(10, limits(3, 5)), set(1, 8), set(2, 5)), "web-v1 8->0", "web-v1 8->6", keep("web-v1", deploy.SetPolicy{Least: 6}),
			[]string{"web-v2 SurgeExhausted 13/13", "web-v1 Kept 6/6"},
		},
		{
			"pods in use", snapshot(web(10, limits(3, 5)), set(1, 8), set(2, 5)), "web-v1 8->0", "web-v1 8->7", keep("web-v1", deploy.SetPolicy{Protected: 7}),
			[]string{"web-v2 SurgeExhausted 13/13", "web-v1 Kept 7/7"},
		},
		{
			"pods in use take places of the new one", snapshot(web(10, limits(0, 2)), set(1, 0, there(4, 4)), set(2, 5)), "web-v2 5->10", "web-v2 5->6",
			keep("web-v1", deploy.SetPolicy{Protected: 4}, rollout.Policy{Counting: rollout.Counting{ProtectedApart: true}}), nil,
		},
		{
			"a lower bound of what is scaled in", snapshot(web(4), set(1, 8, sized("8", "8"))), "web-v1 8->4", "web-v1 8->6",
			keep("web-v1", deploy.SetPolicy{Least: 6}), nil,
		},
		{
			"a lower bound beside Recreate", snapshot(web(4, recreate), set(1, 8)), "web-v1 8->0", "web-v1 8->6", keep("web-v1", deploy.SetPolicy{Least: 6}), nil,
		},
		{
			"and it is held there", snapshot(web(4, recreate), set(1, 6)), "web-v1 6->0", "none", keep("web-v1", deploy.SetPolicy{Least: 6}), []string{"web-v1 Kept 6/6"},
		},
		{
			"and of the new one", snapshot(web(2, recreate), set(2, 4)), "web-v2 4->2", "web-v2 4->3", keep("web-v2", deploy.SetPolicy{Least: 3}), nil,
		},
		{
			"pods of an old one that wants none are not counted on", snapshot(web(10, limits(0, 2)), set(1, 0, there(3, 3)), set(3, 8, there(8, 6)), set(2, 2)), "web-v3 8->6", "web-v3 8->6",
			keep("nobody", deploy.SetPolicy{Least: 1}), nil,
		},
		{
			"pods that move are not made", snapshot(web(3, limits(2, 0)), set(1, 3), set(2, 0)), "web-v2 0->2", "web-v2 0->1", keep("web-v1", deploy.SetPolicy{Moves: true}),
			[]string{"web-v1 MovesInPlace 3/3"},
		},
		{
			"and while one moves, none is made", snapshot(web(3, limits(2, 0)), set(1, 3), set(2, 0)), "web-v2 0->2", "none",
			keep("web-v1", deploy.SetPolicy{Moves: true, Busy: true}), []string{"web-v2 MovesInPlace 0/3", "web-v1 MovesInPlace 3/3"},
		},
	} {
		requireEqual(t, c.why+", without", c.without, sizes(reconcile(t, c.s)))
		p := reconcileWith(t, c.s, c.opts)
		requireEqual(t, c.why, c.with, sizes(p))
		if c.holds != nil {
			requireEqual(t, c.why, c.holds, holds(p))
		}
	}
}

// TestHoldSums: what holds the new set back is the sum that the plan reckons with, which wraps
// around as upstream's does, unless sums are to be exact.
func TestHoldSums(t *testing.T) {
	s := snapshot(web(10, limits(2, 0)), set(1, math.MaxInt32), set(3, math.MaxInt32), set(4, 11), set(2, 3))
	s.Deployment.Template.ID, s.Deployment.Template.Hash = "v2", "v2"
	only := func(o deploy.Options) string {
		o.Sets = map[string]deploy.SetPolicy{"nobody": {Least: 1}}
		return holds(reconcileWith(t, s, o))[0]
	}
	require.Equal(t, "web-v2 SurgeExhausted 12/12", only(deploy.Options{}))
	require.Equal(t, "web-v2 SurgeExhausted 4294967308/12", only(deploy.Options{Repair: quirk.SumsWrapAround}))
}

// TestNoneReady: where no pod is ready, no more than all may be unavailable.
func TestNoneReady(t *testing.T) {
	p := reconcileWith(t, snapshot(web(3), set(1, 3, counts(3, 0))), deploy.Options{Policy: rollout.Policy{OfReady: true}})
	require.Equal(t, rollout.Budget{Replicas: 3, Surge: 1, Unavailable: 3}, p.Budget)
}

// TestPoliciesElsewhere: a Deployment that is rolled by partition has none of them, and what a
// policy cannot say is an error.
func TestPoliciesElsewhere(t *testing.T) {
	batches := tenPods()
	batches.Deployment.Partitioned = &partition.Strategy{Partition: rollout.Percent(50)}
	require.Equal(t, reconcile(t, batches), reconcileWith(t, batches, deploy.Options{
		Policy: rollout.Policy{OnDelete: true}, Sets: map[string]deploy.SetPolicy{"web-v1": {Least: 8}},
	}))
	_, err := deploy.Reconcile(tenPods(), t0, deploy.Options{
		Policy: rollout.Policy{Counting: rollout.Counting{ExactSums: true, CapOld: true}}, Sets: map[string]deploy.SetPolicy{"web-v1": {Least: -1, Protected: -2}},
	})
	require.ErrorContains(t, err, `Options.Policy.CapOld: true: must be unset: Options.Repair says that`)
	require.ErrorContains(t, err, `Options.Policy.ExactSums`)
	require.ErrorContains(t, err, `Options.Sets["web-v1"].Least: -1: must not be negative`)
	require.ErrorContains(t, err, `Options.Sets["web-v1"].Protected: -2`)
}
