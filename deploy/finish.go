// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/replicaset"
)

// A Report holds the outcomes of a plan's actions.
type Report struct {
	// LiveCheck is the reason from claim.CheckLive why no ReplicaSet may be adopted. It is
	// nil if adoption is allowed, or the plan adopts none.
	LiveCheck error
	// Outcomes has one outcome for each action, in order; it is zero for an action that was
	// not carried out. Carry out all adoptions and releases. If one of them failed, or a
	// ReplicaSet to be adopted is gone, carry out no further action; and none after the
	// first other action that failed. AnnotateDeployment is not a separate call, since the
	// annotations are written with the status, and needs no outcome.
	Outcomes []kplan.Outcome
}

// A Result is the end of a pass: the status to write, and whether to try again.
type Result struct {
	// Status and Annotations are to be written over ResourceVersion, in one call to the
	// status subresource, if WriteStatus is set. Annotations are all annotations of the
	// Deployment. Without WriteStatus both are the stored ones.
	Status          Status
	Annotations     map[string]string
	ResourceVersion string // of the Deployment after the actions
	WriteStatus     bool
	Events          []kplan.Event        // to be recorded, in order
	Holds           []kplan.Hold[Reason] // added by a failure to the holds of the plan
	// Err is the failure of the pass: then call [Reconcile] again after
	// replicaset.RetryDelay, as upstream does [MaxRetries] times. If it is nil, forget the
	// failures so far. Errs are the errors that Err joins.
	Err  error
	Errs []error
	// RecheckAt is the RecheckAt of the plan, and zero if the pass failed.
	RecheckAt time.Time
	// Again is the snapshot for the next call of [Reconcile], at once, if ReplicaSets to be
	// adopted are gone: the snapshot without them, after the other claims. Then nothing
	// else of the plan may have been carried out, and Err wraps kplan.ErrGone, so that a
	// caller that does not plan at once retries later. Each such snapshot has fewer orphans
	// than the one before.
	Again *Snapshot
}

// Finish returns the end of a pass after the execution of p, a plan for s: the status and
// the annotations to write, the events to record and whether to try again.
//
// After a failure, it writes only as much as upstream has written at that point:
//
//   - After a claim that failed: nothing. If a ReplicaSet is gone before it can be adopted,
//     see [Result].Again.
//   - If a rolling update could not shrink an old ReplicaSet: the whole status of the plan.
//     Upstream forgets the failure; here it is an error, so that the pass is retried.
//   - After any other failure: the conditions and annotations that were set before it.
//   - If the name of the new ReplicaSet is taken: a ReplicaSet that the Deployment controls
//     and that has its template is the new one; the Deployment gets the revision, and the
//     next plan finds it. If the ReplicaSet is not in s, a newer snapshot is needed. In all
//     other cases the hashes collide: the collision count is raised, which changes the hash
//     and with it the name.
//   - If the name that s shows as taken is free now, the Deployment gets the revision, the
//     condition and the event of the creation. Upstream goes on in the same pass; here the
//     next pass does, which sees the ReplicaSet.
//   - If the namespace is being deleted, the pass ends without an error.
//   - If the new ReplicaSet could not be created for another reason, the condition
//     Progressing and an event report it.
//
// An event that belongs to no action is recorded if all actions before the last one were
// carried out.
//
// It mirrors syncDeployment, getNewReplicaSet and rolloutRolling of the deployment
// controller of Kubernetes.
func Finish(s Snapshot, p Plan, r Report, now time.Time, opts Options) Result {
	d := &s.Deployment
	f := finish{s: s, plan: p, report: r, now: now, opts: opts, storedAnnotations: d.Annotations}
	f.result = Result{Status: d.Status.clone(), Annotations: maps.Clone(d.Annotations), ResourceVersion: d.ResourceVersion}
	gone := f.claims()
	switch {
	case len(f.result.Errs) > 0:
	case len(gone) > 0:
		f.result.Errs, f.result.Again = gone, f.again()
	default:
		f.actions()
	}
	f.result.Err = errors.Join(f.result.Errs...)
	if f.result.Err != nil {
		f.result.RecheckAt = time.Time{}
	}
	return f.result
}

// MaxRetries is the number of times that upstream's controller retries a failed pass. If the
// last retry fails as well, it forgets the failures, and plans again after the next event of
// [Effects]. Informers repeat the events of all Deployments every 12 to 24 hours. With
// replicaset.RetryDelay the last of 15 retries begins 164 s after the first failure.
//
// It mirrors handleErr of the deployment controller of Kubernetes.
const MaxRetries = 15

type finish struct {
	s                 Snapshot
	plan              Plan
	report            Report
	now               time.Time
	opts              Options
	storedAnnotations map[string]string // of the Deployment, as the API server has them
	nextAnnotations   map[string]string // to be written with the status
	result            Result
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

// claims collects the errors of adoptions and releases. It returns the errors of
// ReplicaSets that were gone before they could be adopted.
func (f *finish) claims() (gone []error) {
	for i, a := range f.plan.Actions {
		switch a := a.(type) {
		case AdoptReplicaSet:
			err := f.outcome(i).Adopted()
			switch {
			case f.report.LiveCheck != nil:
				f.result.Errs = append(f.result.Errs, fmt.Errorf("can't adopt %s %s (%s): %w", cmp.Or(a.Kind, replicaset.Kind), a.Name, a.UID, f.report.LiveCheck))
			case err == kplan.ErrGone:
				gone = append(gone, fmt.Errorf("%s %s: %w", wordOfSet(a.Kind), a.Name, err))
			case err != nil:
				f.fail(a, err)
			}
		case ReleaseReplicaSet:
			if err := f.outcome(i).Released(); err != nil {
				f.fail(a, err)
			}
		}
	}
	return gone
}

// again returns the snapshot after the claims.
func (f *finish) again() *Snapshot {
	next := f.s
	next.ReplicaSets = slices.Clone(f.s.ReplicaSets)
	find := func(name, uid string) int {
		return slices.IndexFunc(next.ReplicaSets, func(rs replicaset.ReplicaSet) bool { return rs.Name == name && rs.UID == uid })
	}
	for i, a := range f.plan.Actions {
		switch a := a.(type) {
		case AdoptReplicaSet:
			k, o := find(a.Name, a.UID), f.outcome(i)
			if k >= 0 && o.Answer == kplan.NotFound {
				next.ReplicaSets = slices.Delete(next.ReplicaSets, k, k+1)
			} else if k >= 0 {
				rs := &next.ReplicaSets[k]
				rs.ControllerKind, rs.ControllerName, rs.ControllerUID = cmp.Or(f.s.Deployment.Kind, Kind), f.s.Deployment.Name, f.s.Deployment.UID
				rs.ResourceVersion = o.ResourceVersion // an unknown version is no precondition
			}
		case ReleaseReplicaSet:
			if k := find(a.Name, a.UID); k >= 0 {
				next.ReplicaSets = slices.Delete(next.ReplicaSets, k, k+1)
			}
		}
	}
	next.ReplicaSets = apply.Left(next.ReplicaSets)
	return &next
}

// actions finds the first action that failed, and fills in the result.
func (f *finish) actions() {
	failed := -1
	for i := range f.plan.Actions {
		if !f.done(i) {
			failed = i
			break
		}
		f.carriedOut(i)
	}
	f.events(failed)
	switch {
	case failed < 0 && f.plan.createsTaken():
		f.created()
	case failed < 0:
		f.result.Status, f.result.RecheckAt = f.plan.Status.clone(), f.plan.RecheckAt
	case f.shrinks(failed):
		for i := failed + 1; i < len(f.plan.Actions); i++ {
			if _, ok := f.plan.Actions[i].(AnnotateDeployment); ok {
				f.carriedOut(i)
			}
		}
		f.result.Status = f.plan.Status.clone()
		f.recount(failed)
		f.fail(f.plan.Actions[failed], f.outcome(failed).Failure())
	default:
		f.failed(failed)
	}
	f.result.Annotations = with(f.storedAnnotations, f.nextAnnotations)
	f.result.WriteStatus = !f.result.Status.equal(&f.s.Deployment.Status) || !maps.Equal(f.result.Annotations, f.storedAnnotations)
}

// done reports whether an action was carried out, or is not needed any more.
func (f *finish) done(i int) bool {
	switch o := f.outcome(i); f.plan.Actions[i].(type) {
	case AdoptReplicaSet, ReleaseReplicaSet, AnnotateDeployment:
		return true
	case DeleteReplicaSet:
		return o.Answer == kplan.Done || o.Answer == kplan.NotFound
	default:
		return o.Answer == kplan.Done
	}
}

// carriedOut applies an action that was carried out to the annotations and the version of
// the Deployment.
func (f *finish) carriedOut(i int) {
	switch a := f.plan.Actions[i].(type) {
	case AnnotateDeployment:
		f.nextAnnotations = with(f.nextAnnotations, a.Set)
		return
	case RollBackDeployment:
		f.storedAnnotations = a.Annotations
	case ClearRollback:
		f.storedAnnotations = maps.Clone(f.storedAnnotations)
		delete(f.storedAnnotations, a.Annotation())
	case PauseDeployment:
		f.storedAnnotations = with(f.storedAnnotations, a.Set)
	default:
		return
	}
	if v := f.outcome(i).ResourceVersion; v != "" {
		f.result.ResourceVersion = v
	}
}

// with returns a copy of m with the entries of set.
func with(m, set map[string]string) map[string]string {
	if len(m)+len(set) == 0 {
		return nil
	}
	all := make(map[string]string, len(m)+len(set))
	maps.Copy(all, m)
	maps.Copy(all, set)
	return all
}

// events keeps the events of actions that were carried out.
func (f *finish) events(failed int) {
	for _, e := range f.plan.Events {
		if failed < 0 || e.Action >= 0 && e.Action < failed || e.Action < 0 && failed == len(f.plan.Actions)-1 {
			f.result.Events = append(f.result.Events, e)
		}
	}
}

// shrinks reports whether an action shrinks an old ReplicaSet in a rolling update. If it
// fails, upstream still writes the status.
func (f *finish) shrinks(i int) bool {
	a, ok := f.plan.Actions[i].(ScaleReplicaSet)
	if !ok {
		return false
	}
	switch a.Reason {
	case ReasonRolloutDown, ReasonUnhealthy, ReasonPartitionRestore, ReasonTakenForOld:
		return true
	}
	return false
}
