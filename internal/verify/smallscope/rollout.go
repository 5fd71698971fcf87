// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A Rollouts is a Rollout of a Deployment of a few pods in up to four steps: the planners of
// the Rollout, of its BatchRelease and of the Deployment, admission, and a cluster. The
// controllers of Rollout and BatchRelease carry out their plans write by write; the Deployment
// and its ReplicaSets take one move for each plan, since [Deployments] covers their single
// writes.
type Rollouts struct {
	Plan    func(kruise.Snapshot, time.Time, kruise.Options) (kruise.Plan, error)
	Batch   func(batchrelease.Snapshot, time.Time, batchrelease.Options) (batchrelease.Plan, error)
	Options kruise.Options
	// CheckPlan and CheckBatch check each plan. They may be nil.
	CheckPlan  func(kruise.Snapshot, kruise.Plan) []Breach
	CheckBatch func(batchrelease.Snapshot, batchrelease.Plan) []Breach

	Steps              []kruise.Step
	Led                bool // by Services and an HTTPRoute
	Surge, Unavailable int8
	Replicas           []int8 // the sizes that users may set; the first is the initial size
	Templates          int8   // at most 3
	Changes            int8   // by users: of template or size, or back to a template
	Jumps              bool   // to another step, which is a change too
	Losses             int8   // of the readiness of pods
	Behind             int8   // how often a controller does not see the last change, its own or another controller's
	// Blind controllers patch the Deployment even if it differs from the object they have
	// seen, as upstream controllers do.
	Blind bool

	objects rolloutObjects
	plans   memo[rolloutView, plannedRollout]
	writes  memo[rolloutWrite, writtenObjects]
	steps   memo[passView, passResult]
}

// A rolloutPod is a pod. Template is the number of its template plus 1, or 0 for no pod;
// labels is the number of the labels that batches have given it.
type rolloutPod struct {
	template int8
	ready    bool
	labels   int32
}

// rolloutPods are places of pods. A pod keeps its place while a plan names it.
type rolloutPods [6]rolloutPod

// storedObjects are the numbers of all stored objects except pods.
type storedObjects struct{ rollout, release, workload, sets, traffic int32 }

// A pendingPlan is a plan, by its number, carried out up to a write. Seen and workload are the
// objects in the controller's view, which it would overwrite.
type pendingPlan struct {
	plan           int32
	next           int8
	seen, workload int32
}

// A rolloutState is a state. Least and most are the smallest and largest desired size so far.
// Reached is the highest step of the release so far, and before the number of pods with its
// template when it began. Shared tells that the Deployment was scaled, so that its replicas
// were shared out.
type rolloutState struct {
	storedObjects
	grace                   int32 // the memory of the controller of the Rollout
	pods                    rolloutPods
	plans                   [2]pendingPlan // of the Rollout, of the BatchRelease
	changes, losses, behind int8
	least, most             int8
	reached, before         int8
	shared                  bool
}

// Properties of rollouts.
const (
	PropertyStep     = "step"     // pods are updated before their step
	PropertyOver     = "over"     // a release ends too early
	PropertyTraffic  = "traffic"  // traffic goes to pods that do not exist
	PropertyBatch    = "batch"    // a partition is lowered
	PropertyApproval = "approval" // a step that needs an approval goes on without it
)

func (r *Rollouts) Starts() []rolloutState {
	n := r.Replicas[0]
	s := rolloutState{storedObjects: r.first(n), changes: r.Changes, losses: r.Losses, behind: r.Behind, least: n, most: n}
	for i := range n {
		s.pods[i] = rolloutPod{template: 1, ready: true}
	}
	return []rolloutState{s}
}

func (r *Rollouts) Goal(s rolloutState) bool {
	healthy := r.objects.rollout.list[s.rollout].Status.Phase == kruise.PhaseHealthy
	return healthy && r.updated(&s) && len(r.left(&s)) == 0 && r.quiet(s)
}

// quiet reports whether no controller has work to do.
func (r *Rollouts) quiet(s rolloutState) bool {
	if s.plans != [2]pendingPlan{} || r.planned(r.view(&s, 0)).plan != 0 || r.planned(r.view(&s, 1)).plan != 0 {
		return false
	}
	to, moved := r.deployed(s)
	return !moved && to.pods == s.pods
}

// Moves makes the moves of all actors. A controller plans and carries out its first write in
// one move; a view that is one step old stands for a change between the two.
func (r *Rollouts) Moves(s rolloutState, do func(Move, rolloutState, []Breach)) {
	r.control(s, 0, r.stale(s, 1, do))
	r.control(s, 1, r.stale(s, 0, do))
	everybody := r.stale(s, 0, r.stale(s, 1, do))
	if to, moved := r.deployed(s); moved || len(r.deployedBreaches(s)) > 0 {
		everybody(Move{"the Deployment is planned", -1, false}, to, slices.Concat(r.deployedBreaches(s), r.ahead(&s, &to)))
	}
	for i, p := range s.pods {
		if p.template > 0 && (!p.ready || s.losses > 0) && (i == 0 || p != s.pods[i-1]) {
			t := s
			t.pods[i].ready = !p.ready
			what := "a pod becomes ready"
			if p.ready {
				t.losses--
				what = "a pod is no longer ready"
			}
			everybody(Move{what, i, p.ready}, t, nil)
		}
	}
	if world, grace := r.later(s.storedObjects), r.laterGrace(s.grace); world != s.storedObjects || grace != s.grace {
		t := s
		t.storedObjects, t.grace = world, grace
		everybody(Move{"time passes", -1, false}, t, nil)
	}
	r.userMoves(s, everybody)
}

// stale adds moves that a controller does not see: it starts to carry out the plan for the
// state before the move.
func (r *Rollouts) stale(s rolloutState, who int, do func(Move, rolloutState, []Breach)) func(Move, rolloutState, []Breach) {
	p := plannedRollout{}
	if s.plans[who].plan == 0 && s.behind > 0 {
		p = r.planned(r.view(&s, who))
	}
	return func(m Move, t rolloutState, breaches []Breach) {
		do(m, r.normal(t), breaches)
		if p.plan == 0 || r.view(&s, who) == r.view(&t, who) {
			return
		}
		t.plans[who] = r.pending(&s, who, p)
		t.behind--
		if who == 0 {
			t.grace = p.grace
		}
		if r.normal(t).plans[who].plan != 0 {
			r.carryOut(t, who, breaches, func(write Move, t rolloutState, breaches []Breach) {
				do(Move{m.What + ", unseen: " + write.What, m.On, true}, r.normal(t), breaches)
			})
		}
	}
}

var plannerNames = [2]string{"Rollout", "BatchRelease"}

// control makes the moves of the controller of the Rollout or of the BatchRelease.
func (r *Rollouts) control(s rolloutState, who int, do func(Move, rolloutState, []Breach)) {
	if s.plans[who].plan != 0 {
		r.carryOut(s, who, nil, do)
		crashed := s
		crashed.plans[who] = pendingPlan{}
		if who == 0 {
			crashed.grace = 0
		}
		do(Move{"the controller of the " + plannerNames[who] + " crashes", -1, true}, crashed, nil)
		return
	}
	p := r.planned(r.view(&s, who))
	t := s
	if who == 0 {
		t.grace = p.grace
	}
	switch {
	case p.plan != 0:
		t.plans[who] = r.pending(&s, who, p)
		r.carryOut(t, who, p.breaches, do)
	case t != s || len(p.breaches) > 0:
		do(Move{"the " + plannerNames[who] + " is planned", -1, false}, t, p.breaches)
	}
}

func (r *Rollouts) pending(s *rolloutState, who int, p plannedRollout) pendingPlan {
	return pendingPlan{plan: p.plan, seen: s.own(who), workload: s.workload}
}

// own returns the object with the status that a controller writes.
func (w *storedObjects) own(who int) int32 {
	if who == 0 {
		return w.rollout
	}
	return w.release
}

// carryOut makes the moves for the next write of a plan. It may be refused, which ends the
// plan.
func (r *Rollouts) carryOut(s rolloutState, who int, planned []Breach, do func(Move, rolloutState, []Breach)) {
	plan := r.objects.plan.list[s.plans[who].plan]
	what, t, ok := r.write(s, who)
	if !ok {
		t = s
		t.plans[who] = pendingPlan{}
		do(Move{what + ": conflict", -1, false}, t, planned)
		return
	}
	t.plans[who].next++
	last := int(t.plans[who].next) == plan.writes()
	if last {
		t.plans[who] = pendingPlan{}
	}
	r.reach(&t)
	breaches := slices.Concat(planned, r.written(&s, &t, who))
	do(Move{what, -1, false}, t, breaches)
	if !last || s.behind == 0 || t.storedObjects == s.storedObjects {
		return
	}
	old := s
	old.plans[who] = pendingPlan{}
	if p := r.planned(r.view(&old, who)); p.plan != 0 {
		t.behind--
		t.plans[who] = r.pending(&old, who, p)
		do(Move{what + ", unseen", -1, true}, t, breaches)
	}
}

// reach records the step of the release: the step that its BatchRelease may release.
func (r *Rollouts) reach(s *rolloutState) {
	w := r.objects.workload.list[s.workload]
	if br := r.objects.release.at(s.release); br != nil && br.ReleasePlan.RolloutID == w.Template.Hash {
		step := int8(len(r.Steps))
		if last := br.ReleasePlan.BatchPartition; last != nil {
			step = int8(*last) + 1
		}
		s.reached = max(s.reached, step)
	}
}

// userMoves makes the moves of users: they approve, jump, and change the template and the
// size.
func (r *Rollouts) userMoves(s rolloutState, do func(Move, rolloutState, []Breach)) {
	o := r.objects.rollout.list[s.rollout]
	sub := o.Status.Sub
	rolling := sub != nil && o.Status.Phase == kruise.PhaseProgressing
	change := func(set func(*kruise.StepStatus)) (t rolloutState) {
		t = s
		changed := *sub
		set(&changed)
		next := *o
		next.Status.Sub, next.Status.CurrentStepState = &changed, changed.CurrentStepState
		t.rollout = r.objects.rollout.of(&next)
		return t
	}
	if rolling && sub.CurrentStepState == kruise.StatePaused {
		if kind, _ := kruise.PauseOf(*o, sub.CurrentStepIndex, sub.LastUpdateTime, r.Options.Repair); kind == kruise.PauseManual {
			do(Move{"somebody approves", -1, false}, change(func(s *kruise.StepStatus) { s.CurrentStepState = kruise.StateReady }), nil)
		}
	}
	if s.changes == 0 {
		return
	}
	s.changes--
	if rolling && r.Jumps {
		for i := range int32(len(r.Steps)) {
			if i+1 != sub.NextStepIndex {
				do(Move{"somebody jumps to step", int(i + 1), true}, change(func(s *kruise.StepStatus) { s.NextStepIndex = i + 1 }), nil)
			}
		}
	}
	w := r.objects.workload.list[s.workload]
	for i := range r.Templates {
		if w.Template.ID != templateOf(i).ID {
			t, breaches := r.admitted(s, func(w *workload.Workload) { w.Template = templateOf(i) })
			t.reached, t.before = 0, t.pods.of(i)
			do(Move{"the template changes", int(i), true}, t, breaches)
		}
	}
	for _, n := range r.Replicas {
		if int32(n) != *w.Replicas {
			t, breaches := r.admitted(s, func(w *workload.Workload) { w.Replicas = ptr.To(int32(n)) })
			t.least, t.most, t.shared = min(t.least, n), max(t.most, n), true
			do(Move{"the Deployment is scaled", int(n), true}, t, breaches)
		}
	}
}

// of counts the pods of a template.
func (p *rolloutPods) of(template int8) (n int8) {
	for i := range p {
		if p[i].template == template+1 {
			n++
		}
	}
	return n
}

// all counts the pods.
func (p *rolloutPods) all() (n int8) {
	for i := range p {
		if p[i].template > 0 {
			n++
		}
	}
	return n
}

// normal returns a state without plans that will have their next write refused, and with its
// pods in order, unless a plan names them.
func (r *Rollouts) normal(s rolloutState) rolloutState {
	for who := range s.plans {
		p := &s.plans[who]
		if p.plan == 0 {
			continue
		}
		plan := r.objects.plan.list[p.plan]
		deleted := int(p.next) == len(plan.Actions) && p.seen != s.own(who)
		if !deleted && int(p.next) < len(plan.Actions) {
			patches := patchesWorkload(plan.Actions[p.next])
			deleted = patches && p.workload != s.workload && !r.Blind
		}
		if deleted {
			*p = pendingPlan{}
		}
	}
	if p := s.plans[1]; p.plan != 0 && r.objects.plan.list[p.plan].labels {
		return s
	}
	slices.SortFunc(s.pods[:], func(a, b rolloutPod) int {
		switch {
		case a.template != b.template:
			return int(b.template) - int(a.template)
		case a.labels != b.labels:
			return int(b.labels) - int(a.labels)
		case a.ready == b.ready:
			return 0
		case a.ready:
			return -1
		}
		return 1
	})
	return s
}

// String returns the state on one line.
func (s rolloutState) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rollout %d, release %d, deployment %d, sets %d, traffic %d;", s.rollout, s.release, s.workload, s.sets, s.traffic)
	for _, p := range s.pods {
		if p.template > 0 {
			fmt.Fprintf(&b, " %c", 'a'+rune(p.template-1))
			if !p.ready {
				b.WriteByte('-')
			}
			if p.labels > 0 {
				fmt.Fprintf(&b, "(%d)", p.labels)
			}
		}
	}
	return b.String()
}
