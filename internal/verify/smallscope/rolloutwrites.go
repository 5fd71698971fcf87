// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A rolloutPlan is a plan that is carried out: its actions, and then the status.
type rolloutPlan struct {
	Actions []fmt.Stringer // of one of the two planners
	Rollout *kruise.Status // nil if none is written
	Batch   *batchrelease.Status
	labels  bool // it labels pods
}

func (p *rolloutPlan) writes() int {
	n := len(p.Actions)
	if p.Rollout != nil || p.Batch != nil {
		n++
	}
	return n
}

// A rolloutView is the view of a controller.
type rolloutView struct {
	who int
	storedObjects
	grace int32
	pods  rolloutPods
}

// A plannedRollout is the number of a plan, or 0 if it changes nothing, with the properties
// that the plan violates.
type plannedRollout struct {
	plan, grace int32
	breaches    []Breach
}

func (r *Rollouts) view(s *rolloutState, who int) rolloutView {
	if who == 0 {
		return rolloutView{who: who, storedObjects: s.storedObjects, grace: s.grace}
	}
	v := rolloutView{who: who, pods: s.pods}
	v.release, v.workload = s.release, s.workload
	return v
}

// planned returns the plan for a view. Each view is planned once.
func (r *Rollouts) planned(v rolloutView) plannedRollout {
	return r.plans.of(v, func() (p plannedRollout) {
		switch {
		case v.who == 0:
			p = r.planRollout(v)
		case v.release != 0:
			p = r.planBatch(v)
		}
		return p
	})
}

func (r *Rollouts) planRollout(v rolloutView) plannedRollout {
	o := r.objects.rollout.list[v.rollout]
	facts := workload.Inspect(workload.InspectSnapshot{Workload: r.workloadOf(v.workload), Style: o.Style(), Sets: r.setsOf(v.sets)})
	s := kruise.Snapshot{Rollout: *o, BatchRelease: r.objects.release.at(v.release), Workload: &facts}
	if t := r.objects.traffic.at(v.traffic); t != nil {
		s.Traffic = *t
	}
	if g := r.objects.grace.at(v.grace); g != nil {
		s.Grace = *g
	}
	p, err := r.Plan(s, now, r.Options)
	if err != nil {
		return plannedRollout{grace: v.grace, breaches: []Breach{breach(PropertyPlan, "%v", err)}}
	}
	plan := rolloutPlan{Actions: anyActions(p.Actions)}
	if p.Failure == "" {
		plan.Rollout = &p.Status
		next := *o
		next.Status = p.Status
		if r.storedRollout(next, r.time) == v.rollout {
			plan.Rollout = nil
		}
	}
	done := plannedRollout{}
	if len(p.Grace) > 0 {
		done.grace = r.objects.grace.of(&p.Grace)
	}
	if plan.writes() > 0 {
		done.plan = r.objects.plan.of(&plan)
	}
	if r.CheckPlan != nil {
		done.breaches = r.CheckPlan(s, p)
	}
	return done
}

func (r *Rollouts) planBatch(v rolloutView) plannedRollout {
	o, w := r.objects.release.list[v.release], r.workloadOf(v.workload)
	s := batchrelease.Snapshot{Release: *o, Workload: &w}
	for i, p := range v.pods {
		if p.template > 0 {
			hash := templateOf(p.template - 1).Hash
			pod := workload.Pod{Name: hash + strconv.Itoa(i), Ready: p.ready, TemplateHash: hash, Labels: map[string]string{workload.LabelPodTemplateHash: hash}}
			if given := r.objects.labels.at(p.labels); given != nil {
				maps.Copy(pod.Labels, *given)
			}
			s.Pods = append(s.Pods, pod)
		}
	}
	p, err := r.Batch(s, now, batchrelease.Options{Repair: r.Options.Repair})
	if err != nil {
		return plannedRollout{breaches: []Breach{breach(PropertyPlan, "%v", err)}}
	}
	plan := rolloutPlan{Actions: anyActions(p.Actions), Batch: &p.Status}
	next := *o
	next.Status = p.Status
	if r.storedRelease(next) == v.release {
		plan.Batch = nil
	}
	done := plannedRollout{}
	if plan.writes() > 0 {
		for _, a := range p.Actions {
			_, labels := a.(batchrelease.LabelPod)
			plan.labels = plan.labels || labels
		}
		done.plan = r.objects.plan.of(&plan)
	}
	if r.CheckBatch != nil {
		done.breaches = r.CheckBatch(s, p)
	}
	return done
}

// A rolloutWrite is a write to the stored objects, and writtenObjects is its result.
type rolloutWrite struct {
	pendingPlan
	storedObjects
}

type writtenObjects struct {
	storedObjects
	what string
	ok   bool
}

// write carries out the next write of a plan. It reports whether the write took effect, or was
// refused since the object has changed since the controller saw it.
func (r *Rollouts) write(s rolloutState, who int) (string, rolloutState, bool) {
	p := &s.plans[who]
	plan := r.objects.plan.list[p.plan]
	if int(p.next) < len(plan.Actions) {
		if a, ok := plan.Actions[p.next].(batchrelease.LabelPod); ok {
			return a.String(), r.label(s, a), true
		}
	}
	w := r.writes.of(rolloutWrite{*p, s.storedObjects}, func() writtenObjects { return r.store(plan, p, s.storedObjects, who) })
	if w.own(who) != s.own(who) {
		p.seen = w.own(who)
	}
	if w.workload != s.workload {
		p.workload = w.workload
	}
	s.storedObjects = w.storedObjects
	return w.what, s, w.ok
}

func (r *Rollouts) label(s rolloutState, a batchrelease.LabelPod) rolloutState {
	i, err := strconv.Atoi(a.Name[1:])
	if err != nil || i >= len(s.pods) || s.pods[i].template == 0 || templateOf(s.pods[i].template-1).Hash != a.Name[:1] {
		return s // it is gone
	}
	pod := workload.Pod{Name: a.Name, UID: a.UID}
	if given := r.objects.labels.at(s.pods[i].labels); given != nil {
		pod.Labels = *given
	}
	after, err := batchrelease.Apply(batchrelease.Snapshot{Pods: []workload.Pod{pod}}, a, now)
	if err != nil {
		panic(err) // of the pod that the action names
	}
	s.pods[i].labels = r.objects.labels.of(&after.Pods[0].Labels)
	return s
}

// store writes an object.
func (r *Rollouts) store(plan *rolloutPlan, p *pendingPlan, w storedObjects, who int) writtenObjects {
	seen := p.seen == w.own(who) && p.seen != 0
	if int(p.next) == len(plan.Actions) {
		switch {
		case !seen:
		case plan.Rollout != nil:
			o := *r.objects.rollout.list[w.rollout]
			o.Status = *plan.Rollout
			w.rollout = r.storedRollout(o, r.time)
		default:
			o := *r.objects.release.list[w.release]
			o.Status = *plan.Batch
			w.release = r.storedRelease(o)
		}
		return writtenObjects{w, "the status of the " + plannerNames[who] + " is written", seen}
	}
	a := plan.Actions[p.next]
	w, ok := r.act(a, p, w, seen)
	return writtenObjects{w, a.String(), ok}
}

// act carries out an action, as Apply does. An action of a controller on its own object or on
// the workload is refused if the object has changed since the controller saw it.
func (r *Rollouts) act(a fmt.Stringer, p *pendingPlan, w storedObjects, seen bool) (storedObjects, bool) {
	switch a := a.(type) {
	case kruise.PatchWorkload:
		return r.patchSeen(a.Patch, p, w)
	case batchrelease.PatchWorkload:
		return r.patchSeen(a.Patch, p, w)
	case kruise.SetFinalizer, kruise.PatchRollout, batchrelease.SetFinalizer:
		if !seen {
			return w, false
		}
	}
	switch a := a.(type) {
	case kruise.Action:
		return r.change(a, w)
	case batchrelease.SetFinalizer:
		after, err := batchrelease.Apply(batchrelease.Snapshot{Release: *r.objects.release.list[w.release]}, a, longAgo)
		w.release = r.storedRelease(after.Release)
		if o := after.Release; len(o.Finalizers) == 0 && !o.DeletionTimestamp.IsZero() {
			w.release = 0
		}
		return w, err == nil
	}
	panic("not known here: " + a.String())
}

// change carries out an action of a Rollout. Deleting a missing object is no failure.
func (r *Rollouts) change(a kruise.Action, w storedObjects) (storedObjects, bool) {
	s := kruise.Snapshot{Rollout: *r.objects.rollout.list[w.rollout], BatchRelease: r.objects.release.at(w.release)}
	if t := r.objects.traffic.at(w.traffic); t != nil {
		s.Traffic = *t
	}
	after, err := kruise.Apply(s, a, longAgo)
	if err != nil {
		switch a.(type) {
		case kruise.DeleteBatchRelease:
			return w, w.release == 0
		case kruise.DeleteService:
			return w, s.Traffic.Canary == nil
		}
		return w, false
	}
	switch a.(type) {
	case kruise.SetFinalizer, kruise.PatchRollout:
		w.rollout = r.objects.rollout.of(&after.Rollout)
	case kruise.CreateBatchRelease:
		after.BatchRelease.UID = "b1" // there are no more than two at a time
		if workload := r.workloadOf(w.workload); workload.ControlledBy() == "b1" {
			after.BatchRelease.UID = "b2"
		}
		w.release = r.storedRelease(*after.BatchRelease)
	case kruise.UpdateBatchRelease, kruise.PatchBatchRelease, kruise.DeleteBatchRelease:
		if w.release = 0; after.BatchRelease != nil {
			w.release = r.storedRelease(*after.BatchRelease)
		}
	default:
		w.traffic = r.objects.traffic.of(&after.Traffic)
	}
	return w, true
}

// anyActions returns the actions of either planner.
func anyActions[A fmt.Stringer](actions []A) (list []fmt.Stringer) {
	for _, a := range actions {
		list = append(list, a)
	}
	return list
}

// patchesWorkload reports whether an action of either planner patches the workload.
func patchesWorkload(a fmt.Stringer) bool {
	switch a.(type) {
	case kruise.PatchWorkload, batchrelease.PatchWorkload:
		return true
	}
	return false
}

// patchSeen patches the workload if it is as the controller has seen it.
func (r *Rollouts) patchSeen(patch workload.Patch, p *pendingPlan, w storedObjects) (storedObjects, bool) {
	if p.workload != w.workload && !r.Blind {
		return w, false
	}
	before := r.workloadOf(w.workload)
	w.workload = r.storedWorkload(before.Patched(patch))
	return w, true
}
