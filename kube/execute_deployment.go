// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"maps"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
)

// Deployment makes the calls of a plan for d, one after the other, and returns their outcomes
// for deploy.Finish. Pass the ReplicaSets from which the plan was made: if one that the plan
// writes is missing, nothing is done, and the outcome of its action says so.
//
// Adoptions wait for the check that d still exists. Adoptions and releases are all tried; if
// one of them failed, or a ReplicaSet to be adopted is gone, the execution stops after them.
// Otherwise it stops at the first call that fails. A ReplicaSet is adopted only if it has not
// changed since it was read.
func (e Executor) Deployment(ctx context.Context, d *appsv1.Deployment, replicaSets []*appsv1.ReplicaSet, p deploy.Plan) deploy.Report {
	if d == nil {
		d = &appsv1.Deployment{}
	}
	x := deploymentExecutor{Executor: e, d: d, sets: make(map[string]*appsv1.ReplicaSet, len(replicaSets)), versions: map[string]string{}}
	for _, rs := range replicaSets {
		if rs != nil && rs.Namespace == d.Namespace {
			x.sets[rs.Name] = rs
		}
	}
	x.report.Outcomes = make([]kplan.Outcome, len(p.Actions))
	if !x.complete(p) || !x.claim(ctx, p) {
		return x.report
	}
	for i, a := range p.Actions {
		if o := &x.report.Outcomes[i]; o.Answer == "" {
			if *o = x.act(ctx, a); o.Answer != kplan.Done && !gone(a, o) {
				break
			}
		}
	}
	return x.report
}

// gone reports whether an object to be deleted no longer exists.
func gone(a deploy.Action, o *kplan.Outcome) bool {
	_, deletes := a.(deploy.DeleteReplicaSet)
	return deletes && o.Answer == kplan.NotFound
}

type deploymentExecutor struct {
	Executor
	d        *appsv1.Deployment            // as last read or written
	sets     map[string]*appsv1.ReplicaSet // by name, as read
	versions map[string]string             // of ReplicaSets that this plan has written
	report   deploy.Report
}

// target returns the name of the ReplicaSet that an action needs.
func target(a deploy.Action) string {
	switch a := a.(type) {
	case deploy.AdoptReplicaSet:
		return a.Name
	case deploy.ReleaseReplicaSet:
		return a.Name
	case deploy.AnnotateReplicaSet:
		return a.Name
	case deploy.ScaleReplicaSet:
		return a.Name
	case deploy.DeleteReplicaSet:
		return a.Name
	case deploy.RollBackDeployment:
		return a.Name
	}
	return ""
}

// complete checks that all ReplicaSets of a plan are known.
func (x *deploymentExecutor) complete(p deploy.Plan) bool {
	created := ""
	for i, a := range p.Actions {
		if a, ok := a.(deploy.CreateReplicaSet); ok {
			created = a.Name
		}
		if name := target(a); name != "" && name != created && x.sets[name] == nil {
			x.report.Outcomes[i] = Outcome(absent("replicaSets", name, "writes it"))
			return false
		}
	}
	return true
}

// claim makes all adoptions and releases, and reports whether the rest of the plan may
// follow.
func (x *deploymentExecutor) claim(ctx context.Context, p deploy.Plan) bool {
	ok, checked := true, false
	for i, a := range p.Actions {
		o := &x.report.Outcomes[i]
		switch a := a.(type) {
		case deploy.AdoptReplicaSet:
			if !checked {
				x.report.LiveCheck, checked = live(ctx, x.Client, x.d, &appsv1.Deployment{}, deploy.Kind), true
			}
			if x.report.LiveCheck == nil {
				*o = x.adopt(ctx, a)
			}
			ok = ok && o.Adopted() == nil
		case deploy.ReleaseReplicaSet:
			*o = x.send(ctx, a)
			ok = ok && o.Released() == nil
		}
	}
	return ok
}

// adopt adopts a ReplicaSet if it has not changed since it was read: the plan counts its
// pods. Later writes of the plan have the version after the adoption as precondition.
func (x *deploymentExecutor) adopt(ctx context.Context, a deploy.AdoptReplicaSet) kplan.Outcome {
	patch, err := versioned(adoptSetPatch(x.d, a), nil, x.sets[a.Name].ResourceVersion)
	return x.write(ctx, a.Name, patch, err)
}

func (x *deploymentExecutor) act(ctx context.Context, a deploy.Action) kplan.Outcome {
	switch a := a.(type) {
	case deploy.CreateReplicaSet:
		o := x.create(ctx, NewReplicaSet(x.d, a))
		x.versions[a.Name] = o.ResourceVersion
		return o
	case deploy.AnnotateReplicaSet:
		a.ResourceVersion = x.version(a.Name, a.ResourceVersion)
		return x.send(ctx, a)
	case deploy.ScaleReplicaSet:
		a.ResourceVersion = x.version(a.Name, a.ResourceVersion)
		return x.send(ctx, a)
	case deploy.DeleteReplicaSet:
		a.ResourceVersion = x.version(a.Name, a.ResourceVersion)
		return x.send(ctx, a)
	case deploy.AnnotateDeployment: // with the status
		return kplan.Outcome{Answer: kplan.Done}
	case deploy.PauseDeployment:
		if x.d.ResourceVersion != "" {
			a.ResourceVersion = x.d.ResourceVersion
		}
		return x.send(ctx, a)
	}
	return x.send(ctx, a)
}

// send makes the write of an action, and keeps the object that the API server returned.
func (x *deploymentExecutor) send(ctx context.Context, a deploy.Action) kplan.Outcome {
	list, err := DeploymentRequests(x.d, []*appsv1.ReplicaSet{x.sets[target(a)]}, a)
	if err != nil {
		return Outcome(err)
	}
	r := list[0]
	o := x.do(ctx, r)
	if o.Answer != kplan.Done || r.Verb == VerbDelete {
		return o
	}
	switch written := r.Object.(type) {
	case *appsv1.Deployment:
		x.d = written
	case *appsv1.ReplicaSet:
		x.versions[written.Name] = o.ResourceVersion
	}
	return o
}

// version returns the version that a ReplicaSet must have: after a write of this plan,
// otherwise the one from which the plan was made.
func (x *deploymentExecutor) version(name, planned string) string {
	if version, written := x.versions[name]; written {
		return version
	}
	if planned == "" && x.sets[name] != nil {
		return x.sets[name].ResourceVersion
	}
	return planned
}

// write patches a ReplicaSet.
func (x *deploymentExecutor) write(ctx context.Context, name string, p Patch, err error) kplan.Outcome {
	o := x.patch(ctx, setNamed(x.d, name), p, err)
	if o.Answer == kplan.Done {
		x.versions[name] = o.ResourceVersion
	}
	return o
}

// versioned adds a resource version to a patch, so that the API server rejects it with a
// conflict if the object has changed since it was read.
func versioned(p Patch, err error, resourceVersion string) (Patch, error) {
	if err != nil || resourceVersion == "" {
		return p, err
	}
	object, metadata := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := json.Unmarshal(p.Data, &object); err != nil {
		return Patch{}, err
	}
	if object["metadata"] != nil {
		if err := json.Unmarshal(object["metadata"], &metadata); err != nil {
			return Patch{}, err
		}
	}
	// Strings, and values decoded from JSON, can always be encoded.
	metadata["resourceVersion"], _ = json.Marshal(resourceVersion)
	object["metadata"], _ = json.Marshal(metadata)
	p.Data, _ = json.Marshal(object)
	return p, nil
}

// DeploymentStatusRequest returns the write of the status and the annotations of d, as
// deploy.Finish asks for it. It fails with a conflict if d has changed since it was read,
// other than by the plan.
func DeploymentStatusRequest(d *appsv1.Deployment, r deploy.Result) Request {
	if d == nil {
		d = &appsv1.Deployment{}
	}
	updated := d.DeepCopy()
	updated.Status = DeploymentStatus(r.Status)
	updated.Annotations = maps.Clone(r.Annotations)
	updated.ResourceVersion = r.ResourceVersion
	return Request{Verb: VerbUpdate, Object: updated, Subresource: "status"}
}
