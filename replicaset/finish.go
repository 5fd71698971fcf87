// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/replicaset/reason"
	"github.com/kplan-go/kplan/selector/claim"
)

// failed reports whether a creation failed. A creation that was refused because the namespace
// is going away does not count as failed.
func failed(o *kplan.Outcome) bool {
	return o.Answer != kplan.Done && o.Answer != kplan.NamespaceTerminating
}

// A Report holds the outcomes of a plan.
type Report struct {
	LiveCheck error           // the error of claim.CheckLive: no pod was adopted; nil if it passed
	Claims    []kplan.Outcome // of each AdoptPod and ReleasePod, in the order of the plan
	Creates   []kplan.Outcome // of the calls that were made for CreatePods, in any order
	Deletes   []kplan.Outcome // of each DeletePod, in the order of the plan
	// Expectations are the expectations of [Plan.Expect], lowered by all events since then.
	// Hold one lock while you read them, call Finish and store Result.Expectations, or you
	// lose the events in between.
	Expectations expect.Expectations
}

// A Result is the result of a pass, see [Pass.Finish].
type Result struct {
	Expectations expect.Expectations // for the next snapshot
	// Written is also for the next snapshot: the highest version of the pods that were created
	// or adopted. After you have written the status, add its version with
	// [expect.Versions.WroteOwner].
	Written     expect.Versions
	Status      Status // write it if WriteStatus is set
	WriteStatus bool
	Events      []kplan.Event
	// Err is the first of Errs, the errors of the pass. If it is set, plan again after
	// [RetryDelay]. If it is nil, reset the number of failures.
	Err  error
	Errs []error
	// RecheckAt is RecheckAt of the plan, or zero if Err is set.
	RecheckAt time.Time
	// Again is set if a pod to adopt is gone and no other claim failed. Plan from this snapshot
	// at once, and make no further calls for this plan. In Again the other claims are done, and
	// the missing pods cannot be adopted; they still count as neighbours, as in upstream's
	// cache. Err wraps [kplan.ErrGone]: a caller that ignores Again retries later. Each Again
	// has fewer orphans than its snapshot, so a loop over Again ends.
	//
	// In the dialects of Kubernetes 1.5 Again is set after any failed adoption, unless a
	// release failed as well. Log Err, and continue the pass with Again.
	Again *Snapshot
}

// Expect returns the expectations to store before the plan is executed: the creations or
// deletions of the plan. If the plan has neither, Expect returns the argument before.
func (p Plan) Expect(before expect.Expectations, now time.Time) expect.Expectations {
	var names []string
	for _, a := range p.Actions {
		switch a := a.(type) {
		case CreatePods:
			return expect.Creations(int64(a.Count), now)
		case DeletePod:
			names = append(names, a.Name)
		}
	}
	if len(names) > 0 {
		return expect.Deletions(names, now)
	}
	return before
}

// Finish returns the result of executing the plan: the remaining expectations, the status to write,
// and the error. After a failed claim, an adoption or release, it ignores the outcomes of creations
// and deletions and writes no status, except as quirk.FailedClaimHidesStatus repairs.
//
// It mirrors syncReplicaSet, manageReplicas and claimPods of Kubernetes.
func (p Pass) Finish(r Report) Result {
	s, opts, now := p.snapshot, p.options, p.now.Round(0).UTC()
	f := finish{s: s, plan: p.Plan, report: r, opts: opts, now: now}
	f.result = Result{Expectations: r.Expectations, Written: s.Written, Status: p.Plan.Status.clone(), RecheckAt: p.Plan.RecheckAt}
	if unseen, stale := s.Written.Unseen(s.Read); stale {
		f.result.Status = s.ReplicaSet.Status.clone()
		f.errs = []error{unseen.Err("replicasets.apps", "pods")}
		f.setError()
		return f.result
	}
	if f.selectorUnusable() {
		f.result.Status = s.ReplicaSet.Status.clone()
		return f.result
	}
	f.recordWritten()
	tolerated := f.claimErrors()
	if len(tolerated) > 0 && (len(f.errs) == 0 || opts.Dialect.is15()) {
		if len(f.errs) == 0 {
			f.result.Again = f.afterClaims()
		}
		f.errs = append(f.errs, tolerated...)
	}
	f.setError()
	if f.result.Err != nil {
		if !p.Plan.Expect(s.Expectations, now).Equal(s.Expectations) { // nothing was requested, so nothing is expected
			f.result.Expectations = s.Expectations
		}
		f.setStatusAfterFailedClaim()
		return f.result
	}
	f.finishCreations()
	f.finishDeletions()
	f.setError()
	if f.result.Err != nil {
		f.result.Status.Conditions = withFailure(s.ReplicaSet, f.reason, f.result.Err, now, opts.Repair.Has(quirk.FailureConditionNotRefreshed))
	}
	f.result.WriteStatus = NeedsWrite(s.ReplicaSet, f.result.Status)
	return f.result
}

// A finish holds the input and the result of [Pass.Finish].
type finish struct {
	s      Snapshot
	plan   Plan
	report Report
	opts   Options
	now    time.Time
	errs   []error
	reason string // of the condition ReplicaFailure
	result Result
}

// selectorUnusable reports whether the plan is empty because the selector cannot be used. After
// such a plan the status is not written.
func (f *finish) selectorUnusable() bool {
	return slices.ContainsFunc(f.plan.Holds, func(h kplan.Hold) bool { return h.Reason == reason.BadSelector })
}

// recordWritten adds the versions of the pods that were adopted and created to the result.
func (f *finish) recordWritten() {
	record := func(o *kplan.Outcome) {
		if o.Answer == kplan.Done && o.ResourceVersion != "" {
			f.result.Written = f.result.Written.WroteChild(f.s.ReplicaSet.UID, o.ResourceVersion)
		}
	}
	i := 0
	for _, a := range f.plan.Actions {
		switch a.(type) {
		case AdoptPod:
			record(f.claimOutcome(i))
			i++
		case ReleasePod:
			i++
		case CreatePods:
			for k := range f.report.Creates {
				record(&f.report.Creates[k])
			}
		}
	}
}

// setError sets the errors of the result, if there are any. A pass that failed has no recheck.
func (f *finish) setError() {
	if len(f.errs) > 0 {
		f.result.Err, f.result.Errs, f.result.RecheckAt = f.errs[0], f.errs, time.Time{}
	}
}

// claimErrors adds the errors of claims that end the pass to f.errs. It returns the other errors:
// of adoptions of pods that are gone, and in Kubernetes 1.5 of all failed adoptions. It is no
// error if another client has already released a pod.
func (f *finish) claimErrors() (tolerated []error) {
	i := 0
	for _, a := range f.plan.Actions {
		switch a := a.(type) {
		case AdoptPod:
			err, gone := f.adoptionError(i, &a)
			i++
			switch {
			case err == nil:
			case gone || f.opts.Dialect.is15():
				tolerated = append(tolerated, err)
			default:
				f.errs = append(f.errs, err)
			}
		case ReleasePod:
			if err := f.claimOutcome(i).Released(); err != nil {
				f.errs = append(f.errs, err)
			}
			i++
		}
	}
	return tolerated
}

// adoptionError returns the error of an adoption, the i-th claim, and whether its pod is gone.
func (f *finish) adoptionError(i int, a *AdoptPod) (err error, gone bool) {
	err = f.claimOutcome(i).Adopted()
	switch {
	case f.report.LiveCheck != nil:
		return fmt.Errorf("can't adopt %s %s (%s): %w", cmp.Or(a.Kind, "Pod"), a.Name, a.UID, f.report.LiveCheck), false
	case err == kplan.ErrGone:
		return fmt.Errorf("%s %s: %w", kindText(a.Kind), a.Name, err), true
	}
	return err, false
}

// claimOutcome returns the outcome of the i-th adoption or release.
func (f *finish) claimOutcome(i int) *kplan.Outcome {
	if i < len(f.report.Claims) {
		return &f.report.Claims[i]
	}
	return &kplan.Outcome{}
}

// afterClaims returns the snapshot after the claims. A pod that is gone or released stays in the
// snapshot and may be a neighbour, because getIndirectlyRelatedPods of Kubernetes lists the cache.
func (f *finish) afterClaims() *Snapshot {
	next, i := f.s, 0
	next.Written = f.result.Written
	if next.Read.Children != "" && next.Written.Children != "" { // the snapshot has the claims
		next.Read = next.Read.WroteChild(next.Read.OwnerUID, next.Written.Children)
	}
	next.Pods = slices.Clone(f.s.Pods)
	setController := func(name, uid string, o *kplan.Outcome, lost bool, reference claim.OwnerReference) {
		at := slices.IndexFunc(next.Pods, func(p podorder.Pod) bool { return p.Name == name && p.UID == uid })
		if at < 0 {
			return
		}
		if lost { // with this invented controller no ReplicaSet claims the pod
			reference = claim.OwnerReference{Kind: "Gone", Name: name, UID: f.s.ReplicaSet.UID + " gone"}
		}
		p := &next.Pods[at]
		p.ControllerKind, p.ControllerName, p.ControllerUID = reference.Kind, reference.Name, reference.UID
		p.ResourceVersion = o.ResourceVersion // if empty, DeletePod has no such precondition
	}
	for _, a := range f.plan.Actions {
		switch a := a.(type) {
		case AdoptPod:
			err, _ := f.adoptionError(i, &a)
			setController(a.Name, a.UID, f.claimOutcome(i), err != nil, a.Reference)
			i++
		case ReleasePod:
			setController(a.Name, a.UID, f.claimOutcome(i), f.claimOutcome(i).Answer == kplan.NotFound, claim.OwnerReference{})
			i++
		}
	}
	return &next
}

// setStatusAfterFailedClaim sets the old status. With quirk.FailedClaimHidesStatus in
// Options.Repair it sets the counts of the pods without the pods to adopt, and keeps the old
// conditions, because no call to create or delete a pod was made.
func (f *finish) setStatusAfterFailedClaim() {
	if !f.opts.Repair.Has(quirk.FailedClaimHidesStatus) {
		f.result.Status = f.s.ReplicaSet.Status.clone()
		return
	}
	toAdopt := map[string]bool{}
	for _, a := range f.plan.Actions {
		if a, ok := a.(AdoptPod); ok {
			toAdopt[a.Name] = true
		}
	}
	present := f.s
	present.Pods = slices.DeleteFunc(slices.Clone(f.s.Pods), func(p podorder.Pod) bool {
		return p.ControllerUID == "" && toAdopt[p.Name]
	})
	if p, err := Reconcile(present, f.now, f.opts); err == nil {
		f.result.Status = p.Status
		f.result.Status.Conditions = cloneConditions(f.s.ReplicaSet.Status.Conditions)
		f.result.WriteStatus = NeedsWrite(f.s.ReplicaSet, f.result.Status)
	}
}

// finishCreations adds the errors and events of creations. It lowers the expectations by the
// creations that failed or were skipped and, with quirk.TerminatingNamespaceRaisesExpectations in
// Options.Repair, by those that a terminating namespace refused.
func (f *finish) finishCreations() {
	for k, a := range f.plan.Actions {
		c, ok := a.(CreatePods)
		if !ok {
			continue
		}
		f.reason = "FailedCreate"
		unmade := int64(c.Count) // creations by which to lower the expectations
		for i := range f.report.Creates {
			o := &f.report.Creates[i]
			switch {
			case failed(o):
				f.errs = append(f.errs, o.Failure())
				f.addEvent(k, "Warning", "FailedCreate", "Error creating: "+o.Failure().Error())
				continue
			case o.Answer == kplan.Done:
				f.addEvent(k, "Normal", "SuccessfulCreate", "Created "+kindText(c.Kind)+": "+o.Name)
			case f.opts.Repair.Has(quirk.TerminatingNamespaceRaisesExpectations):
				continue // the cache will never show the pod
			}
			unmade--
		}
		f.result.Expectations = f.result.Expectations.Lower(max(0, unmade), 0)
	}
}

// finishDeletions adds the errors and events of deletions, and lowers the expectations by the
// deletions that failed. It is no error if the pod has changed since it was read: the next plan
// sees the change and may choose another pod. Nor is it an error if the pod is gone, except in
// Kubernetes 1.5.
func (f *finish) finishDeletions() {
	i := 0
	for k, a := range f.plan.Actions {
		d, ok := a.(DeletePod)
		if !ok {
			continue
		}
		f.reason = "FailedDelete"
		var o kplan.Outcome
		if i < len(f.report.Deletes) {
			o = f.report.Deletes[i]
		}
		i++
		if o.Answer == kplan.Done {
			f.addEvent(k, "Normal", "SuccessfulDelete", "Deleted "+kindText(d.Kind)+": "+d.Name)
			continue
		}
		f.result.Expectations = f.result.Expectations.DeletionObserved(d.Name)
		if o.Answer == kplan.Changed || o.Answer == kplan.NotFound && !f.opts.Dialect.is15() {
			continue
		}
		f.errs = append(f.errs, fmt.Errorf("unable to delete pods: %w", o.Failure()))
		f.addEvent(k, "Warning", "FailedDelete", "Error deleting: "+o.Failure().Error())
	}
}

func (f *finish) addEvent(action int, eventType, reason, message string) {
	f.result.Events = append(f.result.Events, kplan.Event{Action: action, Type: eventType, Reason: reason, Message: message})
}

// RetryDelay returns how long to wait before the next pass of an object after this number of
// consecutive failures: 5 ms after the first, and twice as long after each further failure,
// up to 1000 s. It returns 0 for 0 failures or less. Kubernetes also limits the retries of a
// controller for all its objects to 10 per second, with bursts of 100. The controllers of
// ReplicaSets and DaemonSets retry without end; the controller of Deployments does not, see
// MaxRetries of package deploy.
//
// It mirrors DefaultControllerRateLimiter of package workqueue of client-go 0.36.3.
func RetryDelay(failures int) time.Duration {
	switch {
	case failures <= 0:
		return 0
	case failures > 18:
		return 1000 * time.Second
	}
	return 5 * time.Millisecond << (failures - 1)
}
