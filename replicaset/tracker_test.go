// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

func version(v string) func(*podorder.Pod) { return func(p *podorder.Pod) { p.ResourceVersion = v } }
func uid(u string) func(*podorder.Pod)     { return func(p *podorder.Pod) { p.UID = u } }

// tracker returns a Tracker of a ReplicaSet and its pods.
func tracker(t testing.TB, rs replicaset.ReplicaSet, pods ...podorder.Pod) *replicaset.Tracker {
	var tr replicaset.Tracker
	require.NoError(t, tr.Apply(replicaset.Delta{ReplicaSet: &rs}))
	for i := range pods {
		require.NoError(t, tr.Apply(replicaset.Delta{Pod: replicaset.PodEvent{New: &pods[i]}}))
	}
	return &tr
}

// TestTrackerEvents: what an event does to a Tracker that knows the pod a, with the UID a-uid
// and version 7. What is left is the UID and version.
func TestTrackerEvents(t *testing.T) {
	event := func(old, now *podorder.Pod) replicaset.PodEvent { return replicaset.PodEvent{Old: old, New: now} }
	a := func(change ...func(*podorder.Pod)) *podorder.Pod { p := pod("a", change...); return &p }
	b := pod("b")
	for _, c := range []struct {
		why, left, wrong string
		event            replicaset.PodEvent
	}{
		{"nothing happens", "a-uid 7", "", event(nil, nil)},
		{"an update", "a-uid 8", "", event(a(), a(version("8")))},
		{"an update that is late", "a-uid 7", "", event(a(version("5")), a(version("6")))},
		{"an addition that comes twice", "a-uid 7", "", event(nil, a())},
		{"without versions what comes last holds", "a-uid ", "", event(a(), a(version("")))},
		{"versions of other kinds do not compare", "a-uid x", "", event(a(), a(version("x")))},
		{"a removal", "", "", event(a(), nil)},
		{"a removal with an older version, for informers miss the last one", "", "", event(a(version("3")), nil)},
		{"made anew, as informers tell it", "new 9", "", event(a(), a(uid("new"), version("9")))},
		{"made anew, without versions", "new ", "", event(a(), a(uid("new"), version("")))},
		{"made anew, and the removal is late", "new 9", "", event(nil, a(uid("new"), version("9")))},
		{"a removal of the one before", "a-uid 7", "", event(a(uid("before"), version("3")), nil)},
		{"a removal of one that came after, and was missed", "", "", event(a(uid("after"), version("9")), nil)},
		{"an addition of the one before", "a-uid 7", "", event(nil, a(uid("before"), version("3")))},
		{"which of two is the later?", "a-uid 7", `Pod.New.UID: "new": must be that of the pod of this name, which has not been removed`, event(nil, a(uid("new"), version("")))},
		{"which one has been removed?", "a-uid 7", `Pod.Old.UID: "new": must be that of the pod of this name, which has not been removed`, event(a(uid("new"), version("")), nil)},
		{"no name", "a-uid 7", `Pod.New.Name: "": must be set`, event(nil, &podorder.Pod{})},
		{"no name of what is gone", "a-uid 7", `Pod.Old.Name: "": must be set`, event(&podorder.Pod{}, nil)},
		{"two names", "a-uid 7", `Pod.New.Name: "a": must be that of Pod.Old`, event(&b, a())},
		{"an update of one that is not there", "a-uid 7", `Pod.New.Name: "b": must be that of a pod that has been added and not removed`, event(&b, &b)},
		{"a removal of one that is not there", "a-uid 7", "", event(&b, nil)},
	} {
		tr := tracker(t, web(1), pod("a"))
		err := tr.Apply(replicaset.Delta{Pod: c.event})
		if c.wrong == "" {
			require.NoError(t, err, c.why)
		} else {
			require.EqualError(t, err, c.wrong, c.why)
			require.ErrorIs(t, err, kplan.ErrInvalid)
		}
		left := ""
		for _, p := range tr.Snapshot().Pods {
			left += p.UID + " " + p.ResourceVersion
		}
		require.Equal(t, c.left, left, c.why)
	}
}

// What a Tracker refuses changes nothing of what else the change says.
func TestTrackerRefusesAll(t *testing.T) {
	tr, other := tracker(t, web(1), pod("a")), web(5)
	require.Error(t, tr.Apply(replicaset.Delta{ReplicaSet: &other, Pod: replicaset.PodEvent{New: &podorder.Pod{}}}))
	require.EqualValues(t, 1, *tr.Snapshot().ReplicaSet.Replicas)
}

// The zero Tracker is the zero Snapshot.
func TestTrackerZero(t *testing.T) {
	var tr replicaset.Tracker
	require.Equal(t, replicaset.Snapshot{}, tr.Snapshot())
	_, want := replicaset.Reconcile(replicaset.Snapshot{}, t0, replicaset.Options{})
	_, err := tr.Plan(t0, replicaset.Options{})
	require.Equal(t, want, err)
	_, err = tr.Plan(time.Time{}, replicaset.Options{Dialect: "v1.4"})
	require.ErrorContains(t, err, "Options.Dialect")
	require.NoError(t, tr.Apply(replicaset.Delta{}))
	c := tr.Clone()
	require.Equal(t, replicaset.Snapshot{}, c.Snapshot())
}

func TestTrackerJSON(t *testing.T) {
	tr := tracker(t, web(3), pod("a"), pod("b"))
	text, err := json.Marshal(tr)
	require.NoError(t, err)
	want, err := json.Marshal(tr.Snapshot())
	require.NoError(t, err)
	require.Equal(t, string(want), string(text))
	var again replicaset.Tracker
	require.NoError(t, json.Unmarshal(text, &again))
	require.Equal(t, tr.Snapshot(), again.Snapshot())
	for text, wrong := range map[string]string{
		`{"pods":[{"name":"a"},{"name":"a"}]}`: `Pods["a"].Name: "a": must be unique`,
		`{"pods":[{"name":""}]}`:               `Pods[""].Name: "": must be set`,
		`[]`:                                   "cannot unmarshal array",
	} {
		require.ErrorContains(t, json.Unmarshal([]byte(text), &again), wrong)
		require.Equal(t, tr.Snapshot(), again.Snapshot(), "it stays as it was")
	}
}

// TestTrackerAllocates: a change and a plan that finds nothing to do cost the same number of
// allocations however many pods there are.
func TestTrackerAllocates(t *testing.T) {
	allocations := func(n int) float64 {
		tr, down, up := tracker(t, web(int32(n)), pods(n)...), pod("p000003", unready), pod("p000003")
		return testing.AllocsPerRun(20, func() {
			for _, p := range []*podorder.Pod{&down, &up} {
				_ = tr.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: p, New: p}})
				_, _ = tr.Plan(t0, replicaset.Options{})
			}
		})
	}
	few, many := allocations(20), allocations(20_000)
	require.Equal(t, few, many)
	require.LessOrEqual(t, few, 10.0)
}

// TestTrackerMemory: what a Tracker takes for each pod, beside the pods, in bytes: while all of
// them are waiting to become available, and once some have been deleted, which puts all of them
// in line, by how many are on a node.
func TestTrackerMemory(t *testing.T) {
	for _, c := range []struct {
		why          string
		pods, onNode int // 0: none is to be deleted
		most         float64
		controller   string // without one nobody has neighbours
		restarted    int32
		costs        bool // each pod has a deletion cost of its own
	}{
		{"waiting", 50_000, 0, 64, "d", 0, false}, {"waiting", 100_000, 0, 64, "d", 0, false}, {"waiting", 200_000, 0, 64, "d", 0, false},
		{"in line, 30 on a node", 150_000, 30, 64, "d", 0, false}, {"in line, 30 on a node, no neighbours", 150_000, 30, 64, "", 0, false},
		{"in line, each on a node of its own", 100_000, 1, 64, "d", 0, false}, {"in line, each on a node of its own, no neighbours", 100_000, 1, 64, "", 0, false},
		{"in line, 30 on a node, and one has restarted", 150_000, 30, 64, "d", 1, false},
		{"in line, 30 on a node, each has a cost of its own", 150_000, 30, 64, "d", 0, true},
		{"in line, each on a node of its own, and one has restarted", 100_000, 1, 64, "d", 1, false},
		{"in line, each on a node of its own and has a cost of its own", 100_000, 1, 64, "d", 0, true},
	} {
		all, desired := pods(c.pods), c.pods
		for i := range all {
			all[i].UID = all[c.pods-1-i].Name // which do not ascend, and so need an index
			if all[i].ReadySince = t0.Add(-time.Duration(i)); c.onNode > 0 {
				all[i].NodeName, desired = fmt.Sprint("node-", i/c.onNode), c.pods-1
			}
			if c.costs {
				all[i].Annotations = map[string]string{podorder.AnnotationDeletionCost: fmt.Sprint(c.pods - i)}
			}
		}
		all[0].Restarts = c.restarted
		before := trackedtest.InUse()
		tr := tracker(t, web(int32(desired), minReady(10), func(rs *replicaset.ReplicaSet) { rs.ControllerUID = c.controller }), all...)
		_, err := tr.Plan(t0, replicaset.Options{})
		require.NoError(t, err)
		each := (trackedtest.InUse() - before) / float64(c.pods)
		t.Logf("%d pods, %s: %.1f bytes each", c.pods, c.why, each)
		require.LessOrEqual(t, each, c.most, c.why)
		runtime.KeepAlive(all)
		runtime.KeepAlive(tr)
	}
}

// many returns a ReplicaSet, and so many pods that become available one after the other.
func many(n int) (replicaset.ReplicaSet, []podorder.Pod) {
	all := pods(n)
	for i := range all {
		all[i].ReadySince = t0.Add(-time.Hour + time.Duration(i)*time.Millisecond)
		all[i].Labels = map[string]string{"app": "web"}
	}
	return web(int32(n), selecting, minReady(10), func(rs *replicaset.ReplicaSet) { rs.ControllerUID = "d" }), all
}

// happen makes a pod unready, or ready again, and plans.
func happen(tr *replicaset.Tracker, all []podorder.Pod, i int) (replicaset.Plan, error) {
	old := &all[i*7919%len(all)]
	p := *old
	p.Ready, p.ReadySince = !p.Ready, t0.Add(-time.Duration(i%12)*time.Second)
	if err := tr.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: old, New: &p}}); err != nil {
		return replicaset.Plan{}, err
	}
	return tr.Plan(t0.Add(time.Duration(i)), replicaset.Options{})
}

// mixed returns a ReplicaSet of which one pod is too many, and so many pods as a cluster has them that lives: 30
// on a node, of all ages, those of one second too, and some have restarted. Each may have a deletion cost of
// its own.
func mixed(n int, costs bool) (replicaset.ReplicaSet, []podorder.Pod) {
	rs, all := many(n)
	*rs.Replicas--
	for i := range all {
		p := &all[i]
		p.NodeName = fmt.Sprint("node-", i/30)
		p.CreationTimestamp = t0.Add(-time.Duration(i*7919%1_000_000) * time.Second)
		p.ReadySince = p.CreationTimestamp.Add(time.Duration(5+i%30) * time.Second)
		if i%10 == 0 {
			p.Restarts = int32(i % 3)
		}
		if costs {
			p.Annotations = map[string]string{podorder.AnnotationDeletionCost: fmt.Sprint(i)}
		}
	}
	return rs, all
}

// replaced deletes the pod that a plan deletes, and adds a new one.
func replaced(tr *replicaset.Tracker, pods map[string]*podorder.Pod, i int) error {
	now := t0.Add(time.Duration(i) * time.Millisecond)
	plan, err := tr.Plan(now, replicaset.Options{})
	if err != nil || len(plan.Actions) != 1 {
		return fmt.Errorf("%v %w", plan, err)
	}
	old := pods[plan.Actions[0].(replicaset.DeletePod).Name]
	p := *old
	p.Name, p.UID = fmt.Sprint("new-", i), fmt.Sprint("new-", i)
	p.CreationTimestamp, p.ReadySince, p.Restarts = now.Add(-time.Minute), now, 0
	if err := tr.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: old}}); err != nil {
		return err
	}
	delete(pods, old.Name)
	pods[p.Name] = &p
	return tr.Apply(replicaset.Delta{Pod: replicaset.PodEvent{New: &p}})
}

// A change of one pod, and the plan after it: of all pods anew, and of the one. Deleting is three
// of them: a plan that deletes one of pods of all ages, that goes, and another one comes. Replace gets
// a list in which one pod has changed.
func BenchmarkTracker(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("batch/pods=%d", n), func(b *testing.B) {
			rs, all := many(n)
			s := replicaset.Snapshot{ReplicaSet: rs, Pods: all}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				all[i%n].Ready = !all[i%n].Ready
				if _, err := replicaset.Reconcile(s, t0, replicaset.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("incremental/pods=%d", n), func(b *testing.B) {
			rs, all := many(n)
			tr := tracker(b, rs, all...)
			_, _ = tr.Plan(t0, replicaset.Options{}) // which counts all
			b.ReportAllocs()
			trackedtest.Latency(b, func(i int) error {
				_, err := happen(tr, all, i)
				return err
			})
		})
		for _, costs := range []bool{false, true} {
			b.Run(fmt.Sprintf("deleting/costs=%t/pods=%d", costs, n), func(b *testing.B) {
				rs, all := mixed(n, costs)
				tr, byName := tracker(b, rs, all...), map[string]*podorder.Pod{}
				for i := range all {
					byName[all[i].Name] = &all[i]
				}
				require.NoError(b, replaced(tr, byName, -1)) // which counts all, and puts them in line
				b.ReportAllocs()
				trackedtest.Latency(b, func(i int) error { return replaced(tr, byName, i) })
			})
		}
		b.Run(fmt.Sprintf("replace/pods=%d", n), func(b *testing.B) {
			rs, all := many(n)
			tr, s := tracker(b, rs, all...), replicaset.Snapshot{ReplicaSet: rs, Pods: slices.Clone(all)}
			_, _ = tr.Plan(t0, replicaset.Options{})
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Pods[i%n].ResourceVersion = fmt.Sprint(i + 8)
				if err := tr.Replace(s); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("clone/pods=%d", n), func(b *testing.B) {
			rs, all := many(n)
			tr, gone := tracker(b, rs, all...), &all[n/2]
			_, _ = tr.Plan(t0, replicaset.Options{})
			b.ReportAllocs()
			for b.Loop() {
				c := tr.Clone()
				_ = c.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: gone}})
				if p, err := c.Plan(t0, replicaset.Options{}); err != nil || len(p.Actions) != 1 {
					b.Fatal(p, err)
				}
			}
		})
	}
}
