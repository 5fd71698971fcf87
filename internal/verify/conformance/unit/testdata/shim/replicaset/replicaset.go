// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

func (rsc *ReplicaSetController) options() replicaset.Options {
	reported := utilfeature.DefaultFeatureGate.Enabled(features.DeploymentReplicaSetTerminatingReplicas) &&
		rsc.controllerFeatures.EnableStatusTerminatingReplicas
	return replicaset.Options{Burst: int32(rsc.burstReplicas), OmitTerminating: !reported}
}

// expected returns the expectations of a key, with names of pods instead of upstream's keys.
func (rsc *ReplicaSetController) expected(namespace, key string) expect.Expectations {
	satisfied := rsc.expectations.SatisfiedExpectations(klog.Background(), key) // also true if they have expired
	e, exists, err := rsc.expectations.GetExpectations(key)
	if err != nil || !exists {
		return expect.Expectations{}
	}
	x := expect.Expectations{At: rsc.clock.Now()}
	if !satisfied {
		x.Creations, x.Deletions = e.GetExpectations()
	}
	for _, k := range rsc.expectations.GetUIDs(key).List() {
		x.Pending = append(x.Pending, strings.TrimPrefix(k, namespace+"/"))
	}
	return x
}

// raise stores the expectations of a plan before it is carried out.
func (rsc *ReplicaSetController) raise(logger klog.Logger, namespace, key string, plan replicaset.Plan) {
	var deletions []string
	for _, a := range plan.Actions {
		switch a := a.(type) {
		case replicaset.CreatePods:
			_ = rsc.expectations.ExpectCreations(logger, key, int(a.Count))
		case replicaset.DeletePod:
			deletions = append(deletions, namespace+"/"+a.Name)
		}
	}
	if deletions != nil {
		_ = rsc.expectations.ExpectDeletions(logger, key, deletions)
	}
}

// lower lowers the stored expectations to the remaining ones at the end of a pass.
func (rsc *ReplicaSetController) lower(logger klog.Logger, namespace, key string, before, after expect.Expectations) {
	for range before.Creations - after.Creations {
		rsc.expectations.CreationObserved(logger, key)
	}
	for _, name := range before.Pending {
		if !slices.Contains(after.Pending, name) {
			rsc.expectations.DeletionObserved(logger, key, namespace+"/"+name)
		}
	}
}

// syncReplicaSet leaves deleted ReplicaSets to upstream.
func (rsc *ReplicaSetController) syncReplicaSet(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	rs, err := rsc.rsLister.ReplicaSets(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return rsc.upstreamsyncReplicaSet(ctx, key)
	}
	if err != nil {
		return err
	}
	ours("replicaset.Reconcile, Executor.ReplicaSet, Finish")
	expected := rsc.expected(namespace, key) // read before the pods, so that no pod is missing from both
	pods, _ := rsc.podLister.Pods(namespace).List(labels.Everything())
	siblings, _ := rsc.rsLister.ReplicaSets(namespace).List(labels.Everything())
	s := kube.ReplicaSetSnapshot(rs, pods, slices.DeleteFunc(siblings, func(o *apps.ReplicaSet) bool { return o.UID == rs.UID }))
	s.Expectations = expected
	return rsc.pass(ctx, namespace, key, rs, s)
}

func (rsc *ReplicaSetController) pass(ctx context.Context, namespace, key string, rs *apps.ReplicaSet, s replicaset.Snapshot) error {
	logger, now, opts := klog.FromContext(ctx), rsc.clock.Now(), rsc.options()
	client := controller.Client{Set: rsc.kubeClient, Pods: rsc.podControl, Owner: rs, Ref: metav1.NewControllerRef(rs, rsc.GroupVersionKind)}
	for {
		pass, err := replicaset.NewPass(s, now, opts)
		if err != nil {
			return err
		}
		rsc.raise(logger, namespace, key, pass.Plan)
		report := kube.Executor{Client: client, Retry: kube.NoRetry}.ReplicaSet(ctx, rs, pass.Plan)
		report.Expectations = rsc.expected(namespace, key)
		result := pass.Finish(report)
		if result.Again != nil {
			s = *result.Again
			continue
		}
		rsc.lower(logger, namespace, key, report.Expectations, result.Expectations)
		if result.WriteStatus {
			written := rs.DeepCopy()
			if _, err := upstreamupdateReplicaSetStatus(logger, rsc.kubeClient.AppsV1().ReplicaSets(namespace), written, kube.ReplicaSetStatus(result.Status), rsc.controllerFeatures); err != nil {
				return err
			}
		}
		if result.Err == nil && !result.RecheckAt.IsZero() {
			rsc.queue.AddAfter(key, result.RecheckAt.Sub(now))
		}
		return result.Err
	}
}

// updateReplicaSetStatus retries a failed write as upstream does; ours would leave it to the next
// pass.
func updateReplicaSetStatus(logger klog.Logger, c appsclient.ReplicaSetInterface, rs *apps.ReplicaSet, newStatus apps.ReplicaSetStatus, controllerFeatures ReplicaSetControllerFeatures) (*apps.ReplicaSet, error) {
	ours("NeedsWrite")
	if !replicaset.NeedsWrite(kube.ReplicaSet(rs), kube.FromReplicaSetStatus(newStatus)) {
		return rs, nil
	}
	return upstreamupdateReplicaSetStatus(logger, c, rs, newStatus, controllerFeatures)
}

// calculateStatus plans for the pods as if the ReplicaSet owned them, whatever their names and
// owners, and gives the error to the calls of the plan.
func calculateStatus(rs *apps.ReplicaSet, activePods []*v1.Pod, terminatingPods []*v1.Pod, manageReplicasErr error, controllerFeatures ReplicaSetControllerFeatures, now time.Time) apps.ReplicaSetStatus {
	ours("replicaset.Reconcile, Finish")
	s := kube.ReplicaSetSnapshot(rs, slices.Concat(activePods, terminatingPods), nil)
	s.ReplicaSet.Name, s.ReplicaSet.UID, s.ReplicaSet.Selector = "set", "uid", nil
	for i := range s.Pods {
		p := &s.Pods[i]
		p.Name, p.UID, p.ControllerUID = fmt.Sprint("pod-", i), fmt.Sprint("uid-", i), "uid"
		if i >= len(activePods) && p.DeletionTimestamp.IsZero() {
			p.DeletionTimestamp = now
		}
	}
	opts := (&ReplicaSetController{controllerFeatures: controllerFeatures}).options()
	pass, err := replicaset.NewPass(s, now, opts)
	if err != nil {
		panic(err)
	}
	var report replicaset.Report
	for _, a := range pass.Plan.Actions {
		outcome := kplan.Outcome{Answer: kplan.Done}
		if manageReplicasErr != nil {
			outcome = kube.Outcome(manageReplicasErr)
		}
		switch a.(type) {
		case replicaset.CreatePods:
			report.Creates = append(report.Creates, outcome)
		case replicaset.DeletePod:
			report.Deletes = append(report.Deletes, outcome)
		}
	}
	status := kube.ReplicaSetStatus(pass.Finish(report).Status)
	status.ObservedGeneration = rs.Status.ObservedGeneration // set when it is written
	for i := range status.Conditions {                       // a prefix of upstream's pod control
		status.Conditions[i].Message = strings.TrimPrefix(status.Conditions[i].Message, "unable to delete pods: ")
	}
	return status
}

// getPodsToDelete chooses victims with our order and returns them in it.
func getPodsToDelete(filteredPods, relatedPods []*v1.Pod, diff int) []*v1.Pod {
	ours("Order.Victims")
	neighbours := podorder.Neighbours{}
	for _, pod := range relatedPods {
		p := kube.Pod(pod)
		neighbours.Add(&p)
	}
	pods := make([]podorder.Pod, len(filteredPods))
	for i, pod := range filteredPods {
		pods[i] = kube.Pod(pod)
	}
	victims := []*v1.Pod{}
	for _, i := range podorder.New(time.Now(), neighbours).Victims(pods, nil, diff) {
		victims = append(victims, filteredPods[i])
	}
	return victims
}

// eventPod is a pod of an event. Upstream finds its controller by name and then compares the UID;
// ours finds it by the UID, which two ReplicaSets of a test may share.
func eventPod(pod *v1.Pod) *podorder.Pod {
	if pod == nil {
		return nil
	}
	p := kube.Pod(pod)
	if p.ControllerUID != "" {
		p.ControllerUID += "/" + p.ControllerName
	}
	return &p
}

// effects applies the effects of a pod event to ReplicaSets.
func (rsc *ReplicaSetController) effects(logger klog.Logger, old, cur *v1.Pod) {
	ours("Effects")
	event := replicaset.PodEvent{Old: eventPod(old), New: eventPod(cur)}
	namespace := cmp.Or(cur, old).Namespace
	list, _ := rsc.rsLister.ReplicaSets(namespace).List(labels.Everything())
	sets := make([]replicaset.ReplicaSet, len(list))
	for i, rs := range list {
		sets[i] = kube.ReplicaSet(rs)
		sets[i].UID += "/" + rs.Name
	}
	for _, e := range replicaset.Effects(event, sets) {
		key := namespace + "/" + e.Name
		if e.Created {
			rsc.expectations.CreationObserved(logger, key)
		}
		if e.Deleted != "" {
			rsc.expectations.DeletionObserved(logger, key, namespace+"/"+e.Deleted)
		}
		if e.Reconcile {
			rsc.queue.Add(key)
		}
		if e.Later > 0 {
			rsc.queue.AddAfter(key, e.Later)
		}
	}
}

func (rsc *ReplicaSetController) addPod(logger klog.Logger, obj interface{}) {
	rsc.effects(logger, nil, obj.(*v1.Pod))
}

func (rsc *ReplicaSetController) updatePod(logger klog.Logger, old, cur interface{}) {
	rsc.effects(logger, old.(*v1.Pod), cur.(*v1.Pod))
}

func (rsc *ReplicaSetController) deletePod(logger klog.Logger, obj interface{}) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	rsc.effects(logger, obj.(*v1.Pod), nil)
}

func (rsc *ReplicaSetController) getPodReplicaSets(pod *v1.Pod) []*apps.ReplicaSet {
	ours("ControllersSelecting")
	list, _ := rsc.rsLister.ReplicaSets(pod.Namespace).List(labels.Everything())
	controllers := make([]claim.Controller, len(list))
	for i, rs := range list {
		s, err := selector.FromLabelSelector(kube.LabelSelector(rs.Spec.Selector))
		if err != nil {
			s = selector.Nothing()
		}
		controllers[i] = claim.Controller{Owner: kube.Owner(rs, rsc.GroupVersionKind, s), CreationTimestamp: rs.CreationTimestamp.Time}
	}
	child := kube.Child(pod)
	var found []*apps.ReplicaSet
	for _, i := range claim.ControllersSelecting(&child, controllers) {
		found = append(found, list[i])
	}
	return found
}

func (rsc *ReplicaSetController) getReplicaSetsWithSameController(logger klog.Logger, rs *apps.ReplicaSet) []*apps.ReplicaSet {
	child := kube.Child(rs)
	if !child.Controlled() {
		return rsc.upstreamgetReplicaSetsWithSameController(logger, rs)
	}
	ours("Child.ControlledBy")
	owner := claim.Owner{UID: child.ControllerUID}
	found := []*apps.ReplicaSet{}
	for _, o := range rsc.rsIndexer.List() {
		other := o.(*apps.ReplicaSet)
		if c := kube.Child(other); c.ControlledBy(&owner) {
			found = append(found, other)
		}
	}
	return found
}

func slowStartBatch(count int, initialBatchSize int, fn func() error) (int, error) {
	ours("CreatePods.NextBatch")
	a := replicaset.CreatePods{Count: int32(count), Initial: int32(initialBatchSize)}
	var made []kplan.Outcome
	for n := a.NextBatch(made); n > 0; n = a.NextBatch(made) {
		batch := make([]kplan.Outcome, n)
		var wg sync.WaitGroup
		for i := range batch {
			wg.Go(func() { batch[i] = kube.Outcome(fn()) })
		}
		wg.Wait()
		made = append(made, batch...)
	}
	done := 0
	var err error
	for _, o := range made {
		if o.Answer == kplan.Done {
			done++
		} else if err == nil {
			err = o.Err
		}
	}
	return done, err
}

func ourConditions(status apps.ReplicaSetStatus) []kplan.Condition {
	return kube.FromReplicaSetStatus(status).Conditions
}

func apiConditions(list []kplan.Condition) []apps.ReplicaSetCondition {
	return kube.ReplicaSetStatus(replicaset.Status{Conditions: list}).Conditions
}

func GetCondition(status apps.ReplicaSetStatus, condType apps.ReplicaSetConditionType) *apps.ReplicaSetCondition {
	ours("replicaset.GetCondition")
	c, ok := replicaset.GetCondition(ourConditions(status), string(condType))
	if !ok {
		return nil
	}
	condition := kube.ReplicaSetCondition(c)
	return &condition
}

func SetCondition(status *apps.ReplicaSetStatus, condition apps.ReplicaSetCondition) {
	ours("replicaset.SetCondition")
	status.Conditions = apiConditions(replicaset.SetCondition(ourConditions(*status), kube.FromReplicaSetCondition(condition)))
}

func RemoveCondition(status *apps.ReplicaSetStatus, condType apps.ReplicaSetConditionType) {
	ours("replicaset.RemoveCondition")
	status.Conditions = apiConditions(replicaset.RemoveCondition(ourConditions(*status), string(condType)))
}
