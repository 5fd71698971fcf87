// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/revision"
)

// A Report is the outcome of the execution of a plan.
type Report struct {
	// LiveCheck is the error of claim.CheckLive that forbids adoption; nil if adoption is
	// allowed, or the plan adopts nothing.
	LiveCheck error
	// Outcomes are the outcomes of the actions, in order: the zero Outcome for an action that was
	// not carried out. Carry out all adoptions and releases that follow each other, and then stop
	// if one of them has failed or an object to adopt is gone. After creations and deletions of
	// pods that have failed, leave out only the deletions of old revisions. Stop after any other
	// action that has failed. The deletion of a pod that is answered NotFound or Changed has not
	// failed: the pod is gone, or the next plan decides about it again.
	Outcomes []kplan.Outcome
	// Collisions is the next count of collisions, from revision.DaemonSetTaken, if another
	// revision has the name of the new one.
	Collisions *int32
	// Expectations are the result of [Plan.Expect], less the events observed meanwhile. Read
	// them, call Finish and store the expectations of the result under one lock. Otherwise
	// events observed in the meantime are lost.
	Expectations expect.Expectations
}

// A Result is the end of a pass.
type Result struct {
	Expectations expect.Expectations // while they are not satisfied, set Snapshot.Unseen
	// Written is for the next snapshot: the versions of the pods that were created or adopted.
	// Add the version of the status once it is written, see [expect.Versions.WroteOwner].
	Written     expect.Versions
	Status      Status // to be written if WriteStatus is set
	WriteStatus bool
	Events      []kplan.Event // to be recorded, in order
	Backoff     Backoff       // for the next snapshot, or a [Delta]
	// Err is the failure of the pass: call [Reconcile] again after replicaset.RetryDelay. If it
	// is nil, count failures from 0 again. Errs are the errors that Err joins.
	Err  error
	Errs []error
	// RecheckAt is when to call [Reconcile] again even if nothing changes: the RecheckAt of
	// the plan, or earlier when the expectations that the pass waits for expire. It is zero
	// for a pass that failed.
	RecheckAt time.Time
	// Again is the snapshot to plan from at once if pods or revisions to adopt are gone, nil
	// otherwise. It lacks these objects, and includes the actions carried out. Do not carry out
	// the remaining actions of the plan. Err wraps kplan.ErrGone then, so that a caller that
	// does not plan at once retries later. Each such snapshot has fewer orphans than the one
	// before.
	Again *Snapshot
}

// Expect returns the expectations to store before the plan is executed: of the pods that the plan
// creates and deletes, or the argument before if it does neither.
func (p Plan) Expect(before expect.Expectations, now time.Time) expect.Expectations {
	creations, names := int64(0), []string(nil)
	for _, a := range p.Actions {
		switch a := a.(type) {
		case CreatePod:
			creations++
		case DeletePod:
			names = append(names, a.Name)
		}
	}
	if creations == 0 && len(names) == 0 {
		return before
	}
	return expect.Deletions(names, now).Raise(creations, 0)
}

// Finish returns the results of the execution of the plan: the remaining expectations, the status to
// write, the events to record and whether to try again.
//
//   - If pods could not be created or deleted, or old revisions could not be deleted, the status
//     is written. The deletion of a pod that is answered NotFound or Changed is no failure.
//   - If any other action failed, the status is not written, and the events of the plan are not
//     recorded.
//   - If another revision has the name of the new one, only the collision count is written.
//
// It mirrors syncDaemonSet, constructHistory and syncNodes of the daemon controller of
// Kubernetes.
func (p Pass) Finish(r Report) Result {
	s := &p.snapshot
	f := finish{s: s, plan: &p.Plan, report: &r, now: p.now.Round(0).UTC(), opts: p.options}
	f.result = Result{Expectations: r.Expectations, Written: s.Written, Status: copyStatus(s.DaemonSet.Status), Backoff: s.Backoff.clone()}
	if unseen, stale := s.Written.Unseen(s.Read); stale {
		f.result.Err = unseen.Err("daemonsets.apps", "pods")
		f.result.Errs = []error{f.result.Err}
		return f.result
	}
	f.actions()
	if !f.stopped {
		f.result.Status, f.result.Backoff = copyStatus(p.Plan.Status), p.Plan.Backoff.clone()
		f.result.Events = slices.Concat(p.Plan.Events, f.result.Events)
		f.recheck()
	} else if r.Collisions != nil {
		f.result.Status.CollisionCount = ptr.To(*r.Collisions)
	}
	f.result.WriteStatus = !f.result.Status.equal(&s.DaemonSet.Status)
	if f.result.Err = errors.Join(f.result.Errs...); f.result.Err != nil {
		f.result.RecheckAt = time.Time{}
	}
	return f.result
}

// A finish holds the input and the result of [Pass.Finish] while it reads the outcomes.
type finish struct {
	s      *Snapshot
	plan   *Plan
	report *Report
	now    time.Time
	opts   Options
	lost   int64 // number of creations that no event will show
	result Result

	gone    []error // errors for orphans to adopt that no longer exist
	stopped bool    // the pass ended early
}

func (f *finish) outcome(i int) *kplan.Outcome {
	if i < len(f.report.Outcomes) {
		return &f.report.Outcomes[i]
	}
	return &kplan.Outcome{}
}

func (f *finish) fail(a Action, err error) {
	f.result.Errs = append(f.result.Errs, fmt.Errorf("%s: %w", a, err))
}

func (f *finish) event(action int, eventType, reason, message string) {
	f.result.Events = append(f.result.Events, kplan.Event{Action: action, Type: eventType, Reason: reason, Message: message})
}

// actions processes all outcomes.
func (f *finish) actions() {
	end := len(f.plan.Actions)
	for i, a := range f.plan.Actions {
		if tried := claims(a) && f.outcome(i).Answer != ""; (f.stopped || len(f.gone) > 0) && !tried {
			end = i
			break
		}
		f.action(i, a)
	}
	if len(f.gone) > 0 && !f.stopped {
		f.result.Errs, f.result.Again = f.gone, f.again()
		f.stopped = true
	}
	f.result.Expectations = f.result.Expectations.Lower(f.lost, 0)
	for _, a := range f.plan.Actions[end:] { // actions not sent are not expected
		switch a := a.(type) {
		case CreatePod:
			f.result.Expectations = f.result.Expectations.Lower(1, 0)
		case DeletePod:
			f.result.Expectations = f.result.Expectations.DeletionObserved(a.Name)
		}
	}
}

// claims reports whether an action adopts or releases an object.
func claims(a Action) bool {
	switch a.(type) {
	case AdoptPod, ReleasePod, AdoptRevision, ReleaseRevision:
		return true
	}
	return false
}

// action processes one outcome.
func (f *finish) action(i int, a Action) {
	o := f.outcome(i)
	f.wrote(a, o)
	switch a := a.(type) {
	case AdoptPod:
		f.adopted(a, cmp.Or(a.Kind, "Pod"), a.Object, o)
	case AdoptRevision:
		f.adopted(a, "ControllerRevision", a.Object, o)
	case ReleasePod, ReleaseRevision:
		if err := o.Released(); err != nil {
			f.stop(a, err)
		}
	case CreatePod:
		f.created(i, a, o)
	case DeletePod:
		f.deleted(i, a, o)
	case DeleteRevision:
		f.revisionDeleted(a, o)
	default:
		if o.Answer != kplan.Done {
			f.stop(a, o.Failure())
		}
	}
}

// wrote records the version of a pod that was adopted or created.
func (f *finish) wrote(a Action, o *kplan.Outcome) {
	switch a.(type) {
	case AdoptPod, CreatePod:
		if o.Answer == kplan.Done && o.ResourceVersion != "" {
			f.result.Written = f.result.Written.WroteChild(f.s.DaemonSet.UID, o.ResourceVersion)
		}
	}
}

// stop ends the pass because an action failed.
func (f *finish) stop(a Action, err error) {
	f.fail(a, err)
	f.stopped = true
}

// revisionDeleted continues the pass if a revision beyond the limit could not be deleted. It
// may have been left out, after pods that could not be written.
func (f *finish) revisionDeleted(a DeleteRevision, o *kplan.Outcome) {
	history := a.Reason == reason.HistoryLimit
	switch {
	case o.Answer == "" && len(f.result.Errs) > 0 && history:
	case o.Answer == kplan.Done, o.Answer == kplan.NotFound:
	case history:
		f.fail(a, o.Failure())
	default:
		f.stop(a, o.Failure())
	}
}

// adopted processes the outcome of an adoption. It stops the pass unless the object is gone.
func (f *finish) adopted(a Action, kind string, object Object, o *kplan.Outcome) {
	err := o.Adopted()
	switch {
	case f.report.LiveCheck != nil:
		f.result.Errs = append(f.result.Errs, fmt.Errorf("can't adopt %s %s (%s): %w", kind, object.Name, object.UID, f.report.LiveCheck))
		f.stopped = true
	case err == kplan.ErrGone:
		f.gone = append(f.gone, fmt.Errorf("%s %s: %w", kind, object.Name, err))
	case err != nil:
		f.stop(a, err)
	}
}

func (f *finish) created(i int, a CreatePod, o *kplan.Outcome) {
	switch o.Answer {
	case kplan.Done:
		f.event(i, "Normal", "SuccessfulCreate", "Created "+word(a.Kind)+": "+o.Name)
	case kplan.NamespaceTerminating: // upstream still waits for an event of the pod
		if f.opts.Repair.Has(quirk.TerminatingNamespaceRaisesExpectations) {
			f.lost++
		}
	case "": // left out after another failure
		f.lost++
		if len(f.result.Errs) == 0 {
			f.result.Errs = append(f.result.Errs, kplan.ErrNotExecuted)
		}
	default:
		f.lost++
		f.result.Errs = append(f.result.Errs, o.Failure())
		f.event(i, "Warning", "FailedCreate", "Error creating: "+o.Failure().Error())
	}
}

func (f *finish) deleted(i int, a DeletePod, o *kplan.Outcome) {
	if o.Answer == kplan.Done {
		f.event(i, "Normal", "SuccessfulDelete", "Deleted "+word(a.Kind)+": "+a.Name)
		return
	}
	f.result.Expectations = f.result.Expectations.DeletionObserved(a.Name)
	if o.Answer == kplan.NotFound || o.Answer == kplan.Changed {
		return
	}
	f.result.Errs = append(f.result.Errs, fmt.Errorf("unable to delete pods: %w", o.Failure()))
	f.event(i, "Warning", "FailedDelete", "Error deleting: "+o.Failure().Error())
}

// recheck sets RecheckAt to the time of the plan, or to the expiry of the expectations if that
// is earlier.
func (f *finish) recheck() {
	f.result.RecheckAt = f.plan.RecheckAt
	if left := f.result.Expectations.Remaining(f.now); f.s.Unseen && left > 0 {
		f.result.RecheckAt = earlier(f.result.RecheckAt, f.now.Add(left))
	}
}

// again returns the snapshot after the actions that were carried out.
func (f *finish) again() *Snapshot {
	next := *f.s
	next.Written = f.result.Written
	if next.Read.Children != "" && next.Written.Children != "" { // the snapshot has the writes
		next.Read = next.Read.WroteChild(next.Read.OwnerUID, next.Written.Children)
	}
	next.Pods, next.Revisions = slices.Clone(f.s.Pods), slices.Clone(f.s.Revisions)
	for i, a := range f.plan.Actions {
		if o := f.outcome(i); o.Answer != "" {
			next.apply(a, o)
		}
	}
	next.Pods, next.Revisions = apply.NilIfEmpty(next.Pods), apply.NilIfEmpty(next.Revisions)
	return &next
}

// apply applies an action with its outcome to the snapshot. Actions on pods that come after claims
// have not been carried out.
func (s *Snapshot) apply(a Action, o *kplan.Outcome) {
	switch a := a.(type) {
	case AdoptPod:
		s.changePod(a.Object, o, func(p *Pod) {
			p.ControllerKind, p.ControllerName, p.ControllerUID = s.DaemonSet.kind(), s.DaemonSet.Name, s.DaemonSet.UID
		})
	case ReleasePod:
		s.changePod(a.Object, o, nil)
	case RelabelPod:
		s.changePod(a.Object, o, func(p *Pod) { p.Labels = labelled(p.Labels, a.To) })
	case AdoptRevision:
		s.changeRevision(a.Object, o, func(r *revision.ControllerRevision) {
			r.ControllerKind, r.ControllerName, r.ControllerUID = s.DaemonSet.kind(), s.DaemonSet.Name, s.DaemonSet.UID
		})
	case ReleaseRevision:
		s.changeRevision(a.Object, o, nil)
	case DeleteRevision:
		s.changeRevision(a.Object, o, nil)
	case UpdateRevision:
		s.changeRevision(a.Object, o, func(r *revision.ControllerRevision) {
			if r.Revision = a.To; a.Hash != "" {
				r.Labels = labelled(r.Labels, a.Hash)
			}
		})
	case CreateRevision:
		s.Revisions = append(s.Revisions, revision.ControllerRevision{
			Name: a.Name, UID: o.UID, ResourceVersion: o.ResourceVersion, Labels: a.Labels, Annotations: a.Annotations,
			Data: a.Data, Revision: a.Revision, ControllerKind: s.DaemonSet.kind(), ControllerName: s.DaemonSet.Name, ControllerUID: s.DaemonSet.UID,
		})
	}
}

// changePod changes the pod of a write. It removes a pod that is gone, and any pod if change
// is nil.
func (s *Snapshot) changePod(object Object, o *kplan.Outcome, change func(*Pod)) {
	i := slices.IndexFunc(s.Pods, func(p Pod) bool { return p.Name == object.Name && p.UID == object.UID })
	switch {
	case i < 0:
	case change == nil || o.Answer == kplan.NotFound:
		s.Pods = slices.Delete(s.Pods, i, i+1)
	default:
		change(&s.Pods[i])
		s.Pods[i].ResourceVersion = o.ResourceVersion // one that is not known is no precondition
	}
}

// changeRevision changes the revision of a write in the same way.
func (s *Snapshot) changeRevision(object Object, o *kplan.Outcome, change func(*revision.ControllerRevision)) {
	i := slices.IndexFunc(s.Revisions, func(r revision.ControllerRevision) bool { return r.Name == object.Name && r.UID == object.UID })
	switch {
	case i < 0:
	case change == nil || o.Answer == kplan.NotFound:
		s.Revisions = slices.Delete(s.Revisions, i, i+1)
	default:
		change(&s.Revisions[i])
		s.Revisions[i].ResourceVersion = o.ResourceVersion
	}
}

// labelled returns a copy of labels with a hash.
func labelled(labels map[string]string, hash string) map[string]string {
	all := make(map[string]string, len(labels)+1)
	for key, value := range labels {
		all[key] = value
	}
	all[LabelHash] = hash
	return all
}

// equal reports whether two statuses are equal.
func (s *Status) equal(t *Status) bool {
	a, b := *s, *t
	a.CollisionCount, b.CollisionCount = nil, nil
	return a == b && ptr.Equal(s.CollisionCount, t.CollisionCount)
}
