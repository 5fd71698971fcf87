// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// requireSamePlan wants the plan of a Tracker to be that of Reconcile.
func requireSamePlan(t *testing.T, tr *replicaset.Tracker, now time.Time) {
	t.Helper()
	want, wrong := replicaset.Reconcile(tr.Snapshot(), now, replicaset.Options{})
	got, err := tr.Plan(now, replicaset.Options{})
	require.Equal(t, wrong, err)
	require.Equal(t, want, got)
}

// Pods age even after 146 and 292 years, and those of times that do not fit a number of nanoseconds do.
func TestTrackerOldPods(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		others, one time.Time
		at          []time.Time
	}{
		{year(1900), year(1891), []time.Time{year(2036), year(2037).AddDate(0, 5, 0)}},
		{year(1690), year(1680), []time.Time{year(1970), year(1973)}},
		{year(2400), year(2300), []time.Time{year(2026), year(2250)}},
		{year(1980), year(1981), []time.Time{year(2016), year(2017).AddDate(0, 5, 0), year(2053), year(2054)}},
	} {
		all := pods(20)
		for i := range all {
			all[i].ReadySince, all[i].NodeName = c.others, "n"
		}
		all[0].ReadySince = c.one
		tr := tracker(t, web(19), all...)
		for _, now := range c.at {
			requireSamePlan(t, tr, now)
		}
	}
}

// The plan is right however many costs of deletion there are, on one node or on many, from the first plan
// on or later.
func TestTrackerManyCosts(t *testing.T) {
	for _, nodes := range []int{1, 30, 1000} {
		for i, later := range []bool{false, true, false, true} {
			wanted := int32(199 - i/2)
			all := pods(200)
			for i := range all {
				all[i].NodeName = fmt.Sprint("n", i%nodes)
			}
			price := func(p *podorder.Pod, cost int) {
				p.Annotations = map[string]string{podorder.AnnotationDeletionCost: fmt.Sprint(cost)}
			}
			for i := range all {
				if !later {
					price(&all[i], i*37%200)
				}
			}
			tr := tracker(t, web(wanted), all...)
			requireSamePlan(t, tr, t0)
			for i := range all {
				p := all[i]
				price(&p, i*91%200-100)
				require.NoError(t, tr.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: &all[i], New: &p}}))
				requireSamePlan(t, tr, t0)
			}
		}
	}
}

// Nodes on which no pod is any more are forgotten, even if no pods are deleted for a long time.
func TestTrackerForgetsNodes(t *testing.T) {
	const n = 2000
	all := pods(n)
	for i := range all {
		all[i].NodeName = fmt.Sprint("n", i/2)
	}
	controlled := func(rs *replicaset.ReplicaSet) { rs.ControllerUID = "d" }
	tr := tracker(t, web(n-1, controlled), all...)
	requireSamePlan(t, tr, t0)
	rs := web(n, controlled)
	require.NoError(t, tr.Apply(replicaset.Delta{ReplicaSet: &rs}))
	moved := 0
	move := func(times int) float64 {
		for range times {
			for i := range all {
				p := all[i]
				moved++
				p.NodeName = fmt.Sprint("m", moved/2) // one that is alone on its node is apart
				require.NoError(t, tr.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: &all[i], New: &p}}))
				all[i] = p
			}
		}
		return trackedtest.InUse()
	}
	before := move(5)
	require.Less(t, move(40)-before, 64.0*n)
	rs = web(n-2, controlled)
	require.NoError(t, tr.Apply(replicaset.Delta{ReplicaSet: &rs}))
	requireSamePlan(t, tr, t0)
}

// Memory that a ranking took for pods that have gone is given back by a plan that deletes.
func TestTrackerShrinks(t *testing.T) {
	const n, left = 100_000, 1000
	all := pods(n)
	for i := range all {
		all[i].NodeName = fmt.Sprint("n", i/3)
	}
	controlled := func(rs *replicaset.ReplicaSet) { rs.ControllerUID = "d" }
	before := trackedtest.InUse()
	tr := tracker(t, web(n-1, controlled), all...)
	plan := func() {
		_, err := tr.Plan(t0, replicaset.Options{})
		require.NoError(t, err)
	}
	plan()
	for i := left; i < n; i++ {
		require.NoError(t, tr.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: &all[i]}}))
	}
	rs := web(left-1, controlled)
	require.NoError(t, tr.Apply(replicaset.Delta{ReplicaSet: &rs}))
	plan()
	require.Less(t, trackedtest.InUse()-before, 150.0*left)
	requireSamePlan(t, tr, t0)
	runtime.KeepAlive(all)
}

// A Tracker from JSON stands for the snapshot in the text, even if two pods have one UID. Null
// changes nothing.
func TestTrackerJSONSays(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(1), Pods: []podorder.Pod{pod("a"), pod("b", uid("a-uid"))}}
	text, err := json.Marshal(s)
	require.NoError(t, err)
	var tr replicaset.Tracker
	require.NoError(t, json.Unmarshal(text, &tr))
	require.Equal(t, s, tr.Snapshot())
	requireSamePlan(t, &tr, t0)
	require.NoError(t, json.Unmarshal([]byte("null"), &tr))
	require.Equal(t, s, tr.Snapshot())
}
