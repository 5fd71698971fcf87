package kube

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/deploy"
)

// ExecuteDeployment makes the calls of a plan for d, one after the other, and then
// writes the status, together with the annotations of d, if it differs. ReplicaSets
// are those that the plan was made from.
//
// It stops at the first call that fails, and returns the error of that call and the action,
// which is nil if it was the status. After a CreateReplicaSet that failed, deploy.AfterCreate
// says what to do about it; [CreateOutcome] is its argument. Otherwise plan again.
//
// Every write to a ReplicaSet has its UID and resource version as preconditions, so
// that a plan from a stale cache changes nothing.
func ExecuteDeployment(ctx context.Context, c Client, d *appsv1.Deployment, replicaSets []*appsv1.ReplicaSet, p deploy.Plan) (deploy.Action, error) {
	e := executor{client: c, d: d, sets: make(map[string]*appsv1.ReplicaSet, len(replicaSets))}
	for _, rs := range replicaSets {
		e.sets[rs.Name] = rs
	}
	for _, a := range p.Actions {
		if err := e.do(ctx, a); err != nil {
			return a, err
		}
	}
	return nil, e.status(ctx, p.Status)
}

type executor struct {
	client      Client
	d           *appsv1.Deployment            // as last read or written
	sets        map[string]*appsv1.ReplicaSet // by name, likewise
	annotations map[string]string             // of d, to be written with the status
	live        bool                          // d has been checked
}

func (e *executor) do(ctx context.Context, a deploy.Action) error {
	switch a := a.(type) {
	case deploy.AdoptReplicaSet:
		return e.adopt(ctx, a)
	case deploy.ReleaseReplicaSet:
		return tolerant(e.patch(ctx, a.Name, ReleasePatch(e.d, a)), true)
	case deploy.CreateReplicaSet:
		rs := NewReplicaSet(e.d, a)
		err := e.client.Do(ctx, Request{Verb: VerbCreate, Object: rs})
		e.sets[a.Name] = rs
		return err
	case deploy.AnnotateReplicaSet:
		p, err := AnnotatePatch(a)
		return e.patchVersion(ctx, a.Name, p, err)
	case deploy.ScaleReplicaSet:
		p, err := ScalePatch(a)
		return e.patchVersion(ctx, a.Name, p, err)
	case deploy.DeleteReplicaSet:
		err := e.client.Do(ctx, Request{Verb: VerbDelete, Object: e.named(a.Name), Options: DeleteReplicaSetOptions(a)})
		return tolerant(err, false)
	case deploy.AnnotateDeployment:
		e.annotations = with(e.annotations, a.Set)
		return nil
	}
	return e.doDeployment(ctx, a)
}

// doDeployment makes the calls that change the specification of the Deployment.
func (e *executor) doDeployment(ctx context.Context, a deploy.Action) error {
	switch a := a.(type) {
	case deploy.RollBackDeployment:
		return e.update(ctx, RolledBack(e.d, orEmptySet(e.sets[a.Name]), a))
	case deploy.ClearRollback:
		return e.update(ctx, RollbackCleared(e.d))
	case deploy.PauseDeployment:
		p, err := PausePatch(a)
		if err != nil {
			return err
		}
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: e.d.Namespace, Name: e.d.Name}}
		if err := e.client.Do(ctx, Request{Verb: VerbPatch, Object: d, Patch: p}); err != nil {
			return err
		}
		e.d = d
		return nil
	}
	return fmt.Errorf("unknown action %T", a)
}

// adopt checks first that the Deployment is still there.
func (e *executor) adopt(ctx context.Context, a deploy.AdoptReplicaSet) error {
	if !e.live {
		if err := live(ctx, e.client, e.d, &appsv1.Deployment{}, deploy.Kind); err != nil {
			return err
		}
		e.live = true
	}
	return tolerant(e.patch(ctx, a.Name, AdoptPatch(e.d, a)), false)
}

func (e *executor) update(ctx context.Context, d *appsv1.Deployment) error {
	err := e.client.Do(ctx, Request{Verb: VerbUpdate, Object: d})
	if err == nil {
		e.d = d
	}
	return err
}

func (e *executor) named(name string) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: e.d.Namespace, Name: name}}
}

// patchVersion patches a ReplicaSet if it is as it was when last read or written.
func (e *executor) patchVersion(ctx context.Context, name string, p Patch, err error) error {
	p, err = versioned(p, err, orEmptySet(e.sets[name]).ResourceVersion)
	if err != nil {
		return err
	}
	return e.patch(ctx, name, p)
}

func (e *executor) patch(ctx context.Context, name string, p Patch) error {
	rs := e.named(name)
	err := e.client.Do(ctx, Request{Verb: VerbPatch, Object: rs, Patch: p})
	if err == nil {
		e.sets[name] = rs
	}
	return err
}

func (e *executor) status(ctx context.Context, s deploy.Status) error {
	r, ok := DeploymentStatusRequest(e.d, s, e.annotations)
	if !ok {
		return nil
	}
	return e.client.Do(ctx, r)
}

// DeploymentStatusRequest returns the write of a status of d and of annotations, and
// whether anything differs. It fails with a conflict if d has changed since it was read.
func DeploymentStatusRequest(d *appsv1.Deployment, s deploy.Status, annotations map[string]string) (Request, bool) {
	updated := d.DeepCopy()
	updated.Status = DeploymentStatus(s)
	updated.Annotations = with(updated.Annotations, annotations)
	if equality.Semantic.DeepEqual(d.Status, updated.Status) && equality.Semantic.DeepEqual(d.Annotations, updated.Annotations) {
		return Request{}, false
	}
	return Request{Verb: VerbUpdate, Object: updated, Subresource: "status"}, true
}

// CreateOutcome returns what an error means, of the call that was to create a
// ReplicaSet, for deploy.AfterCreate.
func CreateOutcome(err error) deploy.CreateOutcome {
	switch {
	case err == nil:
		return deploy.CreateOutcome{Result: deploy.Created}
	case apierrors.IsAlreadyExists(err):
		return deploy.CreateOutcome{Result: deploy.AlreadyExists}
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return deploy.CreateOutcome{Result: deploy.NamespaceTerminating}
	}
	return deploy.CreateOutcome{Result: deploy.CreateFailed, Message: err.Error()}
}
