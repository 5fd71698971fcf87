// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A tracked is a Tracker and what it has to stand for.
type tracked struct {
	tracker replicaset.Tracker
	rest    replicaset.Snapshot
	pods    trackedtest.Objects[podorder.Pod]
}

func (w *tracked) snapshot() replicaset.Snapshot {
	s := w.rest
	s.Pods = w.pods.List()
	return s
}

func (w *tracked) clone() *tracked { return &tracked{w.tracker.Clone(), w.rest, w.pods.Clone()} }

// A machine changes a Tracker in any way, and compares its plan with that of Reconcile after
// each step.
type machine struct {
	t      purity.T
	s      random.Source
	worlds []*tracked // clones of each other
	now    time.Time
	opts   replicaset.Options
	feed   trackedtest.Feed[podorder.Pod]
	names  int    // how many pods there may be
	busy   bool   // many pods become ready and available, and hardly anything else happens
	scales bool   // pods are deleted that have lived alike, and hardly anything else happens
	crowd  bool   // there are so many of these that a node has several rows of a line
	about  string // what they differ in, or what changes meanwhile
	step   int
}

func noPods() trackedtest.Objects[podorder.Pod] {
	return trackedtest.Objects[podorder.Pod]{All: map[string]*podorder.Pod{}, Of: func(p *podorder.Pod) trackedtest.Identity {
		return trackedtest.Identity{Name: p.Name, UID: p.UID, Version: p.ResourceVersion}
	}}
}

func newMachine(t purity.T, s random.Source) *machine {
	m := &machine{t: t, s: s, worlds: []*tracked{{pods: noPods()}}, now: random.Now, names: random.OneOf(s, "names", 12, 5, 40, 60)}
	m.busy = m.one("busy", 4)
	if m.scales = !m.busy && !m.one("does not scale", 3); m.scales {
		m.about = random.OneOf(s, "about", "odd ones", "restarts", "creation", "mates", "mates", "siblings", "orders", "centuries")
		if m.crowd = m.one("a crowd", 6); m.crowd {
			m.names = 300
		}
	}
	if m.busy || m.scales || random.Bool(s, "begins") {
		rs := random.Replicas(int32(m.names))
		rs.MinReadySeconds = 10
		d := replicaset.Delta{ReplicaSet: &rs}
		if m.scales {
			rs.MinReadySeconds, rs.ControllerUID, rs.ControllerKind = random.OneOf[int32](s, "min ready", 0, 5), "d", "Deployment"
			d.Siblings = []replicaset.ReplicaSet{sibling("d")}
		}
		m.apply(m.worlds[0], d)
	}
	for n := 0; m.scales && n < 2*m.names; n++ { // or few could be deleted of them
		p := m.pod()
		m.apply(m.worlds[0], replicaset.Delta{Pod: replicaset.PodEvent{Old: m.worlds[0].pods.All[p.Name], New: p}})
	}
	return m
}

func (m *machine) one(name string, n uint64) bool { return m.s.Below(name, n) == 0 }

// apply applies a change to a Tracker and to what it stands for.
func (m *machine) apply(w *tracked, d replicaset.Delta) {
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
	if d.ReplicaSet != nil {
		w.rest.ReplicaSet = *d.ReplicaSet
	}
	if d.Siblings != nil {
		w.rest.Siblings = d.Siblings
	}
	if d.Domains != nil {
		w.rest.Domains = *d.Domains
	}
	if d.Expectations != nil {
		w.rest.Expectations = *d.Expectations
	}
	if d.Written != nil {
		w.rest.Written = *d.Written
	}
	if d.Read != nil {
		w.rest.Read = *d.Read
	}
}

// execute carries out the plan of a Tracker, as events.
func (m *machine) execute(w *tracked) {
	s := w.tracker.Snapshot()
	p, err := w.tracker.Plan(m.now, m.opts)
	if err != nil || w.rest.ReplicaSet.UID == "" {
		return
	}
	p.Actions = p.Actions[:min(len(p.Actions), 5)]
	if last := len(p.Actions) - 1; last >= 0 {
		if c, creates := p.Actions[last].(replicaset.CreatePods); creates {
			c.Count = min(c.Count, 5)
			p.Actions[last] = c
		}
	}
	next, err := p.Apply(s, m.now)
	if err != nil {
		return // several pods have one UID
	}
	m.apply(w, replicaset.Delta{ReplicaSet: &next.ReplicaSet})
	old := map[string]*podorder.Pod{}
	for i := range s.Pods {
		old[s.Pods[i].Name] = &s.Pods[i]
	}
	for i := range next.Pods {
		n := &next.Pods[i]
		if was := old[n.Name]; was == nil || was.ControllerUID != n.ControllerUID || was.DeletionTimestamp != n.DeletionTimestamp {
			m.apply(w, replicaset.Delta{Pod: replicaset.PodEvent{Old: was, New: n}})
		}
		delete(old, n.Name)
	}
	for _, was := range old {
		m.apply(w, replicaset.Delta{Pod: replicaset.PodEvent{Old: was}})
	}
}

// run makes so many steps.
func (m *machine) run(steps int) {
	for ; steps > 0; steps-- {
		m.step++
		k := random.Below(m.s, "which clone", len(m.worlds))
		w := m.worlds[k]
		switch m.s.Below("step", 40) {
		default:
			m.apply(w, replicaset.Delta{Pod: m.event(w)})
		case 0, 1, 2, 3:
			if !m.busy || m.one("even so", 20) || m.scales {
				m.apply(w, m.rest(w))
			}
		case 4, 5, 6, 7:
			m.now = m.now.Add(random.OneOf(m.s, "later", 1, 100*time.Millisecond, time.Second, 4*time.Second, 5*time.Second, 10*time.Second, time.Minute))
		case 8:
			if (m.busy || m.scales) && m.s.Below("no other time", 4) > 0 {
				continue
			}
			m.now = random.OneOf(m.s, "other time", random.Now, m.now.Add(-time.Second), m.now.Add(-1), time.Date(5000, 1, 1, 0, 0, 0, 0, time.UTC), random.Now)
		case 9:
			if m.opts = random.ReplicaSetOptions(m.s); m.scales && m.s.Below("no other order", 4) > 0 {
				m.opts = replicaset.Options{Burst: m.opts.Burst, Spread: m.about == "orders" && m.one("spread", 2)}
			}
		case 10:
			m.execute(w)
		case 11:
			if m.worlds = append(m.worlds, w.clone()); len(m.worlds) > 3 {
				m.worlds = slices.Delete(m.worlds, k, k+1)
			}
		case 12:
			m.throughJSON(w)
		}
		m.compare(w)
		if m.step%8 == 0 {
			for _, w := range m.worlds {
				m.compare(w)
			}
		}
	}
}

func (m *machine) throughJSON(w *tracked) {
	var again replicaset.Tracker
	text, err := json.Marshal(&w.tracker)
	if err == nil {
		err = json.Unmarshal(text, &again)
	}
	if err != nil {
		m.t.Fatalf("after %d steps: %v", m.step, err)
	}
	if w.tracker = again; len(w.rest.Siblings) == 0 {
		w.rest.Siblings = nil
	}
}

// compare compares the plan with that of Reconcile. Of three pods with one UID, which two an
// error names depends on their order.
func (m *machine) compare(w *tracked) {
	want, wrong := replicaset.Reconcile(w.snapshot(), m.now, m.opts)
	got, err := w.tracker.Plan(m.now, m.opts)
	if (err == nil) != (wrong == nil) {
		m.t.Fatalf("after %d steps: %v, want %v\n%+v", m.step, err, wrong, w.snapshot())
	}
	if wrong != nil {
		_, wrong = replicaset.Reconcile(w.tracker.Snapshot(), m.now, m.opts)
		want = replicaset.Plan{}
	}
	if fmt.Sprint(err) != fmt.Sprint(wrong) || !trackedtest.Equal(got, want) {
		m.t.Fatalf("after %d steps: %v, want %v\n%s\n%+v", m.step, err, wrong, cmp.Diff(want, got), w.snapshot())
	}
	if m.step%16 == 0 && err == nil {
		m.finish(w, got)
	}
	if m.step%256 == 0 {
		is := w.tracker.Snapshot()
		diff := w.pods.Diff(is.Pods)
		is.Pods = nil
		if diff += trackedtest.Diff(w.rest, is); diff != "" {
			m.t.Fatalf("after %d steps:\n%s", m.step, diff)
		}
	}
}

// finish compares what follows from a plan of which some calls fail.
func (m *machine) finish(w *tracked, p replicaset.Plan) {
	outcomes := func() (list []kplan.Outcome) {
		for range random.Below(m.s, "outcomes", 4) {
			list = append(list, kplan.Outcome{Answer: random.OneOf(m.s, "answer", kplan.Done, kplan.Done, kplan.NotFound, kplan.Changed), Err: errors.New("no")})
		}
		return list
	}
	r := replicaset.Report{Claims: outcomes(), Creates: outcomes(), Deletes: outcomes(), Expectations: p.Expect(w.rest.Expectations, m.now)}
	got, want := w.tracker.Finish(p, r, m.now, m.opts), replicaset.Finish(w.tracker.Snapshot(), p, r, m.now, m.opts)
	if fmt.Sprint(got.Errs) != fmt.Sprint(want.Errs) {
		m.t.Fatalf("after %d steps: %v, want %v", m.step, got.Errs, want.Errs)
	}
	if got.Err, got.Errs, want.Err, want.Errs = nil, nil, nil, nil; !trackedtest.Equal(want, got) {
		m.t.Fatalf("after %d steps:\n%s", m.step, cmp.Diff(want, got))
	}
}

// TestPropertyTracker: the plan of a Tracker is that of Reconcile after every change, of
// whatever it is, in whatever order it comes, and in each of several clones.
func TestPropertyTracker(t *testing.T) {
	random.Check(t, func(s random.T) { newMachine(s, s).run(random.Between(s, "steps", 1, 60)) })
}

// TestTrackerSteps is TestPropertyTracker for long: KPLAN_STEPS says how many steps.
func TestTrackerSteps(t *testing.T) {
	trackedtest.Steps(t, 10_000, func(seed uint64, before int) func() {
		m := newMachine(t, random.Seeded(seed))
		m.step = before
		return func() { m.run(1) }
	})
}
