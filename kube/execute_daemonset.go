// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// DaemonSet makes the calls of a plan for ds and returns their outcomes for daemonset.Pass.Finish.
// Calls are made in order, except that consecutive creations are made in batches that double,
// and consecutive deletions all at once. Pass the revisions from which the plan was made: if
// the revision of a pod to create is missing, the outcome of that action says so. The
// expectations of the report are left to the caller, which raises them before and sees the events
// meanwhile.
//
// Adoptions wait for the check that ds still exists. Consecutive adoptions and releases of
// pods, or of revisions, are all tried; if one of them failed, or an object to be adopted is
// gone, the execution stops after them. It also stops at the first failed call for a revision.
// If pods could not be created, pods are still deleted, but old revisions stay. A pod that has
// changed since it was read is not deleted and, if the plan deletes it as well, not adopted;
// the same holds for revisions. The steps of an in-place update are not supported and fail.
func (e Executor) DaemonSet(ctx context.Context, ds *appsv1.DaemonSet, revisions []*appsv1.ControllerRevision, p daemonset.Plan) daemonset.Report {
	ds = convert.Or(ds)
	x := daemonPass{ds: ds, revisions: byName(ds.Namespace, revisions), deleted: map[string]string{}}
	x.pass = pass{Executor: e, owner: daemonOwner(ds), fresh: daemonSetNamed(ds), written: map[string]string{}}
	for _, a := range p.Actions {
		if a, ok := a.(daemonset.DeletePod); ok {
			x.deleted[a.Name] = a.ResourceVersion
		}
	}
	outcomes := make([]kplan.Outcome, len(p.Actions))
	for i, goes := 0, true; goes && i < len(outcomes); {
		calls := x.next(p.Actions[i:])
		goes = x.make(ctx, calls, outcomes[i:])
		i += len(calls)
	}
	return daemonset.Report{LiveCheck: x.live, Outcomes: outcomes, Collisions: x.collisions}
}

type daemonPass struct {
	pass
	ds         *appsv1.DaemonSet
	revisions  map[string]*appsv1.ControllerRevision // by name, as last read or written
	deleted    map[string]string                     // the versions of pods that the plan deletes, by name
	podsFailed bool
	collisions *int32
}

// next returns the calls of the first actions of a list that are made together.
func (x *daemonPass) next(list daemonset.Actions) (calls []call) {
	for _, a := range list {
		c := daemonSetCall(x.ds, x.revisions, a)
		if len(calls) > 0 && (c.step == inTurn || c.step != calls[0].step) {
			break
		}
		calls = append(calls, c)
	}
	return calls
}

// make makes calls of one step, and reports whether the rest of the plan may follow.
func (x *daemonPass) make(ctx context.Context, calls []call, outcomes []kplan.Outcome) bool {
	goes := true
	switch calls[0].step {
	case claims, claimsRevisions:
		for i, c := range calls {
			o, ok := x.claim(ctx, c)
			outcomes[i], goes = o, goes && ok
		}
	case createsPods:
		x.createPods(ctx, calls, outcomes)
	case deletesPods:
		made := all(len(calls), func(i int) kplan.Outcome { return x.do(ctx, calls[i]) })
		copy(outcomes, made)
		x.note(made, kplan.NotFound, kplan.Changed)
	default:
		if x.podsFailed {
			return false
		}
		outcomes[0] = x.act(ctx, calls[0])
		goes = outcomes[0].Answer == kplan.Done
	}
	return goes
}

// claim makes an adoption or a release. What the plan deletes or counts on is adopted only if it
// has not changed since it was read.
func (x *daemonPass) claim(ctx context.Context, c call) (kplan.Outcome, bool) {
	r, isRevision := c.Object.(*appsv1.ControllerRevision)
	if !isRevision {
		c.version = x.deleted[c.Object.GetName()]
		return x.pass.claim(ctx, c)
	}
	c.version = convert.Or(x.revisions[r.Name]).ResourceVersion
	o, ok := x.pass.claim(ctx, c)
	if c.adopts && o.Answer == kplan.Done {
		x.revisions[r.Name] = r
	}
	return o, ok
}

func (x *daemonPass) createPods(ctx context.Context, calls []call, outcomes []kplan.Outcome) {
	for batch := 0; len(calls) > 0; {
		batch = daemonset.SlowStart(batch, len(calls))
		made := all(batch, func(i int) kplan.Outcome { return x.do(ctx, calls[i]) })
		copy(outcomes, made)
		calls, outcomes = calls[batch:], outcomes[batch:]
		if x.note(made, kplan.NamespaceTerminating); x.podsFailed {
			return
		}
	}
}

// note remembers a failure to write pods.
func (x *daemonPass) note(made []kplan.Outcome, allowed ...kplan.ServerAnswer) {
	for _, o := range made {
		x.podsFailed = x.podsFailed || o.Answer != kplan.Done && !slices.Contains(allowed, o.Answer)
	}
}

// act writes a revision, or relabels a pod.
func (x *daemonPass) act(ctx context.Context, c call) kplan.Outcome {
	r, isRevision := c.Object.(*appsv1.ControllerRevision)
	if isRevision && c.Verb == VerbUpdate && metav1.GetControllerOf(r) == nil { // an earlier plan of this pass has adopted it
		r.OwnerReferences = append(r.OwnerReferences, *metav1.NewControllerRef(x.ds, appsv1.SchemeGroupVersion.WithKind(daemonset.Kind)))
	}
	o := x.send(ctx, c)
	switch {
	case !isRevision:
	case c.Verb == VerbCreate && o.Answer == kplan.AlreadyExists:
		return x.taken(ctx, r, o)
	case c.Verb == VerbUpdate:
		x.revisions[r.Name] = r
	case c.Verb == VerbDelete && o.Answer == kplan.NotFound:
		return kplan.Outcome{Answer: kplan.Done}
	}
	return o
}

// taken returns the outcome of the creation of a revision with a name that another has: it is done
// if that one, which the cache may not have yet, holds the template.
func (x *daemonPass) taken(ctx context.Context, r *appsv1.ControllerRevision, o kplan.Outcome) kplan.Outcome {
	existing := revisionNamed(x.ds, r.Name)
	if err := x.Client.Get(ctx, existing); err != nil {
		return Outcome(err)
	}
	taken := func(stored *int32) (*int32, error) {
		return revision.DaemonSetTaken(x.ds.Name, r.Data.Raw, ControllerRevision(existing), x.ds.Status.CollisionCount, stored, revision.Options{})
	}
	if count, err := taken(x.ds.Status.CollisionCount); err == nil && count == nil { // whatever the count is
		return kplan.Outcome{Answer: kplan.Done, Name: existing.Name, UID: string(existing.UID), ResourceVersion: existing.ResourceVersion}
	}
	stored := daemonSetNamed(x.ds)
	if err := x.Client.Get(ctx, stored); err != nil {
		return Outcome(err)
	}
	count, err := taken(stored.Status.CollisionCount)
	if err != nil {
		return Outcome(err)
	}
	x.collisions = count
	return o
}

// DaemonSetRequests returns the writes of an action of a plan for ds. Pass the revisions from
// which the plan was made. The writes have the same preconditions as with [DeploymentRequests].
// In-place updates and their preparation are an error here: see package kruise below.
//
// The error wraps [kplan.ErrInvalid] if a revision that the action names is missing, or holds
// no template.
func DaemonSetRequests(ds *appsv1.DaemonSet, revisions []*appsv1.ControllerRevision, a daemonset.Action) ([]Request, error) {
	ds = convert.Or(ds)
	return daemonSetCall(ds, byName(ds.Namespace, revisions), a).requests()
}

// daemonSetCall returns the call of an action. A new pod reads the revision that it is made of
// when it is made.
func daemonSetCall(ds *appsv1.DaemonSet, revisions map[string]*appsv1.ControllerRevision, a daemonset.Action) call {
	owner := daemonOwner(ds)
	switch a := a.(type) {
	case daemonset.CreatePod:
		return creatingPods(1, func() (*corev1.Pod, error) { return daemonPod(ds, revisions[a.Revision], a) })
	case daemonset.DeletePod:
		return deleting(podNamed(ds.Namespace, a.Name), a.UID, a.ResourceVersion).in(deletesPods)
	case daemonset.AdoptPod:
		return adopting(podNamed(ds.Namespace, a.Name), claim.AdoptChild{UID: a.UID, Reference: owner.Reference()}.Patch())
	case daemonset.ReleasePod:
		return releasing(podNamed(ds.Namespace, a.Name), claim.ReleaseChild{UID: a.UID, OwnerUID: owner.UID}.Patch())
	case daemonset.RelabelPod:
		labels := map[string]string{daemonset.LabelHash: a.To}
		return merging(podNamed(ds.Namespace, a.Name), patchMeta{UID: a.UID, Labels: labels}, nil)
	case daemonset.CreateRevision:
		return creating(NewDaemonSetRevision(ds, a))
	case daemonset.UpdateRevision:
		if r := revisions[a.Name]; r != nil {
			return updating(updatedRevision(r, a)).guard(a.ResourceVersion)
		}
		return failing(absent("revisions", a.Name, "writes it"))
	case daemonset.AdoptRevision:
		return adopting(revisionNamed(ds, a.Name), claim.AdoptChild{UID: a.UID, Reference: owner.Reference()}.Patch()).in(claimsRevisions)
	case daemonset.ReleaseRevision:
		return releasing(revisionNamed(ds, a.Name), claim.ReleaseChild{UID: a.UID, OwnerUID: owner.UID}.Patch()).in(claimsRevisions)
	case daemonset.DeleteRevision:
		return deleting(revisionNamed(ds, a.Name), a.UID, a.ResourceVersion)
	}
	return failing(fmt.Errorf("unknown action %T", a))
}

func daemonOwner(ds *appsv1.DaemonSet) claim.Owner {
	return Owner(ds, appsv1.SchemeGroupVersion.WithKind(daemonset.Kind), selector.Selector{})
}

func daemonSetNamed(ds *appsv1.DaemonSet) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: named(ds.Namespace, ds.Name)}
}

func revisionNamed(ds *appsv1.DaemonSet, name string) *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{ObjectMeta: named(ds.Namespace, name)}
}

// DaemonSetStatusRequest returns the write of a status of ds, as daemonset.Pass.Finish asks for
// it. It fails with a conflict if ds has changed since it was read.
func DaemonSetStatusRequest(ds *appsv1.DaemonSet, s daemonset.Status) Request {
	updated := convert.Or(ds).DeepCopy()
	conditions := updated.Status.Conditions
	updated.Status = DaemonSetStatus(s)
	updated.Status.Conditions = conditions
	return Request{Verb: VerbUpdate, Object: updated, Subresource: "status"}
}
