// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"reflect"
	"time"

	"github.com/kplan-go/kplan/rollout/argo"
)

// An argoController carries out the plans of package argo. It keeps nothing in memory.
type argoController struct {
	*controller
	options argo.Options
}

func (w *World) addArgoController(o argo.Options) {
	c := &argoController{controller: &controller{}, options: o}
	w.addController(c.controller, c, ArgoController, KindArgoRollout, KindReplicaSet, KindService, KindPod)
}

func (c *argoController) forget() {}

func (c *argoController) keys() (names []string) {
	for _, r := range c.w.store.argos.at(c.view[KindArgoRollout]) {
		names = append(names, r.Name)
	}
	return names
}

// watch enters the Rollouts that have changed, and those of ReplicaSets that have; all if a
// Service has.
func (c *argoController) watch(from *[kinds]int64, skip bool) {
	s := c.w.store
	s.argos.between(from[KindArgoRollout], c.view[KindArgoRollout], skip, func(_, r *ArgoRollout) {
		if r != nil && !c.w.fleet.deaf(c.controller) {
			c.enter(r.Name)
		}
	})
	s.replicaSets.between(from[KindReplicaSet], c.view[KindReplicaSet], skip, func(old, rs *replicaSet) {
		for _, rs := range [...]*replicaSet{old, rs} {
			if rs != nil && rs.ControllerKind == argoKind && !c.w.fleet.deaf(c.controller) {
				c.enter(rs.ControllerName)
			}
		}
	})
	if k := KindService; from[k] != c.view[k] && s.touched[k] > min(from[k], c.view[k]) {
		c.resync()
	}
}

func (c *argoController) begin(name string) func() bool {
	r := c.w.store.argos.namedAt(c.view[KindArgoRollout], name)
	if r == nil {
		return nil
	}
	now := c.now()
	s, sets := c.snapshot(r, now)
	if r.BlueGreen != nil && s.Active == nil {
		return nil // upstream says that it is invalid, and looks again when there is a Service
	}
	p, err := argo.Reconcile(*s, now, c.options)
	c.w.Plans++
	if err != nil {
		c.w.fail(fmt.Errorf("rollout %s of Argo: %w", name, err))
		return nil
	}
	if c.w.Trace != nil {
		c.w.tracef("%s %d plans for %s, %d behind: %v; %s %s", c.Role, c.Instance, name, c.lag(), p, p.Status.Phase, p.Status.Message)
	}
	c.wakeAt(p.RecheckAt, name)
	if len(p.Actions) == 0 && reflect.DeepEqual(p.Status, r.Status) {
		c.retries = 0
		return nil
	}
	pass := &argoPass{c: c, r: r, plan: p, version: r.ResourceVersion, sets: sets}
	return pass.next
}

// An argoPass carries out one plan of a Rollout of Argo.
type argoPass struct {
	c       *argoController
	r       *ArgoRollout
	plan    argo.Plan
	version string
	sets    map[string]*replicaSet // as they were seen, or written last, by hash
	done    int
}

func (p *argoPass) next() bool {
	if p.done < len(p.plan.Actions) {
		a := p.plan.Actions[p.done]
		p.done++
		if p.c.ask(func() answer { return p.perform(a) }) != done {
			p.c.retry(p.r.Name)
			return false
		}
		return true
	}
	if !reflect.DeepEqual(p.plan.Status, p.r.Status) {
		if p.c.ask(func() answer { return p.write(UpdateStatus, nil, func(r *ArgoRollout) { r.Status = p.plan.Status }) }) != done {
			p.c.retry(p.r.Name)
			return false
		}
	}
	p.c.retries = 0
	return false
}

// write changes the Rollout, if it still is as the pass has seen or written it. Upstream patches
// its status whatever it is, and so may take back what a person has just asked for.
func (p *argoPass) write(verb Verb, a fmt.Stringer, f func(*ArgoRollout)) answer {
	w := p.c.w
	r, answer := update(w, &w.store.argos, p.c.request(verb, p.r.Name, precondition{p.r.UID, p.version}, a), f)
	if answer == done {
		p.version = r.ResourceVersion
	}
	return answer
}

func (p *argoPass) perform(action argo.Action) answer {
	c, w := p.c, p.c.w
	switch a := action.(type) {
	case argo.CreateReplicaSet:
		rs, answer := create(w, &w.store.replicaSets, c.request(Create, a.Name, precondition{}, a), p.r.replicaSet(a, w.now))
		p.sets[a.Hash] = rs
		return answer
	case argo.ScaleReplicaSet:
		return p.writeSet(a.Hash, a, func(rs *replicaSet) {
			rs.Replicas, rs.Generation = &a.To, rs.Generation+1
			rs.Annotations = annotated(rs.Annotations, argoDesired, fmt.Sprint(a.Desired))
		})
	case argo.DelayReplicaSet:
		until := ""
		if !a.Until.IsZero() {
			until = a.Until.UTC().Format(time.RFC3339)
		}
		return p.writeSet(a.Hash, a, func(rs *replicaSet) { rs.Annotations = annotated(rs.Annotations, argoDeadline, until) })
	case argo.EvictPod:
		pod := w.store.podNamed(a.Name, false)
		if pod.Pod == nil {
			return w.answered(notFound)
		}
		if may := w.fleet.cfg.MayEvict; may != nil && !may(a.Name) {
			return w.answered(forbidden)
		}
		r := c.request(Delete, a.Name, precondition{uid: pod.UID}, a)
		r.stage = Evicted
		return w.deletePod(pod, r)
	case argo.SelectPods:
		_, answer := update(w, &w.store.services, c.request(Update, a.Service, precondition{}, a), func(o *Service) {
			o.Selector = labelled(o.Selector, a.Key, a.Value)
		})
		return answer
	case argo.SetWeight: // who routes reads it in the status
		return done
	}
	return p.write(Update, action, func(r *ArgoRollout) { // a route
		after, err := argo.Apply(argo.Snapshot{Routes: r.Routes}, action, w.now)
		w.fail(err)
		r.Routes = after.Routes
	})
}

// writeSet changes a ReplicaSet that still is as the pass has seen or written it.
func (p *argoPass) writeSet(hash string, a fmt.Stringer, f func(*replicaSet)) answer {
	w, seen := p.c.w, p.sets[hash]
	if seen == nil {
		return w.answered(notFound)
	}
	rs, answer := update(w, &w.store.replicaSets, p.c.request(Update, seen.Name, precondition{seen.UID, seen.ResourceVersion}, a), f)
	if answer == done {
		p.sets[hash] = rs
	}
	return answer
}
