// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/life"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/selector/claim"
)

// act sends the request of an action. The zero Outcome is that it is left out.
func (p *daemonSetPass) act(action daemonset.Action) kplan.Outcome {
	o, _ := daemonset.ObjectOf(action)
	switch a := action.(type) {
	case daemonset.CreatePod:
		return p.create(a)
	case daemonset.DeletePod:
		r := p.request(store.Delete, store.KindPod, o, a)
		return deletion(p.c.Ask(func() apiserver.Answer { return p.c.DeletePod(r) }))
	case daemonset.CreateRevision:
		return p.createRevision(a)
	case daemonset.DeleteRevision:
		if p.pods && a.Reason == reason.HistoryLimit {
			return kplan.Outcome{}
		}
		r := p.request(store.Delete, store.KindRevision, o, a)
		return deletion(p.c.Ask(func() apiserver.Answer { return apiserver.Remove(p.c.Server, &p.c.Revisions, r) }))
	case daemonset.AdoptPod, daemonset.AdoptRevision:
		if !p.live() {
			return kplan.Outcome{}
		}
	}
	switch action.(type) {
	case daemonset.UpdateRevision, daemonset.AdoptRevision, daemonset.ReleaseRevision:
		return p.changeRevision(o, action)
	}
	return p.changePod(o, action)
}

// deletion is the outcome of a deletion. An object that has changed since is spared.
func deletion(a apiserver.Answer) kplan.Outcome {
	if a == apiserver.Invalid || a == apiserver.Conflict {
		return kplan.Outcome{Answer: kplan.Changed}
	}
	return a.Outcome()
}

// request is a request about an object as it was seen, or as the pass has left it.
func (p *daemonSetPass) request(verb store.Verb, kind store.Kind, o daemonset.Object, a daemonset.Action) apiserver.Request {
	r := p.c.Request(verb, o.Name, a)
	r.UID, r.Version = o.UID, o.ResourceVersion
	if v, ok := p.written[written{kind, o.Name}]; ok {
		r.Version = v
	}
	return r
}

// wrote notes the version of an object that the pass has left.
func (p *daemonSetPass) wrote(kind store.Kind, name, version string) {
	if p.written == nil {
		p.written = map[written]string{}
	}
	p.written[written{kind, name}] = version
}

// live reports whether the DaemonSet really is the one that was seen, and stays. It is read once,
// before something is adopted.
func (p *daemonSetPass) live() bool {
	if !p.checked {
		p.checked = true
		d := &p.d
		f := claim.OwnerNow{Err: errors.New("not found")}
		if o := p.c.DaemonSets.Get(d.Name); o != nil {
			f = claim.OwnerNow{UID: o.UID, DeletionTimestamp: o.DeletionTimestamp}
		}
		owner := claim.Owner{Kind: daemonset.Kind, Name: d.Name, UID: d.UID}
		p.report.LiveCheck = claim.CheckLive(&owner, f).Err
	}
	return p.report.LiveCheck == nil
}

// apply returns objects of the DaemonSet as an action leaves them. No plan has an action that is
// refused: that ends the world.
func (p *daemonSetPass) apply(a daemonset.Action, s daemonset.Snapshot) daemonset.Snapshot {
	s.DaemonSet = p.d
	after, err := daemonset.Apply(s, a, p.c.Agenda.Now())
	if err != nil {
		p.c.Fail(fmt.Errorf("daemon set %s: %v: %w", s.DaemonSet.Name, a, err))
		return s
	}
	return after
}

// create creates a pod. Creations that follow each other come in batches that double, unless one of
// a batch has failed.
func (p *daemonSetPass) create(a daemonset.CreatePod) kplan.Outcome {
	c, i := p.c, len(p.report.Outcomes)
	if p.left == 0 {
		if p.pods {
			return kplan.Outcome{}
		}
		n := slices.IndexFunc(p.pass.Plan.Actions[i:], func(a daemonset.Action) bool { _, ok := a.(daemonset.CreatePod); return !ok })
		if n < 0 {
			n = len(p.pass.Plan.Actions) - i
		}
		p.batch = daemonset.SlowStart(p.batch, n)
		p.left = p.batch
	}
	p.left--
	var made *store.Pod // by the first request, if it is repeated
	answer := c.Ask(func() apiserver.Answer {
		pod, answer := c.CreatePod(c.Request(store.Create, "", a), p.pod(a))
		if made == nil {
			made = pod
		}
		return answer
	})
	o := answer.Outcome()
	if made != nil && answer == apiserver.Done {
		o.Name, o.UID, o.ResourceVersion = made.Name, made.UID, made.ResourceVersion
	}
	return o
}

// pod returns the pod of an action.
func (p *daemonSetPass) pod(a daemonset.CreatePod) *store.Pod {
	var s daemonset.Snapshot
	if a.Gate || a.Revision != "" { // its containers and its node are those of its revision
		for _, r := range p.c.Revisions.Of(p.d.UID) {
			s.Revisions = append(s.Revisions, *r)
		}
	}
	made := p.apply(a, s).Pods
	pod := &store.Pod{OfDaemonSet: true, Template: a.Hash}
	if len(made) > 0 {
		pod.Pod = made[0]
	}
	pod.Name = p.c.env.podName(p.d.Name)
	return pod
}

// createRevision stores the template. If the name is taken by a revision with the same template, that
// will do; otherwise the next hash is to be another one.
func (p *daemonSetPass) createRevision(a daemonset.CreateRevision) kplan.Outcome {
	c := p.c
	answer := c.Ask(func() apiserver.Answer {
		made := p.apply(a, daemonset.Snapshot{}).Revisions
		if len(made) == 0 {
			return apiserver.Invalid
		}
		made[0].UID = "" // the store gives it one
		_, answer := apiserver.Create(c.Server, &c.Revisions, c.Request(store.Create, a.Name, a), &made[0])
		return answer
	})
	if answer != apiserver.Exists {
		return answer.Outcome()
	}
	d := &p.d
	existing, stored := c.Revisions.Get(a.Name), c.DaemonSets.Get(d.Name)
	if existing == nil || stored == nil {
		return kplan.Outcome{Answer: kplan.AlreadyExists}
	}
	options := p.options.Repair.Revision()
	if revision.SameData(a.Data, existing.Data, options) {
		return kplan.Outcome{Answer: kplan.Done, Name: existing.Name, UID: existing.UID, ResourceVersion: existing.ResourceVersion}
	}
	count, err := revision.DaemonSetTaken(d.Name, a.Data, *existing, d.Status.CollisionCount, stored.Status.CollisionCount, options)
	if err != nil {
		return kplan.Outcome{Answer: kplan.Failed, Err: err}
	}
	c.Trouble.Count(trouble.HashCollided)
	p.report.Collisions = count
	return kplan.Outcome{Answer: kplan.AlreadyExists}
}

// changeRevision carries out an action on a revision.
func (p *daemonSetPass) changeRevision(o daemonset.Object, a daemonset.Action) kplan.Outcome {
	c, request := p.c, p.request(store.Update, store.KindRevision, o, a)
	return c.Ask(func() apiserver.Answer {
		r, answer := apiserver.Update(c.Server, &c.Revisions, request, func(r *revision.ControllerRevision) {
			if after := p.apply(a, daemonset.Snapshot{Revisions: []revision.ControllerRevision{*r}}).Revisions; len(after) > 0 {
				*r = after[0]
			}
		})
		if answer == apiserver.Done {
			p.wrote(store.KindRevision, r.Name, r.ResourceVersion)
		}
		return answer
	}).Outcome()
}

// changePod carries out an action on a pod.
func (p *daemonSetPass) changePod(o daemonset.Object, a daemonset.Action) kplan.Outcome {
	c, version, request := p.c, "", p.request(store.Update, store.KindPod, o, a)
	answer := c.Ask(func() apiserver.Answer {
		pod, answer := apiserver.Update(c.Server, &c.Server.Pods, request, func(pod *store.Pod) { p.change(pod, a) })
		if answer == apiserver.Done {
			version = pod.ResourceVersion
			p.wrote(store.KindPod, pod.Name, version)
			if pulls(a) {
				c.env.Life.Pull(pod.Name)
			}
		}
		return answer
	})
	out := answer.Outcome()
	if answer == apiserver.Done {
		out.ResourceVersion = version
	}
	return out
}

// change applies an action to a pod, and sets its readiness as its node does. That knows no
// gate but the one of updates in place.
func (p *daemonSetPass) change(pod *store.Pod, action daemonset.Action) {
	before, now := pod.Pod.Pod, p.c.Agenda.Now()
	after := p.apply(action, daemonset.Snapshot{Pods: []daemonset.Pod{pod.Pod}}).Pods
	if len(after) == 0 {
		return
	}
	pod.Pod = after[0]
	switch a := action.(type) {
	case daemonset.RelabelPod:
		pod.Template = a.To
	case daemonset.PreparePod:
		pod.Ready, pod.ReadySince = before.Ready, before.ReadySince
	case daemonset.UpdatePod:
		if pod.UpdatedTo(a.To); a.CloseGate {
			pod.ReadySince = now
		}
	case daemonset.RefreshPod:
		if a.OpenGate && !pod.Ready && life.ContainersReady(pod) {
			pod.Ready, pod.ReadySince = true, now
		}
	}
}

// pulls reports whether a node has other images to run after an action.
func pulls(action daemonset.Action) bool {
	switch a := action.(type) {
	case daemonset.UpdatePod:
		return true
	case daemonset.RefreshPod:
		return a.Patch != nil
	}
	return false
}
