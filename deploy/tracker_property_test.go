// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// A world is a Tracker and what it has to stand for.
type world struct {
	tracker    *deploy.Tracker
	deployment deploy.Deployment
	sets       trackedtest.Objects[replicaset.ReplicaSet]
	pods       trackedtest.Objects[podorder.Pod]
}

func (w *world) snapshot() deploy.Snapshot {
	return deploy.Snapshot{Deployment: w.deployment, ReplicaSets: w.sets.List(), Pods: w.pods.List()}
}

func (w *world) clone() *world {
	return &world{w.tracker.Clone(), w.deployment, w.sets.Clone(), w.pods.Clone()}
}

// A kept is a pass and what it was made from.
type kept struct {
	pass deploy.Pass
	s    deploy.Snapshot
	now  time.Time
	opts deploy.Options
}

// A machine changes a Tracker in any way: see [trackedtest.Machine].
type machine struct {
	trackedtest.Machine[*world]
	opts    deploy.Options
	earlier kept // a pass that ends after further changes
	sets    trackedtest.Feed[replicaset.ReplicaSet]
	pods    trackedtest.Feed[podorder.Pod]
	calm    bool // the Deployment hardly ever changes, and most ReplicaSets stay as they are
	names   int  // how many pods there may be
}

func newMachine(t purity.T, s random.Source) *machine {
	w := &world{
		tracker: &deploy.Tracker{},
		sets: trackedtest.Objects[replicaset.ReplicaSet]{All: map[string]*replicaset.ReplicaSet{}, Of: func(rs *replicaset.ReplicaSet) trackedtest.Identity {
			return trackedtest.Identity{Name: rs.Name, UID: rs.UID, Version: rs.ResourceVersion}
		}},
		pods: trackedtest.Objects[podorder.Pod]{All: map[string]*podorder.Pod{}, Of: func(p *podorder.Pod) trackedtest.Identity {
			return trackedtest.Identity{Name: p.Name, UID: p.UID, Version: p.ResourceVersion}
		}},
	}
	m := &machine{calm: random.Bool(s, "calm"), names: random.OneOf(s, "names", 12, 3)}
	m.Machine = trackedtest.Machine[*world]{T: t, S: s, Worlds: []*world{w}, Now: random.Now, Clone: (*world).clone, Compare: m.compare}
	d := random.Web(5)
	if m.calm { // it waits for the last pods of v1 to end, or hardly any plan would look at pods
		d.Strategy = random.OneOf(s, "strategy", deploy.Recreate, deploy.Recreate, deploy.RollingUpdate)
	}
	m.apply(w, deploy.Delta{Deployment: &d})
	for n := 1; m.calm && n < 4; n++ {
		rs := random.Set(n, 0)
		m.apply(w, deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{New: &rs}})
	}
	return m
}

// set draws a ReplicaSet of few names and UIDs.
func (m *machine) set() *replicaset.ReplicaSet {
	kind := random.Kinds(m.S)
	if m.One("wrong set", 15) {
		kind = random.Wrong
	}
	rs := random.Set(random.Between(m.S, "set", 1, 7), random.Between[int32](m.S, "size", 0, 6))
	if sets := random.Deployment(m.S, kind).ReplicaSets; len(sets) > 0 && m.S.Below("as drawn", 3) > 0 {
		rs = sets[random.Below(m.S, "of them", len(sets))]
	}
	switch m.S.Below("set is", 20) {
	case 0:
		rs.UID = random.OneOf(m.S, "uid", "v1", "v2", "")
	case 1:
		rs.DeletionTimestamp = m.Now
	case 2:
		rs.Name = random.OneOf(m.S, "name", "web-v0", "web-x", "")
	case 3:
		rs.ControllerUID, rs.ControllerKind, rs.ControllerName = "", "", ""
	}
	rs.ResourceVersion = m.sets.Version(m.S)
	return &rs
}

// pod draws a pod of few names and UIDs.
func (m *machine) pod() *podorder.Pod {
	p := random.Pod(m.S, random.Below(m.S, "pod", m.names))
	p.ControllerUID = random.OneOf(m.S, "owner", "v1", "v2", "v3", "v4", "v5", "x", "")
	p.ResourceVersion = m.pods.Version(m.S)
	if m.One("stops here", 6) {
		p.Annotations = map[string]string{pausepoint.Annotation: random.OneOf(m.S, "mode", "before", "after", "false")}
	}
	return &p
}

// deployment draws a change of the Deployment.
func (m *machine) deployment(w *world) *deploy.Deployment {
	kind := random.Kinds(m.S)
	if m.One("wrong", 12) {
		kind = random.Wrong
	}
	any := random.Deployment(m.S, kind)
	if m.One("partitioned", 6) {
		any = random.Partitioned(m.S, any)
	}
	d := w.deployment
	switch m.S.Below("of the Deployment", 9) {
	case 0, 1:
		d = any.Deployment
	case 2:
		d.Strategy = random.OneOf(m.S, "strategy", deploy.Recreate, deploy.RollingUpdate)
	case 3:
		in := &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: selector.In, Values: []string{random.OneOf(m.S, "in", "web", "x")}}}}
		d.Selector = random.OneOf(m.S, "selector", any.Deployment.Selector, in, selector.FromLabels(map[string]string{"app": "web"}))
	case 4:
		d.DeletionTimestamp = random.OneOf(m.S, "deleted", time.Time{}, m.Now)
	case 5:
		d.UID = random.OneOf(m.S, "other uid", "web-uid", "web-uid", "other")
	case 6:
		d.Partitioned = any.Deployment.Partitioned
	default:
		d.Replicas, d.Template, d.Status, d.Annotations = any.Deployment.Replicas, any.Deployment.Template, any.Deployment.Status, any.Deployment.Annotations
	}
	return &d
}

// apply applies a change to a Tracker and to what it stands for.
func (m *machine) apply(w *world, d deploy.Delta) {
	ofSet, wrongSet := w.sets.Judge(d.ReplicaSet.Old, d.ReplicaSet.New)
	ofPod, wrongPod := w.pods.Judge(d.Pod.Old, d.Pod.New)
	err, wrong := w.tracker.Apply(d), wrongSet || wrongPod
	if m.Refused(d, wrong, err) {
		return // and nothing has changed
	}
	if d.Deployment != nil {
		w.deployment = *d.Deployment
	}
	ofSet()
	ofPod()
}

// event draws what happens to a ReplicaSet, a pod, or both.
func (m *machine) event(w *world) (d deploy.Delta) {
	what := m.S.Below("event of", 8)
	if what < 5 && !(m.calm && m.S.Below("no set", 4) > 0) {
		e := m.sets.Event(m.S, &w.sets, m.set, keepSet)
		d.ReplicaSet = deploy.ReplicaSetEvent(e)
	}
	if what > 3 {
		d.Pod = replicaset.PodEvent(m.pods.Event(m.S, &w.pods, m.pod, keepPod))
	}
	return d
}

func keepSet(v, known *replicaset.ReplicaSet) { v.UID = known.UID }
func keepPod(v, known *podorder.Pod)          { v.UID = known.UID }

// relist replaces the snapshot of a Tracker after lost events.
func (m *machine) relist(w *world) {
	s := deploy.Snapshot{Deployment: w.deployment}
	if !m.calm && m.One("the Deployment too", 3) {
		s.Deployment = *m.deployment(w)
	}
	sets, replaceSets, wrongSets := m.sets.Relist(m.S, &w.sets, m.set, keepSet)
	pods, replacePods, wrongPods := m.pods.Relist(m.S, &w.pods, m.pod, keepPod)
	s.ReplicaSets, s.Pods = sets, pods
	if m.Refused(s, wrongSets || wrongPods, w.tracker.Replace(s)) {
		return
	}
	replaceSets()
	replacePods()
	w.deployment = s.Deployment
	m.compareSnapshot(w)
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
		return // the name is taken, or a size has changed
	}
	m.apply(w, deploy.Delta{Deployment: &next.Deployment})
	same := func(a, b *replicaset.ReplicaSet) bool { return trackedtest.Equal(a, b) }
	for _, e := range trackedtest.Changes(s.ReplicaSets, next.ReplicaSets, func(rs *replicaset.ReplicaSet) string { return rs.Name }, same) {
		m.apply(w, deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent(e)})
	}
}

// Run makes so many steps.
func (m *machine) Run(steps int) {
	m.Take(steps, func(k int, w *world) bool {
		switch m.S.Below("step", 30) {
		default:
			m.apply(w, m.event(w))
		case 0, 1, 2, 3:
			if !m.calm || m.One("even so", 10) {
				m.apply(w, deploy.Delta{Deployment: m.deployment(w)})
			}
		case 4:
			m.Now = random.OneOf(m.S, "time", m.Now.Add(time.Second), m.Now.Add(time.Minute), random.Now)
		case 5:
			m.opts = random.DeploymentOptions(m.S)
		case 6, 7, 8:
			m.execute(w)
		case 9:
			m.AddClone(k)
		case 10:
			m.throughJSON(w)
		case 11:
			m.relist(w)
		}
		return true
	})
}

func (m *machine) throughJSON(w *world) {
	var again deploy.Tracker
	m.ThroughJSON(w.tracker, &again)
	w.tracker = &again
	w.deployment = again.Snapshot().Deployment // whose empty selector may be none by now
}

var inAnyOrder = cmp.Options{
	cmpopts.SortSlices(func(a, b podorder.Pod) bool { return a.Name < b.Name }),
	cmpopts.SortSlices(func(a, b replicaset.ReplicaSet) bool { return a.Name < b.Name }), cmpopts.EquateEmpty(),
}

// compare compares the plan with that of Reconcile.
func (m *machine) compare(w *world) {
	s := w.snapshot()
	want, wrong := deploy.Reconcile(s, m.Now, m.opts)
	got, err := w.tracker.Plan(m.Now, m.opts)
	m.SamePlan(got, err, want, wrong, s)
	if m.Step%4 == 0 && err == nil {
		pass, err := w.tracker.Pass(m.Now, m.opts)
		m.Same(err, nil)
		e := kept{pass, s, m.Now, m.opts}
		m.finish(e)
		m.finish(m.earlier)
		if len(got.Actions) > 0 && m.One("kept for later", 2) {
			m.earlier = e
		}
	}
	if m.Step%128 == 0 {
		m.compareSnapshot(w)
	}
}

func (m *machine) compareSnapshot(w *world) {
	is := w.tracker.Snapshot()
	m.SameObjects(w.sets.Diff(is.ReplicaSets) + w.pods.Diff(is.Pods) + trackedtest.Diff(w.deployment, is.Deployment, inAnyOrder))
}

// finish compares the end of a pass of which some calls fail.
func (m *machine) finish(e kept) {
	p := e.pass.Plan
	answers := []kplan.ServerAnswer{kplan.Done, kplan.Done, kplan.Done, kplan.NotFound, kplan.AlreadyExists, kplan.Changed}
	if m.One("all is done", 3) {
		answers = answers[:1]
	}
	r := deploy.Report{Outcomes: m.Outcomes(len(p.Actions), answers...)}
	got, want := e.pass.Finish(r), deploy.FinishPlan(e.s, p, r, e.now, e.opts)
	m.SameErrors(got.Errs, want.Errs)
	got.Err, got.Errs, want.Err, want.Errs = nil, nil, nil, nil
	m.Same(got, want, inAnyOrder)
}

// TestPropertyTracker: the plan of a Tracker is that of Reconcile after every change, of
// whatever it is, in whatever order it comes, and in each of several clones.
func TestPropertyTracker(t *testing.T) { trackedtest.Property(t, 40, newMachine) }

// TestTrackerSteps is TestPropertyTracker for long: KPLAN_STEPS says how many steps.
func TestTrackerSteps(t *testing.T) { trackedtest.LongRun(t, 5_000, newMachine) }
