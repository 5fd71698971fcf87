// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"errors"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// A replicaSetPass carries out one plan.
type replicaSetPass struct {
	c       *replicaSetController
	s       *replicaset.Snapshot
	now     time.Time
	plan    replicaset.Plan
	done    int // actions that are finished
	claims  []selector.Outcome
	creates []selector.Outcome
	deletes []selector.Outcome
	live    claim.LiveCheck
	batch   int32 // calls left of the batch of creations
	begun   bool
	ended   bool
	result  replicaset.Result // if it has ended
}

// next performs the next request of the pass.
func (p *replicaSetPass) next() bool {
	if !p.begun {
		p.begun = true
		if p.plan.LiveCheck {
			p.live = p.checkLive()
		}
	}
	if p.ended {
		p.writeStatus()
		return false
	}
	if p.done < len(p.plan.Actions) && !p.stopped() {
		p.act(p.plan.Actions[p.done])
		return true
	}
	p.finish()
	if p.result.WriteStatus {
		return true
	}
	p.end()
	return false
}

// stopped reports whether a claim has failed, which ends the pass. Of a pod that is
// another one by now only the release is none. If a pod that was to be adopted is gone, the
// other claims are made, and what follows is planned anew.
func (p *replicaSetPass) stopped() bool {
	if p.live.Err != nil {
		return true
	}
	for i, o := range p.claims {
		_, adopts := p.plan.Actions[i].(replicaset.AdoptPod)
		if o.Answer == selector.Failed || adopts && o.Answer == selector.Invalid {
			return true
		}
		if adopts && o.Answer == selector.NotFound && p.claimed() {
			return true
		}
	}
	return false
}

// claimed reports whether all claims of the plan have been made.
func (p *replicaSetPass) claimed() bool {
	switch p.plan.Actions[p.done].(type) {
	case replicaset.AdoptPod, replicaset.ReleasePod:
		return false
	}
	return true
}

func (p *replicaSetPass) checkLive() claim.LiveCheck {
	rs := &p.s.ReplicaSet
	f := claim.OwnerNow{Err: errors.New("not found")}
	if o := p.c.w.store.replicaSets.named(rs.Name); o != nil {
		f = claim.OwnerNow{UID: o.UID, DeletionTimestamp: o.DeletionTimestamp}
	}
	owner := replicaset.Owner(rs)
	return claim.CheckLive(&owner, f)
}

func (p *replicaSetPass) act(action replicaset.Action) {
	switch a := action.(type) {
	case replicaset.AdoptPod:
		p.done++
		p.claims = append(p.claims, p.claim(a.Name, a.UID, a.Reference.UID, a))
	case replicaset.ReleasePod:
		p.done++
		p.claims = append(p.claims, p.claim(a.Name, a.UID, "", a))
	case replicaset.DeletePod:
		p.done++
		if p.c.w.calm {
			p.drop(a, action)
			return
		}
		p.deletes = append(p.deletes, outcome(p.c.ask(func() answer { return p.drop(a, action) })))
		p.noteUncertain(p.deletes)
	case replicaset.CreatePods:
		if p.c.w.calm {
			p.done++
			p.createAll(int(a.Count), action)
			return
		}
		if p.batch == 0 {
			if p.batch = a.NextBatch(p.creates); p.batch == 0 {
				p.done++
				return
			}
		}
		p.batch--
		p.create(a)
	}
}

// drop deletes a pod.
func (p *replicaSetPass) drop(a replicaset.DeletePod, action replicaset.Action) answer {
	c := p.c
	r := c.expecting(c.request(Delete, a.Name, precondition{a.UID, a.ResourceVersion}, action), p)
	pod := c.w.podMade(a.Name, a.UID)
	if pod.Pod == nil || c.w.calm && !pod.DeletionTimestamp.IsZero() {
		return c.w.refused(&r, notFound)
	}
	return c.w.deletePod(pod, r)
}

// createAll creates the pods of an action in a calm world, where no request fails but for
// a quota.
func (p *replicaSetPass) createAll(n int, action replicaset.Action) {
	p.c.w.store.pods.grow(n)
	spare := p.c.w.spare(p.s.ReplicaSet.Template)
	for i := range n {
		if i == spare {
			p.creates = append(p.creates, outcome(p.c.w.answered(forbidden)))
			return
		}
		pod := p.createPod(action)
		if p.c.w.rationed() { // a quota may end this, so say what there is
			o := outcome(done)
			o.Name = pod.Name
			p.creates = append(p.creates, o)
		}
	}
}

// createPod creates a pod, whose life begins.
func (p *replicaSetPass) createPod(action replicaset.Action) *podorder.Pod {
	w := p.c.w
	o := w.store.pods.fresh()
	w.podOf(&p.s.ReplicaSet, o)
	r := p.c.expecting(p.c.request(Create, o.Name, precondition{}, action), p)
	pod := add(w, &w.store.pods, &r, o)
	if w.strict {
		w.store.serials.note(w.serial, w.store.pods.last())
	}
	w.beginPod(podRef{pod, w.store.pods.last(), false})
	return pod
}

// expecting says whether the controller knows all that was written for the ReplicaSet.
// A pod that it has adopted but sees as it was before, without the labels, is missing:
// only the versions of Kubernetes 1.36 keep a plan from being made in between.
func (c *replicaSetController) expecting(r request, p *replicaSetPass) request {
	uid := p.s.ReplicaSet.UID
	r.expect = c.restarts == 0 && c.sight != SeesAnything && !c.blind[uid] && c.adopted[uid] <= c.view[KindPod]
	return r
}

// noteUncertain notes an answer that may be wrong.
func (p *replicaSetPass) noteUncertain(outcomes []selector.Outcome) {
	if o := outcomes[len(outcomes)-1]; o.Answer == selector.Failed {
		p.c.blind[p.s.ReplicaSet.UID] = true
	}
}

func (p *replicaSetPass) create(a replicaset.CreatePods) {
	c, rs := p.c, &p.s.ReplicaSet
	calls := 0
	var made, last *podorder.Pod
	answer := c.ask(func() answer {
		if calls++; calls > 1 {
			c.blind[rs.UID] = true // a repeated request is not idempotent
		}
		if c.w.podLimit > 0 && len(c.w.store.pods.all()) >= c.w.podLimit {
			return c.w.answered(forbidden)
		}
		last = p.createPod(a)
		made = cmp.Or(made, last) // the answer is that to the first request
		return done
	})
	c.wrotePod(answer, made)
	o := outcome(answer)
	if last != nil {
		o.Name = last.Name
	}
	p.creates = append(p.creates, o)
	if answer == timeout {
		c.blind[rs.UID] = true
	}
}

// claim changes the controller of a pod, for an owner with a UID or none. One that has another
// one by now is left alone.
func (p *replicaSetPass) claim(name, uid, ownerUID string, action replicaset.Action) selector.Outcome {
	c := p.c
	var adopted *podorder.Pod
	answer := c.ask(func() answer {
		w := c.w
		if o := w.store.pods.named(name); o != nil {
			switch {
			case ownerUID != "" && o.ControllerUID != "" && o.ControllerUID != ownerUID:
				return w.answered(invalid)
			case ownerUID == "" && o.ControllerUID != p.s.ReplicaSet.UID:
				return w.answered(invalid)
			}
		}
		pod, a := update(w, &w.store.pods, c.request(Update, name, precondition{uid: uid}, action), func(o *podorder.Pod) {
			after, err := replicaset.Apply(replicaset.Snapshot{ReplicaSet: p.s.ReplicaSet, Pods: []podorder.Pod{*o}}, action, w.now)
			if err == nil {
				*o = after.Pods[0]
			}
			w.fail(err)
		})
		if a == done && ownerUID != "" {
			c.adopted[ownerUID], adopted = w.store.version, pod
		}
		return a
	})
	c.wrotePod(answer, adopted)
	return outcome(answer)
}

// wrotePod notes the version of a pod that was created or adopted, if the answer said so.
func (c *replicaSetController) wrotePod(a answer, pod *podorder.Pod) {
	if a == done && c.versions != nil && pod != nil {
		rs := pod.ControllerName
		c.versions[rs] = c.versions[rs].WrotePod(pod.ControllerUID, pod.ResourceVersion)
	}
}

// finish notes what has come of the pass. In a calm world nothing fails but for a quota,
// and who waits for that is told when there is room.
func (p *replicaSetPass) finish() {
	p.ended = true
	if p.c.w.calm {
		if n := len(p.creates); n > 0 && p.creates[n-1].Answer == selector.Failed {
			p.plan.Status = replicaset.Finish(*p.s, p.plan, replicaset.Report{Claims: p.claims, Creates: p.creates}, p.now, p.c.options).Status
		}
		p.result = replicaset.Result{
			Status: p.plan.Status, RecheckAt: p.plan.RecheckAt, WriteStatus: replicaset.NeedsWrite(p.s.ReplicaSet, p.plan.Status),
		}
		return
	}
	p.result = replicaset.Finish(*p.s, p.plan, replicaset.Report{
		LiveCheck: p.live.Err, Claims: p.claims, Creates: p.creates, Deletes: p.deletes,
		Expectations: p.c.expected[p.s.ReplicaSet.Name],
	}, p.now, p.c.options)
	p.c.expected[p.s.ReplicaSet.Name] = p.result.Expectations
}

// writeStatus writes the status, once more on the live object after a conflict.
func (p *replicaSetPass) writeStatus() {
	c, rs := p.c, &p.s.ReplicaSet
	version := rs.ResourceVersion
	for range 2 {
		answer := c.ask(func() answer {
			o, a := update(c.w, &c.w.store.replicaSets, c.about(c.request(UpdateStatus, rs.Name, precondition{rs.UID, version}, nil)),
				func(o *replicaSet) { o.Status = p.result.Status })
			if a == done && c.w.calm {
				c.status = c.w.store.touched[KindReplicaSet]
			}
			if a == done && c.versions != nil {
				c.versions[rs.Name] = c.versions[rs.Name].WroteStatus(rs.UID, o.ResourceVersion)
			}
			return a
		})
		switch answer {
		case done:
			p.end()
			return
		case conflict:
			if o := c.w.store.replicaSets.named(rs.Name); o != nil {
				version = o.ResourceVersion
				continue
			}
		}
		break
	}
	c.retry(rs.Name)
}

// end enters what is to be done next.
func (p *replicaSetPass) end() {
	name := p.s.ReplicaSet.Name
	if p.result.Err != nil {
		p.c.retry(name)
		return
	}
	p.c.retries = 0
	p.c.wakeAt(p.result.RecheckAt, name)
}

// podMade is podNamed for a pod that is likely to have been made here: it is looked for by its serial, so
// that names need not be listed.
func (w *World) podMade(name, uid string) podRef {
	if number := w.store.serials.number(Serial(uid)); number != gone {
		return w.store.podAt(number, false)
	}
	return w.store.podNamed(name, false)
}
