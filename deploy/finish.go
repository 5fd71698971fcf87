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
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/replicaset"
)

// A Report holds the outcomes of a plan's actions.
type Report struct {
	// LiveCheck is the reason from claim.CheckLive why no ReplicaSet may be adopted. It is
	// nil if adoption is allowed, or the plan adopts none.
	LiveCheck error
	// Outcomes has the outcome of each action, in order. Try all adoptions and releases, even
	// if some of them fail. If one failed, or a ReplicaSet to be adopted is gone, carry out no
	// other action; otherwise stop at the first action that fails. The outcome is zero for
	// actions that were not carried out, and for AnnotateDeployment, which is not a call of its
	// own: the annotations are written with the status. Outcomes missing at the end are zero.
	Outcomes []kplan.Outcome
	// Existing is the ReplicaSet that has the name of the new one, after the creation was answered
	// AlreadyExists. nil means the ReplicaSet with this name in the snapshot. If the snapshot has
	// none either, the pass only fails.
	Existing *replicaset.ReplicaSet
}

// A Result is the end of a pass: the status to write, and whether to try again.
type Result struct {
	// If WriteStatus is set, write Status and Annotations in one call to the status
	// subresource, as an update of the Deployment with this ResourceVersion. Annotations are
	// all annotations of the Deployment. Without WriteStatus both are the stored ones.
	Status          Status
	Annotations     map[string]string
	ResourceVersion string // of the Deployment after the actions
	WriteStatus     bool
	Events          []kplan.Event // to be recorded, in order
	Holds           []kplan.Hold  // added by a failure to the holds of the plan
	// Err is the failure of the pass: then call [Reconcile] again after
	// replicaset.RetryDelay, as upstream does [MaxRetries] times. If it is nil, count the
	// failures for RetryDelay from 0 again. Errs are the errors that Err joins.
	Err  error
	Errs []error
	// RecheckAt is when to call Reconcile again even if nothing changes: the RecheckAt of the
	// plan, also if an old ReplicaSet could not be scaled in a rolling update; after a creation
	// that the plan did not expect to succeed, the deadline of the new ReplicaSet. It is zero
	// after any other failure, and if the namespace is being deleted: then the RecheckAt of an
	// earlier pass is still due.
	RecheckAt time.Time
	// Again is set if ReplicaSets to be adopted are gone, so that nothing but claims has been
	// carried out: the snapshot after the claims, without them. Released ReplicaSets are in it
	// without a controller, because their names are still taken. Call [Reconcile] with it at
	// once. Each such snapshot has fewer ReplicaSets than the one before. A caller that does
	// not plan at once retries later, since Err wraps kplan.ErrGone.
	Again *Snapshot
}

// Finish returns the end of a pass after the execution of the plan: the status and the annotations to
// write, the events to record and whether to try again.
//
// After a failure, the status to write is the one that upstream has written by then:
//
//   - After a claim that failed: none. If a ReplicaSet is gone before it can be adopted,
//     see [Result].Again.
//   - If a rolling update could not scale an old ReplicaSet: the whole status of the plan. With
//     [quirk.UnavailableReplicasLag] in Options.Repair its UnavailableReplicas counts the sizes that
//     were reached. Upstream ignores the failure; here it is an error, so that the pass is
//     retried.
//   - After any other failure: the conditions and annotations that were set before it.
//   - If the name of the new ReplicaSet is taken: a ReplicaSet that the Deployment controls
//     and that has its template is the new one; the Deployment gets the revision, and the
//     next plan finds it. If the ReplicaSet is not in the snapshot, a newer one is needed. In all
//     other cases the hashes collide: the collision count is raised, which changes the hash
//     and with it the name.
//   - If the name that the snapshot shows as taken is free now, the Deployment gets the revision, the
//     condition and the event of the creation. Upstream goes on in the same pass; here the
//     next pass does, which sees the ReplicaSet.
//   - If the namespace is being deleted, the pass ends without an error.
//   - If the new ReplicaSet could not be created for another reason, the condition
//     Progressing and an event report it.
//
// An event that belongs to no action is recorded if no action failed, or only the last one.
//
// It mirrors syncDeployment, getNewReplicaSet and rolloutRolling of the deployment
// controller of Kubernetes.
func (p Pass) Finish(r Report) Result {
	d := &p.snapshot.Deployment
	f := finish{s: p.snapshot, plan: p.Plan, report: r, now: p.now, opts: p.options, storedAnnotations: d.Annotations}
	f.result = Result{Status: d.Status.clone(), Annotations: maps.Clone(d.Annotations), ResourceVersion: d.ResourceVersion}
	gone := f.checkClaims()
	switch {
	case len(f.result.Errs) > 0:
	case len(gone) > 0:
		f.result.Errs, f.result.Again = gone, f.snapshotAfterClaims()
	default:
		f.s.Pods = nil // the end of a pass does not read them
		f.checkActions()
	}
	f.result.Err = errors.Join(f.result.Errs...)
	return f.result
}

// MaxRetries is the number of times that upstream's controller retries a failed pass. If the
// last retry fails as well, it plans again only after the next event of [Effects]. Informers repeat
// the events of all Deployments every 12 to 24 hours. With replicaset.RetryDelay the last of 15
// retries begins 164 s after the first failure.
//
// It mirrors handleErr of the deployment controller of Kubernetes.
const MaxRetries = 15

// A finish makes the result of a pass.
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

// outcome returns the outcome of an action, a zero one if the report has none.
func (f *finish) outcome(i int) *kplan.Outcome {
	if i < len(f.report.Outcomes) {
		return &f.report.Outcomes[i]
	}
	return &kplan.Outcome{}
}

func (f *finish) addError(a Action, err error) {
	f.result.Errs = append(f.result.Errs, fmt.Errorf("%s: %w", a, err))
}

// checkClaims adds the errors of adoptions and releases. It returns apart the errors of ReplicaSets
// that were gone before they could be adopted.
func (f *finish) checkClaims() (gone []error) {
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
				f.addError(a, err)
			}
		case ReleaseReplicaSet:
			if err := f.outcome(i).Released(); err != nil {
				f.addError(a, err)
			}
		}
	}
	return gone
}

// snapshotAfterClaims returns the snapshot after all adoptions and releases, without the
// ReplicaSets that were gone.
func (f *finish) snapshotAfterClaims() *Snapshot {
	next := f.s
	next.ReplicaSets = slices.Clone(f.s.ReplicaSets)
	give := func(i int, name, uid, kind, controller, controllerUID string) {
		k, o := slices.IndexFunc(next.ReplicaSets, func(rs replicaset.ReplicaSet) bool { return rs.Name == name && rs.UID == uid }), f.outcome(i)
		if k >= 0 && o.Answer == kplan.NotFound {
			next.ReplicaSets = slices.Delete(next.ReplicaSets, k, k+1)
		} else if k >= 0 {
			rs := &next.ReplicaSets[k]
			rs.ControllerKind, rs.ControllerName, rs.ControllerUID = kind, controller, controllerUID
			rs.ResourceVersion = o.ResourceVersion // if it is unknown, actions get no version as a precondition
		}
	}
	for i, a := range f.plan.Actions {
		switch a := a.(type) {
		case AdoptReplicaSet:
			give(i, a.Name, a.UID, cmp.Or(f.s.Deployment.Kind, Kind), f.s.Deployment.Name, f.s.Deployment.UID)
		case ReleaseReplicaSet:
			give(i, a.Name, a.UID, "", "", "")
		}
	}
	next.ReplicaSets = apply.NilIfEmpty(next.ReplicaSets) // nil if none is left
	return &next
}

// checkActions finds the first action that failed, and completes the result.
func (f *finish) checkActions() {
	failed := -1
	for i := range f.plan.Actions {
		if !f.succeeded(i) {
			failed = i
			break
		}
		f.recordAnnotations(i)
	}
	f.keepEvents(failed)
	switch {
	case failed < 0 && f.plan.createsTaken():
		f.endWithCreation()
	case failed < 0:
		f.result.Status, f.result.RecheckAt = f.plan.Status.clone(), f.plan.RecheckAt
	case f.scalesOld(failed):
		for i := failed + 1; i < len(f.plan.Actions); i++ {
			if _, ok := f.plan.Actions[i].(AnnotateDeployment); ok {
				f.recordAnnotations(i)
			}
		}
		f.result.Status, f.result.RecheckAt = f.plan.Status.clone(), f.plan.RecheckAt
		f.recount(failed)
		f.addError(f.plan.Actions[failed], f.outcome(failed).Failure())
	default:
		f.endWithFailure(failed)
	}
	f.result.Annotations = with(f.storedAnnotations, f.nextAnnotations)
	f.result.WriteStatus = !f.result.Status.equal(&f.s.Deployment.Status) || !maps.Equal(f.result.Annotations, f.storedAnnotations)
}

// succeeded reports whether an action has not failed: it was carried out, the ReplicaSet that it
// deletes is gone already, checkClaims has checked it, or it is written with the status.
func (f *finish) succeeded(i int) bool {
	switch o := f.outcome(i); f.plan.Actions[i].(type) {
	case AdoptReplicaSet, ReleaseReplicaSet, AnnotateDeployment:
		return true
	case DeleteReplicaSet:
		return o.Answer == kplan.Done || o.Answer == kplan.NotFound
	default:
		return o.Answer == kplan.Done
	}
}

// recordAnnotations records the annotations and the resource version that the Deployment has after
// an action.
func (f *finish) recordAnnotations(i int) {
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

// keepEvents records the events of the actions before the failed one, or all if failed is -1.
// Events without an action are kept unless an action before the last one failed.
func (f *finish) keepEvents(failed int) {
	for _, e := range f.plan.Events {
		if failed < 0 || e.Action >= 0 && e.Action < failed || e.Action < 0 && failed == len(f.plan.Actions)-1 {
			f.result.Events = append(f.result.Events, e)
		}
	}
}

// scalesOld reports whether an action scales an old ReplicaSet in a rolling update: it removes
// pods, or adds the pods that a partition leaves to old ones (PartitionRestore). With TakenForOld it
// scales the new one, which upstream takes for old. If it fails, upstream still writes the status.
func (f *finish) scalesOld(i int) bool {
	a, ok := f.plan.Actions[i].(ScaleReplicaSet)
	if !ok {
		return false
	}
	switch a.Reason {
	case reason.RolloutDown, reason.Unhealthy, reason.PartitionRestore, reason.TakenForOld:
		return true
	}
	return false
}
