// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
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
	tracker *daemonset.Tracker
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

// A kept is a pass and what it was made from.
type kept struct {
	pass daemonset.Pass
	s    daemonset.Snapshot
	now  time.Time
	opts daemonset.Options
}

// A machine changes a Tracker in any way: see [trackedtest.Machine].
type machine struct {
	trackedtest.Machine[*world]
	opts    daemonset.Options
	earlier kept // a pass that ends after further changes
	nodes   trackedtest.Feed[daemonset.Node]
	pods    trackedtest.Feed[daemonset.Pod]
	calm    bool   // it is rolled as most are, and the DaemonSet changes a little
	about   string // what changes more often than other things, "" for nothing
	names   int    // how many nodes there may be
}

func newMachine(t purity.T, s random.Source) *machine {
	w := &world{
		tracker: &daemonset.Tracker{},
		nodes: trackedtest.Objects[daemonset.Node]{All: map[string]*daemonset.Node{}, Of: func(n *daemonset.Node) trackedtest.Identity {
			return trackedtest.Identity{Name: n.Name}
		}},
		pods: trackedtest.Objects[daemonset.Pod]{All: map[string]*daemonset.Pod{}, Of: func(p *daemonset.Pod) trackedtest.Identity {
			return trackedtest.Identity{Name: p.Name, UID: p.UID, Version: p.ResourceVersion}
		}},
	}
	m := &machine{calm: random.Bool(s, "calm"), names: random.OneOf(s, "names", 8, 4, 20)}
	m.Machine = trackedtest.Machine[*world]{T: t, S: s, Worlds: []*world{w}, Now: random.Now, Clone: (*world).clone, Compare: m.compare}
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

// apply applies a change to a Tracker and to what it stands for.
func (m *machine) apply(w *world, d daemonset.Delta) {
	ofNode, wrongNode := w.nodes.Judge(d.Node.Old, d.Node.New)
	ofPod, wrongPod := w.pods.Judge(d.Pod.Old, d.Pod.New)
	err, wrong := w.tracker.Apply(d), wrongNode || wrongPod
	if m.Refused(d, wrong, err) {
		return // and nothing has changed
	}
	ofNode()
	ofPod()
	w.rest = changed(w.rest, &d)
}

// changed returns a snapshot after a change of other things than nodes and pods.
func changed(s daemonset.Snapshot, d *daemonset.Delta) daemonset.Snapshot {
	if d.DaemonSet != nil {
		s.DaemonSet = *d.DaemonSet
	}
	if d.Revisions != nil {
		s.Revisions = d.Revisions
	}
	if d.Backoff != nil {
		s.Backoff = *d.Backoff
	}
	if d.Unseen != nil {
		s.Unseen = *d.Unseen
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
func (m *machine) relist(w *world) {
	s := w.rest
	if m.One("other things too", 3) {
		d := m.tune(w)
		if !m.calm {
			d = m.rest(w)
		}
		s = changed(s, &d)
	}
	nodes, replaceNodes, wrongNodes := m.nodes.Relist(m.S, &w.nodes, m.node, func(_, _ *daemonset.Node) {})
	pods, replacePods, wrongPods := m.pods.Relist(m.S, &w.pods, m.pod, m.keep)
	s.Nodes, s.Pods = nodes, pods
	if m.Refused(s, wrongNodes || wrongPods, w.tracker.Replace(s)) {
		return
	}
	replaceNodes()
	replacePods()
	w.rest = s
	w.rest.Nodes, w.rest.Pods = nil, nil
	m.compareSnapshot(w)
}

// event draws what happens to a node or a pod.
func (m *machine) event(w *world) (d daemonset.Delta) {
	what := m.S.Below("event of", 12)
	if what < 2 {
		e := m.nodes.Event(m.S, &w.nodes, m.node, func(_, _ *daemonset.Node) {})
		d.Node = daemonset.NodeEvent(e)
	}
	if what > 0 {
		d.Pod = daemonset.PodEvent(m.pods.Event(m.S, &w.pods, m.pod, m.keep))
	}
	return d
}

// keep makes a drawn pod a later version of a known pod.
func (m *machine) keep(v, known *daemonset.Pod) {
	if v.UID = known.UID; m.S.Below("stays where it is", 3) > 0 {
		v.NodeName, v.PinnedNode = known.NodeName, known.PinnedNode
	}
}

// execute carries out the plan of a Tracker, as events.
func (m *machine) execute(w *world) {
	s := w.tracker.Snapshot()
	p, err := w.tracker.Plan(m.Now, m.opts)
	if err != nil {
		return
	}
	next, err := p.Apply(s, m.Now)
	if err != nil {
		return
	}
	d := daemonset.Delta{DaemonSet: &next.DaemonSet, Revisions: next.Revisions, Backoff: &next.Backoff}
	if d.Revisions == nil {
		d.Revisions = random.Agents(0).Revisions[:0]
	}
	m.apply(w, d)
	for i := range next.Pods {
		if n := &next.Pods[i]; n.NodeName == "" && m.One("bound", 2) {
			n.NodeName, n.Phase = n.PinnedNode, podorder.Running
		}
	}
	same := func(a, b *daemonset.Pod) bool { return trackedtest.Equal(a, b) }
	for _, e := range trackedtest.Changes(s.Pods, next.Pods, func(p *daemonset.Pod) string { return p.Name }, same) {
		m.apply(w, daemonset.Delta{Pod: daemonset.PodEvent(e)})
	}
}

// Run makes so many steps.
func (m *machine) Run(steps int) {
	m.Take(steps, func(k int, w *world) bool {
		switch m.S.Below("step", 40) {
		default:
			m.apply(w, m.event(w))
		case 0, 1, 2, 3:
			switch {
			case m.about != "" && m.One("about it", 2):
				m.apply(w, m.vary(w))
			case !m.calm || m.One("even so", 60):
				m.apply(w, m.rest(w))
			case m.One("tuned now", 3):
				m.apply(w, m.tune(w))
			}
		case 4, 5, 6, 7:
			m.Now = m.Now.Add(random.OneOf(m.S, "later", 1, 100*time.Millisecond, time.Second, 4*time.Second, 10*time.Second, time.Minute))
		case 8:
			m.Now = random.OneOf(m.S, "other time", m.Now, random.Now, m.Now.Add(-time.Second), m.Now.Add(-1), time.Date(5000, 1, 1, 0, 0, 0, 0, time.UTC), random.Now)
		case 9:
			if m.calm && m.S.Below("same options", 8) > 0 {
				break
			}
			if m.opts = random.DaemonSetOptions(m.S); m.S.Below("of Kubernetes", 4) > 0 {
				m.opts.Dialect = daemonset.Kubernetes
			}
		case 10, 11, 12:
			m.execute(w)
		case 13:
			m.AddClone(k)
		case 14:
			m.throughJSON(w)
		case 15:
			m.relist(w)
		}
		return true
	})
}

func (m *machine) throughJSON(w *world) {
	var again daemonset.Tracker
	m.ThroughJSON(w.tracker, &again)
	w.tracker, w.rest = &again, again.Snapshot()
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
	want, wrong := daemonset.Reconcile(s, m.Now, m.opts)
	got, err := w.tracker.Plan(m.Now, m.opts)
	if wrong != nil && err != nil {
		_, wrong = daemonset.Reconcile(w.tracker.Snapshot(), m.Now, m.opts)
	}
	m.SamePlan(got, err, want, wrong, s, cmpopts.EquateEmpty())
	if m.Step%8 == 0 && err == nil {
		pass, err := w.tracker.Pass(m.Now, m.opts)
		m.Same(err, nil)
		e := kept{pass, s, m.Now, m.opts}
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

func (m *machine) compareSnapshot(w *world) {
	is := w.tracker.Snapshot()
	diff := w.nodes.Diff(is.Nodes) + w.pods.Diff(is.Pods)
	is.Nodes, is.Pods = nil, nil
	m.SameObjects(diff + trackedtest.Diff(w.rest, is, inAnyOrder))
}

// finish compares the end of a pass of which some calls fail.
func (m *machine) finish(e kept) {
	p := e.pass.Plan
	r := daemonset.Report{Outcomes: m.Outcomes(len(p.Actions), kplan.Done, kplan.Done, kplan.Done, kplan.NotFound, kplan.AlreadyExists, kplan.Changed)}
	got, want := e.pass.Finish(r), daemonset.FinishPlan(e.s, p, r, e.now, e.opts)
	m.SameErrors(got.Errs, want.Errs)
	got.Err, got.Errs, want.Err, want.Errs = nil, nil, nil, nil
	m.Same(got, want, inAnyOrder)
}

// TestPropertyTracker: the plan of a Tracker is that of Reconcile after every change, of
// whatever it is, in whatever order it comes, and in each of several clones.
func TestPropertyTracker(t *testing.T) { trackedtest.Property(t, 40, newMachine) }

// TestTrackerSteps is TestPropertyTracker for long: KPLAN_STEPS says how many steps.
func TestTrackerSteps(t *testing.T) { trackedtest.LongRun(t, 5_000, newMachine) }
