// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/big"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A step is the parameters of one, in the order new set, old sets.
type step struct {
	budget rollout.Budget
	sets   []rollout.Set
}

func stepOf(values map[string]*big.Int) step {
	n := func(name string) int32 { return int32(values[name].Int64()) }
	s := step{budget: rollout.Budget{Replicas: n("b.0"), Surge: n("b.1"), Unavailable: n("b.2")}}
	s.sets = append(s.sets, rollout.Set{Wanted: n("newSet.0"), Available: n("newSet.1")})
	for i := 0; values[fmt.Sprintf("old[%d].0", i)] != nil; i++ {
		s.sets = append(s.sets, rollout.Set{Wanted: n(fmt.Sprintf("old[%d].0", i)), Available: n(fmt.Sprintf("old[%d].1", i)), Age: i})
	}
	return s
}

// snapshot is a Deployment in this state, of which the new template is the last.
func (s step) snapshot() deploy.Snapshot {
	b := s.budget
	d := deploy.Deployment{Name: "web", UID: "web", Replicas: &b.Replicas, Template: revision.Template{ID: "0", Hash: "0"},
		MaxSurge: rollout.Int(b.Surge), MaxUnavailable: rollout.Int(b.Unavailable),
		Annotations: map[string]string{revision.AnnotationRevision: "3"}}
	r := deploy.Snapshot{Deployment: d}
	for i, set := range s.sets {
		age := i
		if i == 0 {
			age = len(s.sets)
		}
		id := strconv.Itoa(i)
		r.ReplicaSets = append(r.ReplicaSets, replicaset.ReplicaSet{
			Name: "web-" + id, UID: id, ControllerUID: "web", Replicas: &s.sets[i].Wanted, Template: revision.Template{ID: id, Hash: id},
			CreationTimestamp: start.Add(time.Duration(age) * time.Hour),
			Annotations: map[string]string{revision.AnnotationRevision: strconv.Itoa(age), revision.AnnotationDesired: fmt.Sprint(b.Replicas),
				revision.AnnotationMax: fmt.Sprint(int64(b.Replicas) + int64(b.Surge))},
			Status: replicaset.Status{Replicas: max(set.Wanted, set.Available), ReadyReplicas: set.Available, AvailableReplicas: set.Available},
		})
	}
	return r
}

// planned are the sizes that the planner wants.
func (s step) planned(t *testing.T, repair deployquirk.Set) []int32 {
	t.Helper()
	_, sizes := s.plan(t, s.snapshot(), repair)
	return sizes
}

// plan returns the plan, and the sizes of ReplicaSets after it.
func (step) plan(t *testing.T, snapshot deploy.Snapshot, repair deployquirk.Set) (deploy.Plan, []int32) {
	t.Helper()
	plan, err := deploy.Reconcile(snapshot, start.Add(24*time.Hour), deploy.Options{Repair: repair})
	require.NoError(t, err)
	for _, a := range plan.Actions {
		snapshot, err = deploy.Apply(snapshot, a, start.Add(24*time.Hour))
		require.NoError(t, err)
	}
	var sizes []int32
	for _, rs := range snapshot.ReplicaSets {
		sizes = append(sizes, *rs.Replicas)
	}
	return plan, sizes
}

func sum(sizes []int32) (n int64) {
	for _, s := range sizes {
		n += int64(s)
	}
	return n
}

// kept is how many pods are left that are wanted and available.
func (s step) kept(sizes []int32) (n int64) {
	for i, set := range s.sets {
		n += int64(min(set.Available, set.Wanted, sizes[i]))
	}
	return n
}

func (s step) sizes() (all []int32) {
	for _, set := range s.sets {
		all = append(all, set.Wanted)
	}
	return all
}

// Where a quirk breaks a bound the solver finds a case. The planner breaks it in the same
// case, and keeps it with the quirk repaired; that it then always does is one of the proofs.
func TestCases(t *testing.T) {
	p := program0(t)
	for name, c := range map[string]struct {
		quirk deployquirk.Set
		keeps func(s step, planned []int32) bool
	}{
		"surgeByDefault": {deployquirk.SumsWrapAround, func(s step, planned []int32) bool {
			return sum(planned) <= max(sum(s.sizes()), int64(s.budget.Replicas)+int64(s.budget.Surge))
		}},
		"stuckByDefault": {deployquirk.SumsWrapAround, func(s step, planned []int32) bool {
			return fmt.Sprint(planned) != fmt.Sprint(s.sizes())
		}},
		"excessByDefault": {deployquirk.ExcessAvailableCounts, func(s step, planned []int32) bool {
			return s.kept(planned) >= min(s.kept(s.sizes()), int64(s.budget.Replicas)-int64(s.budget.Unavailable))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := p.counterexample(solve(t, solvers[0]), p.others[name])
			require.NoError(t, err)
			require.NotNil(t, found)
			s := stepOf(found.values)
			t.Logf("%+v: by default %v, repaired %v", s, s.planned(t, 0), s.planned(t, c.quirk))
			require.False(t, c.keeps(s, s.planned(t, 0)), "the planner keeps the bound by default")
			require.True(t, c.keeps(s, s.planned(t, c.quirk)), "the planner breaks the bound with the quirk repaired")
		})
	}
}

// A new set with the size of the replicas keeps its size by default: the sum of all sizes, which
// wraps around, is not computed for it. The proof is for two old sets; growth would use the sum.
func TestAtReplicas(t *testing.T) {
	found, err := program0(t).counterexample(solve(t, solvers[0]), program0(t).others["atReplicasByDefault"])
	require.NoError(t, err)
	require.Nil(t, found)
	overlay, err := bug{"rollout/roll.go", "if newSet.Wanted < places.Replicas {", "if newSet.Wanted <= places.Replicas {"}.overlay()
	require.NoError(t, err)
	from, err := code()
	require.NoError(t, err)
	p, err := from.program(overlay)
	require.NoError(t, err)
	found, err = p.counterexample(solve(t, solvers[0]), p.others["atReplicasByDefault"])
	require.NoError(t, err)
	require.NotNil(t, found)
	s := stepOf(found.values)
	require.Equal(t, s.budget.Replicas, s.planned(t, 0)[0], "the planner keeps it as well")
}
