// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// ownerIndex is an index of objects by the UID of their controller, and of orphans by
// the text orphan.
const (
	ownerIndex = "controller"
	orphan     = "orphan"
)

func ownerKey(o client.Object) []string {
	if owner := metav1.GetControllerOfNoCopy(o); owner != nil {
		return []string{string(owner.UID)}
	}
	return []string{orphan}
}

// shared avoids copies of cached objects. Nothing in this package changes them.
const shared = client.UnsafeDisableDeepCopy

// pods returns the pods of a namespace with any of these owners.
func (b *base) pods(ctx context.Context, namespace string, owners ...string) ([]*corev1.Pod, error) {
	var pods []*corev1.Pod
	for _, owner := range owners {
		var list corev1.PodList
		if err := b.cache.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{ownerIndex: owner}, shared); err != nil {
			return nil, err
		}
		pods = append(pods, pointers(list.Items)...)
	}
	return pods, nil
}

// podsFor returns the pods of an owner, and the orphans that its selector selects.
func (b *base) podsFor(ctx context.Context, owner client.Object, selects *metav1.LabelSelector) ([]*corev1.Pod, error) {
	own, err := b.pods(ctx, owner.GetNamespace(), string(owner.GetUID()))
	if err != nil {
		return nil, err
	}
	orphans, err := b.pods(ctx, owner.GetNamespace(), orphan)
	if err != nil {
		return nil, err
	}
	selector, err := metav1.LabelSelectorAsSelector(selects)
	if err != nil {
		return own, nil // it selects nothing, and the planner says so
	}
	return append(own, slices.DeleteFunc(orphans, func(p *corev1.Pod) bool { return !selector.Matches(labels.Set(p.Labels)) })...), nil
}

// replicaSets returns the ReplicaSets of a namespace with any of these owners.
func (b *base) replicaSets(ctx context.Context, namespace string, owners ...string) ([]*appsv1.ReplicaSet, error) {
	var sets []*appsv1.ReplicaSet
	for _, owner := range owners {
		var list appsv1.ReplicaSetList
		if err := b.cache.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{ownerIndex: owner}, shared); err != nil {
			return nil, err
		}
		sets = append(sets, pointers(list.Items)...)
	}
	return sets, nil
}

func pointers[T any](items []T) []*T {
	list := make([]*T, len(items))
	for i := range items {
		list[i] = &items[i]
	}
	return list
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// changes returns a handler for changes of an object: before is nil if it is new, and after if
// it is gone. While a watch is broken, an object may be deleted and another created with its
// name: these are two changes.
func changes[T any, P interface {
	*T
	client.Object
}](tell func(ctx context.Context, before, after P, q queue)) handler.Funcs {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { tell(ctx, nil, e.Object.(P), q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			before, after := e.ObjectOld.(P), e.ObjectNew.(P)
			if before.GetUID() != after.GetUID() {
				tell(ctx, before, nil, q)
				before = nil
			}
			tell(ctx, before, after, q)
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { tell(ctx, e.Object.(P), nil, q) },
	}
}

// as converts an object of an event, and returns nil if there is no object.
func as[P *T, T, Q any](o P, convert func(P) Q) *Q {
	if o == nil {
		return nil
	}
	return new(convert(o))
}

// owners returns the owners of a kind that a change of these children may concern: their
// controllers, and all owners in the namespace if a child is an orphan.
func owners[T any, P interface {
	*T
	client.Object
}](ctx context.Context, b *base, kind string, all func() []T, children ...metav1.Object) []P {
	var found []P
	for _, child := range children {
		switch owner := metav1.GetControllerOfNoCopy(child); {
		case owner == nil:
			for _, o := range pointers(all()) {
				found = append(found, o)
			}
			return found
		case owner.Kind == kind:
			o := P(new(T))
			if err := b.cache.Get(ctx, client.ObjectKey{Namespace: child.GetNamespace(), Name: owner.Name}, o, shared); err == nil {
				found = append(found, o)
			}
		}
	}
	return found
}

// present returns the objects that are not nil.
func present[T any, P interface {
	*T
	metav1.Object
}](objects ...P) (there []metav1.Object) {
	for _, o := range objects {
		if o != nil {
			there = append(there, o)
		}
	}
	return there
}

// take gives the tracker the events that owners have observed, and queues the owners.
func take[P client.Object](b *base, effects []replicaset.Effect, owners []P, q queue) {
	for _, e := range effects {
		owner := owners[slices.IndexFunc(owners, func(o P) bool { return o.GetName() == e.Name })]
		if e.Created || e.Deleted != "" {
			b.tracker.expect(owner.GetUID(), func(x expect.Expectations) expect.Expectations {
				if e.Created {
					return x.CreationObserved()
				}
				return x.DeletionObserved(e.Deleted)
			})
		}
		key := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(owner)}
		if e.Reconcile {
			q.Add(key)
		}
		if e.Later > 0 {
			q.AddAfter(key, e.Later)
		}
	}
}
