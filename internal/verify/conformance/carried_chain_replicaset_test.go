// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

// fromController is the inverse of gen.AsController, as far as possible.
func fromController(rc *corev1.ReplicationController) *appsv1.ReplicaSet {
	rs := &appsv1.ReplicaSet{
		ObjectMeta: rc.ObjectMeta,
		Spec:       appsv1.ReplicaSetSpec{Replicas: rc.Spec.Replicas, MinReadySeconds: rc.Spec.MinReadySeconds},
		Status:     asReplicaSetStatus(rc.Status),
	}
	if rc.Spec.Selector != nil {
		rs.Spec.Selector = &metav1.LabelSelector{MatchLabels: rc.Spec.Selector}
	}
	if rc.Spec.Template != nil {
		rs.Spec.Template = *rc.Spec.Template
	}
	return rs
}

// caseOf is the case that a cache shows.
func caseOf(cached []metav1.Object, burst int) *gen.ReplicaSetCase {
	c := &gen.ReplicaSetCase{Burst: burst, Pods: podsOf(cached)}
	var sets []*appsv1.ReplicaSet
	for _, o := range cached {
		switch o := o.(type) {
		case *appsv1.ReplicaSet:
			sets = append(sets, o)
		case *corev1.ReplicationController:
			c.Controllers = true
			sets = append(sets, fromController(o))
		}
	}
	c.ReplicaSet, c.Siblings = sets[0], sets[1:]
	return c
}

// start draws the beginning of a chain.
func (x *carriedReplicas) start(t random.T, sync replicaSync, draw func(random.Source, time.Time) *gen.ReplicaSetCase, now time.Time) *chain {
	first, cached, server := drawReplicas(t, now, draw, false)
	return &chain{
		server: server, cached: cached, live: x.live, edit: editReplicas,
		observe: func(c *chain, before, after []metav1.Object) {
			sets := []replicaset.ReplicaSet{snapshotOf(caseOf(after, first.Burst)).ReplicaSet}
			podChanges(before, after, func(old, now *corev1.Pod) {
				var e replicaset.PodEvent
				if old != nil {
					e.Old = new(kube.Pod(old))
				}
				if now != nil {
					e.New = new(kube.Pod(now))
				}
				for _, effect := range replicaset.Effects(e, sets) {
					if effect.Created {
						c.memory.expected = c.memory.expected.CreationObserved()
					}
					if effect.Deleted != "" {
						c.memory.expected = c.memory.expected.DeletionObserved(effect.Deleted)
					}
				}
			})
		},
		pass: func(c *chain, rules []apiserver.Rule, now time.Time) (*carriedPass, func() string) {
			seen := caseOf(c.cached, first.Burst)
			before := c.memory
			return x.pass(seen, c.cached, c.server, rules, &before, now), func() string {
				intended, _ := passReplicaSet(sync, seen, now).verdict()
				return intended
			}
		},
	}
}

// editReplicas changes pods and the spec.
func editReplicas(t random.T, c *chain, now time.Time) {
	c.kubelet(t, now, []string{"n1", "n2", "n3"})
	owner := c.server.Stored(apiserver.KeyOf(c.cached[0].(apiserver.Object)))
	ask := func(f func(replicas **int32, minReady *int32, template *corev1.PodTemplateSpec)) {
		c.change(apiserver.KeyOf(owner), true, func(o apiserver.Object) {
			switch o := o.(type) {
			case *appsv1.ReplicaSet:
				f(&o.Spec.Replicas, &o.Spec.MinReadySeconds, &o.Spec.Template)
			case *corev1.ReplicationController:
				if o.Spec.Template != nil {
					f(&o.Spec.Replicas, &o.Spec.MinReadySeconds, o.Spec.Template)
				}
			}
		})
	}
	for range random.Below(t, "edits", 4) {
		switch what := random.Below(t, "edit", 40); {
		case what < 10:
			ask(func(n **int32, _ *int32, _ *corev1.PodTemplateSpec) { *n = new(int32(random.Below(t, "replicas", 12))) })
		case what < 12:
			ask(func(_ **int32, n *int32, _ *corev1.PodTemplateSpec) { *n = int32(5 * random.Below(t, "min ready", 3)) })
		case what < 14:
			ask(func(_ **int32, _ *int32, p *corev1.PodTemplateSpec) {
				p.Spec.Containers[0].Image = random.OneOf[string](t, "image", "i:0", "i:1")
			})
		case what < 28:
			c.editPod(t, now)
		case what < 35:
			c.orphan(t, now, owner.GetLabels(), nil)
		case what < 39:
			c.touch(t)
		case random.OneIn(t, "deletion", 3):
			c.deleted(now)
		}
	}
}

func testChainedReplicas(t *testing.T, name, kind string, newSync func() replicaSync, draw func(random.Source, time.Time) *gen.ReplicaSetCase) {
	testChained(t, name, replicaTargets(kind), true, func(t bubble) func(random.T, time.Time) *chain {
		x, err := newCarriedReplicas(kind != replicaset.Kind)
		require.NoError(t, err)
		sync := newSync()
		return func(t random.T, now time.Time) *chain { return x.start(t, sync, draw, now) }
	})
}

// TestChainedReplicaSets carries out plans of ReplicaSets pass after pass, and compares them with
// upstream's controller.
func TestChainedReplicaSets(t *testing.T) {
	testChainedReplicas(t, "chained: ReplicaSets", replicaset.Kind, replicaSetSync, gen.ReplicaSet)
}

// TestChainedReplicationControllers does so with ReplicationControllers.
func TestChainedReplicationControllers(t *testing.T) {
	testChainedReplicas(t, "chained: ReplicationControllers", replicaset.KindController, replicationControllerSync, gen.ReplicationController)
}
