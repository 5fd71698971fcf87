// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"cmp"
	"context"
	"errors"
	"slices"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// A pass is one pass of upstream's, which may need several plans: after upstream has created and
// deleted pods, it reads its caches again, for the rolling update and for the status.
type pass struct {
	*DaemonSetsController
	key       string
	ds        *apps.DaemonSet
	client    controller.Client
	revisions []*apps.ControllerRevision
}

func (dsc *DaemonSetsController) syncDaemonSet(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	ds, err := dsc.dsLister.DaemonSets(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return dsc.upstreamsyncDaemonSet(ctx, key)
	}
	if err != nil {
		return err
	}
	ours("daemonset.Reconcile, Executor.DaemonSet, Finish")
	client := controller.Client{Set: dsc.kubeClient, Pods: dsc.podControl, Owner: ds, Ref: metav1.NewControllerRef(ds, controllerKind)}
	return (&pass{dsc, key, ds, client, nil}).run(ctx)
}

// snapshot reads the caches.
func (p *pass) snapshot() (daemonset.Snapshot, error) {
	nodes, err := p.nodeLister.List(labels.Everything())
	if err != nil {
		return daemonset.Snapshot{}, err
	}
	pods, err := p.podLister.Pods(p.ds.Namespace).List(labels.Everything())
	if err != nil {
		return daemonset.Snapshot{}, err
	}
	if p.revisions, err = p.historyLister.ControllerRevisions(p.ds.Namespace).List(labels.Everything()); err != nil {
		return daemonset.Snapshot{}, err
	}
	s, err := kube.DaemonSetSnapshot(p.ds, nodes, pods, p.revisions)
	s.Backoff = p.backoff(nodes)
	s.Unseen = !p.expectations.SatisfiedExpectations(klog.Background(), p.key)
	return s, err
}

// backoff converts upstream's table of failed pods to ours.
func (p *pass) backoff(nodes []*v1.Node) (b daemonset.Backoff) {
	now := p.failedPodsBackoff.Clock.Now()
	for _, node := range nodes {
		key := failedPodsBackoffKey(p.ds, node.Name)
		delay := p.failedPodsBackoff.Get(key)
		if delay == 0 {
			continue
		}
		e := daemonset.BackoffEntry{BackoffKey: p.backoffKey(node.Name), Delay: delay, Since: now}
		if !p.failedPodsBackoff.IsInBackOffSinceUpdate(key, now) {
			e.Since = now.Add(-delay)
		}
		b = append(b, e)
	}
	return b.Sorted()
}

func (p *pass) backoffKey(node string) daemonset.BackoffKey {
	return daemonset.BackoffKey{UID: string(p.ds.UID), Generation: p.ds.Status.ObservedGeneration, Node: node}
}

// advance updates upstream's table after ours; its delays differ in tests.
func (p *pass) advance(before, after daemonset.Backoff) {
	for _, e := range after {
		if !slices.Contains(before, e) {
			p.failedPodsBackoff.Next(failedPodsBackoffKey(p.ds, e.Node), p.failedPodsBackoff.Clock.Now())
		}
	}
}

func (p *pass) run(ctx context.Context) error {
	s, err := p.snapshot()
	if err != nil {
		return err
	}
	waited := s.Unseen
	plan, result, err := p.carry(ctx, s)
	if err != nil {
		return err
	}
	manages := func(h kplan.Hold) bool { return h.Reason == reason.ManageFirst }
	if result.Err == nil && slices.ContainsFunc(plan.Holds, manages) {
		if s, err = p.snapshot(); err != nil {
			return err
		}
		if !s.Unseen {
			if _, result, err = p.carry(ctx, s); err != nil {
				return err
			}
		}
	}
	if result.Err != nil && !result.WriteStatus && !p.ofPods(result.Err) {
		return result.Err
	}
	err = p.status(ctx, result, waited)
	if result.Err != nil {
		return result.Err
	}
	return err
}

// ofPods reports whether a pass failed because of pods; upstream then still updates the status.
func (p *pass) ofPods(err error) bool {
	var status apierrors.APIStatus
	return !errors.As(err, &status)
}

// carry computes a plan and carries it out.
func (p *pass) carry(ctx context.Context, s daemonset.Snapshot) (daemonset.Plan, daemonset.Result, error) {
	logger, now, opts := klog.FromContext(ctx), p.failedPodsBackoff.Clock.Now(), daemonset.Options{}
	for {
		pass, err := daemonset.NewPass(s, now, opts)
		plan := pass.Plan
		if err != nil {
			return plan, daemonset.Result{}, err
		}
		expected := p.raise(logger, plan.Expect(expect.Expectations{}, now))
		report := kube.Executor{Client: p.client, Retry: kube.NoRetry}.DaemonSet(ctx, p.ds, p.revisions, plan)
		report.Expectations = p.seen(expected)
		result := pass.Finish(report)
		p.expectations.LowerExpectations(logger, p.key, int(report.Expectations.Creations-result.Expectations.Creations), int(report.Expectations.Deletions-result.Expectations.Deletions))
		p.record(result.Events)
		p.advance(s.Backoff, result.Backoff)
		if result.Again != nil {
			s = *result.Again
			continue
		}
		if result.Err == nil && !result.RecheckAt.IsZero() {
			p.enqueueDaemonSetAfter(p.ds, result.RecheckAt.Sub(now))
		}
		return plan, result, nil
	}
}

// raise stores expectations, unless there are none.
func (p *pass) raise(logger klog.Logger, x expect.Expectations) expect.Expectations {
	if x.Creations != 0 || x.Deletions != 0 {
		_ = p.expectations.SetExpectations(logger, p.key, int(x.Creations), int(x.Deletions))
	}
	return x
}

// seen returns the expectations with the current counts of upstream, which has no names.
func (p *pass) seen(x expect.Expectations) expect.Expectations {
	if e, exists, err := p.expectations.GetExpectations(p.key); err == nil && exists && !x.At.IsZero() {
		x.Creations, x.Deletions = e.GetExpectations()
	}
	return x
}

// record records the events that upstream's pod control does not.
func (p *pass) record(events []kplan.Event) {
	for _, e := range events {
		switch e.Reason {
		case controller.SuccessfulCreatePodReason, controller.FailedCreatePodReason, controller.SuccessfulDeletePodReason, controller.FailedDeletePodReason:
		default:
			p.eventRecorder.Event(p.ds, e.Type, e.Reason, e.Message)
		}
	}
}

// status writes the status, computed from the caches after the pass.
func (p *pass) status(ctx context.Context, result daemonset.Result, waited bool) error {
	s, err := p.snapshot()
	if err != nil {
		return err
	}
	s.Unseen = true
	plan, err := daemonset.Reconcile(s, p.failedPodsBackoff.Clock.Now(), daemonset.Options{})
	if err != nil {
		return err
	}
	next := plan.Status
	if !waited {
		next.ObservedGeneration = p.ds.Generation
	}
	if before := kube.FromDaemonSetStatus(p.ds.Status); !result.WriteStatus && before.String() == next.String() && before.ObservedGeneration >= p.ds.Generation {
		return nil
	}
	return p.client.Do(ctx, kube.DaemonSetStatusRequest(p.ds, next))
}

// place decides whether a node should run a pod.
func place(ds *apps.DaemonSet, node *v1.Node) daemonset.Placement {
	ours("Placer.Place")
	d, err := kube.DaemonSet(ds)
	if err != nil {
		panic(err)
	}
	placer, n := daemonset.NewPlacer(&d.Template, daemonset.Options{}), kube.Node(node)
	return placer.Place(&n)
}

func NodeShouldRunDaemonPod(logger klog.Logger, node *v1.Node, ds *apps.DaemonSet) (bool, bool) {
	p := place(ds, node)
	return p.ShouldRun, p.ShouldContinueRunning
}

func (dsc *DaemonSetsController) updatedDesiredNodeCounts(ctx context.Context, ds *apps.DaemonSet, nodeList []*v1.Node, nodeToDaemonPods map[string][]*v1.Pod) (int, int, int, error) {
	desired := int32(0)
	for _, node := range nodeList {
		if place(ds, node).ShouldRun {
			desired++
			nodeToDaemonPods[node.Name] = slices.Clip(nodeToDaemonPods[node.Name])
		}
	}
	ours("daemonset.Resolve")
	d, err := kube.DaemonSet(ds)
	if err != nil {
		return -1, -1, -1, err
	}
	b := daemonset.Resolve(d.Strategy, d.MaxSurge, d.MaxUnavailable, desired)
	return int(b.Surge), int(b.Unavailable), int(b.Desired), nil
}

// planned converts DaemonSets to ours.
func planned(list []*apps.DaemonSet) []daemonset.DaemonSet {
	sets := make([]daemonset.DaemonSet, len(list))
	for i, ds := range list {
		var err error
		if sets[i], err = kube.DaemonSet(ds); err != nil {
			panic(err)
		}
		sets[i].UID += "/" + ds.Name
	}
	return sets
}

// eventPod is a pod of an event. Upstream finds its controller by name and then compares the UID;
// ours finds it by the UID, which two DaemonSets of a test may share.
func eventPod(pod *v1.Pod) *daemonset.Pod {
	if pod == nil {
		return nil
	}
	p := kube.DaemonSetPod(pod)
	if p.ControllerUID != "" {
		p.ControllerUID += "/" + p.ControllerName
	}
	return &p
}

// podEvent enqueues the passes after an event of a pod, and lowers the expectations of its
// controller.
func (dsc *DaemonSetsController) podEvent(logger klog.Logger, old, cur *v1.Pod) {
	ours("Effects")
	list, _ := dsc.dsLister.DaemonSets(cmp.Or(cur, old).Namespace).List(labels.Everything())
	change := daemonset.Change{Pod: daemonset.PodEvent{Old: eventPod(old), New: eventPod(cur)}}
	for _, e := range daemonset.Effects(change, planned(list), daemonset.Options{}) {
		ds := list[slices.IndexFunc(list, func(ds *apps.DaemonSet) bool { return ds.Name == e.Name })]
		key := ds.Namespace + "/" + ds.Name
		if e.Created {
			dsc.expectations.CreationObserved(logger, key)
		}
		if e.Deleted != "" {
			dsc.expectations.DeletionObserved(logger, key)
		}
		dsc.enqueueDaemonSet(ds)
		if e.Later > 0 {
			dsc.enqueueDaemonSetAfter(ds, e.Later)
		}
	}
}

func (dsc *DaemonSetsController) addPod(logger klog.Logger, obj interface{}) {
	dsc.podEvent(logger, nil, obj.(*v1.Pod))
}

func (dsc *DaemonSetsController) updatePod(logger klog.Logger, old, cur interface{}) {
	dsc.podEvent(logger, old.(*v1.Pod), cur.(*v1.Pod))
}

func (dsc *DaemonSetsController) deletePod(logger klog.Logger, obj interface{}) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	dsc.podEvent(logger, obj.(*v1.Pod), nil)
}

func (dsc *DaemonSetsController) syncNodeUpdate(ctx context.Context, nodeName string) error {
	node, err := dsc.nodeLister.Get(nodeName)
	if err != nil {
		return nil
	}
	ours("Effects")
	sets, _ := dsc.dsLister.List(labels.Everything())
	pods, _ := dsc.podLister.List(labels.Everything())
	changed := kube.Node(node)
	for i, d := range planned(sets) {
		ds := sets[i]
		c := daemonset.Change{Node: daemonset.NodeEvent{New: &changed}}
		if slices.ContainsFunc(pods, func(pod *v1.Pod) bool {
			return pod.Spec.NodeName == nodeName && pod.Namespace == ds.Namespace && kube.Child(pod).ControllerUID == string(ds.UID)
		}) {
			c.Bound = []string{d.UID}
		}
		if len(daemonset.Effects(c, []daemonset.DaemonSet{d}, daemonset.Options{})) > 0 {
			dsc.enqueueDaemonSet(ds)
		}
	}
	return nil
}
