// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// The invariants know which quirks they excuse by default, and that none is left with all
// repairs: see deploymentOptions.
func repairs(s random.Source) quirk.Set {
	return random.OneOf(s, "all repairs", 0, quirk.All)
}

func TestRolloutPasses(t *testing.T) {
	random.Check(t, func(t random.T) {
		s, o := random.Rollout(t, random.Kinds(t)), random.RolloutOptions(t)
		o.Repair = repairs(t)
		clean(t, &invariant.RolloutPlanner{Snapshot: s, Now: t0, Options: o, Plan: kruise.Reconcile})
		if p, err := kruise.Reconcile(s, t0, o); err == nil {
			clean(t, &invariant.RolloutPass{Snapshot: s, Now: t0, Options: o, Plan: p})
		}
	})
}

func TestBatchPasses(t *testing.T) {
	random.Check(t, func(t random.T) {
		s, o := random.Batches(t, random.Kinds(t)), random.BatchOptions(t)
		o.Repair = repairs(t)
		// The plan shares the count of pods that need no update with the snapshot.
		apart := s
		apart.Release.Status.Current.NoNeedUpdateReplicas = nil
		clean(t, &invariant.BatchPlanner{Snapshot: apart, Now: t0, Options: o, Plan: batchrelease.Reconcile})
		if p, err := batchrelease.Reconcile(s, t0, o); err == nil {
			clean(t, &invariant.BatchPass{Snapshot: s, Now: t0, Options: o, Plan: p})
		}
	})
}

func TestPartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := invariant.Partitioning{Replicas: rapid.Int32Range(0, 300).Draw(t, "replicas"), Rescaled: rapid.Int32Range(0, 300).Draw(t, "rescaled")}
		for range rapid.IntRange(1, 5).Draw(t, "batches") {
			n := rapid.Int32Range(0, 130).Draw(t, "size")
			c.Batches = append(c.Batches, pick(t, "kind", rollout.Int(n), rollout.Percent(n), rollout.Percent(100)))
		}
		clean(t, &c)
	})
}

// TestReleases: whatever happens in the middle of a release, all of it is clean.
func TestReleases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		routed := rapid.Bool().Draw(t, "routed")
		var steps []kruise.Step
		last := int32(1)
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			last = rapid.Int32Range(last, 50).Draw(t, "size")
			s := step(rollout.Percent(last), rapid.Int32Range(-1, 3).Draw(t, "pause"))
			if routed {
				s.Traffic = rollout.Percent(last)
			}
			steps = append(steps, s)
		}
		c := newWorld(rapid.Int32Range(1, 12).Draw(t, "replicas"), routed, append(steps, step(rollout.Percent(100), 0))...)
		c.fail = t.Fatalf
		c.look = func(x any) {
			switch x := x.(type) {
			case *invariant.RolloutPass:
				clean(t, x)
			case *invariant.BatchPass:
				clean(t, x)
			}
		}
		c.opts.Repair = quirk.All
		c.begin()
		passes := rapid.IntRange(0, 40).Draw(t, "passes")
		// Not while the release is closed: a template that changes then may stay paused.
		c.run(func() bool {
			passes--
			return passes < 0 && !c.closing() || c.r.Status.Phase == kruise.PhaseHealthy
		})
		c.update(pick(t, "template", "v1", "v2", "v3"))
		for range 3 {
			c.pass()
		}
		if !c.run(c.phase(kruise.PhaseHealthy)) {
			t.Fatalf("it does not end: %v", c.holds)
		}
		for range 5 {
			c.pass()
		}
		if found := invariant.Run(c.history()); len(found) > 0 {
			t.Fatal(found)
		}
	})
}

// frozen is a release that goes back to templateHash while the traffic of another is taken back.
func frozen(t *testing.T, o kruise.Options) *invariant.Release {
	first := step(rollout.Percent(20), -1)
	first.Traffic = rollout.Percent(20)
	c := newWorld(6, true, first, step(rollout.Percent(100), 0))
	c.fail, c.look, c.opts = t.Fatalf, func(any) {}, o
	c.begin()
	paused := func() bool {
		s := c.r.Status.Sub
		return s != nil && s.CurrentStepState == kruise.StatePaused && c.r.Status.Phase == kruise.PhaseProgressing
	}
	require.True(t, c.run(paused))
	c.update("v3")
	require.True(t, c.run(func() bool {
		s := c.r.Status.Sub
		return s != nil && s.FinalisingStep == kruise.FinalRelease
	}))
	c.update("v1")
	c.run(c.phase(kruise.PhaseHealthy))
	for range 20 {
		c.pass()
	}
	return c.history()
}
