// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
)

// A world is a Tracker and what it has to stand for.
type world struct {
	tracker daemonset.Tracker
	rest    daemonset.Snapshot
	nodes   trackedtest.Objects[daemonset.Node]
	pods    trackedtest.Objects[daemonset.Pod]
}

func (w *world) snapshot() daemonset.Snapshot {
	s := w.rest
	s.Nodes, s.Pods = w.nodes.List(), w.pods.List()
	return s
}

func (w *world) clone() *world {
	return &world{w.tracker.Clone(), w.rest, w.nodes.Clone(), w.pods.Clone()}
}

// A machine changes a Tracker in any way, and compares its plan with that of Reconcile after
// each step.
type machine struct {
	t      purity.T
	s      random.Source
	worlds []*world // clones of each other
	now    time.Time
	opts   daemonset.Options
	nodes  trackedtest.Feed[daemonset.Node]
	pods   trackedtest.Feed[daemonset.Pod]
	calm   bool   // it is rolled as most are, and the DaemonSet changes a little
	about  string // what changes more often than other things, "" for nothing
	names  int    // how many nodes there may be
	step   int
}

func newMachine(t purity.T, s random.Source) *machine {
	w := &world{
		nodes: trackedtest.Objects[daemonset.Node]{All: map[string]*daemonset.Node{}, Of: func(n *daemonset.Node) trackedtest.Identity {
			return trackedtest.Identity{Name: n.Name}
		}},
		pods: trackedtest.Objects[daemonset.Pod]{All: map[string]*daemonset.Pod{}, Of: func(p *daemonset.Pod) trackedtest.Identity {
			return trackedtest.Identity{Name: p.Name, UID: p.UID, Version: p.ResourceVersion}
		}},
	}
	m := &machine{t: t, s: s, worlds: []*world{w}, now: random.Now, calm: random.Bool(s, "calm"), names: random.OneOf(s, "names", 8, 4, 20)}
	if m.calm {
		m.about = random.OneOf(s, "about", "", "", "", "generation", "affinity", "tolerations", "seconds", "in place", "dead nodes", "ranks", "revisions")
	}
	begin := random.Agents(m.names)
	if m.calm {
		d := &begin.DaemonSet
		d.MaxUnavailable, d.MaxSurge = random.OneOf(s, "unavailable", rollout.Int(1), rollout.Int(2), rollout.Percent(30)), random.OneOf(s, "surge", rollout.Int(0), rollout.Int(0), rollout.Int(2))
		d.MinReadySeconds = random.OneOf[int32](s, "min ready", 10, 0)
		d.Burst = random.OneOf(s, "burst", rollout.IntOrPercent{}, rollout.Int(2), rollout.Percent(5))
	}
	m.apply(w, daemonset.Delta{DaemonSet: &begin.DaemonSet, Revisions: begin.Revisions})
	for i := range begin.Nodes {
		m.concern(&begin.Nodes[i], nil)
		m.apply(w, daemonset.Delta{Node: daemonset.NodeEvent{New: &begin.Nodes[i]}})
		if m.calm { // or an update would hardly ever begin
			p := random.AgentPod(fmt.Sprint("p", i), begin.Nodes[i].Name, random.OneOf(s, "begins with", "v1", "v1", "v2"))
			m.concern(nil, &p)
			m.apply(w, daemonset.Delta{Pod: daemonset.PodEvent{New: &p}})
		}
	}
	m.compare(w)
	return m
}

func (m *machine) one(name string, n uint64) bool { return m.s.Below(name, n) == 0 }

// apply applies a change to a Tracker and to what it stands for.
func (m *machine) apply(w *world, d daemonset.Delta) {
	ofNode, wrongNode := w.nodes.Judge(d.Node.Old, d.Node.New)
	ofPod, wrongPod := w.pods.Judge(d.Pod.Old, d.Pod.New)
	err, wrong := w.tracker.Apply(d), wrongNode || wrongPod
	var fieldError *kplan.FieldError
	if wrong != (err != nil) || wrong && (!errors.Is(err, kplan.ErrInvalid) || !errors.As(err, &fieldError)) {
		m.t.Fatalf("after %d steps: %+v: wrong is %v, but the error is %v", m.step, d, wrong, err)
	}
	if wrong {
		return // and nothing has changed
	}
	ofNode()
	ofPod()
	if d.DaemonSet != nil {
		w.rest.DaemonSet = *d.DaemonSet
	}
	if d.Revisions != nil {
		w.rest.Revisions = d.Revisions
	}
	if d.Backoff != nil {
		w.rest.Backoff = *d.Backoff
	}
	if d.Unseen != nil {
		w.rest.Unseen = *d.Unseen
	}
	if d.Written != nil {
		w.rest.Written = *d.Written
	}
	if d.Read != nil {
		w.rest.Read = *d.Read
	}
}

// event draws what happens to a node or a pod.
func (m *machine) event(w *world) (d daemonset.Delta) {
	what := m.s.Below("event of", 12)
	if what < 2 {
		e := m.nodes.Event(m.s, &w.nodes, m.node, func(_, _ *daemonset.Node) {})
		d.Node = daemonset.NodeEvent(e)
	}
	if what > 0 {
		d.Pod = daemonset.PodEvent(m.pods.Event(m.s, &w.pods, m.pod, func(v, known *daemonset.Pod) {
			if v.UID = known.UID; m.s.Below("stays where it is", 3) > 0 {
				v.NodeName, v.PinnedNode = known.NodeName, known.PinnedNode
			}
		}))
	}
	return d
}

// execute carries out the plan of a Tracker, as events.
func (m *machine) execute(w *world) {
	s := w.tracker.Snapshot()
	p, err := w.tracker.Plan(m.now, m.opts)
	if err != nil {
		return
	}
	next, err := p.Apply(s, m.now)
	if err != nil {
		return
	}
	d := daemonset.Delta{DaemonSet: &next.DaemonSet, Revisions: next.Revisions, Backoff: &next.Backoff}
	if d.Revisions == nil {
		d.Revisions = random.Agents(0).Revisions[:0]
	}
	m.apply(w, d)
	left := map[string]*daemonset.Pod{}
	for i := range s.Pods {
		left[s.Pods[i].Name] = &s.Pods[i]
	}
	for i := range next.Pods {
		n := &next.Pods[i]
		if n.NodeName == "" && m.one("bound", 2) {
			n.NodeName, n.Phase = n.PinnedNode, podorder.Running
		}
		if was := left[n.Name]; was == nil || !trackedtest.Equal(was, n) {
			m.apply(w, daemonset.Delta{Pod: daemonset.PodEvent{Old: was, New: n}})
		}
		delete(left, n.Name)
	}
	for _, was := range left {
		m.apply(w, daemonset.Delta{Pod: daemonset.PodEvent{Old: was}})
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
			m.apply(w, m.event(w))
		case 0, 1, 2, 3:
			switch {
			case m.about != "" && m.one("about it", 2):
				m.apply(w, m.vary(w))
			case !m.calm || m.one("even so", 60):
				m.apply(w, m.rest(w))
			case m.one("tuned now", 3):
				m.apply(w, m.tune(w))
			}
		case 4, 5, 6, 7:
			m.now = m.now.Add(random.OneOf(m.s, "later", 1, 100*time.Millisecond, time.Second, 4*time.Second, 10*time.Second, time.Minute))
		case 8:
			m.now = random.OneOf(m.s, "other time", m.now, random.Now, m.now.Add(-time.Second), m.now.Add(-1), time.Date(5000, 1, 1, 0, 0, 0, 0, time.UTC), random.Now)
		case 9:
			if m.calm && m.s.Below("same options", 8) > 0 {
				break
			}
			if m.opts = random.DaemonSetOptions(m.s); m.s.Below("of Kubernetes", 4) > 0 {
				m.opts.Dialect = daemonset.Kubernetes
			}
		case 10, 11, 12:
			m.execute(w)
		case 13:
			if m.worlds = append(m.worlds, w.clone()); len(m.worlds) > 3 {
				m.worlds = slices.Delete(m.worlds, k, k+1)
			}
		case 14:
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

func (m *machine) throughJSON(w *world) {
	var again daemonset.Tracker
	text, err := json.Marshal(&w.tracker)
	if err == nil {
		err = json.Unmarshal(text, &again)
	}
	if err != nil {
		m.t.Fatalf("after %d steps: %v", m.step, err)
	}
	w.tracker, w.rest = again, again.Snapshot()
	w.rest.Nodes, w.rest.Pods = nil, nil
}

var inAnyOrder = cmp.Options{
	cmpopts.SortSlices(func(a, b daemonset.Pod) bool { return a.Name < b.Name }),
	cmpopts.SortSlices(func(a, b daemonset.Node) bool { return a.Name < b.Name }), cmpopts.EquateEmpty(),
}

// compare compares the plan with that of Reconcile.
// Of three pods with one UID, which two an error names depends on their order.
func (m *machine) compare(w *world) {
	s := w.snapshot()
	want, wrong := daemonset.Reconcile(s, m.now, m.opts)
	got, err := w.tracker.Plan(m.now, m.opts)
	if wrong != nil && err != nil {
		_, wrong = daemonset.Reconcile(w.tracker.Snapshot(), m.now, m.opts)
	}
	if fmt.Sprint(err) != fmt.Sprint(wrong) || !trackedtest.Equal(got, want, cmpopts.EquateEmpty()) {
		m.t.Fatalf("after %d steps: %v, want %v\n%s\n%+v\n%+v", m.step, err, wrong, cmp.Diff(want, got), m.opts, s)
	}
	if m.step%8 == 0 && err == nil {
		m.finish(w, got)
	}
	if m.step%256 == 0 {
		is := w.tracker.Snapshot()
		diff := w.nodes.Diff(is.Nodes) + w.pods.Diff(is.Pods)
		is.Nodes, is.Pods = nil, nil
		if diff += trackedtest.Diff(w.rest, is, inAnyOrder); diff != "" {
			m.t.Fatalf("after %d steps:\n%s", m.step, diff)
		}
	}
}

// finish compares what follows from a plan of which some calls fail.
func (m *machine) finish(w *world, p daemonset.Plan) {
	var r daemonset.Report
	for range p.Actions {
		answer := random.OneOf(m.s, "answer", kplan.Done, kplan.Done, kplan.Done, kplan.NotFound, kplan.AlreadyExists, kplan.Changed)
		r.Outcomes = append(r.Outcomes, kplan.Outcome{Answer: answer, Err: errors.New("no")})
	}
	got, want := w.tracker.Finish(p, r, m.now, m.opts), daemonset.Finish(w.snapshot(), p, r, m.now, m.opts)
	if fmt.Sprint(got.Errs) != fmt.Sprint(want.Errs) {
		m.t.Fatalf("after %d steps: %v, want %v", m.step, got.Errs, want.Errs)
	}
	if got.Err, got.Errs, want.Err, want.Errs = nil, nil, nil, nil; !trackedtest.Equal(want, got, inAnyOrder) {
		m.t.Fatalf("after %d steps:\n%s", m.step, cmp.Diff(want, got, inAnyOrder))
	}
}

// TestPropertyTracker: the plan of a Tracker is that of Reconcile after every change, of
// whatever it is, in whatever order it comes, and in each of several clones.
func TestPropertyTracker(t *testing.T) {
	random.Check(t, func(s random.T) { newMachine(s, s).run(random.Between(s, "steps", 1, 40)) })
}

// TestTrackerSteps is TestPropertyTracker for long: KPLAN_STEPS says how many steps.
func TestTrackerSteps(t *testing.T) {
	trackedtest.Steps(t, 5_000, func(seed uint64, before int) func() {
		m := newMachine(t, random.Seeded(seed))
		m.step = before
		return func() { m.run(1) }
	})
}
