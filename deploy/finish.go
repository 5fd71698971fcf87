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

// A Report is what became of a plan.
type Report struct {
	// LiveCheck is why no ReplicaSet may be adopted, from claim.CheckLive; nil if they
	// may, or none was to be.
	LiveCheck error
	// Outcomes are those of the actions, in order. Those that were not carried out have
	// none. Adoptions and releases are all tried. What follows them is left out if one of
	// them failed, or if what was to be adopted is gone, and so is what follows the first
	// other action that failed. AnnotateDeployment is no call of its own, since the
	// annotations go along with the status, and needs no outcome.
	Outcomes []kplan.Outcome
}

// A Result is how a pass ends.
type Result struct {
	// Status and Annotations are what to write over ResourceVersion, in one call to the
	// status subresource, if WriteStatus is set. Annotations are all annotations of the
	// Deployment; both are as they are if they are not to be written.
	Status          Status
	Annotations     map[string]string
	ResourceVersion string // of the Deployment after the actions
	WriteStatus     bool
	Events          []kplan.Event        // to be recorded, in order
	Holds           []kplan.Hold[Reason] // what a failure adds to those of the plan
	// Err is why the pass failed: then call [Reconcile] again after
	// replicaset.RetryDelay, as upstream does [MaxRetries] times. If it is nil, forget the
	// failures so far. Errs are all errors of the same kind.
	Err  error
	Errs []error
	// RecheckAt is that of the plan, and zero for a pass that failed.
	RecheckAt time.Time
	// Again is what to plan from at once if ReplicaSets that were to be adopted are gone:
	// the snapshot without them, and as the other claims have left it. Then nothing else
	// of the plan may have been carried out, and Err wraps kplan.ErrGone, so that a
	// caller who does not plan at once does it later. Each such snapshot has fewer
	// orphans than the one before.
	Again *Snapshot
}

// Finish returns what follows from the execution of p, a plan for s: the status
// and the annotations to write, the events to record and whether to try again.
//
// What is written after a failure is what upstream has written by then:
//
//   - After a claim that failed nothing is. Of a ReplicaSet that is gone before it can be
//     adopted, see [Result].Again.
//   - If a rolling update could not shrink an old ReplicaSet, the whole status of the plan
//     is. Upstream forgets the failure; here it is an error, so that somebody tries again.
//   - After any other failure, the conditions and annotations that were set before it are.
//   - If the name of the new ReplicaSet is taken: it may be the Deployment's with its
//     template, then the Deployment gets the revision, and the next plan finds the
//     ReplicaSet. If it is not in s, a newer snapshot is needed. If it is another one, the
//     hashes collide: the count of collisions is raised, which changes the hash and so the
//     name.
//   - If the name that s shows as taken is free by now, the Deployment gets the revision,
//     the condition and the event of the creation. What upstream goes on to do in the same
//     pass is left to the next one, which sees the ReplicaSet.
//   - If the namespace is being deleted, the pass ends without an error.
//   - If the new ReplicaSet could not be created for another reason, the condition
//     Progressing and an event say so.
//
// An event that is about no action is recorded if everything before the last action was
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

// MaxRetries is how often upstream's controller repeats a pass that fails: if the one that
// follows so many failures in a row fails as well, it forgets them, and plans again after the
// next event of [Effects]. Informers repeat the events of all Deployments every 12 to 24 hours.
// By replicaset.RetryDelay the last of 15 repetitions begins 164 s after the first failure.
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
	nextAnnotations   map[string]string // that are written with the status
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

// claims collects the errors of adoptions and releases, and those of ReplicaSets that are
// gone before they could be adopted.
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

// again returns the snapshot as the claims have left it.
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
				rs.ResourceVersion = o.ResourceVersion // one that is not known is no precondition
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

// actions finds out how far the plan was carried out, and what is left to write.
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

// done reports whether an action was carried out, or need not be any more.
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

// carriedOut changes the annotations and the version of the Deployment as an action that was
// carried out has.
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

// events keeps those that are about what was done.
func (f *finish) events(failed int) {
	for _, e := range f.plan.Events {
		if failed < 0 || e.Action >= 0 && e.Action < failed || e.Action < 0 && failed == len(f.plan.Actions)-1 {
			f.result.Events = append(f.result.Events, e)
		}
	}
}

// shrinks reports whether an action shrinks an old ReplicaSet in a rolling update.
// Upstream goes on to the status if that fails.
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
