// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/controller"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A replicaSetOutcome is the result of a pass in a form that both sides share. The order of the
// deletions is left out: upstream sends them concurrently.
type replicaSetOutcome struct {
	Refused  bool
	Rejected []string // the fields that no plan can be made from
	LiveRead bool     // the ReplicaSet is read again before pods are adopted
	Claims   []string // names and patches of adopted and released pods, sorted
	Creates  int
	Deletes  []string // names, sorted
	Other    []string // writes that no plan has
	Status   appsv1.ReplicaSetStatus
	Recheck  string
}

// A replicaSetPass is one case with the results of both sides.
type replicaSetPass struct {
	c              *gen.ReplicaSetCase
	in             *gen.ReplicaSetCase // the input of upstream
	choice         *gen.ReplicaSetCase // the input for the choice of victims, if it is different
	sync           replicaSync
	now            time.Time
	result         upstream.Result
	upstream, ours replicaSetOutcome
	plan           replicaset.Plan
	rejected       error
	// ambiguous is set if upstream decides otherwise when its cache lists the
	// pods in another order.
	ambiguous bool
}

func passReplicaSet(sync replicaSync, c *gen.ReplicaSetCase, now time.Time) replicaSetPass {
	p := replicaSetPass{c: c, in: c, sync: sync, now: now}
	p.decide(now)
	p.run()
	if p.upstream.Refused && p.ours.Refused { // upstream ends at the first error
		p.upstream.Rejected = p.ours.Rejected
	}
	return p
}

// run runs upstream. If the sides choose different victims, it is run again with the pods
// listed in the planner's order: that the planner's choice is one of upstream's is all
// that can be asked where upstream has several.
func (p *replicaSetPass) run() {
	p.once(p.in.Pods)
	if !slices.Equal(p.upstream.Deletes, p.ours.Deletes) && p.rejected == nil {
		first := p.upstream.Deletes
		p.once(p.inPlannedOrder())
		p.ambiguous = !slices.Equal(first, p.upstream.Deletes)
	}
}

// again runs upstream with its input changed.
func (p *replicaSetPass) again(change func(*gen.ReplicaSetCase)) {
	in := *p.in
	in.ReplicaSet, in.Siblings, in.Pods = in.ReplicaSet.DeepCopy(), slices.Clone(in.Siblings), slices.Clone(in.Pods)
	p.in = &in
	change(p.in)
	p.run()
}

func (p *replicaSetPass) sides() (theirs, ours *replicaSetOutcome) { return &p.upstream, &p.ours }

func (p *replicaSetPass) clone() *replicaSetPass {
	q := *p
	return &q
}

func (p *replicaSetPass) once(pods []*corev1.Pod) {
	c := p.in
	p.result = p.sync(c, pods)
	o := replicaSetOutcome{Status: c.ReplicaSet.Status, Recheck: never}
	for _, w := range p.result.Writes {
		switch w := w.(type) {
		case upstream.Patch:
			o.Claims = append(o.Claims, w.Name+" "+w.Body)
			o.early(o.Creates + len(o.Deletes))
		case upstream.CreatePod:
			o.Creates++
		case upstream.DeletePod:
			o.Deletes = append(o.Deletes, w.Name)
		case upstream.UpdateReplicaSetStatus:
			o.Status = w.Status
		case upstream.UpdateControllerStatus:
			o.Status = asReplicaSetStatus(w.Status)
		default:
			o.Other = append(o.Other, fmt.Sprintf("%+v", w))
		}
	}
	for _, q := range p.result.Requeues {
		o.Recheck = q.After.String()
	}
	o.Refused, o.LiveRead = p.result.Panic != nil || p.result.Err != nil, p.result.LiveReads > 0
	p.upstream = o.normalised()
}

func (p *replicaSetPass) decide(now time.Time) {
	p.plan, p.rejected = replicaset.Reconcile(snapshotOf(p.c), now, replicaset.Options{Burst: int32(p.c.Burst)})
	if p.rejected != nil {
		p.ours = refusedReplicaSet(p.c, rejected(p.rejected)...)
		return
	}
	o := replicaSetOutcome{LiveRead: p.plan.LiveCheck, Status: statusOf(p.c, p.plan.Status), Recheck: never}
	for _, a := range p.plan.Actions {
		switch a := a.(type) {
		case replicaset.AdoptPod:
			o.Claims = append(o.Claims, a.Name+" "+patchText(kube.ReplicaSetRequests(nil, a)))
			o.early(o.Creates + len(o.Deletes))
		case replicaset.ReleasePod:
			o.Claims = append(o.Claims, a.Name+" "+patchText(kube.ReplicaSetRequests(nil, a)))
			o.early(o.Creates + len(o.Deletes))
		case replicaset.CreatePods:
			o.Creates += int(a.Count)
		case replicaset.DeletePod:
			o.Deletes = append(o.Deletes, a.Name)
		default:
			o.Other = append(o.Other, fmt.Sprintf("%+v", a))
		}
	}
	if !p.plan.RecheckAt.IsZero() {
		o.Recheck = p.plan.RecheckAt.Sub(now).String()
	}
	s := snapshotOf(p.c)
	s.Pods = nil
	from, err := replicaset.ReconcileFrom(s, kube.Pods(p.c.ReplicaSet.Namespace, p.c.Pods), now, replicaset.Options{Burst: int32(p.c.Burst)})
	if diff := cmp.Diff(p.plan, from, cmpopts.EquateEmpty()); diff != "" || err != nil {
		o.Other = append(o.Other, fmt.Sprint("with pods that are read one by one: ", diff, err))
	}
	p.ours = o.normalised()
}

// refusedReplicaSet is the outcome of a pass that only fails.
func refusedReplicaSet(c *gen.ReplicaSetCase, fields ...string) replicaSetOutcome {
	return replicaSetOutcome{Refused: true, Rejected: fields, Status: c.ReplicaSet.Status, Recheck: never}.normalised()
}

// early notes a claim that comes after other writes.
func (o *replicaSetOutcome) early(written int) {
	if written > 0 {
		o.Other = append(o.Other, "late claim")
	}
}

func (o replicaSetOutcome) normalised() replicaSetOutcome {
	slices.Sort(o.Deletes)
	slices.Sort(o.Claims)
	conditions := make([]appsv1.ReplicaSetCondition, len(o.Status.Conditions))
	for i, c := range o.Status.Conditions {
		c.LastTransitionTime = utc(c.LastTransitionTime)
		conditions[i] = c
	}
	if o.Status.Conditions = conditions; len(conditions) == 0 {
		o.Status.Conditions = nil
	}
	return o
}

// ranked returns the pods that upstream chooses among, in the order of its cache.
func (p *replicaSetPass) ranked() ranked {
	r := ranked{Ranks: map[string]int{}, Now: at(p.now)}
	for _, pod := range p.in.Pods {
		if claimed(p.in, pod) && controller.IsPodActive(pod) {
			r.Pods = append(r.Pods, pod)
		}
	}
	for node, n := range p.neighbours() {
		r.Ranks[node] = int(n)
	}
	return r
}

// inPlannedOrder lists the pods of the case, first the pods among which upstream chooses, in the
// planner's order of deletion.
func (p *replicaSetPass) inPlannedOrder() []*corev1.Pod {
	list := p.ranked().planned()
	for _, pod := range p.in.Pods {
		if !slices.Contains(list, pod) {
			list = append(list, pod)
		}
	}
	return list
}

// neighbours counts the active pods that a ReplicaSet with the same controller
// selects, whoever controls them. A ReplicationController has no neighbours: upstream
// looks for them among ReplicaSets only.
func (p *replicaSetPass) neighbours() podorder.Neighbours {
	deployment := metav1.GetControllerOf(p.in.ReplicaSet)
	if deployment == nil || p.in.Controllers {
		return nil
	}
	n, sets := podorder.Neighbours{}, slices.Concat([]*appsv1.ReplicaSet{p.in.ReplicaSet}, p.in.Siblings)
	for _, pod := range p.in.Pods {
		if slices.ContainsFunc(sets, func(rs *appsv1.ReplicaSet) bool {
			of := metav1.GetControllerOf(rs)
			return of != nil && of.UID == deployment.UID && selects(rs, pod)
		}) {
			snapshot := kube.Pod(pod)
			n.Add(&snapshot)
		}
	}
	return n
}

func selects(rs *appsv1.ReplicaSet, pod *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(rs.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(pod.Labels))
}

// verdict compares the two sides of a pass, as for Deployments.
func (p replicaSetPass) verdict() (intended, diff string) {
	names, diff := explain(replicaSetDifferences, &p)
	return strings.Join(names, " and "), diff
}

func (p replicaSetPass) report(diff string) string {
	objects, err := yaml.Marshal(p.c)
	if err != nil {
		objects = []byte(err.Error())
	}
	return fmt.Sprintf("upstream (-) and plan (+) differ:\n%s\nupstream error: %v, panic: %v\nplan error: %v\nplan:\n%v\ncase:\n%s",
		diff, p.result.Err, p.result.Panic, p.rejected, p.plan, objects)
}

// replicaSetCorners are the corners that whole passes of ReplicaSets must have met.
var replicaSetCorners = []corner[*replicaSetPass]{
	{"nothing to do", func(p *replicaSetPass) bool { return len(p.result.Writes) == 0 }},
	{"creates", func(p *replicaSetPass) bool { return p.upstream.Creates > 0 }},
	{"creates up to the burst", func(p *replicaSetPass) bool { return p.upstream.Creates == p.c.Burst }},
	{"creates 500", func(p *replicaSetPass) bool { return p.upstream.Creates == 500 }},
	{"deletes one", func(p *replicaSetPass) bool { return len(p.upstream.Deletes) == 1 }},
	{"deletes three", func(p *replicaSetPass) bool { return len(p.upstream.Deletes) == 3 }},
	{"deletes all", func(p *replicaSetPass) bool {
		return len(p.upstream.Deletes) > 1 && len(p.upstream.Deletes) == int(p.upstream.Status.Replicas)
	}},
	{"deletes up to the burst", func(p *replicaSetPass) bool { return len(p.upstream.Deletes) == p.c.Burst }},
	{"upstream has several answers", func(p *replicaSetPass) bool { return p.ambiguous }},
	{"more than 12 candidates", func(p *replicaSetPass) bool { return len(p.upstream.Deletes) > 0 && p.upstream.Status.Replicas > 12 }},
	{"no pod", func(p *replicaSetPass) bool { return len(p.c.Pods) == 0 }},
	{"negative size", func(p *replicaSetPass) bool { return *p.c.ReplicaSet.Spec.Replicas < 0 }},
	{"2147483647 replicas", func(p *replicaSetPass) bool { return *p.c.ReplicaSet.Spec.Replicas == math.MaxInt32 }},
	{"being deleted", func(p *replicaSetPass) bool { return p.c.ReplicaSet.DeletionTimestamp != nil }},
	{"no controller", func(p *replicaSetPass) bool { return metav1.GetControllerOf(p.c.ReplicaSet) == nil }},
	{"neighbours of a sibling", func(p *replicaSetPass) bool {
		return len(p.upstream.Deletes) > 0 && len(p.c.Siblings) > 0 && len(p.neighbours()) > 1
	}},
	{"neighbour that a sibling selects but does not control", func(p *replicaSetPass) bool {
		return len(p.upstream.Deletes) > 0 && anyPod(func(p *replicaSetPass, pod *corev1.Pod) bool {
			owner := metav1.GetControllerOf(pod)
			return slices.ContainsFunc(p.c.Siblings, func(rs *appsv1.ReplicaSet) bool {
				return selects(rs, pod) && (owner == nil || owner.UID != rs.UID)
			})
		})(p)
	}},
	{"condition removed", func(p *replicaSetPass) bool {
		return len(p.upstream.Status.Conditions) < len(p.c.ReplicaSet.Status.Conditions)
	}},
	{"other condition kept", func(p *replicaSetPass) bool { return len(p.upstream.Status.Conditions) > 0 }},
	{"terminating pod counted", func(p *replicaSetPass) bool { n := p.upstream.Status.TerminatingReplicas; return n != nil && *n > 0 }},
	{"not fully labelled", func(p *replicaSetPass) bool {
		return p.upstream.Status.FullyLabeledReplicas < p.upstream.Status.Replicas
	}},
	{"ready but not available", func(p *replicaSetPass) bool {
		return p.upstream.Status.AvailableReplicas < p.upstream.Status.ReadyReplicas
	}},
	{"available from now on", anyPod(func(p *replicaSetPass, pod *corev1.Pod) bool {
		c := podutil.GetPodReadyCondition(pod.Status)
		minReady := time.Duration(p.c.ReplicaSet.Spec.MinReadySeconds) * time.Second
		return minReady > 0 && podutil.IsPodReady(pod) && c.LastTransitionTime.Add(minReady).Equal(p.now)
	})},
	{"recheck", func(p *replicaSetPass) bool { return p.upstream.Recheck != never }},
	{"recheck after minReadySeconds", func(p *replicaSetPass) bool {
		return p.upstream.Recheck == (time.Duration(p.c.ReplicaSet.Spec.MinReadySeconds) * time.Second).String()
	}},
	{"failed pod", anyPod(func(_ *replicaSetPass, pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodFailed })},
	{"succeeded pod", anyPod(func(_ *replicaSetPass, pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodSucceeded })},
	{"finished and terminating pod", anyPod(func(_ *replicaSetPass, pod *corev1.Pod) bool {
		return pod.Status.Phase == corev1.PodSucceeded && pod.DeletionTimestamp != nil
	})},
	{"pod of no phase", anyPod(func(_ *replicaSetPass, pod *corev1.Pod) bool { return pod.Status.Phase == "" })},
	{"pod of no node", anyPod(func(_ *replicaSetPass, pod *corev1.Pod) bool { return pod.Spec.NodeName == "" })},
	{"pod created now", anyPod(func(p *replicaSetPass, pod *corev1.Pod) bool { return pod.CreationTimestamp.Time.Equal(p.now) })},
	{"pod without creation time", anyPod(func(_ *replicaSetPass, pod *corev1.Pod) bool { return pod.CreationTimestamp.IsZero() })},
	{"pod created in the future", anyPod(func(p *replicaSetPass, pod *corev1.Pod) bool { return pod.CreationTimestamp.After(p.now) })},
	{"ready pod without time", anyPod(func(_ *replicaSetPass, pod *corev1.Pod) bool {
		c := podutil.GetPodReadyCondition(pod.Status)
		return podutil.IsPodReady(pod) && c.LastTransitionTime.IsZero()
	})},
	{"two Ready conditions", anyPod(func(_ *replicaSetPass, pod *corev1.Pod) bool {
		c := pod.Status.Conditions
		return len(c) > 1 && c[0].Type == c[1].Type
	})},
	{"invalid deletion cost", anyPod(func(_ *replicaSetPass, pod *corev1.Pod) bool {
		_, valid := podorder.DeletionCost(pod.Annotations)
		return !valid
	})},
	{"sidecar restarts", anyPod(func(_ *replicaSetPass, pod *corev1.Pod) bool { return kube.Pod(pod).SidecarRestarts > 0 })},
	{"pod with our UID and another name", anyPod(func(p *replicaSetPass, pod *corev1.Pod) bool {
		o := metav1.GetControllerOf(pod)
		return o != nil && o.UID == p.c.ReplicaSet.UID && o.Name != p.c.ReplicaSet.Name
	})},
	{"pod with our UID and another kind", anyPod(func(p *replicaSetPass, pod *corev1.Pod) bool {
		o := metav1.GetControllerOf(pod)
		return o != nil && o.UID == p.c.ReplicaSet.UID && o.Kind != p.c.Kind()
	})},
	{"pod of another owner", anyPod(func(_ *replicaSetPass, pod *corev1.Pod) bool {
		o := metav1.GetControllerOf(pod)
		return o != nil && o.UID == "else"
	})},
	{"orphan that does not match", anyOrphan(false, func(*replicaSetPass, *corev1.Pod) bool { return true })},
	{"orphan that matches, being deleted", anyOrphan(true, func(_ *replicaSetPass, pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })},
	{"orphan that matches, ended", anyOrphan(true, func(_ *replicaSetPass, pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodFailed })},
	{"orphan that matches, owner being deleted", anyOrphan(true, func(p *replicaSetPass, pod *corev1.Pod) bool {
		return p.c.ReplicaSet.DeletionTimestamp != nil && controller.IsPodActive(pod)
	})},
	{"orphan that matches, with an owner that does not control", anyOrphan(true, func(_ *replicaSetPass, pod *corev1.Pod) bool {
		return len(pod.OwnerReferences) > 0
	})},
	{"own pod that does not match, owner being deleted", anyPod(func(p *replicaSetPass, pod *corev1.Pod) bool {
		return p.c.ReplicaSet.DeletionTimestamp != nil && metav1.IsControlledBy(pod, p.c.ReplicaSet) && !selects(p.c.ReplicaSet, pod)
	})},
	{"adopts", patches(`"controller":true`)}, {"releases", patches(`"$patch":"delete"`)},
	{"adopts and releases", func(p *replicaSetPass) bool {
		return patches(`"controller":true`)(p) && patches(`"$patch":"delete"`)(p)
	}},
	{"adopts and creates", func(p *replicaSetPass) bool { return patches(`"controller":true`)(p) && p.upstream.Creates > 0 }},
	{"adopts and deletes", func(p *replicaSetPass) bool { return patches(`"controller":true`)(p) && len(p.upstream.Deletes) > 0 }},
	{"deletes what it has just adopted", func(p *replicaSetPass) bool {
		return slices.ContainsFunc(p.upstream.Deletes, func(name string) bool {
			return slices.ContainsFunc(p.upstream.Claims, func(c string) bool { return strings.HasPrefix(c, name+" ") })
		})
	}},
	{"selector with expressions", func(p *replicaSetPass) bool {
		s := p.c.ReplicaSet.Spec.Selector
		return s != nil && len(s.MatchExpressions) > 0
	}},
	{"empty selector", func(p *replicaSetPass) bool {
		s := p.c.ReplicaSet.Spec.Selector
		return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) == 0
	}},
	{"invalid selector", func(p *replicaSetPass) bool {
		_, err := metav1.LabelSelectorAsSelector(p.c.ReplicaSet.Spec.Selector)
		return err != nil
	}},
	{"invalid selector of a sibling", func(p *replicaSetPass) bool {
		return len(p.upstream.Deletes) > 0 && slices.ContainsFunc(p.c.Siblings, func(rs *appsv1.ReplicaSet) bool {
			_, err := metav1.LabelSelectorAsSelector(rs.Spec.Selector)
			return err != nil
		})
	}},
	{"no selector", func(p *replicaSetPass) bool { return p.c.ReplicaSet.Spec.Selector == nil }},
	{"owner that does not control in front", anyPod(func(_ *replicaSetPass, pod *corev1.Pod) bool { return len(pod.OwnerReferences) > 1 })},
	{"upstream panics", func(p *replicaSetPass) bool { return p.result.Panic != nil }},
}

func anyPod(is func(*replicaSetPass, *corev1.Pod) bool) func(*replicaSetPass) bool {
	return func(p *replicaSetPass) bool {
		return slices.ContainsFunc(p.c.Pods, func(pod *corev1.Pod) bool { return is(p, pod) })
	}
}

func anyOrphan(matches bool, is func(*replicaSetPass, *corev1.Pod) bool) func(*replicaSetPass) bool {
	return anyPod(func(p *replicaSetPass, pod *corev1.Pod) bool {
		return metav1.GetControllerOf(pod) == nil && selects(p.c.ReplicaSet, pod) == matches && is(p, pod)
	})
}

// patches reports whether one of upstream's patches contains a text.
func patches(text string) func(*replicaSetPass) bool {
	return func(p *replicaSetPass) bool {
		return slices.ContainsFunc(p.upstream.Claims, func(c string) bool { return strings.Contains(c, text) })
	}
}

// TestReplicaSets compares whole passes of the ReplicaSet controller with plans.
func TestReplicaSets(t *testing.T) {
	compareReplicas(t, "whole passes of ReplicaSets", replicaSetSync, gen.ReplicaSet, replicaSetCorners)
}
