// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/rollout"
)

// many draws a step with up to ten old sets, of which some want no pods.
func many(r *rand.Rand) step {
	n := func(low, high int32) int32 { return low + r.Int32N(high-low+1) }
	b := rollout.Budget{Replicas: n(1, 60), Surge: n(0, 10)}
	b.Unavailable = n(0, b.Replicas)
	if b.Surge == 0 {
		b.Unavailable = max(1, b.Unavailable)
	}
	s := step{budget: b, sets: []rollout.Set{{Wanted: n(0, b.Replicas+2)}}}
	for i := range r.IntN(10) + 1 {
		s.sets = append(s.sets, rollout.Set{Wanted: n(0, 9), Age: i})
	}
	for i := range s.sets {
		s.sets[i].Available = n(max(0, s.sets[i].Wanted-3), s.sets[i].Wanted)
	}
	if r.IntN(4) == 0 {
		s.sets[r.IntN(len(s.sets))].Available++ // which is more than it wants
	}
	return s
}

// rolled returns the sizes of Roll for the old sets that want pods, and its numbers about these
// sets.
func (s step) rolled(newSet rollout.Set) ([]int32, rollout.Shrinking) {
	var old []rollout.Set
	for _, set := range s.sets[1:] {
		if set.Wanted > 0 {
			old = append(old, set)
		}
	}
	r := rollout.Roll(s.budget, newSet, old, 0, rollout.Policy{})
	left, sizes := r.Shrinking.Sizes(old), []int32{r.Size}
	for _, set := range s.sets[1:] {
		size := int32(0)
		if set.Wanted > 0 {
			size, left = left[0], left[1:]
		}
		sizes = append(sizes, size)
	}
	return sizes, r.Shrinking
}

// The planner calls Roll, whose bounds are proved for any number of sets, with all of its
// ReplicaSets: with up to ten old ones its sizes and the numbers in its holds are Roll's, and its
// status counts all of them.
func TestManySets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 10))
	for range 20_000 {
		s := many(r)
		want, lost := s.rolled(s.sets[0])
		plan, sizes := s.plan(t, s.snapshot(), 0)
		require.Equal(t, want, sizes, "%+v", s)
		wanted, available := s.sums()
		require.EqualValues(t, available, plan.Status.AvailableReplicas, "%+v", s)
		require.EqualValues(t, max(0, wanted-available), plan.Status.UnavailableReplicas, "%+v", s)
		for _, h := range plan.Holds {
			switch h.Reason {
			case reason.SurgeExhausted:
				require.Equal(t, []int64{wanted, int64(s.budget.MaxTotal())}, []int64{h.Have, h.Limit}, "%+v", s)
			case reason.MinAvailable:
				require.Equal(t, []int64{lost.Have, lost.Limit}, []int64{h.Have, h.Limit}, "%+v", s)
			}
		}
	}
}

// A missing new ReplicaSet is created with the size of Roll for an empty one. The rest of the plan
// is another step from there.
func TestManySetsCreate(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 10))
	for range 20_000 {
		s := many(r)
		s.sets[0] = rollout.Set{}
		first, _ := s.rolled(s.sets[0])
		want, _ := s.rolled(rollout.Set{Wanted: first[0]})
		snapshot := s.snapshot()
		snapshot.ReplicaSets = snapshot.ReplicaSets[1:]
		_, sizes := s.plan(t, snapshot, 0)
		created := len(sizes) - 1
		require.Equal(t, want, append(sizes[created:], sizes[:created]...), "%+v", s)
	}
}

// sums returns the wanted and the available pods of all sets.
func (s step) sums() (wanted, available int64) {
	for _, set := range s.sets {
		wanted, available = wanted+int64(set.Wanted), available+int64(set.Available)
	}
	return wanted, available
}
