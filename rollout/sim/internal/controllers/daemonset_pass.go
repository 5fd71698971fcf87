// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A daemonSetPass carries out one plan of a DaemonSet.
type daemonSetPass struct {
	c       *daemonSetController
	d       daemonset.DaemonSet // as the plan saw it
	pass    daemonset.Pass
	options daemonset.Options
	report  daemonset.Report
	result  *daemonset.Result // set after the actions; the status may still have to be written
	version string            // of the DaemonSet, as it was seen

	checked bool               // that the DaemonSet is still there
	claims  bool               // a claim has failed; further claims of the same kind go on
	pods    bool               // a pod could not be created or deleted
	batch   int                // size of the batch of creations
	left    int                // calls left of it
	written map[written]string // resource versions after the writes of the pass
}

// written names an object that a pass has written.
type written struct {
	kind store.Kind
	name string
}

// next sends the next request, and finally the request for the status. It reports whether there are
// more.
func (p *daemonSetPass) next() bool {
	if p.result != nil {
		p.writeStatus()
		return false
	}
	if i := len(p.report.Outcomes); i < len(p.pass.Plan.Actions) {
		a := p.pass.Plan.Actions[i]
		if !p.claims || p.follows(i) {
			p.report.Outcomes = append(p.report.Outcomes, p.act(a))
			if p.goesOn(i) {
				return true
			}
		}
	}
	return p.finish()
}

// follows reports whether an action is a claim that follows one of the same kind.
func (p *daemonSetPass) follows(i int) bool {
	is, of := daemonClaim(p.pass.Plan.Actions[i])
	was, ofBefore := daemonClaim(p.pass.Plan.Actions[i-1])
	return is && was && of == ofBefore
}

// daemonClaim reports whether an action is an adoption or a release, and returns the kind of its object.
func daemonClaim(a daemonset.Action) (bool, store.Kind) {
	switch a.(type) {
	case daemonset.AdoptPod, daemonset.ReleasePod:
		return true, store.KindPod
	case daemonset.AdoptRevision, daemonset.ReleaseRevision:
		return true, store.KindRevision
	}
	return false, 0
}

// goesOn notes failures, and reports whether the pass goes on after an action. After a failed creation
// or deletion of a pod the batch goes on, and after a failed claim the directly following claims of the
// same kind do.
func (p *daemonSetPass) goesOn(i int) bool {
	o := &p.report.Outcomes[i]
	switch p.pass.Plan.Actions[i].(type) {
	case daemonset.CreatePod:
		p.pods = p.pods || o.Answer != kplan.Done
	case daemonset.DeletePod:
		p.pods = p.pods || o.Answer == kplan.Failed
	case daemonset.AdoptPod, daemonset.AdoptRevision:
		p.claims = p.claims || o.Adopted() != nil
	case daemonset.ReleasePod, daemonset.ReleaseRevision:
		p.claims = p.claims || o.Released() != nil
	case daemonset.DeleteRevision:
		return o.Answer == kplan.Done || o.Answer == kplan.NotFound || o.Answer == ""
	default:
		return o.Answer == kplan.Done
	}
	return true
}

// finish computes the result of the pass, and reports whether there is a status to write.
func (p *daemonSetPass) finish() bool {
	c, name := p.c, p.d.Name
	p.report.Expectations = c.expected[name]
	r := p.pass.Finish(p.report)
	p.result, c.backoff[name] = &r, r.Backoff
	c.expected.expect(c.Controller, name, r.Expectations)
	if c.versions != nil {
		c.versions[name] = r.Written
	}
	if !r.WriteStatus {
		p.end()
	}
	return r.WriteStatus
}

// writeStatus writes the status.
func (p *daemonSetPass) writeStatus() {
	c, d := p.c, &p.d
	r := c.Request(store.UpdateStatus, d.Name, nil)
	r.UID, r.Version = d.UID, p.version
	wrote := func(o *store.DaemonSet) {
		if c.versions != nil {
			c.versions[d.Name] = c.versions[d.Name].WroteOwner(d.UID, o.ResourceVersion)
		}
	}
	if writeStatus(c.Controller, &c.DaemonSets, r, func(o *store.DaemonSet) { o.Status = p.result.Status }, wrote) != apiserver.Done {
		c.Retry(d.Name)
		return
	}
	p.end()
}

// end schedules the next pass: a retry after an error, and otherwise at RecheckAt.
func (p *daemonSetPass) end() {
	name := p.d.Name
	if p.result.Err != nil {
		p.c.Retry(name)
		return
	}
	p.c.Succeeded(name)
	p.c.WakeAt(p.result.RecheckAt, name)
}
