// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"strconv"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/selector/claim"
)

// A replicaSetPass carries out one plan of a ReplicaSet.
type replicaSetPass struct {
	c      *replicaSetController
	rs     *replicaset.ReplicaSet // as the plan saw it
	pass   replicaset.Pass
	done   int // actions that are finished
	report replicaset.Report
	batch  int32 // calls left of the batch of creations
	begun  bool
	ended  bool
	result replicaset.Result // of a pass that has ended
}

// next sends the next request.
func (p *replicaSetPass) next() bool {
	if !p.begun {
		p.begun = true
		if p.pass.Plan.LiveCheck {
			p.report.LiveCheck = p.checkLive()
		}
	}
	if p.ended {
		p.writeStatus()
		return false
	}
	if p.done < len(p.pass.Plan.Actions) && !p.stopped() {
		p.act(p.pass.Plan.Actions[p.done])
		return true
	}
	p.finish()
	if p.result.WriteStatus {
		return true
	}
	p.end()
	return false
}

// stopped reports whether a claim has failed, which ends the pass. If a pod that was to be adopted is
// gone, the other claims are made first.
func (p *replicaSetPass) stopped() bool {
	if p.report.LiveCheck != nil {
		return true
	}
	for i, o := range p.report.Claims {
		_, adopts := p.pass.Plan.Actions[i].(replicaset.AdoptPod)
		if o.Answer == kplan.Failed || adopts && o.Answer == kplan.Invalid || adopts && o.Answer == kplan.NotFound && p.claimed() {
			return true
		}
	}
	return false
}

// claimed reports whether all claims of the plan have been made.
func (p *replicaSetPass) claimed() bool {
	switch p.pass.Plan.Actions[p.done].(type) {
	case replicaset.AdoptPod, replicaset.ReleasePod:
		return false
	}
	return true
}

// checkLive reads the ReplicaSet from the API server before pods are adopted.
func (p *replicaSetPass) checkLive() error {
	rs := p.rs
	f := claim.OwnerNow{Err: errors.New("not found")}
	if o := p.c.table.Get(rs.Name); o != nil {
		f = claim.OwnerNow{UID: o.UID, DeletionTimestamp: o.DeletionTimestamp}
	}
	owner := replicaset.Owner(rs)
	return claim.CheckLive(&owner, f).Err
}

func (p *replicaSetPass) act(action replicaset.Action) {
	switch a := action.(type) {
	case replicaset.AdoptPod:
		p.done++
		p.report.Claims = append(p.report.Claims, p.claim(a.Name, a.UID, a.Reference.UID, a))
	case replicaset.ReleasePod:
		p.done++
		p.report.Claims = append(p.report.Claims, p.claim(a.Name, a.UID, "", a))
	case replicaset.DeletePod:
		p.done++
		r := p.c.Request(store.Delete, a.Name, a)
		r.UID, r.Version = a.UID, a.ResourceVersion
		answer := p.c.Ask(func() apiserver.Answer { return p.c.DeletePod(r) })
		p.report.Deletes = append(p.report.Deletes, answer.Outcome())
	case replicaset.CreatePods:
		if p.batch == 0 {
			if p.batch = a.NextBatch(p.report.Creates); p.batch == 0 {
				p.done++
				return
			}
		}
		p.batch--
		p.create(a)
	}
}

// create creates a pod. The answer is that to the first request, if it is repeated.
func (p *replicaSetPass) create(a replicaset.CreatePods) {
	c := p.c
	var made *store.Pod
	answer := c.Ask(func() apiserver.Answer {
		pod, answer := c.CreatePod(c.Request(store.Create, "", a), p.pod())
		if made == nil {
			made = pod
		}
		return answer
	})
	o := answer.Outcome()
	if made != nil {
		o.Name = made.Name
	}
	c.wrotePod(answer, made)
	p.report.Creates = append(p.report.Creates, o)
}

// pod returns a new pod of the ReplicaSet.
func (p *replicaSetPass) pod() *store.Pod {
	rs := p.rs
	pod := &store.Pod{Template: p.c.env.Life.Key(rs.Template)}
	pod.Name = p.c.env.podName(rs.Name)
	pod.Labels = rs.TemplateLabels
	pod.ControllerKind, pod.ControllerName, pod.ControllerUID = p.c.kind, rs.Name, rs.UID
	return pod
}

// podName returns a name for a pod of an owner, which ends with five letters and digits.
func (e *Env) podName(owner string) string {
	for {
		e.serial++
		text := strconv.Itoa(e.serial)
		name := owner + "-" + revision.SafeEncode("00000"[min(len(text), 5):]+text)
		if e.Server.Pods.Entry(name) == nil {
			return name
		}
	}
}

// claim changes the controller of a pod, for an owner with a UID or none. A pod that has another one
// by now is left alone.
func (p *replicaSetPass) claim(name, uid, ownerUID string, action replicaset.Action) kplan.Outcome {
	c := p.c
	var adopted *store.Pod
	answer := c.Ask(func() apiserver.Answer {
		if o := c.Server.Pods.Get(name); o != nil {
			switch {
			case ownerUID != "" && o.ControllerUID != "" && o.ControllerUID != ownerUID:
				return apiserver.Invalid
			case ownerUID == "" && o.ControllerUID != p.rs.UID:
				return apiserver.Invalid
			}
		}
		r := c.Request(store.Update, name, action)
		r.UID = uid
		pod, a := apiserver.Update(c.Server, &c.Server.Pods, r, func(o *store.Pod) {
			after, err := replicaset.Apply(replicaset.Snapshot{ReplicaSet: *p.rs, Pods: []podorder.Pod{*o.Plain()}}, action, c.Agenda.Now())
			c.Fail(err)
			if err == nil {
				*o.Plain() = after.Pods[0]
			}
		})
		if a == apiserver.Done && ownerUID != "" {
			adopted = pod
		}
		return a
	})
	c.wrotePod(answer, adopted)
	return answer.Outcome()
}

// wrotePod notes the version of a pod that was created or adopted, if the answer said so.
func (c *replicaSetController) wrotePod(a apiserver.Answer, p *store.Pod) {
	if a == apiserver.Done && c.versions != nil && p != nil {
		c.versions[p.ControllerName] = c.versions[p.ControllerName].WroteChild(p.ControllerUID, p.ResourceVersion)
	}
}

// finish computes the result of the pass.
func (p *replicaSetPass) finish() {
	name := p.rs.Name
	p.report.Expectations = p.c.expected[name]
	p.result = p.pass.Finish(p.report)
	p.ended = true
	p.c.expected.expect(p.c.Controller, name, p.result.Expectations)
}

// writeStatus writes the status.
func (p *replicaSetPass) writeStatus() {
	c, rs := p.c, p.rs
	r := c.Request(store.UpdateStatus, rs.Name, nil)
	r.UID, r.Version = rs.UID, rs.ResourceVersion
	wrote := func(o *replicaset.ReplicaSet) {
		if c.versions != nil {
			c.versions[rs.Name] = c.versions[rs.Name].WroteOwner(rs.UID, o.ResourceVersion)
		}
	}
	if writeStatus(c.Controller, c.table, r, func(o *replicaset.ReplicaSet) { o.Status = p.result.Status }, wrote) != apiserver.Done {
		c.Retry(rs.Name)
		return
	}
	p.end()
}

// end enters the next look at the object.
func (p *replicaSetPass) end() {
	name := p.rs.Name
	if p.result.Err != nil {
		p.c.RetryUntil(p.pass.Plan.RecheckAt, name)
		return
	}
	p.c.Succeeded(name)
	p.c.WakeAt(p.result.RecheckAt, name)
}
