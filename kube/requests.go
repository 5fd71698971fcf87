// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/daemonset"
)

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

func revisionNamed(ds *appsv1.DaemonSet, name string) *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: ds.Namespace, Name: name}}
}
