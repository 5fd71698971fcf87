// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/revision"
)

// DaemonSet makes the calls of a plan for ds and returns their outcomes for daemonset.Finish.
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
	x := daemonExecutor{
		Executor: e, ds: orEmpty(ds), plan: p, revisions: map[string]*appsv1.ControllerRevision{}, versions: map[string]string{}, written: map[string]string{},
	}
	for _, r := range revisions {
		if r != nil && r.Namespace == x.ds.Namespace {
			x.revisions[r.Name] = r
		}
	}
	x.report.Outcomes = make([]kplan.Outcome, len(p.Actions))
	for i, goes := 0, true; goes && i < len(p.Actions); {
		n := 1
		switch {
		case claimsDaemon(p.Actions[i]):
			n = run(p.Actions[i:], func(a daemonset.Action) bool {
				return claimsDaemon(a) && aboutRevision(a) == aboutRevision(p.Actions[i])
			})
			goes = x.claim(ctx, i, i+n)
		case isA[daemonset.CreatePod](p.Actions[i]):
			n = run(p.Actions[i:], isA[daemonset.CreatePod])
			x.createPods(ctx, i, i+n)
		case isA[daemonset.DeletePod](p.Actions[i]):
			n = run(p.Actions[i:], isA[daemonset.DeletePod])
			x.deletePods(ctx, i, i+n)
		case x.podsFailed:
			return x.report
		default:
			x.report.Outcomes[i] = x.act(ctx, p.Actions[i])
			goes = x.report.Outcomes[i].Answer == kplan.Done
		}
		i += n
	}
	return x.report
}

// DaemonSetStatusRequest returns the write of a status of ds, as daemonset.Finish asks for
// it. It fails with a conflict if ds has changed since it was read.
func DaemonSetStatusRequest(ds *appsv1.DaemonSet, s daemonset.Status) Request {
	updated := orEmpty(ds).DeepCopy()
	conditions := updated.Status.Conditions
	updated.Status = DaemonSetStatus(s)
	updated.Status.Conditions = conditions
	return Request{Verb: VerbUpdate, Object: updated, Subresource: "status"}
}

func isA[T daemonset.Action](a daemonset.Action) bool {
	_, ok := a.(T)
	return ok
}

func claimsDaemon(a daemonset.Action) bool {
	switch a.(type) {
	case daemonset.AdoptPod, daemonset.ReleasePod, daemonset.AdoptRevision, daemonset.ReleaseRevision:
		return true
	}
	return false
}

// aboutRevision reports whether an adoption or release is for a revision. Pods are not
// claimed after a revision could not be claimed.
func aboutRevision(a daemonset.Action) bool {
	return isA[daemonset.AdoptRevision](a) || isA[daemonset.ReleaseRevision](a)
}

// run returns the length of the prefix of a list with actions of one kind.
func run(list daemonset.Actions, is func(daemonset.Action) bool) int {
	if n := slices.IndexFunc(list, func(a daemonset.Action) bool { return !is(a) }); n >= 0 {
		return n
	}
	return len(list)
}

type daemonExecutor struct {
	Executor
	ds         *appsv1.DaemonSet
	plan       daemonset.Plan
	revisions  map[string]*appsv1.ControllerRevision // by name, as last read or written
	versions   map[string]string                     // that adoptions of pods have left, by name
	written    map[string]string                     // that this plan has left of revisions
	checked    bool                                  // the live check has been made
	podsFailed bool
	report     daemonset.Report
}

// claim makes a run of adoptions and releases, and reports whether the rest of the plan
// may follow.
func (x *daemonExecutor) claim(ctx context.Context, from, to int) bool {
	ok := true
	for i := from; i < to; i++ {
		o := &x.report.Outcomes[i]
		switch a := x.plan.Actions[i].(type) {
		case daemonset.AdoptPod:
			if x.isLive(ctx) {
				patch, err := versioned(adoptPatch(x.ds, "Pod", a.Object), x.deleted(a.Object))
				*o = x.patch(ctx, podNamed(x.ds.Namespace, a.Name), patch, err)
				x.versions[a.Name] = o.ResourceVersion
			}
			ok = ok && o.Adopted() == nil
		case daemonset.ReleasePod:
			*o = x.patch(ctx, podNamed(x.ds.Namespace, a.Name), releasePatch(x.ds, "Pod", a.Object), nil)
			ok = ok && o.Released() == nil
		case daemonset.AdoptRevision:
			if x.isLive(ctx) {
				r := x.revision(a.Name)
				patch, err := versioned(adoptPatch(x.ds, "ControllerRevision", a.Object), x.read(a.Name))
				if *o = x.patch(ctx, r, patch, err); o.Answer == kplan.Done {
					x.revisions[a.Name], x.written[a.Name] = r, o.ResourceVersion
				}
			}
			ok = ok && o.Adopted() == nil
		case daemonset.ReleaseRevision:
			*o = x.patch(ctx, x.revision(a.Name), releasePatch(x.ds, "ControllerRevision", a.Object), nil)
			ok = ok && o.Released() == nil
		}
	}
	return ok
}

// deleted returns the version of a pod that the plan deletes, "" for other pods.
func (x *daemonExecutor) deleted(pod daemonset.Object) string {
	for _, a := range x.plan.Actions {
		if a, ok := a.(daemonset.DeletePod); ok && a.Name == pod.Name {
			return a.ResourceVersion
		}
	}
	return ""
}

// read returns the version at which a revision was read, "" if it is not known.
func (x *daemonExecutor) read(name string) string {
	if r := x.revisions[name]; r != nil {
		return r.ResourceVersion
	}
	return ""
}

// isLive checks once that the DaemonSet still exists.
func (x *daemonExecutor) isLive(ctx context.Context) bool {
	if !x.checked {
		x.report.LiveCheck, x.checked = live(ctx, x.Client, x.ds, &appsv1.DaemonSet{}, daemonset.Kind), true
	}
	return x.report.LiveCheck == nil
}

func (x *daemonExecutor) createPods(ctx context.Context, from, to int) {
	for batch := 0; from < to; {
		batch = daemonset.SlowStart(batch, to-from)
		made := all(batch, func(i int) kplan.Outcome {
			return x.newPod(ctx, x.plan.Actions[from+i].(daemonset.CreatePod))
		})
		copy(x.report.Outcomes[from:], made)
		from += batch
		if x.note(made, kplan.NamespaceTerminating); x.podsFailed {
			return
		}
	}
}

// newPod creates the pod of an action, from the revision that it names.
func (x *daemonExecutor) newPod(ctx context.Context, a daemonset.CreatePod) kplan.Outcome {
	pod, err := daemonPod(x.ds, x.revisions[a.Revision], a)
	if err != nil {
		return Outcome(err)
	}
	return x.createPod(ctx, pod)
}

func (x *daemonExecutor) deletePods(ctx context.Context, from, to int) {
	made := all(to-from, func(i int) kplan.Outcome {
		a := x.plan.Actions[from+i].(daemonset.DeletePod)
		if version, adopted := x.versions[a.Name]; adopted {
			a.ResourceVersion = version
		}
		return x.deletePod(ctx, x.ds.Namespace, a.Name, convert.DeleteOptions(a.UID, a.ResourceVersion))
	})
	copy(x.report.Outcomes[from:], made)
	x.note(made, kplan.NotFound, kplan.Changed)
}

// note remembers a failure to write pods.
func (x *daemonExecutor) note(made []kplan.Outcome, allowed ...kplan.ServerAnswer) {
	for _, o := range made {
		x.podsFailed = x.podsFailed || o.Answer != kplan.Done && !slices.Contains(allowed, o.Answer)
	}
}

// act makes the call of an action on a revision, or relabels a pod.
func (x *daemonExecutor) act(ctx context.Context, a daemonset.Action) kplan.Outcome {
	switch a := a.(type) {
	case daemonset.RelabelPod:
		o := x.patch(ctx, podNamed(x.ds.Namespace, a.Name), relabelPatch(a), nil)
		x.versions[a.Name] = o.ResourceVersion
		return o
	case daemonset.CreateRevision:
		return x.createRevision(ctx, a)
	case daemonset.UpdateRevision:
		return x.updateRevision(ctx, a)
	case daemonset.DeleteRevision:
		if version, written := x.written[a.Name]; written {
			a.ResourceVersion = version
		}
		o := x.do(ctx, Request{Verb: VerbDelete, Object: x.revision(a.Name), Options: convert.DeleteOptions(a.UID, a.ResourceVersion)})
		if o.Answer == kplan.NotFound {
			return kplan.Outcome{Answer: kplan.Done}
		}
		return o
	}
	return Outcome(fmt.Errorf("unknown action %T", a))
}

func (x *daemonExecutor) updateRevision(ctx context.Context, a daemonset.UpdateRevision) kplan.Outcome {
	if x.revisions[a.Name] == nil {
		return Outcome(absent("revisions", a.Name, "writes it"))
	}
	r := updatedRevision(x.revisions[a.Name], a)
	if metav1.GetControllerOf(r) == nil { // an earlier plan of this pass has adopted it
		r.OwnerReferences = append(r.OwnerReferences, *metav1.NewControllerRef(x.ds, appsv1.SchemeGroupVersion.WithKind(daemonset.Kind)))
	}
	if _, written := x.written[a.Name]; !written && a.ResourceVersion != "" {
		r.ResourceVersion = a.ResourceVersion
	}
	o := x.do(ctx, Request{Verb: VerbUpdate, Object: r})
	x.revisions[a.Name], x.written[a.Name] = r, o.ResourceVersion
	return o
}

// createRevision stores the template, unless a revision of that name, which the cache
// may not have yet, holds it already.
func (x *daemonExecutor) createRevision(ctx context.Context, a daemonset.CreateRevision) kplan.Outcome {
	o := x.create(ctx, NewDaemonSetRevision(x.ds, a))
	if o.Answer != kplan.AlreadyExists {
		return o
	}
	existing := x.revision(a.Name)
	if err := x.Client.Get(ctx, existing); err != nil {
		return Outcome(err)
	}
	taken := func(stored *int32) (*int32, error) {
		return revision.DaemonSetTaken(x.ds.Name, a.Data, ControllerRevision(existing), x.ds.Status.CollisionCount, stored, revision.Options{})
	}
	if count, err := taken(x.ds.Status.CollisionCount); err == nil && count == nil { // whatever the count is
		return kplan.Outcome{Answer: kplan.Done, Name: existing.Name, UID: string(existing.UID), ResourceVersion: existing.ResourceVersion}
	}
	stored := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: x.ds.Namespace, Name: x.ds.Name}}
	if err := x.Client.Get(ctx, stored); err != nil {
		return Outcome(err)
	}
	count, err := taken(stored.Status.CollisionCount)
	if err != nil {
		return Outcome(err)
	}
	x.report.Collisions = count
	return o
}

func (x *daemonExecutor) revision(name string) *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: x.ds.Namespace, Name: name}}
}
