// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"github.com/kplan-go/kplan/deploy"
)

// Bounds of a state.
const (
	PropertySurge     = "surge"
	PropertyAvailable = "available"
	PropertyNegative  = "negative"
	PropertyRecreate  = "recreate"
	PropertyRest      = "rest"
	// PropertyShared replaces PropertyAvailable after a partitioned Deployment was scaled or
	// paused in the middle of a rollout: its replicas are shared out then, without surge.
	PropertyShared    = "available after sharing"
	PropertyPartition = "partition"
	PropertyPlan      = "plan" // the planner fails, or returns a wrong plan
)

func (d *Deployments) Starts() []deploymentState {
	n := d.Replicas[0]
	s := deploymentState{deploymentView: deploymentView{replicas: n, revision: 1, batch: int8(len(d.Batches))}, least: n, most: n, changes: d.Changes, losses: d.Losses, behind: d.Behind}
	s.sets[0] = setState{rank: 1, size: n, desired: n, revision: 1, report: sizeReport{total: n, available: n, seen: true}, pods: deploymentPods{ready: n}}
	return []deploymentState{s}
}

// unavailable returns the number of pods that may be unavailable at once.
func (d *Deployments) unavailable() int8 {
	if d.Surge == 0 && d.Unavailable == 0 {
		return 1
	}
	return d.Unavailable
}

func (d *Deployments) Breaches(s deploymentState) (list []Breach) {
	wanted, available, negative := int8(0), int8(0), false
	for _, set := range s.sets {
		wanted += set.size
		available += set.pods.ready
		negative = negative || set.size < 0
	}
	surge := d.Surge
	if d.Strategy == deploy.Recreate {
		surge = 0
	}
	if negative {
		list = append(list, breach(PropertyNegative, "a size is below 0"))
	}
	if wanted > s.most+surge+s.unseen {
		list = append(list, breach(PropertySurge, "%d pods wanted of %d and %d more", wanted, s.most, surge+s.unseen))
	}
	if least := s.least - d.unavailable() - (d.Losses - s.losses) - s.unseen - s.believed; available < least && d.Strategy != deploy.Recreate {
		property := PropertyAvailable
		if s.shared {
			property = PropertyShared
		}
		list = append(list, breach(property, "%d pods available of at least %d", available, least))
	}
	if d.done(&s) && d.moves(d.planned(s.deploymentView).writes) {
		list = append(list, breach(PropertyRest, "all is done, and yet sizes change"))
	}
	return list
}

// moves reports whether some write changes a size.
func (d *Deployments) moves(writes [6]deploymentWrite) bool {
	for _, w := range writes {
		if w.what == verbCreate || w.what == verbScale {
			return true
		}
	}
	return false
}

// done reports whether sizes, pods and statuses have reached the desired state.
func (d *Deployments) done(s *deploymentState) bool {
	if s.paused || s.plan[0].what != verbNothing || int(s.batch) != len(d.Batches) {
		return false
	}
	for i, set := range s.sets {
		n := int8(0)
		if int8(i) == s.template {
			n = s.replicas
			if set.rank == 0 {
				return false
			}
		}
		if set.size != n || set.pods != (deploymentPods{ready: n}) || !inStep(set) || !set.report.seen && set.rank > 0 {
			return false
		}
	}
	return true
}

func (d *Deployments) Goal(s deploymentState) bool {
	return d.done(&s) && d.planned(s.deploymentView).writes[0].what == verbNothing
}

func (d *Deployments) Moves(s deploymentState, do func(Move, deploymentState, []Breach)) {
	d.control(s, do)
	for i := range s.sets {
		if s.sets[i].rank > 0 {
			d.keep(s, i, do)
		}
	}
	if int(s.batch) < len(d.Batches) && d.released(&s) {
		t := s
		t.batch++
		do(Move{"the next batch", int(t.batch), false}, t, nil)
	}
	d.userMoves(s, do)
}

// released reports whether the pods of the batch are available.
func (d *Deployments) released(s *deploymentState) bool {
	set := s.sets[s.template]
	return s.plan[0].what == verbNothing && !s.paused && set.report.seen && set.report.available >= d.limit(&s.deploymentView)
}

// control makes the moves of the Deployment controller.
func (d *Deployments) control(s deploymentState, do func(Move, deploymentState, []Breach)) {
	if s.plan[0].what == verbNothing {
		p := d.planned(s.deploymentView)
		if p.writes[0].what != verbNothing || len(p.breaches) > 0 {
			t := s
			t.plan, t.believed = p.writes, max(s.believed, s.lag())
			t.shared = s.shared || s.batch > 0 && (s.paused || s.scaling()) && d.moves(p.writes)
			do(Move{"the Deployment is planned", -1, false}, t, p.breaches)
		}
		return
	}
	crashed := s
	crashed.plan = [6]deploymentWrite{}
	do(Move{"a write fails, or the controller crashes", -1, true}, crashed, nil)
	done, ok := d.after(s, s.plan[0])
	if !ok {
		do(Move{"a write is refused", -1, false}, crashed, nil)
		return
	}
	copy(done.plan[:], s.plan[1:])
	done.plan[5] = deploymentWrite{}
	do(Move{"the controller writes", -1, false}, done, nil)
	done.plan = [6]deploymentWrite{}
	do(Move{"the controller writes and crashes", -1, true}, done, nil)
	if s.behind > 0 {
		done.behind--
		if w := s.plan[0]; w.what == verbCreate || w.what == verbScale {
			done.unseen += max(w.to-w.from, w.from-w.to)
		}
		done.believed = max(s.believed, s.lag())
		done.plan = d.planned(s.deploymentView).writes
		done.shared = s.shared || s.batch > 0 && (s.paused || s.scaling()) && d.moves(done.plan)
		do(Move{"the controller writes and plans without having seen it", -1, true}, done, nil)
	}
}

// userMoves makes the moves of users.
func (d *Deployments) userMoves(s deploymentState, do func(Move, deploymentState, []Breach)) {
	if s.paused {
		t := s
		t.paused = false
		do(Move{"the Deployment is resumed", -1, false}, t, nil)
	}
	if s.changes == 0 {
		return
	}
	s.changes--
	newest := s.template
	for i, set := range s.sets {
		if set.rank > 0 {
			newest = max(newest, int8(i))
		}
	}
	for template := range min(newest+2, d.Templates) {
		if t := s; template != s.template {
			t.template, t.batch = template, min(t.batch, 1)
			do(Move{"the template changes", int(template), true}, t, nil)
		}
	}
	for _, n := range d.Replicas {
		if t := s; n != s.replicas {
			t.replicas, t.least, t.most = n, min(s.least, n), max(s.most, n)
			do(Move{"the Deployment is scaled", int(n), true}, t, nil)
		}
	}
	if t := s; d.Pauses && !s.paused {
		t.paused = true
		do(Move{"the Deployment is paused", -1, true}, t, nil)
	}
}
