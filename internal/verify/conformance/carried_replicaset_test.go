// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/reason"
)

// carriedReplicas compares a controller of pods with our executor.
type carriedReplicas struct {
	live   *upstream.Live
	server *apiserver.Server // that upstream's calls reach
	wrap   wrapper
	retry  kube.Retry
}

func newCarriedReplicas(controllers bool) (*carriedReplicas, error) {
	x := &carriedReplicas{retry: kube.NoRetry, wrap: unwrapped}
	set := apiserver.Clientset{Of: func() *apiserver.Server { return x.server }}
	make := upstream.LiveReplicaSets
	if controllers {
		make = upstream.LiveReplicationControllers
	}
	var err error
	x.live, err = make(kubernetes.Interface(set))
	return x, err
}

// replicaObjects are the objects of a case, the owner first.
func replicaObjects(c *gen.ReplicaSetCase) (objects []metav1.Object) {
	if c.Controllers {
		objects = append(objects, gen.AsController(c.ReplicaSet))
		for _, rs := range c.Siblings {
			objects = append(objects, gen.AsController(rs))
		}
	} else {
		objects = append(objects, c.ReplicaSet)
		for _, rs := range c.Siblings {
			objects = append(objects, rs)
		}
	}
	for _, p := range c.Pods {
		objects = append(objects, p)
	}
	return objects
}

// pass runs both sides.
func (x *carriedReplicas) pass(c *gen.ReplicaSetCase, cached []metav1.Object, s *apiserver.Server, rules []apiserver.Rule, m *memory, now time.Time) *carriedPass {
	p := &carriedPass{kind: c.Kind(), cached: cached, server: s, rules: rules, memory: m, owner: apiserver.KeyOf(cached[0].(apiserver.Object))}
	p.left.expected = x.carry(p, c, m.expected, now)
	p.again = func(more []apiserver.Rule, m mode) {
		x.controller(p, c, c.Pods, more, m)
		if !p.samePods() && p.panicked == nil {
			same := replicaSetPass{c: c, in: c, now: now}
			if same.decide(now); same.rejected == nil {
				x.controller(p, c, p.inPlannedOrder(&same), more, m)
			}
		}
	}
	return p
}

// inPlannedOrder lists the pods in the order of the plan. The last plan has not sorted a pod that
// it was to adopt and that is gone.
func (p *carriedPass) inPlannedOrder(same *replicaSetPass) []*corev1.Pod {
	order := same.ranked()
	order.Pods = slices.DeleteFunc(order.Pods, func(pod *corev1.Pod) bool {
		return slices.ContainsFunc(p.mine, func(c apiserver.Call) bool {
			return c.Verb == apiserver.Adopt && c.Name == pod.Name && apierrors.IsNotFound(c.Err)
		})
	})
	list := order.planned()
	for _, pod := range same.c.Pods {
		if !slices.Contains(list, pod) {
			list = append(list, pod)
		}
	}
	return list
}

// controller runs upstream with the pods in an order in its cache.
func (x *carriedReplicas) controller(p *carriedPass, c *gen.ReplicaSetCase, pods []*corev1.Pod, more []apiserver.Rule, m mode) {
	x.server = p.server.Clone()
	x.server.SetRules(slices.Concat(more, p.rules))
	x.server.Lenient = m.own
	objects := slices.Clone(p.cached[:len(p.cached)-len(pods)])
	for _, pod := range pods {
		objects = append(objects, pod)
	}
	x.live.Fill(objects)
	x.live.SetBurst(c.Burst)
	x.live.ForgetWrites(p.cached[0])
	x.live.Recall(p.cached[0], p.memory.theirs)
	result := x.live.Run(p.cached[0])
	p.err, p.panicked, p.theirs = result.Err, result.Panic, x.server.Calls()
	p.upstream = carriedOut{Failed: result.Err != nil || result.Panic != nil, Recheck: never}
	p.upstream.read(p.server, x.server, result.Events)
	p.upstream.sortEvents()
	for _, q := range result.Requeues {
		p.upstream.Recheck = q.After.String()
	}
	if left := p.memory.expected.Remaining(time.Now()); left > 0 && !p.upstream.Failed && p.ours.Recheck == left.String() && longerThan(p.upstream.Recheck, left) {
		p.upstream.Recheck = left.String() // upstream has no timer that ends the waiting
	}
	p.upstream.Creations, p.upstream.Deletions = stillExpected(expectations(x.live.Remember(p.cached[0])), time.Now())
}

// longerThan reports whether a recheck is later than after some time.
func longerThan(recheck string, left time.Duration) bool {
	d, err := time.ParseDuration(recheck)
	return err != nil || d > left
}

// carry plans and carries out the plan.
func (x *carriedReplicas) carry(p *carriedPass, c *gen.ReplicaSetCase, e expect.Expectations, now time.Time) expect.Expectations {
	server := p.server.Clone()
	server.SetRules(p.rules)
	client := x.wrap(server, server.Client())
	executor := kube.Executor{Client: client, Retry: x.retry}
	opts := replicaset.Options{Burst: int32(c.Burst)}
	s := snapshotOf(c)
	s.Expectations = e
	var result replicaset.Result
	var events []kplan.Event
	for again := true; again; again = result.Again != nil {
		if result.Again != nil {
			s = *result.Again
		}
		pass, err := replicaset.NewPass(s, now, opts)
		plan := pass.Plan
		if p.ourErr = err; err != nil {
			p.ours, p.after, p.mine = carriedOut{Failed: true, Recheck: never}, server, server.Calls()
			p.ours.Creations, p.ours.Deletions = stillExpected(e, now)
			p.ours.read(p.server, server, nil)
			return e
		}
		p.note += plan.String() + "\n"
		var report replicaset.Report
		expected := plan.Expect(s.Expectations, now)
		if c.Controllers {
			report = executor.ReplicationController(context.Background(), p.cached[0].(*corev1.ReplicationController), plan)
		} else {
			report = executor.ReplicaSet(context.Background(), c.ReplicaSet, plan)
		}
		report.Expectations = expected
		result = pass.Finish(report)
		events = append(events, result.Events...)
	}
	p.ourErr = result.Err
	written := result.Written
	if result.WriteStatus {
		request := kube.ReplicaSetStatusRequest(c.ReplicaSet, result.Status)
		if c.Controllers {
			request = kube.ReplicationControllerStatusRequest(p.cached[0].(*corev1.ReplicationController), result.Status)
		}
		if err := client.Do(context.Background(), request); err != nil {
			p.ourErr, result.RecheckAt = err, time.Time{}
		} else {
			written = written.WroteOwner(s.ReplicaSet.UID, request.Object.GetResourceVersion())
		}
	}
	p.later = func(pods, owner string) error {
		s.Written, s.Read = written, expect.Versions{Children: pods, Owner: owner}
		pass, err := replicaset.NewPass(s, now, opts)
		if err != nil || !slices.ContainsFunc(pass.Plan.Holds, func(h kplan.Hold) bool {
			return h.Reason == reason.StalePods || h.Reason == reason.StaleOwner
		}) {
			return nil
		}
		return pass.Finish(replicaset.Report{}).Err
	}
	p.finishReplicas(server, result, events, now)
	return result.Expectations
}

func (p *carriedPass) finishReplicas(server *apiserver.Server, result replicaset.Result, events []kplan.Event, now time.Time) {
	p.ours, p.after = carriedOut{Failed: p.ourErr != nil, Recheck: never}, server
	p.ours.Creations, p.ours.Deletions = stillExpected(result.Expectations, now)
	var told []upstream.Event
	for _, ev := range events {
		told = append(told, upstream.Event{Type: ev.Type, Reason: ev.Reason, Message: ev.Message})
	}
	p.mine = server.Calls()
	p.ours.read(p.server, server, told)
	p.ours.sortEvents()
	if !result.RecheckAt.IsZero() {
		p.ours.Recheck = result.RecheckAt.Sub(now).String()
	}
}

// drawReplicas draws a case, and a server that knows more than its caches.
func drawReplicas(t random.T, now time.Time, draw func(random.Source, time.Time) *gen.ReplicaSetCase, stale bool) (c *gen.ReplicaSetCase, cached []metav1.Object, s *apiserver.Server) {
	c = draw(t, now)
	c.Pods = coherent(c.Kind(), []*appsv1.ReplicaSet{c.ReplicaSet}, c.Pods)
	c.Burst = min(c.Burst, 12)
	if len(c.ReplicaSet.Spec.Template.Spec.Containers) == 0 { // the API server stores no template without
		c.ReplicaSet.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c", Image: "i:0"}}
	}
	if len(c.ReplicaSet.Spec.Template.Labels) == 0 { // nor one without labels
		c.ReplicaSet.Spec.Template.Labels = c.ReplicaSet.Labels
	}
	if c.ReplicaSet.Spec.Selector == nil { // the API server stores none without one
		c.ReplicaSet.Spec.Selector = &metav1.LabelSelector{}
	}
	for _, pod := range c.Pods { // upstream panics over such pods
		if now.Sub(pod.CreationTimestamp.Time).Milliseconds() == 0 {
			pod.CreationTimestamp.Time = now.Truncate(time.Second).Add(-time.Second)
		}
	}
	cached = replicaObjects(c)
	s = served(cached)
	if c.Controllers { // the case has copies of them
		c.ReplicaSet.ResourceVersion = cached[0].GetResourceVersion()
	}
	if stale {
		outdate(t, now, s, cached)
	}
	return c, cached, s
}

var replicaCalls = []callKind{
	{apiserver.Create, "Pod"}, {apiserver.Delete, "Pod"}, {apiserver.Adopt, "Pod"}, {apiserver.Release, "Pod"},
}

func replicaTargets(kind string) []callKind {
	return append([]callKind{{apiserver.Status, kind}, {apiserver.Get, kind}}, replicaCalls...)
}

// draw draws a case and runs both sides.
func (x *carriedReplicas) draw(t random.T, sync replicaSync, draw func(random.Source, time.Time) *gen.ReplicaSetCase, now time.Time) (*carriedPass, string) {
	c, cached, s := drawReplicas(t, now, draw, true)
	if intended, _ := passReplicaSet(sync, c, now).verdict(); intended != "" {
		return nil, intended
	}
	return x.pass(c, cached, s, drawRules(t, replicaTargets(c.Kind())), &memory{}, now), ""
}

func testCarriedReplicas(t *testing.T, name, kind string, newSync func() replicaSync, draw func(random.Source, time.Time) *gen.ReplicaSetCase) {
	counts := newCaseCounts(name)
	defer counts.clock()()
	inBubble(t, func(t bubble, _ time.Time) {
		x, err := newCarriedReplicas(kind != replicaset.Kind)
		require.NoError(t, err)
		sync := newSync()
		testCarried(t, counts, replicaTargets(kind), func(t random.T) (*carriedPass, string) {
			return x.draw(t, sync, draw, time.Now())
		})
	})
}

// TestCarriedReplicaSets carries out plans of ReplicaSets, and compares them with upstream's
// controller.
func TestCarriedReplicaSets(t *testing.T) {
	testCarriedReplicas(t, "carried out: ReplicaSets", replicaset.Kind, replicaSetSync, gen.ReplicaSet)
}

// TestCarriedReplicationControllers does so with ReplicationControllers.
func TestCarriedReplicationControllers(t *testing.T) {
	testCarriedReplicas(t, "carried out: ReplicationControllers", replicaset.KindController, replicationControllerSync, gen.ReplicationController)
}
