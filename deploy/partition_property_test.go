// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

func byPartition(t *rapid.T, s deploy.Snapshot) deploy.Snapshot {
	return random.Partitioned(random.Rapid(t), s)
}

// caughtUpPartition is caughtUp, for a Deployment under a partition.
func caughtUpPartition(t *rapid.T) deploy.Snapshot {
	s := byPartition(t, caughtUp(t))
	s.Deployment.Partitioned.Paused = false
	return s
}

// anyPartition is anything, for a Deployment under a partition.
func anyPartition(t *rapid.T) deploy.Snapshot {
	s := byPartition(t, anything(t))
	s.Deployment.Partitioned.Paused = rapid.Bool().Draw(t, "paused")
	if s.Deployment.Partitioned.Partition.IsZero() {
		s.Deployment.Partitioned.Partition = rollout.Int(0) // as JSON has it
	}
	return s
}

func optioned(opts deploy.Options) func(deploy.Snapshot) (deploy.Plan, error) {
	return func(s deploy.Snapshot) (deploy.Plan, error) { return deploy.Reconcile(s, t0, opts) }
}

func both(t *rapid.T) deploy.Options {
	return deploy.Options{Repair: anyRepair(t)}
}

func must(t *rapid.T, s deploy.Snapshot, opts deploy.Options) deploy.Plan {
	p, err := deploy.Reconcile(s, t0, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPropertyPartitionPure(t *testing.T) {
	check(t, func(t *rapid.T) { purity.Check(t, anyPartition(t), optioned(both(t)), "ReplicaSets", "Pods") })
}

func TestPropertyPartitionRoundTrip(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := anyPartition(t)
		roundTrip(t, must(t, s, both(t)))
		roundTrip(t, s)
	})
}

func FuzzPartition(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		purity.Check(t, anyPartition(t), optioned(both(t)), "ReplicaSets", "Pods")
	}))
}

// FuzzParsePartitioned: what is read allows as many pods as the text does, and is
// read again from its own text.
func FuzzParsePartitioned(f *testing.F) {
	f.Add(`{"rollingStyle":"Partition","rollingUpdate":{"maxUnavailable":"25%","maxSurge":2},"paused":true,"partition":"0100%"}`)
	f.Add(`{"partition":"100%"}`)
	f.Add(`{"partition":"50"}`)
	f.Add(`{"partition":-3}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := deploy.ParsePartitioned(text)
		if err != nil {
			return
		}
		again, err := deploy.ParsePartitioned(s.Text())
		if err != nil || again.Text() != s.Text() {
			t.Fatalf("%q: %q, then %q: %v", text, s.Text(), again.Text(), err)
		}
		for replicas := range int32(7) {
			if got, want := partition.Limit(s.Partition, replicas), limitOf(text, replicas); got != want {
				t.Fatalf("%q of %d: %d, want %d", text, replicas, got, want)
			}
		}
	})
}

// limitOf is the limit of a strategy straight from its text.
func limitOf(text string, replicas int32) int32 {
	var w struct{ Partition any }
	if json.Unmarshal([]byte(text), &w) != nil {
		return 0
	}
	limit := 0.0
	switch p := w.Partition.(type) {
	case float64:
		limit = p
	case string:
		digits, isPercent := strings.CutSuffix(p, "%")
		n, err := strconv.Atoi(digits)
		if err == nil && isPercent {
			limit = math.Ceil(float64(n) * float64(replicas) / 100)
		}
		if replicas > 1 && p != "100%" {
			limit = min(limit, float64(replicas-1))
		}
	}
	return int32(max(0, min(limit, float64(replicas))))
}

// splitSizes returns how many pods of the new and of old templates are wanted, and
// how many old ReplicaSets want some. Only the oldest with the template is new.
func splitSizes(s deploy.Snapshot) (fresh, old int64, active int) {
	var newest *replicaset.ReplicaSet
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		if rs.Template.Same(s.Deployment.Template) && (newest == nil || rs.CreationTimestamp.Before(newest.CreationTimestamp)) {
			newest = rs
		}
	}
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		switch size := int64(*rs.Replicas); {
		case rs == newest:
			fresh += size
		case size > 0:
			old, active = old+size, active+1
		}
	}
	return fresh, old, active
}

func expected(s deploy.Snapshot) int64 {
	return int64(partition.Limit(s.Deployment.Partitioned.Partition, *s.Deployment.Replicas))
}

// TestPropertyPartitionBounds: after executing any prefix of Actions of a partitioned
// Deployment, at most Budget.MaxTotal pods are wanted, or no more than before, the
// pod of the lower bound aside, and at least Budget.MinAvailable are available, or no
// fewer than before.
func TestPropertyPartitionBounds(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := caughtUpPartition(t)
		p := must(t, s, both(t))
		most, least := max(int64(p.Budget.Replicas)+int64(p.Budget.Surge), wanted(s)), min(int64(p.Budget.MinAvailable()), available(s))
		for _, a := range p.Actions {
			if _, created := a.(deploy.CreateReplicaSet); created && p.Budget.Surge == 0 {
				most = max(most, wanted(s)+1)
			}
			if err := apply(&s, a); err != nil {
				t.Fatal(err)
			}
			if wanted(s) > most || available(s) < least {
				t.Fatalf("%v: %d wanted of at most %d, %d available of at least %d\n%v", a, wanted(s), most, available(s), least, p)
			}
		}
	})
}

// TestPropertyPartition: after executing any prefix of Actions of a partitioned
// Deployment that is not being scaled, the new ReplicaSet wants no more pods than the
// partition allows, or than before, the pod of the lower bound and a new one without
// any old pods aside.
func TestPropertyPartition(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := caughtUpPartition(t)
		p := must(t, s, both(t))
		before, old, _ := splitSizes(s)
		most := max(before, expected(s))
		switch {
		case old == 0:
			most = max(most, int64(*s.Deployment.Replicas))
		case p.Budget.Surge == 0:
			most = max(most, 1)
		}
		for _, a := range p.Actions {
			if err := apply(&s, a); err != nil {
				t.Fatal(err)
			}
			if fresh, _, _ := splitSizes(s); fresh > most {
				t.Fatalf("%v: %d of at most %d\n%v", a, fresh, most, p)
			}
		}
	})
}

// TestPropertyPartitionOld: old ReplicaSets keep what the partition leaves to them,
// and the new one is never taken for old. By default this holds where quirk.OldestFirstUnderPartition cannot
// show.
func TestPropertyPartitionOld(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := caughtUpPartition(t), both(t)
		p := must(t, s, opts)
		fresh, before, active := splitSizes(s)
		if !(opts.Repair == quirk.All) && active == 3 {
			return
		}
		for _, a := range p.Actions {
			if a, ok := a.(deploy.ScaleReplicaSet); ok && a.Reason == reason.TakenForOld {
				t.Fatalf("%v", a)
			}
			if err := apply(&s, a); err != nil {
				t.Fatal(err)
			}
			now, old, _ := splitSizes(s)
			left := int64(*s.Deployment.Replicas) - max(expected(s), fresh, now)
			if old < min(before, left) {
				t.Fatalf("%v: %d of at least %d\n%v", a, old, min(before, left), p)
			}
		}
	})
}

// TestPropertyPartitionConvergence: if pods become available, a pass under Corrected
// leads to what the partition asks for within a number of passes that depends on its
// size, and then plans nothing.
func TestPropertyPartitionConvergence(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := caughtUpPartition(t)
		if s.Deployment.Partitioned.RollingUpdate == nil {
			return // without limits nothing can move
		}
		replicas := int64(*s.Deployment.Replicas)
		bound := int(3*(replicas+wanted(s))) + 10
		for passes := 0; ; passes++ {
			p := must(t, s, deploy.Options{Repair: quirk.All})
			s.Deployment.Status = p.Status
			if p.Empty() {
				break
			}
			if passes > bound {
				t.Fatalf("not reached after %d passes: %v", passes, p)
			}
			for _, a := range p.Actions {
				if err := apply(&s, a); err != nil {
					t.Fatal(err)
				}
			}
			settle(&s)
		}
		fresh, old, _ := splitSizes(s)
		if fresh < expected(s) || fresh+old != replicas {
			t.Fatalf("%d new and %d old of %d, %d expected", fresh, old, replicas, expected(s))
		}
		p := must(t, s, deploy.Options{Repair: quirk.All})
		if !p.RecheckAt.IsZero() && s.Deployment.ProgressDeadlineSeconds != nil && *s.Deployment.ProgressDeadlineSeconds == deploy.NoLimit {
			t.Fatalf("reached, but looked at again at %v", p.RecheckAt)
		}
	})
}

// TestPropertyPartitionScaling: under Corrected a scaling reaches its sum exactly and
// gives the new ReplicaSet no more than the partition allows, unless it is the only
// active one or serves alone.
func TestPropertyPartitionScaling(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := caughtUpPartition(t)
		s.Deployment.Partitioned.Paused = true
		before, _, active := splitSizes(s)
		if before > 0 {
			active++
		}
		p := must(t, s, deploy.Options{Repair: quirk.All})
		for _, a := range p.Actions {
			if err := apply(&s, a); err != nil {
				t.Fatal(err)
			}
		}
		fresh, old, _ := splitSizes(s)
		if active == 0 && len(s.ReplicaSets) == 0 {
			return
		}
		if replicas := int64(*s.Deployment.Replicas); fresh+old != replicas {
			t.Fatalf("%d and %d of %d\n%v", fresh, old, replicas, p)
		}
		if active > 1 && fresh > max(before, expected(s)) {
			t.Fatalf("%d of at most %d\n%v", fresh, max(before, expected(s)), p)
		}
	})
}

// TestPropertyPartitionExplained: if a partitioned Deployment changes no size, although
// pods of its old templates are wanted, a hold says why: the partition or the surge
// for the new ReplicaSet, or, if that has all replicas, availability for the old ones.
func TestPropertyPartitionExplained(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := caughtUpPartition(t)
		p := must(t, s, both(t))
		fresh, old, _ := splitSizes(s)
		if sizes(p) != "none" || old == 0 {
			return
		}
		why := reason.SurgeExhausted
		switch {
		case fresh == int64(*s.Deployment.Replicas):
			why = reason.MinAvailable
		case fresh >= expected(s):
			why = reason.Partition
		}
		for _, h := range p.Holds {
			if h.Reason == why {
				return
			}
		}
		t.Fatalf("%d new and %d old, and no %s: %v", fresh, old, why, p.Holds)
	})
}

// TestPropertyPartitionAll: if the partition is everything, what is planned is what
// the partition of as many pods plans.
func TestPropertyPartitionAll(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := caughtUpPartition(t), both(t)
		s.Deployment.Partitioned.Partition = rollout.Percent(100)
		all := must(t, s, opts)
		s.Deployment.Partitioned.Partition = rollout.Int(*s.Deployment.Replicas)
		if number := must(t, s, opts); all.String() != number.String() {
			t.Fatalf("%v\n%v", all, number)
		}
	})
}
