// SPDX-License-Identifier: Apache-2.0

package argo

import "time"

// decide decides a pass. The first holds are ReplicaSets that cannot create pods, the cause
// of other missing pods.
func (c *counts) decide() decision {
	d := c.decided()
	d.waiting = c.refusals().and(d.waiting)
	return d
}

func (c *counts) decided() decision {
	switch {
	case c.kind == notes:
		return c.decideNotes()
	case c.kind == resizes:
		return c.decideResize()
	case c.kind == begins:
		return c.decideAnew()
	case c.r.BlueGreen != nil:
		return c.decideBlueGreen()
	}
	return c.decideCanary()
}

// decideNotes decides a pass that only records that a pause has begun or ended.
func (c *counts) decideNotes() decision {
	status := *c.read
	for _, note := range c.noted {
		status.Conditions = with(status.Conditions, note)
	}
	status.ObservedGeneration = c.r.Generation
	status.Phase, status.Message = c.phase(&status)
	d := c.stays()
	d.status = status
	return d
}

// decideResize decides a pass that follows another size of the Rollout, and takes no step.
func (c *counts) decideResize() decision {
	d, t, w := c.stays(), c.turn(), waiting{}
	status := *c.read
	status.AvailableReplicas = c.available
	if c.r.BlueGreen != nil {
		d.sizes, w = c.blueGreenSizes(c.aborted(&t), &d.services)
		if active := c.named(status.ActiveSelector); active != nil {
			status.AvailableReplicas = active.AvailableReplicas
		}
	} else {
		d.sizes, _, w = c.canarySizes(c.aborted(&t), c.read.Weights, &d.services)
	}
	status, due := c.finish(status, &t)
	d.status, d.waiting = status, w.and(due)
	return d
}

// Reconcile returns the next step of the Argo Rollout in s as of now: a whole pass of a
// canary or of a blue-green update. It performs nothing. The error, if any, wraps
// [kplan.ErrInvalid] and one [kplan.FieldError] for each field that cannot be used.
//
// It mirrors the reconciliation of Argo Rollouts. The results of analyses and experiments
// are given ([Runs]), and so is whether weights are verified.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	in, err := admit(&s, now, opts)
	if err != nil {
		return Plan{}, err
	}
	c := in.count()
	d := c.decide()
	return c.write(&d), nil
}
