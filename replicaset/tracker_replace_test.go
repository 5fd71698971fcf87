// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// TestTrackerReplace: the pods are those of the list, whatever events were lost before. A pod with the
// UID and the version of the known one counts as unchanged. After an error nothing has changed, and
// the Tracker does not read the list again.
func TestTrackerReplace(t *testing.T) {
	tr := tracker(t, web(4), pod("changed"), pod("gone"), pod("older"), pod("recreated"), pod("same"), pod("unversioned", version("")))
	s := replicaset.Snapshot{
		ReplicaSet: web(5), Siblings: []replicaset.ReplicaSet{web(1, func(rs *replicaset.ReplicaSet) { rs.UID = "sibling" })},
		Expectations: expect.Creations(1, t0), Read: expect.Versions{Children: "9"}, Domains: podorder.Domains{"n1": "a"},
		Pods: []podorder.Pod{
			pod("changed", version("8"), unready), pod("new"), pod("older", version("6"), unready), pod("recreated", uid("new"), unready),
			pod("same", unready), pod("unversioned", version(""), unready),
		},
	}
	list := slices.Clone(s.Pods)
	require.NoError(t, tr.Replace(s))
	s.Pods[0].Name = "reused"
	s.Pods = list
	s.Pods[4] = pod("same")
	check := func() {
		t.Helper()
		got := tr.Snapshot()
		slices.SortFunc(got.Pods, func(a, b podorder.Pod) int { return strings.Compare(a.Name, b.Name) })
		require.Equal(t, s, got)
		requireSamePlan(t, tr, t0)
	}
	check()
	for wrong, pods := range map[string][]podorder.Pod{
		`Pods["a"].Name: "a": must be unique`: {pod("a"), pod("b"), pod("a", uid("other"))},
		`Pods[""].Name: "": must be set`:      {pod("a"), pod("")},
	} {
		err := tr.Replace(replicaset.Snapshot{ReplicaSet: web(1), Pods: pods})
		require.EqualError(t, err, wrong)
		require.ErrorIs(t, err, kplan.ErrInvalid)
		check()
	}
}

// TestTrackerReplaceAllocates: a list without changes costs no more allocations, however
// many pods there are.
func TestTrackerReplaceAllocates(t *testing.T) {
	allocations := func(n int) float64 {
		s := replicaset.Snapshot{ReplicaSet: web(int32(n)), Pods: pods(n)}
		tr := tracker(t, s.ReplicaSet, s.Pods...)
		return testing.AllocsPerRun(10, func() { require.NoError(t, tr.Replace(s)) })
	}
	require.LessOrEqual(t, allocations(10_000), allocations(1_000))
}

// TestTrackerMemoryOfLists: of many lists that each change one pod, a Tracker keeps only this pod.
func TestTrackerMemoryOfLists(t *testing.T) {
	const n = 10_000
	tr := tracker(t, web(n), pods(n)...)
	before := trackedtest.InUse()
	for i := range 20 {
		list := pods(n)
		list[i].ResourceVersion = "8"
		require.NoError(t, tr.Replace(replicaset.Snapshot{ReplicaSet: web(n), Pods: list}))
	}
	require.Less(t, trackedtest.InUse()-before, 100.0*n, "less than one list")
	requireSamePlan(t, tr, t0)
}
