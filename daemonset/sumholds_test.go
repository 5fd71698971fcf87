// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
)

// summable are the reasons of which there is one hold for each with SumHolds.
var summable = map[kplan.Reason]bool{
	reason.TooManyPods: true, reason.Empty: true, reason.Terminating: true, reason.NewAndOld: true,
	reason.NotReady: true, reason.NotAvailable: true, reason.Preparing: true,
}

// summed puts holds of nodes together by hand, where the first of them is.
func summed(holds []kplan.Hold) (list []kplan.Hold) {
	sums := map[kplan.Reason]int64{}
	first := -1
	for _, h := range holds {
		if !summable[h.Reason] || h.Node == "" {
			list = append(list, h)
			continue
		}
		sums[h.Reason]++
		if first < 0 {
			first = len(list)
		}
	}
	var sorted []kplan.Hold
	for reason, n := range sums {
		sorted = append(sorted, kplan.Hold{Reason: reason, Have: n})
	}
	slices.SortFunc(sorted, func(a, b kplan.Hold) int { return cmp.Compare(a.Reason, b.Reason) })
	if first < 0 {
		return list
	}
	return slices.Insert(list, first, sorted...)
}

// SumHolds changes nothing but that holds of nodes are summed.
func TestPropertySumHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := random.Rapid(t)
		snapshot, opts := random.DaemonSet(s, random.OneOf(s, "kind", random.CaughtUp, random.Truthful, random.Anything)), random.DaemonSetOptions(s)
		opts.SumHolds = false
		want, err := daemonset.Reconcile(snapshot, random.Now, opts)
		opts.SumHolds = true
		got, again := daemonset.Reconcile(snapshot, random.Now, opts)
		require.Equal(t, err, again)
		want.Holds = summed(want.Holds)
		require.Equal(t, want, got)
	})
}

// Of ten nodes three may be unavailable: the pods of two are being deleted, and one is new and
// not ready.
func TestSumHolds(t *testing.T) {
	s := large(10, 4)
	s.DaemonSet.MaxUnavailable = rollout.Int(3)
	s.Pods[0].DeletionTimestamp, s.Pods[9].DeletionTimestamp = t0, t0
	s.Pods[1].Ready = false
	p, err := daemonset.Reconcile(s, t0, daemonset.Options{SumHolds: true})
	require.NoError(t, err)
	require.Equal(t, []kplan.Hold{
		{Reason: reason.MaxUnavailable, Have: 3, Limit: 3},
		{Reason: reason.NotReady, Have: 1},
		{Reason: reason.Terminating, Have: 2},
	}, p.Holds)
	require.Empty(t, p.Actions)
}

// TestTrackerAllocatesSummed: with SumHolds a change and a plan allocate as much however many
// nodes use up the budget, here a tenth of all.
func TestTrackerAllocatesSummed(t *testing.T) {
	measure := func(n int) (objects float64, holds int) {
		s := large(n, n/2)
		for i := range n / 20 { // of each ten nodes that are new one is not ready, and of ten that are old one ends
			s.Pods[10*i].Ready, s.Pods[n-1-10*i].DeletionTimestamp = false, t0
		}
		s.DaemonSet.MaxUnavailable = rollout.Percent(10)
		tr, i := tracker(t, &s), 0
		return testing.AllocsPerRun(20, func() {
			old := &s.Pods[1+10*(i/2)]
			p := *old
			p.Ready = i%2 > 0
			i++
			require.NoError(t, tr.Apply(daemonset.Delta{Pod: daemonset.PodEvent{Old: old, New: &p}}))
			plan, err := tr.Plan(t0.Add(time.Duration(i)), daemonset.Options{SumHolds: true})
			require.NoError(t, err)
			require.Empty(t, plan.Actions)
			holds = max(holds, len(plan.Holds))
		}), holds
	}
	few, of := measure(400)
	many, ofMany := measure(40_000)
	require.Equal(t, 3, of)
	require.Equal(t, of, ofMany)
	require.InDelta(t, few, many, 2, "slices grow to other sizes")
}
