// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A setController carries out the plans of package podset. It keeps in memory up to which version of
// the store it must see before it plans for a set again.
type setController struct {
	*control.Controller
	env   *Env
	known map[string]int64
}

// newSetController returns a controller of CloneSets and StatefulSets.
func newSetController(env *Env, instance int) *control.Controller {
	c := &setController{env: env, known: map[string]int64{}}
	c.Controller = control.New(env.Server, c, store.SetController, instance, store.KindSet, store.KindPod)
	return c.Controller
}

// Forget implements control.Worker.
func (c *setController) Forget() { clear(c.known) }

// Keys implements control.Worker.
func (c *setController) Keys() []string {
	return names(c.Controller, &c.Sets)
}

// Watch enters the changed sets, and the sets of changed pods.
func (c *setController) Watch() {
	control.EachTold(c.Controller, &c.Sets, func(old, o *store.Set) {
		if o != nil {
			c.Enter(o.Name)
		} else {
			delete(c.known, old.Name)
		}
	})
	control.EachTold(c.Controller, &c.Server.Pods, func(old, p *store.Pod) {
		c.enterOwner(p)
		if old != nil && (p == nil || old.ControllerUID != p.ControllerUID) {
			c.enterOwner(old)
		}
	})
}

// enterOwner enters the set of a pod.
func (c *setController) enterOwner(p *store.Pod) {
	if p != nil && control.See(c.Controller, &c.Sets, p.ControllerName) != nil {
		c.Enter(p.ControllerName)
	}
}

// snapshot returns the controller's view of a set.
func (c *setController) snapshot(o *store.Set) *podset.Snapshot {
	s := &podset.Snapshot{Set: o.Set}
	s.Set.Template.Hash = c.env.Hash(o.Template, nil)
	own := control.Of(c.Controller, &c.Server.Pods, o.UID)
	s.Pods = make([]podorder.Pod, 0, len(own))
	for _, p := range own {
		s.Pods = append(s.Pods, *p.Plain())
	}
	return s
}

// tooLarge returns the error of a set that wants more pods than a world may have. All of them would
// be planned at once.
func (c *setController) tooLarge(o *store.Set) error {
	n, most := o.DesiredReplicas(), c.Quotas.Most
	if int(n) <= most {
		return nil
	}
	detail := fmt.Sprintf("must be at most %d, so many pods there may be", most)
	return &kplan.FieldError{Path: kplan.ElementPath("Sets", o.Name) + ".Replicas", Value: n, Detail: detail}
}

// Begin implements control.Worker.
func (c *setController) Begin(name string) control.Pass {
	o := control.See(c.Controller, &c.Sets, name)
	if o == nil {
		return nil
	}
	if min(c.View[store.KindSet], c.View[store.KindPod]) < c.known[name] {
		c.Retry(name) // it does not see yet all that it has written
		return nil
	}
	if err := c.tooLarge(o); err != nil {
		c.Fail(err)
		return nil
	}
	s, plan := c.snapshot(o), c.env.PlanSet
	if plan == nil {
		plan = podset.Reconcile
	}
	p := plan(*s, c.Now())
	c.Plans++
	planned(c.env, c.Controller, store.KindSet, name, p)
	c.WakeAt(p.RecheckAt, name)
	pass := &setPass{c: c, set: &s.Set, version: o.ResourceVersion, plan: p}
	if len(p.Actions) == 0 && pass.same() {
		c.Succeeded(name)
		return nil
	}
	return pass.next
}
