// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// daemonCase is the case that a cache shows, in the planner's order: revisions with the same number
// are sorted by age and name, and upstream uses the order of its cache.
func daemonCase(cached []metav1.Object, b daemonset.Backoff) *gen.DaemonSetCase {
	c := &gen.DaemonSetCase{Pods: podsOf(cached)}
	for _, o := range cached {
		switch o := o.(type) {
		case *appsv1.DaemonSet:
			c.DaemonSet = o
		case *appsv1.ControllerRevision:
			c.Revisions = append(c.Revisions, o)
		case *corev1.Node:
			c.Nodes = append(c.Nodes, o)
		}
	}
	slices.SortFunc(c.Revisions, func(a, b *appsv1.ControllerRevision) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(c.Pods, func(a, b *corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	c.Failures = failuresOf(b, string(c.DaemonSet.UID), c.DaemonSet.Status.ObservedGeneration)
	return c
}

// start draws the beginning of a chain.
func (x *carriedDaemonSets) start(t random.T, dsc *upstream.DaemonSets, now time.Time) *chain {
	first := gen.DaemonSet(t, now)
	for _, p := range first.Pods { // orphans come after pods that are created
		if name, ok := strings.CutPrefix(p.Name, "q"); ok {
			p.Name = "z" + name
		}
	}
	cached := daemonObjects(first)
	c := &chain{
		server: served(cached), cached: cached, live: x.live, edit: editDaemonSet, observe: observeDaemonPods, serial: 10,
		pinned: func(o metav1.Object) bool { // a name that is taken stays so
			return kindOf(o) == "ControllerRevision" && strings.HasPrefix(o.GetName(), first.DaemonSet.Name+"-")
		},
		pass: func(c *chain, rules []apiserver.Rule, now time.Time) (*carriedPass, func() string) {
			seen, before := daemonCase(c.cached, c.memory.backoff), c.memory
			return x.pass(seen, daemonObjects(seen), c.server, rules, &before, now), func() string {
				plain, err := passDaemonSet(dsc, seen, now)
				if err != nil {
					return ""
				}
				intended, _ := plain.verdict()
				return intended
			}
		},
	}
	var err error
	if c.memory.backoff, err = backoffOf(first); err != nil {
		t.Fatal(err)
	}
	c.memory.inform()
	return c
}

// observeDaemonPods handles changes of pods as a caller has to.
func observeDaemonPods(c *chain, before, after []metav1.Object) {
	ds := after[0].(*appsv1.DaemonSet)
	podChanges(before, after, func(old, now *corev1.Pod) {
		if old != nil && now != nil && old.ResourceVersion == now.ResourceVersion {
			return // as one that is being deleted already, and was deleted again
		}
		pod := now
		if pod == nil {
			pod = old
		}
		owner := metav1.GetControllerOf(pod)
		if owner == nil || owner.Kind != daemonset.Kind || owner.UID != ds.UID || owner.Name != ds.Name {
			return
		}
		switch {
		case now == nil || now.DeletionTimestamp != nil:
			c.memory.expected = c.memory.expected.DeletionObserved(pod.Name)
		case old == nil:
			c.memory.expected = c.memory.expected.CreationObserved()
		}
	})
}

// editDaemonSet changes pods, nodes, and the spec.
func editDaemonSet(t random.T, c *chain, now time.Time) {
	c.kubelet(t, now, nil)
	owner := c.server.Stored(apiserver.KeyOf(c.cached[0].(apiserver.Object)))
	ask := func(f func(*appsv1.DaemonSetSpec)) {
		c.change(apiserver.KeyOf(owner), true, func(o apiserver.Object) { f(&o.(*appsv1.DaemonSet).Spec) })
	}
	for range random.Below(t, "edits", 4) {
		switch what := random.Below(t, "edit", 40); {
		case what < 8:
			ask(func(s *appsv1.DaemonSetSpec) {
				s.Template.Spec.Containers[0].Image = fmt.Sprintf("i:%d", random.Below(t, "image", 4))
			})
		case what < 10:
			ask(func(s *appsv1.DaemonSetSpec) { s.MinReadySeconds = int32(5 * random.Below(t, "min ready", 3)) })
		case what < 12:
			ask(func(s *appsv1.DaemonSetSpec) {
				some, none := new(intstr.FromInt32(int32(1+random.Below(t, "limit", 2)))), new(intstr.FromInt32(0))
				s.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: some, MaxSurge: none}}
				if random.OneIn(t, "surge", 2) {
					s.UpdateStrategy.RollingUpdate.MaxUnavailable, s.UpdateStrategy.RollingUpdate.MaxSurge = none, some
				}
			})
		case what < 20:
			c.editNode(t)
		case what < 32:
			c.editPod(t, now)
		case what < 35:
			c.orphan(t, now, map[string]string{"app": "web", daemonset.LabelHash: random.OneOf[string](t, "hash", "s0", "older")}, func(p *corev1.Pod) {
				p.Spec.NodeName = fmt.Sprintf("n%d", random.Below(t, "node of the orphan", 7))
			})
		case what < 39:
			c.touch(t)
		case random.OneIn(t, "deletion", 3):
			c.deleted(now)
		}
	}
}

// editNode adds, removes, taints or relabels a node. Nodes are seen at once.
func (c *chain) editNode(t random.T) {
	name := fmt.Sprintf("n%d", random.Below(t, "which node", 7))
	i := slices.IndexFunc(c.cached, func(o metav1.Object) bool { return kindOf(o) == "Node" && o.GetName() == name })
	if i < 0 {
		c.cached = append(slices.Clone(c.cached), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"zone": "a"}}})
		return
	}
	n := c.cached[i].(*corev1.Node).DeepCopy()
	c.cached = slices.Clone(c.cached)
	c.cached[i] = n
	switch random.Below(t, "what of the node", 4) {
	case 0:
		c.cached = slices.Delete(c.cached, i, i+1)
	case 1:
		n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Effect: random.OneOf[corev1.TaintEffect](t, "effect", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)}}
	case 2:
		n.Spec.Taints = nil
	default:
		n.Labels = map[string]string{"zone": random.OneOf[string](t, "zone", "a", "b")}
	}
}

// TestChainedDaemonSets carries out plans of DaemonSets pass after pass, and compares them with
// upstream's controller.
func TestChainedDaemonSets(t *testing.T) {
	testChained(t, "chained: DaemonSets", daemonTargets, true, func(t bubble) func(random.T, time.Time) *chain {
		x, err := newCarriedDaemonSets()
		require.NoError(t, err)
		dsc, err := upstream.NewDaemonSets()
		require.NoError(t, err)
		return func(t random.T, now time.Time) *chain { return x.start(t, dsc, now) }
	})
}
