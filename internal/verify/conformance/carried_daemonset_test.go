// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// carriedDaemonSets compares the DaemonSet controller with our executor.
type carriedDaemonSets struct {
	live   *upstream.Live
	server *apiserver.Server // that upstream's calls reach
	wrap   wrapper
	retry  kube.Retry
}

func newCarriedDaemonSets() (*carriedDaemonSets, error) {
	x := &carriedDaemonSets{retry: kube.NoRetry, wrap: unwrapped}
	var err error
	x.live, err = upstream.LiveDaemonSets(apiserver.Clientset{Of: func() *apiserver.Server { return x.server }})
	return x, err
}

func daemonObjects(c *gen.DaemonSetCase) []metav1.Object {
	objects := []metav1.Object{c.DaemonSet}
	for _, r := range c.Revisions {
		objects = append(objects, r)
	}
	for _, p := range c.Pods {
		objects = append(objects, p)
	}
	for _, n := range c.Nodes {
		objects = append(objects, n)
	}
	return objects
}

// pass runs both sides. A rolling update of upstream iterates over a map of nodes, and so it
// chooses at random among old pods. Go iterates over a map of up to eight keys in the order of
// insertion, beginning anywhere. Where pods are missing, upstream takes the nodes in the order of
// its cache. So if pods differ, its cache gets the nodes chosen by the plan first, and upstream
// runs again until it begins with these.
func (x *carriedDaemonSets) pass(c *gen.DaemonSetCase, cached []metav1.Object, s *apiserver.Server, rules []apiserver.Rule, m *memory, now time.Time) *carriedPass {
	p := &carriedPass{kind: "DaemonSet", cached: cached, server: s, rules: rules, memory: m, owner: apiserver.KeyOf(c.DaemonSet)}
	x.carry(p, c, now)
	p.again = func(more []apiserver.Rule, m mode) {
		if x.controller(p, c, p.cached, more, m); p.samePods() {
			return
		}
		chosen := p.chosenFirst()
		for range 100 {
			if x.controller(p, c, chosen, more, m); p.samePods() || !p.sameCounts() {
				return
			}
		}
	}
	return p
}

// sameCounts reports whether both sides have made as many calls for pods. Which pods upstream
// chooses does not change that, unless it stops at a creation that fails.
func (p *carriedPass) sameCounts() bool {
	if slices.ContainsFunc(p.theirs, func(c apiserver.Call) bool { return c.Verb == apiserver.Create && c.Kind == "Pod" && c.Err != nil }) {
		return true
	}
	for _, verb := range []string{apiserver.Create, apiserver.Delete} {
		if p.count(p.mine, verb, "Pod") != p.count(p.theirs, verb, "Pod") {
			return false
		}
	}
	return true
}

// chosenFirst returns the cached objects, pods and nodes in the order in which our pass has
// created or deleted pods on their nodes, and then the others. Pods of one node keep their order.
func (p *carriedPass) chosenFirst() []metav1.Object {
	first, on := map[string]int{}, map[string]string{}
	for _, pod := range podsOf(p.cached) {
		on[pod.Name], _ = daemonutil.GetTargetNodeName(pod) // an empty name for one that has no node
	}
	for i, c := range slices.Backward(p.mine) {
		switch {
		case c.Kind != "Pod":
		case c.Verb == apiserver.Create:
			first[c.Name] = i - len(p.mine)
		case c.Verb == apiserver.Delete:
			first[on[c.Name]] = i - len(p.mine)
		}
	}
	place := func(o metav1.Object) int {
		switch o.(type) {
		case *corev1.Pod:
			return first[on[o.GetName()]]
		case *corev1.Node:
			return first[o.GetName()]
		}
		return -1 << 30 // the owner and its revisions stay in front
	}
	list := slices.Clone(p.cached)
	slices.SortStableFunc(list, func(a, b metav1.Object) int { return cmp.Compare(place(a), place(b)) })
	return list
}

func (x *carriedDaemonSets) controller(p *carriedPass, c *gen.DaemonSetCase, cached []metav1.Object, more []apiserver.Rule, m mode) {
	x.server = p.server.Clone()
	x.server.SetRules(slices.Concat(more, p.rules))
	x.server.Lenient = m.own
	seen := slices.Clone(cached)
	x.live.Fill(seen)
	x.server.Written = func(o apiserver.Object) { // a relabelled pod is seen at once
		for i, old := range seen {
			hash := o.GetLabels()[daemonset.LabelHash]
			if pod, ok := old.(*corev1.Pod); ok && pod.Name == o.GetName() && hash != "" && hash != pod.Labels[daemonset.LabelHash] {
				next := pod.DeepCopy()
				next.Labels[daemonset.LabelHash] = hash
				seen[i] = next
				x.live.Fill(seen)
			}
		}
	}
	x.live.ForgetWrites(c.DaemonSet)
	x.live.Recall(c.DaemonSet, p.memory.theirs)
	x.live.Wait(m.waits)
	result := x.live.Run(c.DaemonSet)
	p.err, p.panicked, p.theirs = result.Err, result.Panic, x.server.Calls()
	p.upstream = carriedOut{Failed: result.Err != nil || result.Panic != nil, Recheck: never}
	p.upstream.read(p.server, x.server, result.Events)
	p.upstream.sortEvents()
	p.upstream.Creations, p.upstream.Deletions = stillExpected(expectations(x.live.Remember(c.DaemonSet)), time.Now())
}

// carry plans and carries out the plan.
func (x *carriedDaemonSets) carry(p *carriedPass, c *gen.DaemonSetCase, now time.Time) {
	server := p.server.Clone()
	server.SetRules(p.rules)
	client := x.wrap(server, server.Client())
	executor := kube.Executor{Client: client, Retry: x.retry}
	p.ours = carriedOut{Recheck: never}
	var told []upstream.Event
	var opts daemonset.Options
	s, err := daemonSetSnapshot(c)
	s.Backoff, s.Unseen = p.memory.backoff, !p.memory.expected.Satisfied(now)
	p.left = *p.memory
	for again := err == nil; again; {
		var pass daemonset.Pass
		if pass, err = daemonset.NewPass(s, now, opts); err != nil {
			break
		}
		plan := pass.Plan
		p.note += plan.String() + "\n"
		expected := plan.Expect(p.memory.expected, now)
		report := executor.DaemonSet(context.Background(), c.DaemonSet, c.Revisions, plan)
		report.Expectations = expected
		result := pass.Finish(report)
		for _, e := range result.Events {
			told = append(told, upstream.Event{Type: e.Type, Reason: e.Reason, Message: e.Message})
		}
		p.left.expected, p.left.backoff = result.Expectations, result.Backoff
		if again = result.Again != nil; again {
			s = *result.Again
			continue
		}
		err = result.Err
		written := result.Written
		if result.WriteStatus {
			request := kube.DaemonSetStatusRequest(c.DaemonSet, result.Status)
			if failed := client.Do(context.Background(), request); failed != nil {
				err = failed
			} else {
				written = written.WroteOwner(s.DaemonSet.UID, request.Object.GetResourceVersion())
			}
		}
		p.later = staleDaemonSet(s, written, now, opts)
	}
	p.ourErr, p.mine, p.after = err, server.Calls(), server
	p.ours.Failed = err != nil
	p.ours.Creations, p.ours.Deletions = stillExpected(p.left.expected, now)
	p.ours.read(p.server, server, told)
	p.ours.sortEvents()
}

// staleDaemonSet is carriedPass.later.
func staleDaemonSet(s daemonset.Snapshot, written expect.Versions, now time.Time, opts daemonset.Options) func(pods, owner string) error {
	return func(pods, owner string) error {
		s.Written, s.Read = written, expect.Versions{Children: pods, Owner: owner}
		pass, err := daemonset.NewPass(s, now, opts)
		if err != nil || !slices.ContainsFunc(pass.Plan.Holds, func(h kplan.Hold) bool {
			return h.Reason == reason.StalePods || h.Reason == reason.StaleOwner
		}) {
			return nil
		}
		return pass.Finish(daemonset.Report{}).Err
	}
}

var daemonTargets = []callKind{
	{apiserver.Create, "Pod"}, {apiserver.Delete, "Pod"}, {apiserver.Adopt, "Pod"}, {apiserver.Release, "Pod"}, {apiserver.Write, "Pod"},
	{apiserver.Create, "ControllerRevision"}, {apiserver.Write, "ControllerRevision"},
	{apiserver.Delete, "ControllerRevision"}, {apiserver.Adopt, "ControllerRevision"}, {apiserver.Release, "ControllerRevision"},
	{apiserver.Status, "DaemonSet"}, {apiserver.Get, "DaemonSet"},
}

// draw draws a case and runs both sides.
func (x *carriedDaemonSets) draw(t random.T, dsc *upstream.DaemonSets, now time.Time) (*carriedPass, string) {
	c := gen.DaemonSet(t, now)
	cached := daemonObjects(c)
	s := served(cached)
	outdate(t, now, s, cached)
	for _, r := range c.Revisions { // a name that is taken stays so
		if strings.HasPrefix(r.Name, c.DaemonSet.Name+"-") {
			r.ResourceVersion = s.Put(r).GetResourceVersion()
		}
	}
	plain, err := passDaemonSet(dsc, c, now)
	if err != nil {
		t.Fatal(err)
	}
	if intended, _ := plain.verdict(); intended != "" {
		return nil, intended
	}
	m := &memory{}
	if m.backoff, err = backoffOf(c); err != nil {
		t.Fatal(err)
	}
	if random.OneIn(t, "waiting", 10) {
		m.expected = expect.Creations(1, now.Add(-time.Minute))
	}
	m.inform()
	return x.pass(c, cached, s, drawRules(t, daemonTargets), m, now), ""
}

// TestCarriedDaemonSets carries out plans of DaemonSets, and compares them with upstream's
// controller.
func TestCarriedDaemonSets(t *testing.T) {
	counts := newCaseCounts("carried out: DaemonSets")
	defer counts.clock()()
	inBubble(t, func(t bubble, _ time.Time) {
		x, err := newCarriedDaemonSets()
		require.NoError(t, err)
		dsc, err := upstream.NewDaemonSets()
		require.NoError(t, err)
		testCarried(t, counts, daemonTargets, func(t random.T) (*carriedPass, string) {
			return x.draw(t, dsc, time.Now())
		})
	})
}
