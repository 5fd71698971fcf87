// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan/replicaset"
)

// ownerIndex finds objects by the UID of their controller, and orphans by the text
// orphan.
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

// shared spares a copy of what the cache holds. Nothing here changes it.
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

// A family says which owners a change of a child concerns.
type family struct {
	kind string // of the owners
	// orphans returns the owners that may adopt an orphan.
	orphans func(context.Context, client.Object) []reconcile.Request
	tracker *tracker // is told first
}

// events returns the handler: a child concerns its controller, the former one too, and an
// orphan all that may adopt it.
func (f family) events() handler.Funcs {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { f.changed(ctx, nil, e.Object, q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) { f.changed(ctx, e.ObjectOld, e.ObjectNew, q) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { f.changed(ctx, e.Object, nil, q) },
	}
}

func (f family) changed(ctx context.Context, before, after client.Object, q queue) {
	if before != nil && after != nil && before.GetResourceVersion() == after.GetResourceVersion() {
		return // a repetition
	}
	if before != nil && after != nil && before.GetUID() != after.GetUID() { // the deletion was missed
		f.changed(ctx, before, nil, q)
		before = nil
	}
	f.observe(before, after)
	owner := f.enqueue(before, q)
	if after == nil {
		return
	}
	now := f.enqueue(after, q)
	if now == "" && (before == nil || owner != "" || !maps.Equal(before.GetLabels(), after.GetLabels())) {
		for _, r := range f.orphans(ctx, after) {
			q.Add(r)
		}
	}
}

// observe tells the tracker of a pod that is there, or no longer, and of another child
// that is gone.
func (f family) observe(before, after client.Object) {
	child := after
	if child == nil {
		child = before
	}
	owner := metav1.GetControllerOfNoCopy(child)
	if _, pod := child.(*corev1.Pod); !pod {
		if after == nil {
			f.tracker.gone(child, owner)
		}
		return
	}
	if owner == nil || owner.Kind != f.kind {
		return
	}
	f.tracker.expect(owner.UID, func(e replicaset.Expectations) replicaset.Expectations {
		if before == nil {
			e = e.CreationObserved()
		}
		if after == nil || after.GetDeletionTimestamp() != nil {
			e = e.DeletionObserved(child.GetName()) // one that is being deleted counts as deleted
		}
		return e
	})
}

// enqueue enqueues the owner of a child and returns the UID of its controller, of whatever
// kind.
func (f family) enqueue(child client.Object, q queue) types.UID {
	if child == nil {
		return ""
	}
	owner := metav1.GetControllerOfNoCopy(child)
	if owner == nil {
		return ""
	}
	if owner.Kind == f.kind {
		q.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: child.GetNamespace(), Name: owner.Name}})
	}
	return owner.UID
}

// selecting returns those owners whose selector selects an orphan.
func selecting[T any](owners []T, child client.Object, selector func(*T) (client.Object, *metav1.LabelSelector)) []reconcile.Request {
	var requests []reconcile.Request
	for i := range owners {
		owner, s := selector(&owners[i])
		compiled, err := metav1.LabelSelectorAsSelector(s)
		if err == nil && !compiled.Empty() && compiled.Matches(labels.Set(child.GetLabels())) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(owner)})
		}
	}
	return requests
}
