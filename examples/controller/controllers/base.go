// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
)

// AnnotationClass is the annotation that names the class of controllers for an object. For
// ReplicaSets of a Deployment the annotation of the Deployment counts, not their own.
const AnnotationClass = "kplan-go.github.io/class"

// base holds the fields that the three reconcilers share.
type base struct {
	cache     client.Reader
	client    kube.Client
	events    record.EventRecorder
	tracker   *tracker
	read      readUpTo
	class     string
	corrected bool
	fenced    bool
}

func (b *base) executor() kube.Executor { return kube.Executor{Client: b.client} }

// takes reports whether this process takes an object: by the annotation of its
// Deployment if a Deployment controls it, otherwise by its own.
func (b *base) takes(ctx context.Context, o client.Object) bool {
	if b.class == "" {
		return true
	}
	if owner := metav1.GetControllerOfNoCopy(o); owner != nil && owner.Kind == deploy.Kind {
		var d appsv1.Deployment
		if err := b.cache.Get(ctx, client.ObjectKey{Namespace: o.GetNamespace(), Name: owner.Name}, &d, shared); err != nil {
			return false // its Deployment is gone, so it will be deleted, too
		}
		return d.Annotations[AnnotationClass] == b.class
	}
	return o.GetAnnotations()[AnnotationClass] == b.class
}

// again returns the result of a pass. An error is reported and retried with a growing
// pause; an error about a stale cache is only retried.
func again(err error, recheck time.Time) (reconcile.Result, error) {
	switch {
	case kube.Stale(err):
		return reconcile.Result{RequeueAfter: behindDelay}, nil
	case err != nil:
		return reconcile.Result{}, err
	case recheck.IsZero():
		return reconcile.Result{}, nil
	}
	return reconcile.Result{RequeueAfter: max(time.Until(recheck), time.Millisecond)}, nil
}

// sooner returns the earlier of two times; the zero time means none.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
