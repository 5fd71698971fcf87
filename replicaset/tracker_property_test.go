// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A tracked is a Tracker and what it has to stand for.
type tracked struct {
	tracker *replicaset.Tracker
	rest    replicaset.Snapshot
	pods    trackedtest.Objects[podorder.Pod]
}

func (w *tracked) snapshot() replicaset.Snapshot {
	s := w.rest
	s.Pods = w.pods.List()
	return s
}

func (w *tracked) clone() *tracked { return &tracked{w.tracker.Clone(), w.rest, w.pods.Clone()} }

// A kept is a pass and what it was made from.
type kept struct {
	pass replicaset.Pass
	s    replicaset.Snapshot
	now  time.Time
	opts replicaset.Options
}

// A machine changes a Tracker in any way: see [trackedtest.Machine].
type machine struct {
	trackedtest.Machine[*tracked]
	opts    replicaset.Options
	earlier kept // a pass that ends after further changes
	feed    trackedtest.Feed[podorder.Pod]
	names   int    // how many pods there may be
	busy    bool   // many pods become ready and available, and hardly anything else happens
	scales  bool   // pods are deleted that have lived alike, and hardly anything else happens
	packed  bool   // so many pods share a node that it has several rows of a ranking
	about   string // what they differ in, or what changes meanwhile
}

func noPods() trackedtest.Objects[podorder.Pod] {
	return trackedtest.Objects[podorder.Pod]{All: map[string]*podorder.Pod{}, Of: func(p *podorder.Pod) trackedtest.Identity {
		return trackedtest.Identity{Name: p.Name, UID: p.UID, Version: p.ResourceVersion}
	}}
}

func newMachine(t purity.T, s random.Source) *machine {
	m := &machine{names: random.OneOf(s, "names", 12, 5, 40, 60)}
	m.Machine = trackedtest.Machine[*tracked]{T: t, S: s, Worlds: []*tracked{{tracker: &replicaset.Tracker{}, pods: noPods()}}, Now: random.Now, Clone: (*tracked).clone, Compare: m.compare}
	m.busy = m.One("busy", 4)
	if m.scales = !m.busy && !m.One("does not scale", 3); m.scales {
		m.about = random.OneOf(s, "about", "odd ones", "restarts", "creation", "ties", "ties", "siblings", "orders", "centuries")
		if m.packed = m.One("packed", 6); m.packed {
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
		m.apply(m.Worlds[0], d)
	}
	for n := 0; m.scales && n < 2*m.names; n++ { // or few could be deleted of them
		p := m.pod()
		m.apply(m.Worlds[0], replicaset.Delta{Pod: replicaset.PodEvent{Old: m.Worlds[0].pods.All[p.Name], New: p}})
	}
	return m
}

// apply applies a change to a Tracker and to what it stands for.
func (m *machine) apply(w *tracked, d replicaset.Delta) {
	ofPod, wrong := w.pods.Judge(d.Pod.Old, d.Pod.New)
	err := w.tracker.Apply(d)
	if m.Refused(d, wrong, err) {
		return // and nothing has changed
	}
	ofPod()
	w.rest = changed(w.rest, &d)
}

// changed returns a snapshot after a change of other things than pods.
func changed(s replicaset.Snapshot, d *replicaset.Delta) replicaset.Snapshot {
	if d.ReplicaSet != nil {
		s.ReplicaSet = *d.ReplicaSet
	}
	if d.Siblings != nil {
		s.Siblings = d.Siblings
	}
	if d.Domains != nil {
		s.Domains = *d.Domains
	}
	if d.Expectations != nil {
		s.Expectations = *d.Expectations
	}
	if d.Written != nil {
		s.Written = *d.Written
	}
	if d.Read != nil {
		s.Read = *d.Read
	}
	return s
}

// relist replaces the snapshot of a Tracker after lost events.
func (m *machine) relist(w *tracked) {
	s := w.rest
	if m.about == "siblings" || m.One("other things too", 3) {
		d := m.rest(w)
		s = changed(s, &d)
	}
	list, replace, wrong := m.feed.Relist(m.S, &w.pods, m.pod, m.keep)
	s.Pods = list
	if m.Refused(s, wrong, w.tracker.Replace(s)) {
		return
	}
	replace()
	w.rest = s
	w.rest.Pods = nil
	m.compareSnapshot(w)
}

// execute carries out the plan of a Tracker, as events.
func (m *machine) execute(w *tracked) {
	s := w.tracker.Snapshot()
	p, err := w.tracker.Plan(m.Now, m.opts)
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
	next, err := p.Apply(s, m.Now)
	if err != nil {
		return // several pods have one UID
	}
	m.apply(w, replicaset.Delta{ReplicaSet: &next.ReplicaSet})
	same := func(a, b *podorder.Pod) bool {
		return a.ControllerUID == b.ControllerUID && a.DeletionTimestamp == b.DeletionTimestamp
	}
	for _, e := range trackedtest.Changes(s.Pods, next.Pods, func(p *podorder.Pod) string { return p.Name }, same) {
		m.apply(w, replicaset.Delta{Pod: replicaset.PodEvent(e)})
	}
}

// Run makes so many steps.
func (m *machine) Run(steps int) {
	m.Take(steps, func(k int, w *tracked) bool {
		switch m.S.Below("step", 40) {
		default:
			m.apply(w, replicaset.Delta{Pod: m.event(w)})
		case 0, 1, 2, 3:
			if !m.busy || m.One("even so", 20) || m.scales {
				m.apply(w, m.rest(w))
			}
		case 4, 5, 6, 7:
			m.Now = m.Now.Add(random.OneOf(m.S, "later", 1, 100*time.Millisecond, time.Second, 4*time.Second, 5*time.Second, 10*time.Second, time.Minute))
		case 8:
			if (m.busy || m.scales) && m.S.Below("no other time", 4) > 0 {
				return false
			}
			m.Now = random.OneOf(m.S, "other time", random.Now, m.Now.Add(-time.Second), m.Now.Add(-1), time.Date(5000, 1, 1, 0, 0, 0, 0, time.UTC), random.Now)
		case 9:
			if m.opts = random.ReplicaSetOptions(m.S); m.scales && m.S.Below("no other order", 4) > 0 {
				m.opts = replicaset.Options{Burst: m.opts.Burst, Spread: m.about == "orders" && m.One("spread", 2)}
			}
		case 10:
			m.execute(w)
		case 11:
			m.AddClone(k)
		case 12:
			m.throughJSON(w)
		case 13:
			m.relist(w)
		}
		return true
	})
}

func (m *machine) throughJSON(w *tracked) {
	var again replicaset.Tracker
	m.ThroughJSON(w.tracker, &again)
	if w.tracker = &again; len(w.rest.Siblings) == 0 {
		w.rest.Siblings = nil
	}
}

// compare compares the plan with that of Reconcile. Of three pods with one UID, which two an
// error names depends on their order.
func (m *machine) compare(w *tracked) {
	want, wrong := replicaset.Reconcile(w.snapshot(), m.Now, m.opts)
	got, err := w.tracker.Plan(m.Now, m.opts)
	if (err == nil) != (wrong == nil) {
		m.T.Fatalf("after %d steps: %v, want %v\n%+v", m.Step, err, wrong, w.snapshot())
	}
	if wrong != nil {
		_, wrong = replicaset.Reconcile(w.tracker.Snapshot(), m.Now, m.opts)
		want = replicaset.Plan{}
	}
	m.SamePlan(got, err, want, wrong, w.snapshot())
	if m.Step%16 == 0 && err == nil {
		pass, err := w.tracker.Pass(m.Now, m.opts)
		m.Same(err, nil)
		e := kept{pass, w.tracker.Snapshot(), m.Now, m.opts}
		m.finish(e)
		m.finish(m.earlier)
		if len(got.Actions) > 0 && m.One("kept for later", 2) {
			m.earlier = e
		}
	}
	if m.Step%256 == 0 {
		m.compareSnapshot(w)
	}
}

func (m *machine) compareSnapshot(w *tracked) {
	is := w.tracker.Snapshot()
	diff := w.pods.Diff(is.Pods)
	is.Pods = nil
	m.SameObjects(diff + trackedtest.Diff(w.rest, is))
}

// finish compares the end of a pass of which some calls fail.
func (m *machine) finish(e kept) {
	p := e.pass.Plan
	outcomes := func() []kplan.Outcome {
		return m.Outcomes(random.Below(m.S, "outcomes", 4), kplan.Done, kplan.Done, kplan.NotFound, kplan.Changed)
	}
	r := replicaset.Report{Claims: outcomes(), Creates: outcomes(), Deletes: outcomes(), Expectations: p.Expect(e.s.Expectations, e.now)}
	got, want := e.pass.Finish(r), replicaset.FinishPlan(e.s, p, r, e.now, e.opts)
	m.SameErrors(got.Errs, want.Errs)
	got.Err, got.Errs, want.Err, want.Errs = nil, nil, nil, nil
	m.Same(got, want)
}

// TestPropertyTracker: the plan of a Tracker is that of Reconcile after every change, of
// whatever it is, in whatever order it comes, and in each of several clones.
func TestPropertyTracker(t *testing.T) { trackedtest.Property(t, 60, newMachine) }

// TestTrackerSteps is TestPropertyTracker for long: KPLAN_STEPS says how many steps.
func TestTrackerSteps(t *testing.T) { trackedtest.LongRun(t, 10_000, newMachine) }
