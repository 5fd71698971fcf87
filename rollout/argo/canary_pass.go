// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"time"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// An outcome is the next status without its conditions, pauses and phase, and the turn that
// decides these.
type outcome struct {
	status  Status
	turn    turn
	waiting waiting
}

// decideCanary decides a pass of a canary.
func (c *counts) decideCanary() decision {
	again := c.restart()
	if len(again.evict) > 0 { // it is not known yet how many pods stay available
		d := c.stays()
		d.evict, d.waiting, d.status = again.evict, again.waiting, *c.read
		return d
	}
	l := c.leadRequests()
	d := decision{services: c.canaryServices(), routes: l.routes}
	w := again.waiting.and(l.waiting)
	if l.ends {
		d.waiting, d.status = w.and(unverified(l.weights)), *c.read
		d.status.Weights = l.weights
		return d
	}
	v := c.canaryRuns()
	t := c.turn()
	t.begin, t.abort, t.why = v.pauses, v.abort, v.why
	if len(t.begin) == 0 {
		z, moves, sized := c.canarySizes(c.aborted(&t), l.weights, &d.services)
		d.sizes, w = z, w.and(sized)
		if !moves {
			begin, at := c.canaryPause()
			t.begin, w = begin, w.and(until(at))
		}
	}
	o := c.canaryOutcome(c.base(l.weights, v.runs, again.done), t)
	status, due := c.finish(o.status, &o.turn)
	d.status, d.waiting = status, w.and(o.waiting).and(due)
	return d
}

// decideAnew decides a pass in which a canary begins its steps again.
func (c *counts) decideAnew() decision {
	status, t := c.anew(c.base(c.read.Weights, Runs{}, c.read.RestartedAt))
	status.CurrentStepHash = c.r.StepHash
	if c.fresh != nil && (c.fresh == c.stable || c.inWindow && c.fresh.Replicas > 0) {
		status.CurrentStepIndex = c.end()
	}
	d := c.stays()
	d.status, d.waiting = c.finish(status, &t)
	return d
}

// stays returns a decision that leaves Services and routes as they are.
func (in *input) stays() decision { return decision{services: in.unled(), routes: in.s.Routes} }

// unled returns the Services with their current selectors.
func (in *input) unled() services {
	turned, turn := in.turns()
	return services{
		active: asRead(in.s.Active), preview: asRead(in.s.Preview), stable: asRead(in.s.StableService), canary: asRead(in.s.CanaryService),
		turn: asRead(turn), turned: asRead(turned),
	}
}

// canaryServices lets the Services of a canary select its pods, once these are available.
func (c *counts) canaryServices() services {
	s := c.unled()
	if c.read.StableRS != c.read.CurrentPodHash {
		s.turn = follow(s.turn, c.fresh, false)
	}
	if c.repair.Has(quirk.StablePingPongSelectsAll) {
		s.turned = follow(s.turned, c.stable, true)
	}
	s.stable = follow(s.stable, c.stable, true)
	t := c.turn()
	switch aborted, routing := c.aborted(&t), c.r.Routing; {
	case aborted && routing == nil:
		s.canary = follow(s.canary, c.stable, true)
	case aborted && !c.read.promoted() && (!routing.DynamicStableScale || c.with(c.read.Weights).TrafficWeight() == 0):
		s.canary = follow(s.canary, c.stable, false) // it gets no request
	case !c.returns():
		s.canary = follow(s.canary, c.fresh, true)
	}
	return s
}

// follow lets a Service select the pods of a ReplicaSet. If checked, one of them has to be
// available, and all of them if the Service is not managed yet.
func follow(t target, set *ReplicaSet, checked bool) target {
	if t.Service == nil || set == nil {
		return t
	}
	n := set.AvailableReplicas
	if checked && (n <= 0 || !t.Managed && (set.Replicas == 0 || n < set.Replicas)) {
		return t
	}
	return t.to(set.Hash)
}

// returns reports whether the update was interrupted by going back to the stable template,
// with dynamicStableScale, and the stable pods cannot serve all requests yet.
func (c *counts) returns() bool {
	w := c.read.Weights
	return c.read.StableRS == c.read.CurrentPodHash && c.r.Routing != nil && c.r.Routing.DynamicStableScale && w != nil &&
		c.fresh != nil && w.Canary.Hash != c.fresh.Hash && c.fresh.AvailableReplicas < c.replicas()
}

// verifyAgain is the time after which the weights are verified again.
const verifyAgain = 10 * time.Second

// A lead is the routing of requests at the end of the pass.
type lead struct {
	weights *TrafficWeights
	routes  []Route
	ends    bool // the pass ends until the weights are verified
	waiting waiting
}

// leadRequests decides the weights and the routes. At full weight the pass ends until the
// weights are verified: otherwise stable pods could be removed while they still get
// requests.
func (c *counts) leadRequests() lead {
	if c.r.Routing == nil {
		return lead{routes: c.s.Routes}
	}
	r := c.with(c.read.Weights)
	weight, to := r.TrafficWeight(), WeightDestination{Hash: c.fresh.Hash}
	if c.returns() {
		weight, to.Hash = r.weightBack(), c.read.Weights.Canary.Hash
	}
	enough, needed := r.StableServes(weight)
	l := lead{weights: c.read.Weights, routes: c.routes(enough)}
	switch {
	case enough:
	case c.stable == nil:
		return l
	default:
		l.waiting = heldBy(c.stable, reason.StableNotReady, c.stable.AvailableReplicas, needed)
		return l
	}
	to.Weight = weight
	l.weights = c.destinations(to, r.MaxWeight()-weight)
	if l.weights.unverified() {
		l.ends, l.waiting = weight == r.MaxWeight(), until(c.now.Add(verifyAgain))
	}
	return l
}

// destinations returns the weights of the canary and of the stable pods.
func (c *counts) destinations(to WeightDestination, stable int32) *TrafficWeights {
	w := &TrafficWeights{Canary: to, Stable: WeightDestination{Weight: stable, Hash: c.stable.Hash}, Verified: c.s.WeightVerified}
	if c.s.CanaryService != nil {
		w.Canary.Service = c.s.CanaryService.Name
	}
	if c.s.StableService != nil {
		w.Stable.Service = c.s.StableService.Name
	}
	if w.Verified != nil && w.leadsOtherwise(c.read.Weights) {
		w.Verified = ptr.To(false) // the answer was about the previous weights
	}
	return w
}

// unverified returns the hold of weights that are not verified yet.
func unverified(w *TrafficWeights) waiting {
	return held(reason.Unverified, int64(w.Canary.Weight), int64(w.Canary.Weight)+int64(w.Stable.Weight))
}

// canaryRuns takes the analyses of the step and of the background into account.
func (c *counts) canaryRuns() judged {
	if c.unjudged() {
		return judged{}
	}
	j := judged{runs: c.read.Runs}
	if step := c.step(); step == nil || step.Other == "" {
		j.runs.Step = Run{}
	} else if len(c.read.PauseConditions) == 0 {
		run, v := c.judge(j.runs.Step, "Step-based analysis phase error/failed")
		j = j.and(v)
		j.runs.Step = run
	}
	if c.paused(PauseInconclusive) == nil {
		run, v := c.judge(j.runs.Background, "Background analysis phase error/failed")
		j = j.and(v)
		j.runs.Background = run
	}
	return j
}

// canaryPause begins the pause of a step, or returns when it ends.
func (c *counts) canaryPause() (begin []string, at time.Time) {
	step := c.step()
	if c.r.Paused || c.read.PromoteFull || step == nil || step.Pause == nil {
		return nil, at
	}
	p := c.paused(PauseStep)
	switch {
	case p == nil && !c.read.ControllerPause:
		begin = []string{PauseStep}
	case p != nil && step.Pause.Duration != nil:
		_, at = step.Pause.completed(Progress{PausedAt: p.StartTime}, c.now)
	}
	return begin, at
}

// end returns the step index that means that all steps are over, nil without steps.
func (in *input) end() *int32 {
	if n := int32(len(in.r.Steps)); n > 0 {
		return &n
	}
	return nil
}

// canaryOutcome decides how far a canary has come.
func (c *counts) canaryOutcome(status Status, t turn) outcome {
	index := c.index()
	status.CurrentStepHash = c.r.StepHash
	if c.skipsSteps() {
		t.clear, t.resume, index = true, true, c.end()
	}
	status.CurrentStepIndex = index
	switch {
	case c.promoted(&status, &t):
		status, t = c.promote(status, t)
		status.CurrentStepIndex = c.end()
		return outcome{status, t, c.unsettled(status.Weights)}
	case !c.aborted(&t):
		return c.advance(outcome{status: status, turn: t})
	case index != nil && status.StableRS == status.CurrentPodHash:
		status.CurrentStepIndex = c.end()
	case index != nil:
		status.CurrentStepIndex = ptr.To(int32(0))
	}
	return outcome{status, t, held(reason.Aborted, 0, 0).and(c.stableLacks())}
}

// promoted reports whether the new ReplicaSet of a canary becomes the stable one.
func (c *counts) promoted(status *Status, t *turn) bool {
	r := c.with(status.Weights)
	r.Abort, r.CurrentPodHash, r.StableRS = c.aborted(t), status.CurrentPodHash, status.StableRS
	r.PromoteFull = c.skipsSteps()
	if c.stable == nil {
		r.StableRS = ""
	}
	return r.Promoted()
}

// advance returns the outcome with the next step if the current one is over. As upstream, a
// step that is over in the pass that skips all others, for a full promotion or a rollback
// within the window, sets the index one past the end; the next pass sets it back.
func (c *counts) advance(o outcome) outcome {
	step := c.step()
	switch {
	case c.r.Paused:
		return o
	case step == nil:
		o.waiting = c.unpromoted(o.status.Weights)
		return o
	}
	p := Progress{
		AtDesired: c.with(o.status.Weights).AtDesired(), Unverified: o.status.Weights.unverified(), ControllerPause: c.read.ControllerPause,
		OtherDone: step.done(o.status.Runs.Step),
	}
	if pause := c.paused(PauseStep); pause != nil {
		p.PausedAt = pause.StartTime
	}
	if done, _ := step.Completed(p, c.now); !done {
		o.waiting = c.waits(step, p, o.status.Weights)
		return o
	}
	o.turn.end, o.status.Runs.Step = PauseStep, Run{}
	next := *o.status.CurrentStepIndex + 1
	if c.repair.Has(quirk.StepBehindTheEnd) {
		next = min(next, *c.end())
	}
	o.status.CurrentStepIndex = &next
	return o
}

// waits returns the hold of the current step.
func (c *counts) waits(step *Step, p Progress, weights *TrafficWeights) waiting {
	number, all := int64(*c.index())+1, int64(len(c.r.Steps))
	switch {
	case c.fresh == c.stable:
		return c.unsettled(weights)
	case step.Other != "" && step.SetCanaryScale == nil:
		return held(reason.Analysis, number, all)
	case step.Pause == nil && p.AtDesired:
		return unverified(weights)
	case step.Pause == nil:
		return c.unreached(weights)
	case step.Pause.Duration == nil:
		return held(reason.Approval, number, all)
	case p.PausedAt.IsZero(): // it begins
		return held(reason.Pause, 0, int64(*step.Pause.Duration))
	}
	return held(reason.Pause, int64(c.now.Sub(p.PausedAt).Seconds()), int64(*step.Pause.Duration))
}
