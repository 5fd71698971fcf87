// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"sync"
	"time"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

func compiled(s labels.Selector) selector.Selector {
	ours, err := kube.Selector(s)
	if err != nil {
		panic(err)
	}
	return ours
}

func ownerOf(c metav1.Object, s labels.Selector) claim.Owner {
	return kube.Owner(c, schema.GroupVersionKind{}, compiled(s))
}

func FilterClaimedPods(controller metav1.Object, s labels.Selector, pods []*v1.Pod) []*v1.Pod {
	ours("Decide")
	owner := ownerOf(controller, s)
	return chosen(pods, func(pod *v1.Pod) bool {
		child := kube.Child(pod)
		return claim.Decide(&owner, &child).Verdict == claim.Keep
	})
}

func chosen(pods []*v1.Pod, keep func(*v1.Pod) bool) (list []*v1.Pod) {
	for _, pod := range pods {
		if keep(pod) {
			list = append(list, pod)
		}
	}
	return list
}

func IsPodActive(pod *v1.Pod) bool {
	ours("Pod.Active")
	p := kube.Pod(pod)
	return p.Active()
}

func IsPodTerminating(pod *v1.Pod) bool {
	ours("Pod.Terminating")
	p := kube.Pod(pod)
	return p.Terminating()
}

func nextPodAvailabilityCheck(pod *v1.Pod, minReadySeconds int32, now time.Time) *time.Duration {
	ours("Pod.AvailableAt")
	p := kube.Pod(pod)
	if at, ok := p.AvailableAt(minReadySeconds); ok && minReadySeconds > 0 && at.After(now) {
		left := at.Sub(now)
		return &left
	}
	return nil
}

// FilterPodsByOwner also compares the name and the kind of a pod's controller, as upstream's index
// does. Upstream compares the UID as well.
func FilterPodsByOwner(podIndexer cache.Indexer, owner *metav1.ObjectMeta, ownerKind string, includeOrphanedPods bool) ([]*v1.Pod, error) {
	if owner.Namespace == "" || owner.Name == "" || owner.UID == "" || ownerKind == "" {
		return upstreamFilterPodsByOwner(podIndexer, owner, ownerKind, includeOrphanedPods)
	}
	ours("Child.ControlledBy")
	o := claim.Owner{Namespace: owner.Namespace, Name: owner.Name, UID: string(owner.UID), Kind: ownerKind}
	result := []*v1.Pod{}
	for _, object := range podIndexer.List() {
		pod := object.(*v1.Pod)
		child := kube.Child(pod)
		own := child.ControlledBy(&o) && child.ControllerKind == ownerKind && child.ControllerName == owner.Name
		if pod.Namespace == owner.Namespace && (own || includeOrphanedPods && !child.Controlled()) {
			result = append(result, pod)
		}
	}
	return result, nil
}

func ComputeHash(template *v1.PodTemplateSpec, collisionCount *int32) string {
	ours("kube.Template")
	return kube.Template(template, collisionCount).Hash
}

func FilterActiveReplicaSets(replicaSets []*apps.ReplicaSet) []*apps.ReplicaSet {
	return FilterReplicaSets(replicaSets, func(rs *apps.ReplicaSet) bool {
		if rs == nil {
			return false
		}
		ours("kube.Entry")
		e := kube.Entry(rs)
		return e.Replicas == nil || *e.Replicas > 0
	})
}

func (s ActivePods) Less(i, j int) bool {
	ours("Order.Compare, Legacy")
	return podorder.Order{Chain: podorder.Legacy}.Compare(kube.Pod(s[i]), kube.Pod(s[j])) < 0
}

// Less puts each pod on its own node: upstream's ranks count neighbours per pod, and ours per node.
func (s ActivePodsWithRanks) Less(i, j int) bool {
	ours("Order.Compare")
	neighbours := podorder.Neighbours{}
	pod := func(i int, node string) podorder.Pod {
		p := kube.Pod(s.Pods[i])
		if p.NodeName != "" {
			p.NodeName = node
			neighbours[node] = int32(s.Rank[i])
		}
		if !utilfeature.DefaultFeatureGate.Enabled(features.PodDeletionCost) {
			p.Annotations = nil
		}
		return p
	}
	a, b := pod(i, "a"), pod(j, "b")
	return podorder.New(s.Now.Time, neighbours).Compare(a, b) < 0
}

func ownerRefControllerPatch(controller metav1.Object, kind schema.GroupVersionKind, uid types.UID, finalizers ...string) ([]byte, error) {
	ours("AdoptChild.Patch")
	owner := kube.Owner(controller, kind, selector.Everything())
	owner.Finalizers = finalizers
	child := func(int) claim.Child { return claim.Child{UID: string(uid)} }
	r := claim.Resolve(&owner, claim.Claim{Adopt: []int{0}}, child, claim.LiveCheck{OK: true})
	return r.Actions[0].Patch(), nil
}

// GenerateDeleteOwnerRefStrategicMergeBytes leaves several owners to upstream's function; no
// controller passes more than one.
func GenerateDeleteOwnerRefStrategicMergeBytes(dependentUID types.UID, ownerUIDs []types.UID, finalizers ...string) ([]byte, error) {
	if len(ownerUIDs) != 1 {
		return upstreamGenerateDeleteOwnerRefStrategicMergeBytes(dependentUID, ownerUIDs, finalizers...)
	}
	ours("ReleaseChild.Patch")
	owner := claim.Owner{UID: string(ownerUIDs[0]), Finalizers: finalizers}
	child := func(int) claim.Child { return claim.Child{UID: string(dependentUID)} }
	r := claim.Resolve(&owner, claim.Claim{Release: []int{0}}, child, claim.LiveCheck{})
	return r.Actions[0].Patch(), nil
}

func RecheckDeletionTimestamp(getObject func(context.Context) (metav1.Object, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		ours("CheckLive")
		fresh, err := getObject(ctx)
		now := kube.Fresh(fresh, err)
		return claim.CheckLive(&claim.Owner{UID: now.UID}, now).Err
	}
}

// claimObjects classifies objects like ClaimPods and its siblings, and calls patch for each
// adoption and release.
func (m *BaseControllerRefManager) claimObjects(ctx context.Context, childKind string, kind schema.GroupVersionKind, finalizers []string,
	children []claim.Child, patch func(i int, data []byte) error,
) ([]int, error) {
	ours("Classify, Resolve, ApplyOutcome")
	owner := kube.Owner(m.Controller, kind, compiled(m.Selector))
	owner.Finalizers, owner.ChildKind = finalizers, childKind
	child := func(i int) claim.Child { return children[i] }
	decided := claim.Classify(&owner, len(children), child)
	live := claim.LiveCheck{OK: true}
	if decided.NeedsLiveCheck() {
		if err := m.CanAdopt(ctx); err != nil {
			live = claim.LiveCheck{Err: err}
		}
	}
	r := claim.Resolve(&owner, decided, child, live)
	outcomes := make([]kplan.Outcome, len(r.Actions))
	for n, a := range r.Actions {
		i := 0
		switch a := a.(type) {
		case claim.AdoptChild:
			i = a.Child
		case claim.ReleaseChild:
			i = a.Child
		}
		outcomes[n] = kube.Outcome(patch(i, a.Patch()))
	}
	claimed, err := claim.ApplyOutcome(r, outcomes)
	var list []error
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		list = many.Unwrap()
	} else if err != nil {
		list = []error{err}
	}
	return claimed, utilerrors.NewAggregate(list)
}

func (m *PodControllerRefManager) ClaimPods(ctx context.Context, pods []*v1.Pod, filters ...func(*v1.Pod) bool) ([]*v1.Pod, error) {
	children := make([]claim.Child, len(pods))
	for i, pod := range pods {
		children[i] = kube.Child(pod)
		for _, filter := range filters {
			children[i].Rejected = children[i].Rejected || !filter(pod)
		}
	}
	claimed, err := m.claimObjects(ctx, "Pod", m.controllerKind, m.finalizers, children, func(i int, data []byte) error {
		return m.podControl.PatchPod(ctx, pods[i].Namespace, pods[i].Name, data)
	})
	return picked(pods, claimed), err
}

func picked[T any](all []T, indices []int) (list []T) {
	for _, i := range indices {
		list = append(list, all[i])
	}
	return list
}

func childrenOf[T metav1.Object](objects []T) []claim.Child {
	children := make([]claim.Child, len(objects))
	for i, o := range objects {
		children[i] = kube.Child(o)
	}
	return children
}

func (m *ReplicaSetControllerRefManager) ClaimReplicaSets(ctx context.Context, replicaSets []*apps.ReplicaSet) ([]*apps.ReplicaSet, error) {
	claimed, err := m.claimObjects(ctx, "ReplicaSet", m.controllerKind, nil, childrenOf(replicaSets), func(i int, data []byte) error {
		return m.rsControl.PatchReplicaSet(ctx, replicaSets[i].Namespace, replicaSets[i].Name, data)
	})
	return picked(replicaSets, claimed), err
}

func (m *ControllerRevisionControllerRefManager) ClaimControllerRevisions(ctx context.Context, histories []*apps.ControllerRevision) ([]*apps.ControllerRevision, error) {
	claimed, err := m.claimObjects(ctx, "ControllerRevision", m.controllerKind, nil, childrenOf(histories), func(i int, data []byte) error {
		return m.crControl.PatchControllerRevision(ctx, histories[i].Namespace, histories[i].Name, data)
	})
	return picked(histories, claimed), err
}

// expecting serializes changes of expectations, for which upstream uses atomic numbers.
var expecting sync.Mutex

// change applies a function of ours to the expectations of a key, and returns the result.
func (e *ControlleeExpectations) change(to func(expect.Expectations) expect.Expectations) expect.Expectations {
	expecting.Lock()
	defer expecting.Unlock()
	x := to(expect.Expectations{Creations: e.add, Deletions: e.del, At: e.timestamp})
	e.add, e.del = x.Creations, x.Deletions
	return x
}

func unchanged(x expect.Expectations) expect.Expectations { return x }

func (r *ControllerExpectations) SatisfiedExpectations(logger klog.Logger, controllerKey string) bool {
	ours("Expectations.Satisfied")
	e, exists, err := r.GetExpectations(controllerKey)
	return err != nil || !exists || e.change(unchanged).Satisfied(time.Now())
}

func (r *ControllerExpectations) SetExpectations(logger klog.Logger, controllerKey string, add, del int) error {
	ours("expect.Creations")
	x := expect.Creations(int64(add), time.Now()).Raise(0, int64(del))
	return r.Add(&ControlleeExpectations{add: x.Creations, del: x.Deletions, key: controllerKey, timestamp: x.At})
}

func (r *ControllerExpectations) LowerExpectations(logger klog.Logger, controllerKey string, add, del int) {
	ours("Expectations.Lower")
	if e, exists, err := r.GetExpectations(controllerKey); err == nil && exists {
		e.change(func(x expect.Expectations) expect.Expectations { return x.Lower(int64(add), int64(del)) })
	}
}

func (r *ControllerExpectations) RaiseExpectations(logger klog.Logger, controllerKey string, add, del int) {
	ours("Expectations.Raise")
	if e, exists, err := r.GetExpectations(controllerKey); err == nil && exists {
		e.change(func(x expect.Expectations) expect.Expectations { return x.Raise(int64(add), int64(del)) })
	}
}

// uids returns the pods with expected deletions. The caller holds the lock of upstream's UID store.
func (u *UIDTrackingControllerExpectations) uids(key string) expect.Expectations {
	pending := u.GetUIDs(key)
	return expect.Expectations{Pending: pending.List(), Deletions: int64(len(pending)), At: time.Unix(1, 0)}
}

func (u *UIDTrackingControllerExpectations) keep(key string, pending []string) error {
	return u.uidStore.Add(&UIDSet{sets.NewString(pending...), key})
}

func (u *UIDTrackingControllerExpectations) ExpectDeletions(logger klog.Logger, rcKey string, deletedKeys []string) error {
	ours("expect.Deletions")
	u.uidStoreLock.Lock()
	defer u.uidStoreLock.Unlock()
	x := expect.Deletions(deletedKeys, time.Now())
	if err := u.keep(rcKey, x.Pending); err != nil {
		return err
	}
	return u.ControllerExpectationsInterface.ExpectDeletions(logger, rcKey, int(x.Deletions))
}

func (u *UIDTrackingControllerExpectations) DeletionObserved(logger klog.Logger, rcKey, deleteKey string) {
	ours("Expectations.DeletionObserved")
	u.uidStoreLock.Lock()
	defer u.uidStoreLock.Unlock()
	before := u.uids(rcKey)
	after := before.DeletionObserved(deleteKey)
	if len(before.Pending) == 0 {
		return
	}
	if err := u.keep(rcKey, after.Pending); err != nil {
		panic(err)
	}
	u.ControllerExpectationsInterface.LowerExpectations(logger, rcKey, 0, int(before.Deletions-after.Deletions))
}
