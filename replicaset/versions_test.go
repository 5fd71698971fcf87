// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/reason"
)

// While a cache is older than what was written, nothing is planned, the hold says which
// versions these are, and Finish asks to try again and keeps what was written.
func TestStale(t *testing.T) {
	written := expect.Versions{OwnerUID: "rs-uid", Children: "12", Owner: "20"}
	for _, tt := range []struct {
		why  string
		read expect.Versions
		hold kplan.Hold
		err  string
	}{
		{"a pod that was created is not there", expect.Versions{Children: "11", Owner: "20"},
			kplan.Hold{Reason: reason.StalePods, Have: 11, Limit: 12},
			"read version: 11 is not as new as written version: 12 for group resource pods"},
		{"the status is an older one", expect.Versions{Children: "12", Owner: "9"},
			kplan.Hold{Reason: reason.StaleOwner, Have: 9, Limit: 20},
			"read version: 9 is not as new as written version: 20 for group resource replicasets.apps"},
		{"pods come first if both are", expect.Versions{Children: "5", Owner: "5"},
			kplan.Hold{Reason: reason.StalePods, Have: 5, Limit: 12},
			"read version: 5 is not as new as written version: 12 for group resource pods"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			s := replicaset.Snapshot{ReplicaSet: web(3), Pods: pods(1), Written: written, Read: tt.read}
			p := reconcile(t, s, replicaset.Options{})
			require.Empty(t, p.Actions)
			require.Equal(t, []kplan.Hold{tt.hold}, p.Holds)
			require.Equal(t, s.ReplicaSet.Status, p.Status)
			r := replicaset.FinishPlan(s, p, replicaset.Report{Expectations: s.Expectations}, t0, replicaset.Options{})
			require.EqualError(t, r.Err, tt.err)
			require.False(t, r.WriteStatus)
			require.Equal(t, written, r.Written)
			victims, err := replicaset.Explain(s, t0, replicaset.Options{})
			require.NoError(t, err)
			require.Empty(t, victims)
		})
	}
	for why, read := range map[string]expect.Versions{
		"as new as what was written":          {Children: "12", Owner: "20"},
		"newer":                               {Children: "100", Owner: "100"},
		"a cache that cannot tell":            {},
		"what does not compare is not so old": {Children: "x", Owner: "01"},
	} {
		p := reconcile(t, replicaset.Snapshot{ReplicaSet: web(3), Pods: pods(1), Written: written, Read: read}, replicaset.Options{})
		require.Len(t, p.Actions, 1, why)
	}
}

// What a pass has created and adopted is recorded, by the highest version; what it has
// released, deleted or failed to do is not.
func TestWritten(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(3), Written: expect.Versions{OwnerUID: web(3).UID, Children: "5"}, Read: expect.Versions{Children: "7"}}
	done := func(version string) kplan.Outcome {
		return kplan.Outcome{Answer: kplan.Done, ResourceVersion: version}
	}
	failed := kplan.Outcome{Answer: kplan.Failed, Err: errors.New("boom"), ResourceVersion: "99"}
	p := replicaset.Plan{Actions: replicaset.Actions{
		replicaset.AdoptPod{Name: "a"}, replicaset.ReleasePod{Name: "b"}, replicaset.CreatePods{Count: 3},
	}}
	r := replicaset.FinishPlan(s, p, replicaset.Report{
		Claims:  []kplan.Outcome{done("8"), done("90")},
		Creates: []kplan.Outcome{done("12"), done("10"), failed},
	}, t0, replicaset.Options{})
	require.Equal(t, expect.Versions{OwnerUID: s.ReplicaSet.UID, Children: "12"}, r.Written)
	require.Equal(t, "31", r.Written.WroteOwner(s.ReplicaSet.UID, "31").Owner)

	p = replicaset.Plan{Actions: replicaset.Actions{replicaset.DeletePod{Name: "a"}}}
	r = replicaset.FinishPlan(s, p, replicaset.Report{Deletes: []kplan.Outcome{done("40")}}, t0, replicaset.Options{})
	require.Equal(t, s.Written, r.Written)
}

// A plan that is made at once, since a pod that was to be adopted is gone, does not wait
// for the cache to show the adoptions that its snapshot has.
func TestWrittenAgain(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(3, selecting), Read: expect.Versions{Children: "7"}, Pods: []podorder.Pod{
		pod("a", labelled("web"), orphan), pod("b", labelled("web"), orphan),
	}}
	p := reconcile(t, s, replicaset.Options{})
	r := replicaset.FinishPlan(s, p, replicaset.Report{Claims: []kplan.Outcome{
		{Answer: kplan.Done, ResourceVersion: "9"}, {Answer: kplan.NotFound},
	}}, t0, replicaset.Options{})
	require.NotNil(t, r.Again)
	require.Equal(t, "9", r.Written.Children)
	again := reconcile(t, *r.Again, replicaset.Options{})
	require.Len(t, again.Actions, 1, "the pods that are missing")
	require.Equal(t, "9", replicaset.FinishPlan(*r.Again, again, replicaset.Report{}, t0, replicaset.Options{}).Written.Children)
}
