// SPDX-License-Identifier: Apache-2.0

package kube

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// Child returns the part of o, any object that may have a controller, that claiming
// reads. It shares the labels with o. Only a pod can be finished: if it Succeeded or
// Failed. The caller sets Rejected.
func Child(o metav1.Object) claim.Child {
	if convert.Missing(o) {
		return claim.Child{}
	}
	kind, name, uid := convert.Controller(o)
	c := claim.Child{
		Namespace: o.GetNamespace(), Name: o.GetName(), UID: string(o.GetUID()), Labels: o.GetLabels(),
		ControllerKind: kind, ControllerName: name, ControllerUID: uid,
		Deleting: o.GetDeletionTimestamp() != nil,
	}
	if p, ok := o.(*corev1.Pod); ok {
		c.Finished = p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	}
	return c
}

// Owner returns o, any object of a kind, as a controller that claims the objects that s
// selects. The kind is an argument, because objects of an informer's cache do not know
// theirs. The caller sets Finalizers, and ChildKind, without which messages speak of
// pods.
//
// It reads the arguments that NewBaseControllerRefManager of the controller package of
// Kubernetes 1.36.3 gets from its callers.
func Owner(o metav1.Object, kind schema.GroupVersionKind, s selector.Selector) claim.Owner {
	owner := claim.Owner{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Selector: s}
	if !convert.Missing(o) {
		owner.Namespace, owner.Name, owner.UID = o.GetNamespace(), o.GetName(), string(o.GetUID())
		owner.Deleting = o.GetDeletionTimestamp() != nil
	}
	return owner
}

// Fresh returns an owner that was just read from the API server, or the error of that
// call, for claim.CheckLive.
func Fresh(o metav1.Object, err error) claim.OwnerNow {
	f := claim.OwnerNow{Err: err}
	if !convert.Missing(o) {
		f.UID, f.DeletionTimestamp = string(o.GetUID()), convert.TimeOrZero(o.GetDeletionTimestamp())
	}
	return f
}
