// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// Deployment makes the calls of a plan for d, one after the other, and returns their outcomes
// for deploy.Pass.Finish. Pass the ReplicaSets from which the plan was made: if one that the plan
// writes is missing, nothing is done, and the outcome of its action says so.
//
// Adoptions wait for the check that d still exists. Adoptions and releases are all tried; if
// one of them failed, or a ReplicaSet to be adopted is gone, the execution stops after them.
// Otherwise it stops at the first call that fails. A ReplicaSet is adopted only if it has not
// changed since it was read.
func (e Executor) Deployment(ctx context.Context, d *appsv1.Deployment, replicaSets []*appsv1.ReplicaSet, p deploy.Plan) deploy.Report {
	d = convert.Or(d)
	x := deploymentPass{d: d, sets: byName(d.Namespace, replicaSets)}
	x.pass = pass{Executor: e, owner: deploymentOwner(d), fresh: deploymentNamed(d), written: map[string]string{}}
	made, goes := make([]kplan.Outcome, len(p.Actions)), true
	if i, err := x.missing(p.Actions); err != nil {
		made[i] = Outcome(err)
		return deploy.Report{Outcomes: made}
	}
	for i, a := range p.Actions {
		if c := x.call(a); c.step == claims {
			o, ok := x.claim(ctx, c)
			made[i], goes = o, goes && ok
		}
	}
	for i := 0; goes && i < len(made); i++ {
		if c := x.call(p.Actions[i]); c.step != claims {
			made[i] = x.send(ctx, c)
			gone := c.Verb == VerbDelete && made[i].Answer == kplan.NotFound
			goes = gone || made[i].Answer == kplan.Done
		}
	}
	return deploy.Report{Outcomes: made, LiveCheck: x.live}
}

type deploymentPass struct {
	pass
	d    *appsv1.Deployment            // as last read or written
	sets map[string]*appsv1.ReplicaSet // by name, as read
}

// missing returns the first action that needs a ReplicaSet that is not known, with its error.
func (x *deploymentPass) missing(list deploy.Actions) (int, error) {
	created := ""
	for i, a := range list {
		c := x.call(a)
		name := c.needs
		if rs, ok := c.Object.(*appsv1.ReplicaSet); ok {
			name = rs.Name
		}
		if c.Verb == VerbCreate {
			created = name
		}
		if name != "" && name != created && x.sets[name] == nil {
			return i, absent("replicaSets", name, "writes it")
		}
	}
	return 0, nil
}

// call returns the call of an action. If the action knows no version of a ReplicaSet, the one
// that was read counts; of the Deployment the last one counts.
func (x *deploymentPass) call(a deploy.Action) call {
	c := deploymentCall(x.d, x.sets, a)
	switch o := c.Object.(type) {
	case *appsv1.Deployment:
		c.version = cmp.Or(x.d.ResourceVersion, c.version)
	case *appsv1.ReplicaSet:
		if rs := x.sets[o.Name]; rs != nil && c.guarded {
			c.version = cmp.Or(c.version, rs.ResourceVersion)
		}
	}
	return c
}

// send makes a call, and keeps the Deployment that the API server returned.
func (x *deploymentPass) send(ctx context.Context, c call) kplan.Outcome {
	if c.step == withStatus {
		return kplan.Outcome{Answer: kplan.Done}
	}
	o := x.pass.send(ctx, c)
	if d, ok := c.Object.(*appsv1.Deployment); ok && o.Answer == kplan.Done {
		x.d = d
	}
	return o
}

// DeploymentRequests returns the writes of an action of a plan for d. Of the ReplicaSets,
// from which the plan was made, only the target of a rollback is read. The API server rejects
// a write with a conflict if the name belongs to another object meanwhile, or the object has
// another version than the action; a UID or version that the action does not know is not
// checked.
//
// The error wraps [kplan.ErrInvalid]: annotations that JSON cannot represent, or no
// ReplicaSet to roll back to.
func DeploymentRequests(d *appsv1.Deployment, replicaSets []*appsv1.ReplicaSet, a deploy.Action) ([]Request, error) {
	d = convert.Or(d)
	return deploymentCall(d, byName(d.Namespace, replicaSets), a).requests()
}

// deploymentCall returns the call of an action. Only a rollback reads a ReplicaSet.
func deploymentCall(d *appsv1.Deployment, sets map[string]*appsv1.ReplicaSet, a deploy.Action) call {
	set := func(name string) *appsv1.ReplicaSet {
		return &appsv1.ReplicaSet{ObjectMeta: named(d.Namespace, name)}
	}
	owner := deploymentOwner(d)
	switch a := a.(type) {
	case deploy.CreateReplicaSet:
		return creating(NewReplicaSet(d, a))
	case deploy.AdoptReplicaSet:
		return adopting(set(a.Name), claim.AdoptChild{UID: a.UID, Reference: owner.Reference()}.Patch())
	case deploy.ReleaseReplicaSet:
		return releasing(set(a.Name), claim.ReleaseChild{UID: a.UID, OwnerUID: owner.UID}.Patch())
	case deploy.AnnotateReplicaSet:
		var spec *patchSpec
		if a.MinReadySeconds != nil {
			spec = &patchSpec{MinReadySeconds: a.MinReadySeconds}
		}
		return merging(set(a.Name), patchMeta{UID: a.UID, Annotations: a.Set}, spec).guard(a.ResourceVersion)
	case deploy.ScaleReplicaSet:
		return merging(set(a.Name), patchMeta{UID: a.UID, Annotations: a.Set}, &patchSpec{Replicas: &a.To}).guard(a.ResourceVersion)
	case deploy.DeleteReplicaSet:
		return deleting(set(a.Name), a.UID, a.ResourceVersion)
	case deploy.AnnotateDeployment:
		// Outside of the status subresource a new annotation raises the generation of the Deployment.
		c := merging(deploymentNamed(d), patchMeta{UID: owner.UID, Annotations: a.Set}, nil).in(withStatus)
		c.Subresource = "status"
		return c
	case deploy.PauseDeployment:
		c := merging(deploymentNamed(d), patchMeta{UID: a.UID, Annotations: a.Set}, &patchSpec{Paused: ptr.To(true)})
		c.version = a.ResourceVersion
		return c
	case deploy.RollBackDeployment:
		c := failing(absent("replicaSets", a.Name, "writes it"))
		if rs := sets[a.Name]; rs != nil {
			c = updating(RolledBack(d, rs, a))
		}
		c.needs = a.Name
		return c
	case deploy.ClearRollback:
		return updating(RollbackCleared(d, a))
	}
	return failing(fmt.Errorf("unknown action %T", a))
}

func deploymentOwner(d *appsv1.Deployment) claim.Owner {
	return Owner(d, appsv1.SchemeGroupVersion.WithKind(deploy.Kind), selector.Selector{})
}

func deploymentNamed(d *appsv1.Deployment) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: named(d.Namespace, d.Name)}
}

// RolledBack returns a copy of d with the template of rs, without its hash label,
// and the annotations that the action sets.
func RolledBack(d *appsv1.Deployment, rs *appsv1.ReplicaSet, a deploy.RollBackDeployment) *appsv1.Deployment {
	back := convert.Or(d).DeepCopy()
	convert.Or(rs).Spec.Template.DeepCopyInto(&back.Spec.Template)
	if back.Spec.Template.Labels == nil {
		back.Spec.Template.Labels = map[string]string{}
	}
	delete(back.Spec.Template.Labels, revision.LabelHash)
	back.Annotations = maps.Clone(a.Annotations)
	return back
}

// RollbackCleared returns a copy of d without the annotation that asks for a
// rollback.
func RollbackCleared(d *appsv1.Deployment, a deploy.ClearRollback) *appsv1.Deployment {
	cleared := convert.Or(d).DeepCopy()
	delete(cleared.Annotations, a.Annotation())
	return cleared
}

// DeploymentStatusRequest returns the write of the status and the annotations of d, as
// deploy.Pass.Finish asks for it. It fails with a conflict if d has changed since it was read,
// other than by the plan.
func DeploymentStatusRequest(d *appsv1.Deployment, r deploy.Result) Request {
	updated := convert.Or(d).DeepCopy()
	updated.Status = DeploymentStatus(r.Status)
	updated.Annotations = maps.Clone(r.Annotations)
	updated.ResourceVersion = r.ResourceVersion
	return Request{Verb: VerbUpdate, Object: updated, Subresource: "status"}
}
