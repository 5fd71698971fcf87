// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// tracker returns a Tracker of a snapshot, without what changes what a whole pass may do.
func tracker(t testing.TB, s *daemonset.Snapshot) *daemonset.Tracker {
	var tr daemonset.Tracker
	require.NoError(t, tr.Apply(daemonset.Delta{DaemonSet: &s.DaemonSet, Revisions: s.Revisions}))
	for i := range s.Nodes {
		require.NoError(t, tr.Apply(daemonset.Delta{Node: daemonset.NodeEvent{New: &s.Nodes[i]}}))
	}
	for i := range s.Pods {
		require.NoError(t, tr.Apply(daemonset.Delta{Pod: daemonset.PodEvent{New: &s.Pods[i]}}))
	}
	return &tr
}

// The zero Tracker is the zero Snapshot.
func TestTrackerZero(t *testing.T) {
	var tr daemonset.Tracker
	require.Equal(t, daemonset.Snapshot{}, tr.Snapshot())
	_, want := daemonset.Reconcile(daemonset.Snapshot{}, t0, daemonset.Options{})
	_, err := tr.Plan(t0, daemonset.Options{})
	require.Equal(t, want, err)
	require.NoError(t, tr.Apply(daemonset.Delta{}))
}

func TestTrackerJSON(t *testing.T) {
	s := large(3, 1)
	tr := tracker(t, &s)
	text, err := json.Marshal(tr)
	require.NoError(t, err)
	want, err := json.Marshal(s)
	require.NoError(t, err)
	require.Equal(t, string(want), string(text))
	var again daemonset.Tracker
	require.NoError(t, json.Unmarshal(text, &again))
	for text, wrong := range map[string]string{
		`{"nodes":[{"name":"a"},{"name":"a"}]}`: `Nodes["a"].Name: "a": must be unique`,
		`{"pods":[{"name":"a"},{"name":"a"}]}`:  `Pods["a"].Name: "a": must be unique`,
		`{"nodes":[{"name":""}]}`:               `Nodes[""].Name: "": must be set`,
		`{"pods":[{"name":""}]}`:                `Pods[""].Name: "": must be set`,
		`[]`:                                    "cannot unmarshal array",
	} {
		require.ErrorContains(t, json.Unmarshal([]byte(text), &again), wrong)
		require.Equal(t, tr.Snapshot(), again.Snapshot(), "it stays as it was")
	}
}

// A delay that is forgotten leaves the snapshot when the result of a pass is applied, and so does
// one that a stale pass did not know.
func TestTrackerForgetsBackoff(t *testing.T) {
	table := daemonset.Backoff{{BackoffKey: agentKey("n1"), Delay: time.Second, Since: t0.Add(-31 * time.Minute)}}
	for _, stale := range []bool{false, true} {
		s := large(3, 1)
		tr := tracker(t, &s)
		if stale {
			require.NoError(t, tr.Apply(daemonset.Delta{Written: &expect.Versions{OwnerUID: s.DaemonSet.UID, Children: "2"}, Read: &expect.Versions{OwnerUID: s.DaemonSet.UID, Children: "1"}}))
		} else {
			require.NoError(t, tr.Apply(daemonset.Delta{Backoff: &table}))
		}
		p, err := tr.Pass(t0, daemonset.Options{})
		require.NoError(t, err)
		require.Nil(t, p.Plan.Backoff, "so that it is no part of a plan in JSON")
		result := p.Finish(daemonset.Report{Outcomes: done(make([]string, len(p.Plan.Actions))...)})
		require.Equal(t, stale, result.Err != nil)
		require.NoError(t, tr.Apply(daemonset.Delta{Backoff: &table}))
		require.NoError(t, tr.Apply(daemonset.Delta{Backoff: &result.Backoff}))
		require.Empty(t, tr.Snapshot().Backoff)
	}
}

// TestTrackerRefusesAll: if one part of a change is refused, nothing of it is taken.
func TestTrackerRefusesAll(t *testing.T) {
	s := large(3, 1)
	tr := tracker(t, &s)
	d, stranger := agent(), daemonset.Pod{}
	stranger.Name = "x"
	require.Error(t, tr.Apply(daemonset.Delta{
		DaemonSet: &d, Node: daemonset.NodeEvent{Old: &s.Nodes[0]}, Pod: daemonset.PodEvent{Old: &stranger, New: &stranger},
	}))
	require.Equal(t, s.Pods, tr.Snapshot().Pods)
	require.Equal(t, s.Nodes, tr.Snapshot().Nodes)
}

// TestTrackerTemplateTwice: while two revisions have the template, and the plan is going to put
// the hash of the one that stays on all pods, all are new. Once the other one is gone only those
// are that have the hash, and it is the same hash.
func TestTrackerTemplateTwice(t *testing.T) {
	s := large(4, 1)
	twice := append(slices.Clone(s.Revisions), agentRevision("v3", 3))
	twice[2].Data = twice[1].Data
	tr := tracker(t, &s)
	for _, revisions := range [][]revision.ControllerRevision{twice, {twice[0], twice[2]}} {
		s.Revisions = revisions
		require.NoError(t, tr.Apply(daemonset.Delta{Revisions: revisions}))
		want, err := daemonset.Reconcile(s, t0, daemonset.Options{})
		require.NoError(t, err)
		got, err := tr.Plan(t0, daemonset.Options{})
		require.NoError(t, err)
		require.Equal(t, want.Status, got.Status)
		require.Equal(t, want, got)
	}
}

// event makes a pod unready, or ready again.
func event(s *daemonset.Snapshot, i int) (old, now *daemonset.Pod) {
	old = &s.Pods[(i/2*7919)%len(s.Pods)]
	p := *old
	if i%2 == 0 {
		p.Ready, p.ReadySince = false, time.Time{}
	}
	return old, &p
}

// happen applies an event, and plans.
func happen(tr *daemonset.Tracker, s *daemonset.Snapshot, i int) (daemonset.Plan, error) {
	old, p := event(s, i)
	if err := tr.Apply(daemonset.Delta{Pod: daemonset.PodEvent{Old: old, New: p}}); err != nil {
		return daemonset.Plan{}, err
	}
	return tr.Plan(t0.Add(time.Duration(i)), daemonset.Options{})
}

// TestTrackerAllocates: a change and a plan cost the same number of allocations however many
// nodes there are, when all is up to date and when an update has come half way.
func TestTrackerAllocates(t *testing.T) {
	for _, updated := range []int{1, 2} {
		allocations := func(n int) float64 {
			s := large(n, n/updated)
			s.DaemonSet.MaxUnavailable = rollout.Int(1)
			tr, i := tracker(t, &s), 0
			return testing.AllocsPerRun(20, func() {
				_, err := happen(tr, &s, i)
				require.NoError(t, err)
				i++
			})
		}
		few, many := allocations(40), allocations(40_000)
		require.InDelta(t, few, many, 2, "slices grow to other sizes")
	}
}

// TestTrackerMemory: beside the objects, a Tracker takes at most 64 bytes for each, also for pods
// that come before their nodes.
func TestTrackerMemory(t *testing.T) {
	const n = 100_000
	all := large(n, n/2)
	all.DaemonSet.MinReadySeconds = 7200 // all are waiting
	alone := all
	alone.Nodes = nil
	for why, s := range map[string]daemonset.Snapshot{"with their nodes": all, "without": alone} {
		before := trackedtest.InUse()
		tr := tracker(t, &s)
		_, err := tr.Plan(t0, daemonset.Options{})
		require.NoError(t, err)
		each := (trackedtest.InUse() - before) / float64(len(s.Nodes)+len(s.Pods))
		t.Logf("%s: %.1f bytes each", why, each)
		require.LessOrEqual(t, each, 64.0, why)
		runtime.KeepAlive(tr)
	}
	runtime.KeepAlive(all)
}

// TestTrackerShrinks: a Tracker of which most nodes and pods have gone takes little more for
// each than one that never had them.
func TestTrackerShrinks(t *testing.T) {
	const n, left = 100_000, 1_000
	s := large(n, n/2)
	s.DaemonSet.MinReadySeconds = 7200
	before := trackedtest.InUse()
	tr := tracker(t, &s)
	for i := range n - left {
		if i%20_000 == 0 {
			_, err := tr.Plan(t0, daemonset.Options{})
			require.NoError(t, err)
		}
		i = (i * 7919) % n
		require.NoError(t, tr.Apply(daemonset.Delta{Pod: daemonset.PodEvent{Old: &s.Pods[i]}, Node: daemonset.NodeEvent{Old: &s.Nodes[i]}}))
	}
	each := (trackedtest.InUse() - before) / (2 * left)
	t.Logf("%.1f bytes each", each)
	require.LessOrEqual(t, each, 96.0)
	want, err := daemonset.Reconcile(tr.Snapshot(), t0, daemonset.Options{})
	require.NoError(t, err)
	got, err := tr.Plan(t0, daemonset.Options{})
	require.NoError(t, err)
	require.Equal(t, want, got)
	runtime.KeepAlive(s)
	runtime.KeepAlive(tr)
}

// least is what cannot be done without behind an event: to find the pod that is known by its name,
// to see that it is the same one, to put the new one in its place, and to count its node.
type least struct {
	numbers map[string]int32
	pods    []*daemonset.Pod
	nodes   []int32 // of the pods
	ready   []bool  // of the nodes
	all     int
}

func newLeast(s *daemonset.Snapshot) *least {
	l := &least{numbers: map[string]int32{}, ready: make([]bool, len(s.Nodes))}
	for i := range s.Pods {
		l.numbers[s.Pods[i].Name], l.pods, l.nodes = int32(i), append(l.pods, &s.Pods[i]), append(l.nodes, int32(i))
	}
	return l
}

func (l *least) happen(s *daemonset.Snapshot, i int) error {
	old, p := event(s, i)
	k := l.numbers[p.Name]
	if l.pods[k].UID != old.UID {
		return errors.New("another pod")
	}
	l.pods[k] = p
	ready := &l.ready[l.nodes[k]]
	if *ready != p.Ready {
		l.all++
	}
	*ready = p.Ready
	return nil
}

// An event, and the plan after it: of all nodes anew, and of the one, and what is the least to be
// done. The larger the cluster, the more of that is waiting for memory.
func BenchmarkTracker(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("least/nodes=%d", n), func(b *testing.B) {
			s := large(n, n)
			l := newLeast(&s)
			b.ReportAllocs()
			trackedtest.Latency(b, func(i int) error { return l.happen(&s, i) })
		})
		for _, c := range []struct {
			name    string
			updated int
		}{{"steady", n}, {"rolling", n / 2}} {
			begin := func() daemonset.Snapshot {
				s := large(n, c.updated)
				s.DaemonSet.MaxUnavailable = rollout.Int(1)
				return s
			}
			b.Run(fmt.Sprintf("%s/batch/nodes=%d", c.name, n), func(b *testing.B) {
				s := begin()
				b.ReportAllocs()
				for b.Loop() {
					if _, err := daemonset.Reconcile(s, t0, daemonset.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%s/incremental/nodes=%d", c.name, n), func(b *testing.B) {
				s := begin()
				tr := tracker(b, &s)
				_, _ = tr.Plan(t0, daemonset.Options{}) // which counts all
				b.ReportAllocs()
				trackedtest.Latency(b, func(i int) error {
					_, err := happen(tr, &s, i)
					return err
				})
			})
		}
	}
}
