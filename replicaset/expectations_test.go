// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// TestPlanWithoutPods: a plan that creates and deletes nothing leaves the expectations
// as they are.
func TestPlanWithoutPods(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(0), Expectations: expect.Creations(2, t0)}
	require.Equal(t, s.Expectations, replicaset.Plan{}.Expect(s.Expectations, t0.Add(time.Hour)))
}

func TestExpectationGate(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(5, selecting, minReady(10)), Expectations: expect.Creations(2, t0.Add(-time.Minute)),
		Pods: []podorder.Pod{pod("a", labelled("web"), orphan)}}
	p := reconcile(t, s, replicaset.Options{})
	require.Equal(t, "Adopted pod: a (Orphan)\nheld back: Expectations (2 of 0)", p.String(), "claims do not wait")
	require.Equal(t, t0.Add(4*time.Minute+1), p.RecheckAt, "upstream has no timer")
	s.Pods = append(s.Pods, pod("b", labelled("web"), readyAgo(time.Second)))
	require.Equal(t, t0.Add(9*time.Second), reconcile(t, s, replicaset.Options{}).RecheckAt, "whichever is sooner")

	s.Expectations.At = t0.Add(-5 * time.Minute)
	require.NotContains(t, reconcile(t, s, replicaset.Options{}).String(), "Created", "exactly five minutes are not enough")
	s.Expectations.At = t0.Add(-5*time.Minute - 1)
	p = reconcile(t, s, replicaset.Options{})
	require.Equal(t, "Adopted pod: a (Orphan)\nCreated 3 pods (TooFew)\nheld back: Expired (2 of 0)", p.String(), "they are given up, and the plan says so")
	s.Expectations = expect.Deletions([]string{"x"}, t0)
	require.Contains(t, reconcile(t, s, replicaset.Options{}).String(), "held back: Expectations (1 of 0)")
}

func TestSlowStart(t *testing.T) {
	for _, c := range []struct {
		n, initial int32
		want       []int32
	}{
		{0, 1, nil}, {-1, 1, nil}, {1, 1, []int32{1}}, {2, 1, []int32{1, 1}}, {3, 1, []int32{1, 2}}, {5, 1, []int32{1, 2, 2}}, {7, 1, []int32{1, 2, 4}},
		{8, 1, []int32{1, 2, 4, 1}}, {10, 1, []int32{1, 2, 4, 3}}, {500, 1, []int32{1, 2, 4, 8, 16, 32, 64, 128, 245}}, {10, 4, []int32{4, 6}}, {3, 9, []int32{3}}, {3, 0, []int32{1, 2}},
	} {
		require.Equal(t, c.want, replicaset.SlowStart(c.n, c.initial), "%d from %d", c.n, c.initial)
	}
	require.Len(t, replicaset.SlowStart(1<<31-1, 1), 31)
	rapid.Check(t, func(t *rapid.T) {
		n, initial := rapid.Int32Range(1, 1<<31-1).Draw(t, "n"), rapid.Int32Range(1, 100).Draw(t, "initial")
		sum, batches := int64(0), replicaset.SlowStart(n, initial)
		for i, b := range batches {
			sum += int64(b)
			if i > 0 && i < len(batches)-1 && b != 2*batches[i-1] || b < 1 {
				t.Fatalf("batch %d of %v", i, batches)
			}
		}
		if sum != int64(n) {
			t.Fatalf("%d in %v", sum, batches)
		}
	})
}

func TestNextBatch(t *testing.T) {
	done := func(n int) []kplan.Outcome {
		list := make([]kplan.Outcome, n)
		for i := range list {
			list[i].Answer = kplan.Done
		}
		return list
	}
	a := replicaset.CreatePods{Count: 10}
	for _, c := range []struct {
		made int
		want int32
		why  string
	}{{0, 1, "one"}, {1, 2, "two"}, {3, 4, "four"}, {7, 3, "the rest"}, {10, 0, "no more"}, {99, 0, "nor after more calls than there were"}} {
		require.Equal(t, c.want, a.NextBatch(done(c.made)), c.why)
	}
	failed := append(done(6), kplan.Outcome{Answer: kplan.Failed})
	require.Zero(t, a.NextBatch(failed), "one failure skips all later batches")
	doomed := append(done(6), kplan.Outcome{Answer: kplan.NamespaceTerminating})
	require.Equal(t, int32(3), a.NextBatch(doomed), "a namespace that goes away is no failure")
}
