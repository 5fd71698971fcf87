package controllers

import (
	"context"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

type daemonSetReconciler struct{ base }

func (r *daemonSetReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	ds := &appsv1.DaemonSet{}
	if err := r.cache.Get(ctx, req.NamespacedName, ds, shared); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !r.takes(ctx, ds) {
		return reconcile.Result{}, nil
	}
	var revisions appsv1.ControllerRevisionList
	if err := r.cache.List(ctx, &revisions, client.InNamespace(ds.Namespace), shared); err != nil {
		return reconcile.Result{}, err
	}
	history := pointers(revisions.Items)
	known := []metav1.Object{ds}
	for _, rev := range history {
		known = append(known, rev)
	}
	if r.tracker.behind(ds.UID, known...) {
		return reconcile.Result{RequeueAfter: behindDelay}, nil
	}
	s, wait, err := r.snapshot(ctx, ds, history)
	if err != nil {
		return reconcile.Result{}, err
	}
	plan, err := daemonset.Reconcile(s, time.Now(), daemonset.Options{Corrected: r.corrected})
	if err != nil {
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	return r.act(ctx, ds, history, plan, wait)
}

// snapshot reads all nodes, its own pods and orphans. While pods that it has created or
// deleted are not seen to be so, wait is until when it waits for them.
func (r *daemonSetReconciler) snapshot(ctx context.Context, ds *appsv1.DaemonSet, history []*appsv1.ControllerRevision) (s daemonset.Snapshot, wait time.Time, err error) {
	expectations := r.tracker.expectations(ds.UID)
	pods, err := r.pods(ctx, ds.Namespace, string(ds.UID), orphan)
	if err != nil {
		return s, wait, err
	}
	var nodes corev1.NodeList
	if err := r.cache.List(ctx, &nodes, shared); err != nil {
		return s, wait, err
	}
	if s, err = kube.DaemonSetSnapshot(ds, pointers(nodes.Items), pods, history); err != nil {
		return s, wait, reconcile.TerminalError(err)
	}
	s.Backoff = r.tracker.delays(ds.UID)
	if left := expectations.Remaining(time.Now()); left > 0 {
		s.Unseen, wait = true, time.Now().Add(left)
	}
	return s, wait, nil
}

// act carries out a plan and writes the status.
func (r *daemonSetReconciler) act(ctx context.Context, ds *appsv1.DaemonSet, history []*appsv1.ControllerRevision, p daemonset.Plan, wait time.Time) (reconcile.Result, error) {
	creations, deletions := kube.ExpectDaemonSet(p)
	if creations > 0 || len(deletions) > 0 {
		r.tracker.expect(ds.UID, func(replicaset.Expectations) replicaset.Expectations {
			return replicaset.ExpectDeletions(deletions, time.Now()).Raise(creations, 0)
		})
	}
	report := kube.ExecuteDaemonSet(ctx, r.client, ds, history, p)
	r.tracker.expect(ds.UID, func(e replicaset.Expectations) replicaset.Expectations {
		return r.lowered(ds, e, deletions, creations, report)
	})
	r.tracker.setDelays(ds.UID, p.Backoff)
	for _, e := range p.Events {
		// The plan does not know the namespace of the pods that it names.
		r.events.Event(ds, e.Type, e.Reason, strings.Replace(e.Message, " daemon pod ", " daemon pod "+ds.Namespace+"/", 1))
	}
	if report.Collisions != nil {
		stored := ds.DeepCopy()
		stored.Status.CollisionCount = report.Collisions
		return again(r.client.Do(ctx, kube.Request{Verb: kube.VerbUpdate, Object: stored, Subresource: "status"}), time.Now().Add(behindDelay))
	}
	if request, differs := kube.DaemonSetStatusRequest(ds, p.Status); differs && !report.Stopped {
		if err := r.client.Do(ctx, request); err != nil && report.Err == nil {
			return again(err, time.Time{})
		}
	}
	return again(report.Err, sooner(p.RecheckAt, wait))
}

// lowered returns the expectations less what did not come about, and records what did.
func (r *daemonSetReconciler) lowered(ds *appsv1.DaemonSet, e replicaset.Expectations, deletions []string, creations int64, report kube.DaemonSetReport) replicaset.Expectations {
	lost := creations
	for _, o := range report.Creates {
		switch o.Answer {
		case selector.Done:
			lost--
			r.events.Eventf(ds, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: %s", o.Pod)
		case selector.NamespaceTerminating, "":
		default:
			r.events.Eventf(ds, corev1.EventTypeWarning, "FailedCreate", "Error creating: %v", o.Err)
		}
	}
	for i, name := range deletions {
		var o selector.Outcome
		if i < len(report.Deletes) {
			o = report.Deletes[i]
		}
		switch o.Answer {
		case selector.Done:
			r.events.Eventf(ds, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted pod: %s", name)
			continue
		case selector.NotFound, "":
		default:
			r.events.Eventf(ds, corev1.EventTypeWarning, "FailedDelete", "Error deleting: %v", o.Err)
		}
		e = e.DeletionObserved(name)
	}
	return e.Lower(lost, 0)
}

// childEvents are those of pods and of revisions.
func (r *daemonSetReconciler) childEvents() handler.EventHandler {
	return family{kind: daemonset.Kind, tracker: r.tracker, orphans: func(ctx context.Context, child client.Object) []reconcile.Request {
		var all appsv1.DaemonSetList
		_ = r.cache.List(ctx, &all, client.InNamespace(child.GetNamespace()), shared) // a cache that has started does not fail
		return selecting(all.Items, child, func(ds *appsv1.DaemonSet) (client.Object, *metav1.LabelSelector) { return ds, ds.Spec.Selector })
	}}.events()
}

// nodeEvents wakes up the DaemonSets that a node matters to. One that is gone matters to
// none: its pods will go, and do.
func (r *daemonSetReconciler) nodeEvents() handler.EventHandler {
	changed := func(ctx context.Context, old, now *corev1.Node, q queue) {
		var all appsv1.DaemonSetList
		_ = r.cache.List(ctx, &all, shared) // a cache that has started does not fail
		for i := range all.Items {
			if wakes(&all.Items[i], old, now, daemonset.Options{Corrected: r.corrected}) {
				q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&all.Items[i])})
			}
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { changed(ctx, nil, e.Object.(*corev1.Node), q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			changed(ctx, e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node), q)
		},
	}
}

// wakes reports whether a change of a node may matter to a DaemonSet.
func wakes(ds *appsv1.DaemonSet, old, now *corev1.Node, o daemonset.Options) bool {
	snapshot, err := kube.DaemonSet(ds)
	if err != nil {
		return false
	}
	trigger, err := daemonset.NewTrigger(&snapshot, o)
	if err != nil {
		return false
	}
	var before *daemonset.Node
	if old != nil {
		before = new(kube.Node(old))
	}
	after := kube.Node(now)
	return trigger.Node(before, &after, true) || trigger.Node(before, &after, false)
}
