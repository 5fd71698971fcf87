// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A world is a Tracker and what it has to stand for.
type world struct {
	tracker batchrelease.Tracker
	rest    batchrelease.Snapshot
	pods    trackedtest.Objects[workload.Pod]
}

func (w *world) snapshot() batchrelease.Snapshot {
	s := w.rest
	s.Pods = w.pods.List()
	slices.SortFunc(s.Pods, func(a, b workload.Pod) int { return strings.Compare(a.Name, b.Name) })
	return s
}

// A machine changes a Tracker in any way, and compares its plan with that of Reconcile after
// each step.
type machine struct {
	t      purity.T
	s      random.Source
	worlds []*world // clones of each other
	opts   batchrelease.Options
	feed   trackedtest.Feed[workload.Pod]
	step   int
}

func newMachine(t purity.T, s random.Source) *machine {
	w := &world{pods: trackedtest.Objects[workload.Pod]{All: map[string]*workload.Pod{}, Of: func(p *workload.Pod) trackedtest.Identity {
		return trackedtest.Identity{Name: p.Name, UID: p.UID}
	}}}
	m := &machine{t: t, s: s, worlds: []*world{w}}
	m.begin(w)
	return m
}

func (m *machine) one(name string, n uint64) bool { return m.s.Below(name, n) == 0 }

func (m *machine) drawn() batchrelease.Snapshot {
	return random.Batches(m.s, random.OneOf(m.s, "kind", random.Midway, random.Midway, random.Truthful, random.CaughtUp, random.Anything, random.Wrong))
}

// apply applies a change to a Tracker and to what it stands for.
func (m *machine) apply(w *world, d batchrelease.Delta) {
	ofPod, wrong := w.pods.Judge(d.Pod.Old, d.Pod.New)
	err := w.tracker.Apply(d)
	var fieldError *kplan.FieldError
	if wrong != (err != nil) || wrong && (!errors.Is(err, kplan.ErrInvalid) || !errors.As(err, &fieldError)) {
		m.t.Fatalf("after %d steps: %+v: wrong is %v, but the error is %v", m.step, d, wrong, err)
	}
	if wrong {
		return // and nothing has changed
	}
	ofPod()
	if d.Rest != nil {
		w.rest = *d.Rest
	}
}

// begin begins with another release, and some of its pods.
func (m *machine) begin(w *world) {
	s := m.drawn()
	for i := range s.Pods {
		p := &s.Pods[i]
		m.apply(w, batchrelease.Delta{Pod: batchrelease.PodEvent{Old: w.pods.All[p.Name], New: p}})
	}
	s.Pods = nil
	m.apply(w, batchrelease.Delta{Rest: &s})
}

// pod draws one of few names that some release may have, or this one.
func (m *machine) pod(w *world) *workload.Pod {
	p := workload.Pod{}
	if br := &w.rest.Release; m.one("of this", 2) {
		p.TemplateHash = random.OneOf(m.s, "hash", br.Status.UpdateRevision, br.Status.UpdateRevision, br.Status.StableRevision)
		p.Labels = map[string]string{
			workload.LabelRolloutID: random.OneOf(m.s, "id", br.ReleasePlan.RolloutID, ""), workload.LabelBatchID: random.OneOf(m.s, "batch", "1", "2", "3"),
		}
		if m.one("hashed", 3) {
			p.Labels[workload.LabelControllerRevision] = br.Status.UpdateRevision
		}
	} else if list := m.drawn().Pods; len(list) > 0 {
		p = list[random.Below(m.s, "of them", len(list))]
	}
	p.Name = fmt.Sprint("p", random.Below(m.s, "pod", 12))
	if m.one("ends", 4) {
		p.DeletionTimestamp = random.Now
	}
	if m.one("nameless", 50) {
		p.Name = ""
	}
	return &p
}

// execute carries out what a plan says of pods and the status.
func (m *machine) execute(w *world) {
	p, err := w.tracker.Plan(random.Now, m.opts)
	if err != nil {
		return
	}
	for _, a := range p.Actions {
		label, ok := a.(batchrelease.LabelPod)
		if !ok {
			continue
		}
		old := w.pods.All[label.Name]
		pod := *old
		pod.Labels = maps.Clone(pod.Labels)
		if pod.Labels == nil {
			pod.Labels = map[string]string{}
		}
		maps.Copy(pod.Labels, label.Labels)
		m.apply(w, batchrelease.Delta{Pod: batchrelease.PodEvent{Old: old, New: &pod}})
	}
	rest := w.rest
	rest.Release.Status = p.Status
	m.apply(w, batchrelease.Delta{Rest: &rest})
}

func (m *machine) run(steps int) {
	for range steps {
		m.step++
		w := m.worlds[random.Below(m.s, "world", len(m.worlds))]
		switch m.s.Below("step", 12) {
		case 0:
			m.begin(w)
		case 1, 2, 3:
			m.execute(w)
		case 4:
			m.opts = random.BatchOptions(m.s)
		case 5:
			if len(m.worlds) < 3 {
				m.worlds = append(m.worlds, &world{w.tracker.Clone(), w.rest, w.pods.Clone()})
			}
		case 6:
			m.throughJSON(w)
		default:
			keep := func(v, known *workload.Pod) { v.UID = known.UID }
			m.apply(w, batchrelease.Delta{Pod: batchrelease.PodEvent(m.feed.Event(m.s, &w.pods, func() *workload.Pod { return m.pod(w) }, keep))})
		}
		for _, w := range m.worlds {
			m.compare(w)
		}
	}
}

func (m *machine) throughJSON(w *world) {
	text, err := json.Marshal(w.tracker)
	var again batchrelease.Tracker
	if err = errors.Join(err, json.Unmarshal(text, &again)); err != nil {
		m.t.Fatalf("after %d steps: %v", m.step, err)
	}
	if diff := cmp.Diff(w.snapshot(), again.Snapshot(), cmpopts.EquateEmpty()); diff != "" {
		m.t.Fatalf("after %d steps:\n%s", m.step, diff)
	}
	w.tracker = again
}

// compare compares the plan of a Tracker with that of Reconcile.
func (m *machine) compare(w *world) {
	want, wrong := batchrelease.Reconcile(w.snapshot(), random.Now, m.opts)
	got, err := w.tracker.Plan(random.Now, m.opts)
	if fmt.Sprint(err) != fmt.Sprint(wrong) || !trackedtest.Equal(got, want, cmpopts.EquateEmpty()) {
		m.t.Fatalf("after %d steps: %v, want %v\n%s\n%+v\n%+v", m.step, err, wrong, cmp.Diff(want, got), m.opts, w.snapshot())
	}
}

// TestPropertyTracker: the plan of a Tracker is that of Reconcile after every change, of
// whatever it is, in whatever order it comes, and in each of several clones.
func TestPropertyTracker(t *testing.T) {
	random.Check(t, func(s random.T) { newMachine(s, s).run(random.Between(s, "steps", 1, 30)) })
}

// TestTrackerSteps is TestPropertyTracker for long: KPLAN_STEPS says how many steps.
func TestTrackerSteps(t *testing.T) {
	trackedtest.Steps(t, 3_000, func(seed uint64, before int) func() {
		m := newMachine(t, random.Seeded(seed))
		m.step = before
		return func() { m.run(1) }
	})
}

// crowded returns a Tracker of n pods, of which a hundredth is of the new revision, and labelled.
func crowded(t testing.TB, n int) (*batchrelease.Tracker, batchrelease.Snapshot) {
	s := large(n)
	var tr batchrelease.Tracker
	for i := range s.Pods {
		if labels := s.Pods[i].Labels; labels[workload.LabelPodTemplateHash] == "v2" {
			labels[workload.LabelRolloutID], labels[workload.LabelBatchID] = "id", "1"
		}
		require.NoError(t, tr.Apply(batchrelease.Delta{Pod: batchrelease.PodEvent{New: &s.Pods[i]}}))
	}
	require.NoError(t, tr.Apply(batchrelease.Delta{Rest: &s}))
	return &tr, s
}

// happen lets a pod of the old revision end or be there again, and plans.
func happen(tr *batchrelease.Tracker, s *batchrelease.Snapshot, i int) error {
	old := &s.Pods[i/2%len(s.Pods)/100*100]
	p := *old
	if i%2 == 0 {
		p.DeletionTimestamp = now
	}
	if err := tr.Apply(batchrelease.Delta{Pod: batchrelease.PodEvent{Old: old, New: &p}}); err != nil {
		return err
	}
	_, err := tr.Plan(now, batchrelease.Options{})
	return err
}

// TestTrackerAllocates: a change and a plan cost the same number of allocations however many pods
// there are. The race detector empties pools at random, and messages are formatted with a pool:
// a twentieth more or less is the same.
func TestTrackerAllocates(t *testing.T) {
	allocations := func(n int) float64 {
		tr, s := crowded(t, n)
		i := 0
		return testing.AllocsPerRun(20, func() { require.NoError(t, happen(tr, &s, i)); i++ })
	}
	require.InEpsilon(t, allocations(1_000), allocations(100_000), 0.05)
}

// An event, and the plan after it: of all pods anew, and of the one.
func BenchmarkTracker(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("batch/pods=%d", n), func(b *testing.B) {
			_, s := crowded(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := batchrelease.Reconcile(s, now, batchrelease.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("incremental/pods=%d", n), func(b *testing.B) {
			tr, s := crowded(b, n)
			b.ReportAllocs()
			trackedtest.Latency(b, func(i int) error { return happen(tr, &s, i) })
		})
	}
}
