// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// A ReplicaSets is a ReplicaSet of a few pods, its planner with expectations, and a cluster.
// The cache of the controller may be arbitrarily old, for each pod.
type ReplicaSets struct {
	Plan    func(replicaset.Snapshot, time.Time, replicaset.Options) (replicaset.Plan, error)
	Options replicaset.Options
	// Check checks each plan. It may be nil.
	Check func(replicaset.Snapshot, replicaset.Plan) []Breach

	Replicas  []int8 // the sizes that users may set; the first is the initial size
	Changes   int8   // of size
	Losses    int8   // of pods
	Forgetful bool   // the controller keeps no expectations

	plans     memo[replicaSetView, plannedReplicaSet]
	creations memo[int32, podPhase]
	deletions memo[podPhase, podEffect]
}

// A replicaSetPod is a pod: its phase, the phase seen, and the knowledge of the controller.
type replicaSetPod struct {
	is, seen                 podPhase
	known, deleted, expected bool // seen before; about to be deleted; deletion not seen yet
}

const mostPods = 9

// A replicaSetState is a state. Pods are sorted.
type replicaSetState struct {
	desired, least, most, changes, losses int8
	starting, expected                    int8 // creations that are left of the plan, and not seen yet
	pods                                  [mostPods]replicaSetPod
}

// A replicaSetView is the view of the planner.
type replicaSetView struct {
	desired, fresh, ready, ending int8
	starts, ends                  bool // creations and deletions that are not seen yet
}

type plannedReplicaSet struct {
	creates, deletesFresh, deletesReady int8
	breaches                            []Breach
}

func (r *ReplicaSets) Starts() []replicaSetState {
	s := replicaSetState{desired: r.Replicas[0], least: r.Replicas[0], most: r.Replicas[0], changes: r.Changes, losses: r.Losses}
	for i := range s.desired {
		s.pods[i] = replicaSetPod{is: phaseReady, seen: phaseReady, known: true}
	}
	return []replicaSetState{s.sorted()}
}

// sorted returns the state with its pods in order, without pods that are gone in the
// controller's view too.
func (s replicaSetState) sorted() replicaSetState {
	for i, p := range s.pods {
		if p.is == phaseGone && p.seen == phaseGone && p.known {
			s.pods[i] = replicaSetPod{}
		}
	}
	slices.SortFunc(s.pods[:], func(a, b replicaSetPod) int { return int(b.code()) - int(a.code()) })
	return s
}

func (p replicaSetPod) code() (n uint8) {
	n = uint8(p.is)<<2 | uint8(p.seen)
	for _, flag := range []bool{p.known, p.deleted, p.expected} {
		n <<= 1
		if flag {
			n |= 1
		}
	}
	return n
}

func (s *replicaSetState) count(phase podPhase) (n int8) {
	for _, p := range s.pods {
		if p.is == phase {
			n++
		}
	}
	return n
}

func (r *ReplicaSets) Breaches(s replicaSetState) (list []Breach) {
	active := s.count(phaseFresh) + s.count(phaseReady)
	if active > s.most {
		list = append(list, breach(PropertySurge, "%d active pods of %d", active, s.most))
	}
	if least := s.least - (r.Losses - s.losses); s.count(phaseReady) < least {
		list = append(list, breach(PropertyAvailable, "%d pods ready of at least %d", s.count(phaseReady), least))
	}
	if p := r.planned(s.view()); r.done(&s) && p.creates+p.deletesFresh+p.deletesReady > 0 {
		list = append(list, breach(PropertyRest, "all is done, and yet pods change"))
	}
	return list
}

// done reports whether the number of pods equals the desired number, and the controller knows
// it.
func (r *ReplicaSets) done(s *replicaSetState) bool {
	for _, p := range s.pods {
		if p != (replicaSetPod{}) && p != (replicaSetPod{is: phaseReady, seen: phaseReady, known: true}) {
			return false
		}
	}
	return s.count(phaseReady) == s.desired && s.starting == 0 && s.expected == 0
}

func (r *ReplicaSets) Goal(s replicaSetState) bool {
	p := r.planned(s.view())
	return r.done(&s) && p.creates+p.deletesFresh+p.deletesReady == 0
}

func (r *ReplicaSets) Moves(s replicaSetState, do func(Move, replicaSetState, []Breach)) {
	r.control(s, do)
	for i, p := range s.pods {
		if p != (replicaSetPod{}) && (i == 0 || p != s.pods[i-1]) {
			r.live(s, i, do)
		}
	}
	if s.changes > 0 {
		for _, n := range r.Replicas {
			if t := s; n != s.desired {
				t.changes, t.desired, t.least, t.most = s.changes-1, n, min(s.least, n), max(s.most, n)
				do(Move{"the ReplicaSet is scaled", int(n), true}, t, nil)
			}
		}
	}
}

// control makes the moves of the controller.
func (r *ReplicaSets) control(s replicaSetState, do func(Move, replicaSetState, []Breach)) {
	deleted := false
	for i, p := range s.pods {
		if p.deleted && (i == 0 || p != s.pods[i-1]) {
			r.delete(s, i, do)
		}
		deleted = deleted || p.deleted
	}
	if s.starting > 0 {
		r.create(s, do)
	}
	if s.starting > 0 || deleted {
		crashed := s
		crashed.starting, crashed.expected = 0, 0
		for i, p := range s.pods {
			crashed.pods[i] = replicaSetPod{}
			if p.is != phaseGone {
				crashed.pods[i] = replicaSetPod{is: p.is, seen: p.is, known: true}
			}
		}
		do(Move{"the controller crashes and reads everything anew", -1, true}, crashed.sorted(), nil)
		return
	}
	p := r.planned(s.view())
	switch {
	case p.creates > 0:
		t := s
		t.starting = p.creates
		if !r.Forgetful {
			t.expected = p.creates
		}
		do(Move{"creations are planned", -1, false}, t, p.breaches)
	case p.deletesFresh+p.deletesReady > 0:
		for t := range r.chosen(s, 0, p.deletesFresh, p.deletesReady) {
			do(Move{"deletions are planned", -1, false}, t.sorted(), p.breaches)
		}
	case len(p.breaches) > 0:
		do(Move{"nothing is planned", -1, false}, s, p.breaches)
	}
}

// chosen yields every choice of pods that are equal to the planner.
func (r *ReplicaSets) chosen(s replicaSetState, i int, fresh, ready int8) func(func(replicaSetState) bool) {
	return func(yield func(replicaSetState) bool) {
		if fresh == 0 && ready == 0 {
			yield(s)
			return
		}
		if i == len(s.pods) {
			return
		}
		p := s.pods[i]
		for t := range r.chosen(s, i+1, fresh, ready) { // without this one
			if !yield(t) {
				return
			}
		}
		if p.seen == phaseFresh && fresh > 0 {
			fresh--
		} else if p.seen == phaseReady && ready > 0 {
			ready--
		} else {
			return
		}
		s.pods[i].deleted, s.pods[i].expected = true, !r.Forgetful
		for t := range r.chosen(s, i+1, fresh, ready) {
			if !yield(t) {
				return
			}
		}
	}
}

func (r *ReplicaSets) create(s replicaSetState, do func(Move, replicaSetState, []Breach)) {
	failed := s
	failed.expected, failed.starting = max(0, s.expected-s.starting), 0
	do(Move{"a creation fails, and no more are tried", -1, true}, failed, nil)
	if s.pods[mostPods-1] == (replicaSetPod{}) {
		s.starting--
		s.pods[mostPods-1] = replicaSetPod{is: r.creations.of(1, created)}
		do(Move{"a pod is created", -1, false}, s.sorted(), nil)
	}
}

func (r *ReplicaSets) delete(s replicaSetState, i int, do func(Move, replicaSetState, []Breach)) {
	p := &s.pods[i]
	p.deleted = false
	done, failed := s, s
	e := r.deletions.of(p.is, func() podEffect { return deleted(p.is) })
	done.pods[i].is, done.pods[i].expected = e.to, p.expected && !e.refused
	do(Move{"a pod is deleted", i, false}, done.sorted(), nil)
	failed.pods[i].expected = false
	do(Move{"a deletion fails", i, true}, failed.sorted(), nil)
}

// live makes the moves of a pod.
func (r *ReplicaSets) live(s replicaSetState, i int, do func(Move, replicaSetState, []Breach)) {
	to := func(what string, unfair bool, phase podPhase) {
		t := s
		t.pods[i].is = phase
		if unfair {
			t.losses--
		}
		do(Move{what, i, unfair}, t.sorted(), nil)
	}
	p := s.pods[i]
	switch {
	case p.is == phaseFresh:
		to("a pod becomes ready", false, phaseReady)
	case p.is == phaseEnding && p.known:
		to("a pod ends", false, phaseGone)
	case p.is == phaseReady && s.losses > 0:
		to("a pod is no longer ready", true, phaseFresh)
		if p.known { // a pod that comes and goes is at least seen to come
			to("a pod is lost", true, phaseGone)
		}
	}
	if p.seen != p.is || !p.known {
		t := s
		if q := &t.pods[i]; true {
			if !q.known {
				t.expected = max(0, t.expected-1)
			}
			q.seen, q.known = q.is, true
			q.expected = q.expected && (q.is == phaseFresh || q.is == phaseReady)
		}
		do(Move{"a change is seen", i, false}, t.sorted(), nil)
	}
}

func (s *replicaSetState) view() (v replicaSetView) {
	v = replicaSetView{desired: s.desired, starts: s.expected > 0}
	for _, p := range s.pods {
		v.ends = v.ends || p.expected
		switch p.seen {
		case phaseFresh:
			v.fresh++
		case phaseReady:
			v.ready++
		case phaseEnding:
			v.ending++
		}
	}
	return v
}

func (r *ReplicaSets) planned(v replicaSetView) plannedReplicaSet {
	return r.plans.of(v, func() plannedReplicaSet { return r.plan(v) })
}

func (r *ReplicaSets) plan(v replicaSetView) (p plannedReplicaSet) {
	s := replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{Name: "web", UID: "web", Replicas: ptr.To(int32(v.desired))}}
	for i := range v.fresh + v.ready + v.ending {
		s.Pods = append(s.Pods, podOf("web", int(i), i < v.ready, i >= v.ready+v.fresh))
	}
	switch {
	case v.starts:
		s.Expectations = expect.Creations(1, now)
	case v.ends:
		s.Expectations = expect.Deletions([]string{"some"}, now)
	}
	plan, err := r.Plan(s, now, r.Options)
	if err != nil {
		return plannedReplicaSet{breaches: []Breach{breach(PropertyPlan, "%v", err)}}
	}
	for _, a := range plan.Actions {
		switch a := a.(type) {
		case replicaset.CreatePods:
			p.creates += int8(a.Count)
		case replicaset.DeletePod:
			if a.Name < podName("web", int(v.ready)) {
				p.deletesReady++
			} else {
				p.deletesFresh++
			}
		default:
			p.breaches = append(p.breaches, breach(PropertyPlan, "not known here: %v", a))
		}
	}
	p.breaches = append(p.breaches, r.exact(v, p)...)
	if r.Check != nil {
		p.breaches = append(p.breaches, r.Check(s, plan)...)
	}
	return p
}

// exact checks by plain arithmetic that a plan makes exactly the difference, and changes no
// pods while expectations are unmet.
func (r *ReplicaSets) exact(v replicaSetView, p plannedReplicaSet) (list []Breach) {
	creates, deletes := max(0, v.desired-v.fresh-v.ready), max(0, v.fresh+v.ready-v.desired)
	if v.starts || v.ends {
		creates, deletes = 0, 0
	}
	if p.creates != creates || p.deletesFresh+p.deletesReady != deletes {
		list = append(list, breach(PropertyPlan, "%d created and %d deleted, not %d and %d", p.creates, p.deletesFresh+p.deletesReady, creates, deletes))
	}
	if p.deletesReady > 0 && p.deletesFresh < v.fresh {
		list = append(list, breach(PropertyPlan, "a ready pod goes before one that is not"))
	}
	return list
}

func (s replicaSetState) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d wanted:", s.desired)
	names := []string{"gone", "fresh", "ready", "ending"}
	for _, p := range s.pods {
		if p == (replicaSetPod{}) {
			continue
		}
		fmt.Fprintf(&b, " %s", names[p.is])
		switch {
		case !p.known:
			b.WriteString("(unseen)")
		case p.seen != p.is:
			fmt.Fprintf(&b, "(seen %s)", names[p.seen])
		}
		if p.deleted {
			b.WriteString("(to go)")
		}
	}
	if s.starting+s.expected > 0 {
		fmt.Fprintf(&b, " | %d to create, %d expected", s.starting, s.expected)
	}
	return b.String()
}
