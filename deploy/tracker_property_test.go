// SPDX-License-Identifier: Apache-2.0

package deploy_test

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
	tracker    deploy.Tracker
	deployment deploy.Deployment
	sets       trackedtest.Objects[replicaset.ReplicaSet]
	pods       trackedtest.Objects[podorder.Pod]
	earlier    deploy.Plan // of this Tracker or one that it was cloned from
}

func (w *world) snapshot() deploy.Snapshot {
	return deploy.Snapshot{Deployment: w.deployment, ReplicaSets: w.sets.List(), Pods: w.pods.List()}
}

func (w *world) clone() *world {
	return &world{w.tracker.Clone(), w.deployment, w.sets.Clone(), w.pods.Clone(), w.earlier}
}

// A machine changes a Tracker in any way, and compares its plan with that of Reconcile after
// each step.
type machine struct {
	t      purity.T
	s      random.Source
	worlds []*world // clones of each other
	now    time.Time
	opts   deploy.Options
	sets   trackedtest.Feed[replicaset.ReplicaSet]
	pods   trackedtest.Feed[podorder.Pod]
	calm   bool // the Deployment hardly ever changes, and most ReplicaSets stay as they are
	names  int  // how many pods there may be
	step   int
}

func newMachine(t purity.T, s random.Source) *machine {
	w := &world{
		sets: trackedtest.Objects[replicaset.ReplicaSet]{All: map[string]*replicaset.ReplicaSet{}, Of: func(rs *replicaset.ReplicaSet) trackedtest.Identity {
			return trackedtest.Identity{Name: rs.Name, UID: rs.UID, Version: rs.ResourceVersion}
		}},
		pods: trackedtest.Objects[podorder.Pod]{All: map[string]*podorder.Pod{}, Of: func(p *podorder.Pod) trackedtest.Identity {
			return trackedtest.Identity{Name: p.Name, UID: p.UID, Version: p.ResourceVersion}
		}},
	}
	m := &machine{t: t, s: s, worlds: []*world{w}, now: random.Now, calm: random.Bool(s, "calm"), names: random.OneOf(s, "names", 12, 3)}
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

func (m *machine) one(name string, n uint64) bool { return m.s.Below(name, n) == 0 }

// set draws a ReplicaSet of few names and UIDs.
func (m *machine) set() *replicaset.ReplicaSet {
	kind := random.Kinds(m.s)
	if m.one("wrong set", 15) {
		kind = random.Wrong
	}
	rs := random.Set(random.Between(m.s, "set", 1, 7), random.Between[int32](m.s, "size", 0, 6))
	if sets := random.Deployment(m.s, kind).ReplicaSets; len(sets) > 0 && m.s.Below("as drawn", 3) > 0 {
		rs = sets[random.Below(m.s, "of them", len(sets))]
	}
	switch m.s.Below("set is", 20) {
	case 0:
		rs.UID = random.OneOf(m.s, "uid", "v1", "v2", "")
	case 1:
		rs.DeletionTimestamp = m.now
	case 2:
		rs.Name = random.OneOf(m.s, "name", "web-v0", "web-x", "")
	case 3:
		rs.ControllerUID, rs.ControllerKind, rs.ControllerName = "", "", ""
	}
	rs.ResourceVersion = m.sets.Version(m.s)
	return &rs
}

// pod draws a pod of few names and UIDs.
func (m *machine) pod() *podorder.Pod {
	p := random.Pod(m.s, random.Below(m.s, "pod", m.names))
	p.ControllerUID = random.OneOf(m.s, "owner", "v1", "v2", "v3", "v4", "v5", "x", "")
	p.ResourceVersion = m.pods.Version(m.s)
	if m.one("stops here", 6) {
		p.Annotations = map[string]string{pausepoint.Annotation: random.OneOf(m.s, "mode", "before", "after", "false")}
	}
	return &p
}

// deployment draws a change of the Deployment.
func (m *machine) deployment(w *world) *deploy.Deployment {
	kind := random.Kinds(m.s)
	if m.one("wrong", 12) {
		kind = random.Wrong
	}
	any := random.Deployment(m.s, kind)
	if m.one("partitioned", 6) {
		any = random.Partitioned(m.s, any)
	}
	d := w.deployment
	switch m.s.Below("of the Deployment", 9) {
	case 0, 1:
		d = any.Deployment
	case 2:
		d.Strategy = random.OneOf(m.s, "strategy", deploy.Recreate, deploy.RollingUpdate)
	case 3:
		in := &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: selector.In, Values: []string{random.OneOf(m.s, "in", "web", "x")}}}}
		d.Selector = random.OneOf(m.s, "selector", any.Deployment.Selector, in, selector.FromLabels(map[string]string{"app": "web"}))
	case 4:
		d.DeletionTimestamp = random.OneOf(m.s, "deleted", time.Time{}, m.now)
	case 5:
		d.UID = random.OneOf(m.s, "other uid", "web-uid", "web-uid", "other")
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
	var fieldError *kplan.FieldError
	if wrong != (err != nil) || wrong && (!errors.Is(err, kplan.ErrInvalid) || !errors.As(err, &fieldError)) {
		m.t.Fatalf("after %d steps: %+v: wrong is %v, but the error is %v", m.step, d, wrong, err)
	}
	if wrong {
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
	what := m.s.Below("event of", 8)
	if what < 5 && !(m.calm && m.s.Below("no set", 4) > 0) {
		e := m.sets.Event(m.s, &w.sets, m.set, func(v, known *replicaset.ReplicaSet) { v.UID = known.UID })
		d.ReplicaSet = deploy.ReplicaSetEvent(e)
	}
	if what > 3 {
		d.Pod = replicaset.PodEvent(m.pods.Event(m.s, &w.pods, m.pod, func(v, known *podorder.Pod) { v.UID = known.UID }))
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
		return // the name is taken, or a size has changed
	}
	m.apply(w, deploy.Delta{Deployment: &next.Deployment})
	left := map[string]*replicaset.ReplicaSet{}
	for i := range s.ReplicaSets {
		left[s.ReplicaSets[i].Name] = &s.ReplicaSets[i]
	}
	for i := range next.ReplicaSets {
		n := &next.ReplicaSets[i]
		if was := left[n.Name]; was == nil || !trackedtest.Equal(was, n) {
			m.apply(w, deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{Old: was, New: n}})
		}
		delete(left, n.Name)
	}
	for _, was := range left {
		m.apply(w, deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{Old: was}})
	}
}

// run makes so many steps.
func (m *machine) run(steps int) {
	for ; steps > 0; steps-- {
		m.step++
		k := random.Below(m.s, "which clone", len(m.worlds))
		w := m.worlds[k]
		switch m.s.Below("step", 30) {
		default:
			m.apply(w, m.event(w))
		case 0, 1, 2, 3:
			if !m.calm || m.one("even so", 10) {
				m.apply(w, deploy.Delta{Deployment: m.deployment(w)})
			}
		case 4:
			m.now = random.OneOf(m.s, "time", m.now.Add(time.Second), m.now.Add(time.Minute), random.Now)
		case 5:
			m.opts = random.DeploymentOptions(m.s)
		case 6, 7, 8:
			m.execute(w)
		case 9:
			if m.worlds = append(m.worlds, w.clone()); len(m.worlds) > 3 {
				m.worlds = slices.Delete(m.worlds, k, k+1)
			}
		case 10:
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
	var again deploy.Tracker
	text, err := json.Marshal(&w.tracker)
	if err == nil {
		err = json.Unmarshal(text, &again)
	}
	if err != nil {
		m.t.Fatalf("after %d steps: %v", m.step, err)
	}
	w.tracker = again
	w.deployment = again.Snapshot().Deployment // whose empty selector may be none by now
}

var inAnyOrder = cmp.Options{
	cmpopts.SortSlices(func(a, b podorder.Pod) bool { return a.Name < b.Name }),
	cmpopts.SortSlices(func(a, b replicaset.ReplicaSet) bool { return a.Name < b.Name }), cmpopts.EquateEmpty(),
}

// compare compares the plan with that of Reconcile.
func (m *machine) compare(w *world) {
	s := w.snapshot()
	want, wrong := deploy.Reconcile(s, m.now, m.opts)
	got, err := w.tracker.Plan(m.now, m.opts)
	if fmt.Sprint(err) != fmt.Sprint(wrong) || !trackedtest.Equal(got, want) {
		m.t.Fatalf("after %d steps: %v, want %v\n%s\n%+v", m.step, err, wrong, cmp.Diff(want, got), s)
	}
	if m.step%4 == 0 && err == nil {
		m.finish(w, got)
		m.finish(w, w.earlier)
		if len(got.Actions) > 0 && m.one("kept for later", 2) {
			w.earlier = got
		}
	}
	if m.step%128 == 0 {
		is := w.tracker.Snapshot()
		diff := w.sets.Diff(is.ReplicaSets) + w.pods.Diff(is.Pods) + trackedtest.Diff(w.deployment, is.Deployment, inAnyOrder)
		if diff != "" {
			m.t.Fatalf("after %d steps:\n%s", m.step, diff)
		}
	}
}

// finish compares what follows from a plan of which some calls fail.
func (m *machine) finish(w *world, p deploy.Plan) {
	var r deploy.Report
	done := m.one("all is done", 3)
	for range p.Actions {
		answer := random.OneOf(m.s, "answer", kplan.Done, kplan.Done, kplan.Done, kplan.NotFound, kplan.AlreadyExists, kplan.Changed)
		if done {
			answer = kplan.Done
		}
		r.Outcomes = append(r.Outcomes, kplan.Outcome{Answer: answer, Err: errors.New("no")})
	}
	got, want := w.tracker.Finish(p, r, m.now, m.opts), deploy.Finish(w.snapshot(), p, r, m.now, m.opts)
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
