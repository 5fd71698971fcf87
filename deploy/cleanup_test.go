// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
)

func history(limit int32) func(*deploy.Deployment) {
	return func(d *deploy.Deployment) { d.RevisionHistoryLimit = ptr.To(limit) }
}

func TestCleanUpHistory(t *testing.T) {
	behind := func(rs *replicaset.ReplicaSet) { rs.Generation = rs.Status.ObservedGeneration + 1 }
	deleting := func(rs *replicaset.ReplicaSet) { rs.DeletionTimestamp = t0 }
	unnumbered := func(rs *replicaset.ReplicaSet) { delete(rs.Annotations, "deployment.kubernetes.io/revision") }
	for _, c := range []struct {
		why   string
		limit int32
		sets  []replicaset.ReplicaSet
		want  string
		holds []string
	}{
		{"all but one", 1, []replicaset.ReplicaSet{set(1, 0), set(2, 0), set(3, 0)}, "delete web-v1, delete web-v2", nil},
		{"one that still reports a pod is skipped without replacement", 1,
			[]replicaset.ReplicaSet{set(1, 0, counts(1, 1)), set(2, 0), set(3, 0)}, "delete web-v2", []string{"web-v1 HistoryNotEmpty 1/0"}},
		{"both of the lowest are in use", 1,
			[]replicaset.ReplicaSet{set(1, 0, counts(1, 1)), set(2, 0, counts(2, 2)), set(3, 0)}, "none",
			[]string{"web-v1 HistoryNotEmpty 1/0", "web-v2 HistoryNotEmpty 2/0"}},
		{"by revision, not by age", 2,
			[]replicaset.ReplicaSet{set(1, 0, numbered("3")), set(2, 0, numbered("1")), set(3, 0, numbered("4")), set(4, 0, numbered("2"))},
			"delete web-v2, delete web-v4", nil},
		{"no revision is the lowest", 1, []replicaset.ReplicaSet{set(1, 0), set(2, 0, unnumbered)}, "delete web-v2", nil},
		{"one that does not parse goes by its age", 1, []replicaset.ReplicaSet{set(1, 0), set(2, 0, numbered("bad"))}, "delete web-v1", nil},
		{"the same the other way round", 1, []replicaset.ReplicaSet{set(1, 0, numbered("bad")), set(2, 0, numbered("1"))}, "delete web-v1", nil},
		{"a cycle: 3 before bad, bad before 1, 1 before 3", 1,
			[]replicaset.ReplicaSet{set(1, 0, numbered("3")), set(2, 0, numbered("bad")), set(3, 0, numbered("1"))},
			"delete web-v2, delete web-v3", nil},
		{"equal revisions: the older first", 1, []replicaset.ReplicaSet{set(2, 0, numbered("1")), set(1, 0)}, "delete web-v1", nil},
		{"none is kept", 0, []replicaset.ReplicaSet{set(1, 0)}, "delete web-v1", nil},
		{"one that has not observed its spec", 0, []replicaset.ReplicaSet{set(1, 0, behind)}, "none", []string{"web-v1 HistoryNotSynced 1/2"}},
		{"one that is being deleted does not count", 1, []replicaset.ReplicaSet{set(1, 0, deleting), set(2, 0)}, "none", nil},
		{"no limit", deploy.NoLimit, []replicaset.ReplicaSet{set(1, 0), set(2, 0)}, "none", nil},
		{"within the limit", 2, []replicaset.ReplicaSet{set(1, 0), set(2, 0)}, "none", nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			// The Deployment has a finished rollout of v9.
			d := web(3, template("v9"), history(c.limit), reported(3, 3, 3, 3))
			p := reconcile(t, snapshot(d, append(c.sets, set(9, 3))...))
			requireEqual(t, c.why, c.want, sizes(p))
			requireEqual(t, c.why, c.holds, holds(p))
		})
	}
}

// TestHistoryWithinItsLimit: it is not even looked at.
func TestHistoryWithinItsLimit(t *testing.T) {
	allocations := func(limit int32) float64 {
		s := snapshot(web(3, history(limit), reported(3, 3, 3, 3)), set(1, 0), set(2, 3))
		return testing.AllocsPerRun(20, func() { _, _ = deploy.Reconcile(s, t0, deploy.Options{}) })
	}
	requireEqual(t, "two of two", allocations(deploy.NoLimit), allocations(2))
}

func TestCleanUpWaitsForCompletion(t *testing.T) {
	sets := []replicaset.ReplicaSet{set(1, 0), set(2, 3)}
	p := reconcile(t, snapshot(web(3, history(0), reported(3, 3, 3, 2)), sets...))
	requireEqual(t, "the stored status decides", "none", sizes(p))
	p = reconcile(t, snapshot(web(3, history(0), paused), sets...))
	requireEqual(t, "a paused Deployment cleans up at any time", "delete web-v1", sizes(p))
}

// TestHistoryNotEmptyCounts: the hold tells how many pods an old ReplicaSet in use wants,
// or has if these are more.
func TestHistoryNotEmptyCounts(t *testing.T) {
	d := web(9, history(0), paused)
	for why, c := range map[string]struct {
		old  replicaset.ReplicaSet
		want int64
	}{
		"it wants more": {set(1, 3, counts(1, 1)), 3},
		"it has more":   {set(1, 2, counts(5, 1)), 5},
		"it has some":   {set(1, 0, counts(4, 0)), 4},
	} {
		p := reconcile(t, snapshot(d, c.old, set(2, 3)))
		require.Contains(t, p.Holds, kplan.Hold{Name: "web-v1", Reason: reason.HistoryNotEmpty, Have: c.want}, why)
	}
}
