// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

var claimFunctions = []function{
	{"ClaimPods", compareClaim},
	{"FilterPodsByOwner, ClaimPods, FilterClaimedPods", compareReplicaClaim},
}

// claiming is an owner, pods, and how the API server answers.
type claiming struct {
	Owner      *appsv1.ReplicaSet
	Selector   string // "-" selects nothing
	Finalizers []string
	Pods       []*corev1.Pod
	Rejected   map[string]bool
	Answers    map[string]kplan.Outcome
	Live       claim.OwnerNow
}

// claimOutcome is the result for the pods.
type claimOutcome struct {
	Claimed []string
	Patches []string
	Err     string
	Reads   int // of the owner
}

func drawClaiming(t random.T, now time.Time) claiming {
	c := claiming{
		Owner:    &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: gen.Namespace, Name: "rs", UID: "u1"}},
		Selector: random.OneOf[string](t, "selector", "a=b", "a notin (x)", "!a", "a in (b,x)", "a=b", "", "-"),
		Rejected: map[string]bool{}, Answers: map[string]kplan.Outcome{}, Live: claim.OwnerNow{UID: "u1"},
	}
	if random.OneIn(t, "cluster-scoped", 4) {
		c.Owner.Namespace = ""
	}
	if random.OneIn(t, "owner deleting", 5) {
		c.Owner.DeletionTimestamp = new(at(now))
	}
	if random.OneIn(t, "finalizers", 3) {
		c.Finalizers = []string{"f/x"}
	}
	switch random.Below(t, "live", 12) {
	case 9:
		c.Live.Err = errors.New("boom")
	case 10:
		c.Live.DeletionTimestamp = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	case 11:
		c.Live.UID = "u2"
	}
	for i := range random.Below(t, "pods", 6) {
		pod := drawClaimed(t, now, i)
		c.Pods = append(c.Pods, pod)
		c.Rejected[pod.Name] = random.OneIn(t, "rejected", 8)
		c.Answers[pod.Name] = drawAnswer(t, pod.Name)
	}
	return c
}

func drawClaimed(t random.T, now time.Time, i int) *corev1.Pod {
	n := strconv.Itoa(i)
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: gen.Namespace, Name: "p" + n, UID: types.UID("uid" + n)}}
	if random.OneIn(t, "namespace", 4) {
		p.Namespace = "other"
	}
	p.Labels = random.OneOf(t, "labels", map[string]string{"a": "b"}, map[string]string{"a": "x"}, nil)
	if random.OneIn(t, "deleting", 5) {
		p.DeletionTimestamp = new(at(now))
	}
	for range random.Below(t, "references", 3) {
		uid := random.OneOf[string](t, "uid", "u1", "u1", "z")
		p.OwnerReferences = append(p.OwnerReferences, metav1.OwnerReference{
			APIVersion: "v1", Kind: "K", Name: uid, UID: types.UID(uid),
			Controller: random.OneOf[*bool](t, "controller", new(true), new(true), new(false), nil),
		})
	}
	return p
}

func drawAnswer(t random.T, name string) kplan.Outcome {
	pods := schema.GroupResource{Resource: "pods"}
	switch random.Below(t, "answer", 8) {
	case 5:
		return kplan.Outcome{Answer: kplan.NotFound, Err: apierrors.NewNotFound(pods, name)}
	case 6:
		return kplan.Outcome{Answer: kplan.Invalid, Err: apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, name, nil)}
	case 7:
		return kplan.Outcome{Answer: kplan.Failed, Err: apierrors.NewConflict(pods, random.OneOf[string](t, "conflict", name, "same"), nil)}
	}
	return kplan.Outcome{Answer: kplan.Done}
}

// answering records patches and answers them.
type answering struct {
	controller.FakePodControl
	c       *claiming
	patches []string
}

func (a *answering) PatchPod(_ context.Context, namespace, name string, body []byte) error {
	a.patches = append(a.patches, namespace+"/"+name+" "+string(body))
	return a.c.Answers[name].Err
}

func (c *claiming) labels() labels.Selector {
	if c.Selector == "-" {
		return labels.Nothing()
	}
	return must(labels.Parse(c.Selector))
}

func (c *claiming) upstream() claimOutcome {
	var o claimOutcome
	canAdopt := controller.RecheckDeletionTimestamp(func(context.Context) (metav1.Object, error) {
		o.Reads++
		if c.Live.Err != nil {
			return nil, c.Live.Err
		}
		fresh := c.Owner.DeepCopy()
		if c.Live.UID != string(c.Owner.UID) { // as each controller says it
			return nil, errors.New("original ReplicaSet " + fresh.Namespace + "/rs is gone: got uid " + c.Live.UID + ", wanted u1")
		}
		fresh.DeletionTimestamp = nil
		if !c.Live.DeletionTimestamp.IsZero() {
			fresh.DeletionTimestamp = new(at(c.Live.DeletionTimestamp))
		}
		return fresh, nil
	})
	control := &answering{c: c}
	m := controller.NewPodControllerRefManager(control, c.Owner, c.labels(), appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), canAdopt, c.Finalizers...)
	claimed, err := m.ClaimPods(silent, c.Pods, func(p *corev1.Pod) bool { return !c.Rejected[p.Name] })
	o.Claimed, o.Patches, o.Err = names(claimed), control.patches, textOf(err)
	return o
}

func (c *claiming) owner() claim.Owner {
	owner := claim.Owner{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: c.Owner.Namespace, Name: c.Owner.Name, UID: string(c.Owner.UID),
		Deleting: c.Owner.DeletionTimestamp != nil, Selector: selector.Nothing(), Finalizers: c.Finalizers,
	}
	if c.Selector != "-" {
		owner.Selector = must(selector.Parse(c.Selector))
	}
	return owner
}

// target returns the pod of an action, and patch its request.
func (c *claiming) target(a claim.Action) *corev1.Pod {
	switch a := a.(type) {
	case claim.AdoptChild:
		return c.Pods[a.Child]
	case claim.ReleaseChild:
		return c.Pods[a.Child]
	}
	return nil
}

func (c *claiming) patch(a claim.Action) string {
	pod := c.target(a)
	return pod.Namespace + "/" + pod.Name + " " + string(a.Patch())
}

func (c *claiming) ours() claimOutcome {
	owner := c.owner()
	lists := claim.Classify(&owner, len(c.Pods), c.child)
	o := claimOutcome{Claimed: []string{}}
	if lists.NeedsLiveCheck() {
		o.Reads = 1
	}
	resolution := claim.Resolve(&owner, lists, c.child, claim.CheckLive(&owner, c.Live))
	var outcomes []kplan.Outcome
	for _, a := range resolution.Actions {
		outcomes = append(outcomes, c.Answers[c.target(a).Name])
		o.Patches = append(o.Patches, c.patch(a))
	}
	claimed, err := claim.ApplyOutcome(resolution, outcomes)
	for _, i := range claimed {
		o.Claimed = append(o.Claimed, c.Pods[i].Name)
	}
	o.Err = textOf(err)
	return o
}

func (c *claiming) child(i int) claim.Child {
	p := c.Pods[i]
	child := claim.Child{
		Namespace: p.Namespace, Name: p.Name, UID: string(p.UID), Labels: p.Labels, Deleting: p.DeletionTimestamp != nil, Rejected: c.Rejected[p.Name],
		Finished: p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed,
	}
	var references []claim.OwnerReference
	for _, r := range p.OwnerReferences {
		references = append(references, claim.OwnerReference{
			APIVersion: r.APIVersion, Kind: r.Kind, Name: r.Name, UID: string(r.UID), Controller: r.Controller,
		})
	}
	if r, ok := claim.ControllerOf(references); ok {
		child.ControllerKind, child.ControllerName, child.ControllerUID = r.Kind, r.Name, r.UID
	}
	return child
}

func compareClaim(t random.T, counts *caseCounts, now time.Time) {
	c := drawClaiming(t, now)
	of := func(name string, is func(claimOutcome) bool) corner[decision[claiming]] {
		return corner[decision[claiming]]{name, func(d decision[claiming]) bool { return is(d.upstream.(claimOutcome)) }}
	}
	patch := func(name, text string) corner[decision[claiming]] {
		return of(name, func(o claimOutcome) bool {
			return slices.ContainsFunc(o.Patches, func(p string) bool { return strings.Contains(p, text) })
		})
	}
	judge(t, counts, []corner[decision[claiming]]{
		patch("adopts", `"controller":true`), patch("releases", `"$patch":"delete"`),
		patch("adopts with finalizers", `"finalizers":["f/x"]`), patch("releases with finalizers", `"$deleteFromPrimitiveList/finalizers"`),
		of("keeps", func(o claimOutcome) bool { return len(o.Claimed) > 0 && len(o.Patches) == 0 }),
		of("claims three", func(o claimOutcome) bool { return len(o.Claimed) == 3 }),
		of("several errors", func(o claimOutcome) bool { return strings.HasPrefix(o.Err, "[") }),
		of("owner cannot be read", func(o claimOutcome) bool { return strings.Contains(o.Err, "boom") }),
		of("owner has just been deleted", func(o claimOutcome) bool { return strings.Contains(o.Err, "has just been deleted") }),
		of("owner is another", func(o claimOutcome) bool { return strings.Contains(o.Err, "is gone") }),
		of("errors that are none", func(o claimOutcome) bool { return o.Err == "" && len(o.Patches) > len(o.Claimed) }),
		in("owner being deleted", func(c claiming) bool { return c.Owner.DeletionTimestamp != nil && len(c.Pods) > 2 }),
		in("cluster-scoped", func(c claiming) bool { return c.Owner.Namespace == "" && len(c.Pods) > 2 }),
	}, nil, decision[claiming]{c, c.upstream(), c.ours()})
}

// replicaClaim is the result for the pods of a ReplicaSet, in no order.
type replicaClaim struct{ Claimed, Patches, Terminating []string }

// compareReplicaClaim claims pods as the pass of a ReplicaSet does.
func compareReplicaClaim(t random.T, counts *caseCounts, now time.Time) {
	c := drawClaiming(t, now)
	c.Owner.Namespace, c.Rejected, c.Answers, c.Live = gen.Namespace, nil, nil, claim.OwnerNow{UID: "u1"}
	for _, p := range c.Pods {
		p.Status.Phase = random.OneOf[corev1.PodPhase](t, "phase", corev1.PodRunning, corev1.PodRunning, corev1.PodFailed, corev1.PodSucceeded)
		for i := range p.OwnerReferences {
			if r := &p.OwnerReferences[i]; r.UID == "u1" {
				r.Kind = random.OneOf[string](t, "kind", "ReplicaSet", "ReplicaSet", "ReplicaSet", "K")
				r.Name = random.OneOf[string](t, "name", "rs", "rs", "rs", "other")
			}
		}
	}
	judge(t, counts, []corner[decision[claiming]]{
		{"claims", func(d decision[claiming]) bool { return len(d.upstream.(replicaClaim).Claimed) > 1 }},
		{"patches", func(d decision[claiming]) bool { return len(d.upstream.(replicaClaim).Patches) > 1 }},
		{"counts", func(d decision[claiming]) bool { return len(d.upstream.(replicaClaim).Terminating) > 0 }},
		in("another kind", func(c claiming) bool { return c.hasReference("K", "rs") }),
		in("another name", func(c claiming) bool { return c.hasReference("ReplicaSet", "other") }),
		in("a finished pod", func(c claiming) bool {
			return slices.ContainsFunc(c.Pods, func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodFailed && p.DeletionTimestamp == nil })
		}),
	}, nil, decision[claiming]{c, c.upstreamReplicas(), c.ourReplicas()})
}

func (c *claiming) hasReference(kind, name string) bool {
	return slices.ContainsFunc(c.Pods, func(p *corev1.Pod) bool {
		r := metav1.GetControllerOf(p)
		return r != nil && r.UID == "u1" && r.Kind == kind && r.Name == name
	})
}

func (c *claiming) upstreamReplicas() replicaClaim {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{controller.PodControllerIndex: func(o any) ([]string, error) {
		p := o.(*corev1.Pod)
		return []string{controller.PodControllerIndexKey(p.Namespace, metav1.GetControllerOf(p))}, nil
	}})
	for _, p := range coherent("ReplicaSet", []*appsv1.ReplicaSet{c.Owner}, c.Pods) {
		must(0, indexer.Add(p))
	}
	own := must(controller.FilterPodsByOwner(indexer, &c.Owner.ObjectMeta, "ReplicaSet", true))
	all := c.Pods
	defer func() { c.Pods = all }()
	c.Pods = controller.FilterActivePods(klog.FromContext(silent), own)
	o := c.upstream()
	terminating := controller.FilterClaimedPods(c.Owner, c.labels(), controller.FilterTerminatingPods(own))
	return replicaClaim{sorted(o.Claimed), sorted(o.Patches), sorted(names(terminating))}
}

func (c *claiming) ourReplicas() replicaClaim {
	owner := c.owner()
	lists := claim.ClassifyActive(&owner, len(c.Pods), c.child)
	resolution := claim.Resolve(&owner, lists, c.child, claim.CheckLive(&owner, c.Live))
	r, outcomes := replicaClaim{}, []kplan.Outcome{}
	for _, a := range resolution.Actions {
		outcomes = append(outcomes, kplan.Outcome{Answer: kplan.Done})
		r.Patches = append(r.Patches, c.patch(a))
	}
	for _, i := range must(claim.ApplyOutcome(resolution, outcomes)) {
		r.Claimed = append(r.Claimed, c.Pods[i].Name)
	}
	for _, i := range lists.Terminating {
		r.Terminating = append(r.Terminating, c.Pods[i].Name)
	}
	return replicaClaim{sorted(r.Claimed), sorted(r.Patches), r.Terminating}
}
