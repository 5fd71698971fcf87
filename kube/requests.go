// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube/internal/convert"
)

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
	switch a := a.(type) {
	case deploy.CreateReplicaSet:
		return one(Request{Verb: VerbCreate, Object: NewReplicaSet(d, a)}, nil)
	case deploy.AdoptReplicaSet:
		return patchingAlone(setNamed(d, a.Name), adoptSetPatch(d, a), nil)
	case deploy.ReleaseReplicaSet:
		return patchingAlone(setNamed(d, a.Name), releaseSetPatch(d, a), nil)
	case deploy.AnnotateReplicaSet:
		p, err := annotatePatch(a)
		p, err = versioned(p, err, a.ResourceVersion)
		return patchingAlone(setNamed(d, a.Name), p, err)
	case deploy.ScaleReplicaSet:
		p, err := mergePatch(a.UID, a.Set, &patchSpec{Replicas: &a.To})
		p, err = versioned(p, err, a.ResourceVersion)
		return patchingAlone(setNamed(d, a.Name), p, err)
	case deploy.DeleteReplicaSet:
		return deletingAlone(setNamed(d, a.Name), a.UID, a.ResourceVersion)
	case deploy.AnnotateDeployment:
		// Outside of the status subresource a new annotation raises the generation of the Deployment.
		p, err := mergePatch(string(d.UID), a.Set, nil)
		return one(Request{Verb: VerbPatch, Object: deploymentNamed(d), Subresource: "status", Patch: p}, err)
	case deploy.PauseDeployment:
		p, err := mergePatch(a.UID, a.Set, &patchSpec{Paused: ptr.To(true)})
		p, err = versioned(p, err, a.ResourceVersion)
		return patchingAlone(deploymentNamed(d), p, err)
	case deploy.RollBackDeployment:
		for _, rs := range replicaSets {
			if rs != nil && rs.Name == a.Name && rs.Namespace == d.Namespace {
				return one(Request{Verb: VerbUpdate, Object: RolledBack(d, rs, a)}, nil)
			}
		}
		return nil, absent("replicaSets", a.Name, "writes it")
	case deploy.ClearRollback:
		return one(Request{Verb: VerbUpdate, Object: RollbackCleared(d, a)}, nil)
	}
	return nil, fmt.Errorf("unknown action %T", a)
}

// DaemonSetRequests returns the writes of an action of a plan for ds. Pass the revisions from
// which the plan was made. The writes have the same preconditions as with [DeploymentRequests].
// In-place updates and their preparation are an error here: see package kruise below.
//
// The error wraps [kplan.ErrInvalid] if a revision that the action names is missing, or holds
// no template.
func DaemonSetRequests(ds *appsv1.DaemonSet, revisions []*appsv1.ControllerRevision, a daemonset.Action) ([]Request, error) {
	ds = orEmpty(ds)
	switch a := a.(type) {
	case daemonset.CreatePod:
		pod, err := daemonPod(ds, revisionOf(ds, revisions, a.Revision), a)
		return one(Request{Verb: VerbCreate, Object: pod}, err)
	case daemonset.DeletePod:
		return deletingAlone(podNamed(ds.Namespace, a.Name), a.UID, a.ResourceVersion)
	case daemonset.AdoptPod:
		return patchingAlone(podNamed(ds.Namespace, a.Name), adoptPatch(ds, "Pod", a.Object), nil)
	case daemonset.ReleasePod:
		return patchingAlone(podNamed(ds.Namespace, a.Name), releasePatch(ds, "Pod", a.Object), nil)
	case daemonset.RelabelPod:
		return patchingAlone(podNamed(ds.Namespace, a.Name), relabelPatch(a), nil)
	case daemonset.CreateRevision:
		return one(Request{Verb: VerbCreate, Object: NewDaemonSetRevision(ds, a)}, nil)
	case daemonset.UpdateRevision:
		r := revisionOf(ds, revisions, a.Name)
		if r == nil {
			return nil, absent("revisions", a.Name, "writes it")
		}
		updated := updatedRevision(r, a)
		if a.ResourceVersion != "" {
			updated.ResourceVersion = a.ResourceVersion
		}
		return one(Request{Verb: VerbUpdate, Object: updated}, nil)
	case daemonset.AdoptRevision:
		return patchingAlone(revisionNamed(ds, a.Name), adoptPatch(ds, "ControllerRevision", a.Object), nil)
	case daemonset.ReleaseRevision:
		return patchingAlone(revisionNamed(ds, a.Name), releasePatch(ds, "ControllerRevision", a.Object), nil)
	case daemonset.DeleteRevision:
		return deletingAlone(revisionNamed(ds, a.Name), a.UID, a.ResourceVersion)
	}
	return nil, fmt.Errorf("unknown action %T", a)
}

// daemonPod returns the pod that a creates, from the revision that it names.
func daemonPod(ds *appsv1.DaemonSet, r *appsv1.ControllerRevision, a daemonset.CreatePod) (*corev1.Pod, error) {
	if a.Revision != "" {
		if r == nil {
			return nil, absent("revisions", a.Revision, "makes a pod of it")
		}
		var err error
		if ds, err = RestoredDaemonSet(ds, r); err != nil {
			return nil, err
		}
	}
	return NewDaemonPod(ds, a), nil
}

func revisionOf(ds *appsv1.DaemonSet, list []*appsv1.ControllerRevision, name string) *appsv1.ControllerRevision {
	for _, r := range list {
		if r != nil && r.Name == name && r.Namespace == ds.Namespace {
			return r
		}
	}
	return nil
}

func absent(list, name, why string) error {
	return &kplan.FieldError{Path: kplan.ElementPath(list, name), Value: name, Detail: "must be there, because the plan " + why}
}

func one(r Request, err error) ([]Request, error) {
	if err != nil {
		return nil, err
	}
	return []Request{r}, nil
}

func patchingAlone(o Object, p Patch, err error) ([]Request, error) {
	return one(Request{Verb: VerbPatch, Object: o, Patch: p}, err)
}

func deletingAlone(o Object, uid, resourceVersion string) ([]Request, error) {
	return deleting(o, uid, resourceVersion).requests()
}

func setNamed(d *appsv1.Deployment, name string) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: name}}
}

func deploymentNamed(d *appsv1.Deployment) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: d.Name}}
}

func revisionNamed(ds *appsv1.DaemonSet, name string) *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: ds.Namespace, Name: name}}
}
