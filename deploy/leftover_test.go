// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/replicaset"
)

// even is a rollout from one number of replicas to another, between sets of equal sizes.
func even(before, after, size int32, n int) deploy.Snapshot {
	var sets []replicaset.ReplicaSet
	text := fmt.Sprint(before)
	for k := range n {
		sets = append(sets, set(k+1, size, sized(text, text)))
	}
	return snapshot(web(after, limits(0, 1), template(fmt.Sprintf("v%d", n))), sets...)
}

// TestScaledDownTheOldestLose: in the middle of a rollout between equal sets, pods are
// taken from the oldest. From the new one they would go in vain, and in the smallest
// case the rollout would start again.
func TestScaledDownTheOldestLose(t *testing.T) {
	for _, c := range []struct {
		s    deploy.Snapshot
		want string
	}{
		{even(2, 1, 1, 2), "web-v1 1->0"},
		{even(3, 2, 1, 3), "web-v1 1->0"},
		{even(4, 3, 2, 2), "web-v1 2->1"},
		{even(6, 4, 2, 3), "web-v1 2->1, web-v2 2->1"},
		{even(9, 7, 3, 3), "web-v1 3->2, web-v2 3->2"},
	} {
		require.Equal(t, c.want, sizes(reconcile(t, c.s)), "upstream")
		for _, policy := range []deploy.LeftoverPolicy{deploy.LeftoverDefault, deploy.LeftoverLargest, deploy.LeftoverNewest} {
			for _, repair := range []quirk.Set{0, quirk.All} {
				opts := deploy.Options{Repair: repair, Leftover: policy}
				require.Equal(t, c.want, sizes(reconcileWith(t, c.s, opts)), "%+v", opts)
			}
		}
	}
}

// TestPropertyCorrectedKeepsWhatIsExact: where the sizes that the default gives reach
// their sum, move no set against the direction of the whole, and are as close to the
// shares as sizes can be, there is no defect, and Corrected gives the same.
func TestPropertyCorrectedKeepsWhatIsExact(t *testing.T) {
	exact := 0
	check(t, func(t *rapid.T) {
		before, total := rapid.Int32Range(2, 40).Draw(t, "before"), int32(0)
		var sets []replicaset.ReplicaSet
		for n := range rapid.IntRange(2, 4).Draw(t, "sets") {
			size := rapid.Int32Range(1, 9).Draw(t, "size")
			total += size
			sets = append(sets, set(n+1, size, sized(fmt.Sprint(before), fmt.Sprint(total))))
		}
		for i := range sets { // which have all been scaled for what is wanted now
			sized(fmt.Sprint(before), fmt.Sprint(total))(&sets[i])
		}
		d := web(rapid.Int32Range(0, 40).Draw(t, "after"), limits(rapid.Int32Range(0, 5).Draw(t, "surge"), 1))
		s := snapshot(d, sets...)
		if *d.Replicas == before {
			return
		}
		usual, repaired := carriedOut(t, s, deploy.Options{}), carriedOut(t, s, corrected)
		goal := *d.Replicas + d.MaxSurge.OfUp(*d.Replicas)
		if *d.Replicas == 0 {
			goal = 0
		}
		if !asCloseAsCanBe(s.ReplicaSets, usual.ReplicaSets, goal) {
			return
		}
		exact++
		for i := range sets {
			if *usual.ReplicaSets[i].Replicas != *repaired.ReplicaSets[i].Replicas {
				t.Fatalf("%s: %d by default, %d corrected", sets[i].Name, *usual.ReplicaSets[i].Replicas, *repaired.ReplicaSets[i].Replicas)
			}
		}
	})
	require.NotZero(t, exact, "or else nothing has been compared")
}

// carriedOut returns the snapshot after the plan for it.
func carriedOut(t *rapid.T, s deploy.Snapshot, opts deploy.Options) deploy.Snapshot {
	p, err := deploy.Reconcile(s, t0, opts)
	if err != nil {
		t.Fatal(err)
	}
	s = purity.Clone(s)
	for _, a := range p.Actions {
		if err := apply(&s, a); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// asCloseAsCanBe reports whether the sizes after sum up to goal, none has moved against
// the direction of the whole, and no pod that one set gave another would bring both
// together closer to their shares.
func asCloseAsCanBe(before, after []replicaset.ReplicaSet, goal int32) bool {
	total, sum := int32(0), int32(0)
	for i := range before {
		total, sum = total+*before[i].Replicas, sum+*after[i].Replicas
	}
	distance := func(i int, size int32) *big.Rat {
		share := big.NewRat(int64(goal)*int64(*before[i].Replicas), int64(total))
		share.Sub(share, big.NewRat(int64(size), 1))
		return share.Abs(share)
	}
	for i := range before {
		if d := *after[i].Replicas - *before[i].Replicas; d > 0 && goal < total || d < 0 && goal > total || d != 0 && goal == total {
			return false
		}
		for j := range before {
			a, b := *after[i].Replicas, *after[j].Replicas
			now := new(big.Rat).Add(distance(i, a), distance(j, b))
			then := new(big.Rat).Add(distance(i, a-1), distance(j, b+1))
			if i != j && then.Cmp(now) < 0 {
				return false
			}
		}
	}
	return sum == goal
}
