// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

// A replicaSync runs a pass of upstream's controller on a case, with the pods in an
// order.
type replicaSync func(c *gen.ReplicaSetCase, pods []*corev1.Pod) upstream.Result

func replicaSetSync() replicaSync {
	rsc := upstream.NewReplicaSets()
	return func(c *gen.ReplicaSetCase, pods []*corev1.Pod) upstream.Result {
		rsc.Fill(append([]*appsv1.ReplicaSet{c.ReplicaSet}, c.Siblings...), pods)
		return rsc.Sync(c.ReplicaSet, c.Burst)
	}
}

// replicationControllerSync gives the controller the objects of the case as ReplicationControllers.
func replicationControllerSync() replicaSync {
	rm := upstream.NewReplicationControllers()
	return func(c *gen.ReplicaSetCase, pods []*corev1.Pod) upstream.Result {
		rcs := []*corev1.ReplicationController{gen.AsController(c.ReplicaSet)}
		for _, rs := range c.Siblings {
			rcs = append(rcs, gen.AsController(rs))
		}
		rm.Fill(rcs, pods)
		return rm.Sync(rcs[0], c.Burst)
	}
}

// snapshotOf returns kube's snapshot of a case.
func snapshotOf(c *gen.ReplicaSetCase) replicaset.Snapshot {
	if c.Controllers {
		return kube.ReplicationControllerSnapshot(gen.AsController(c.ReplicaSet), c.Pods)
	}
	return kube.ReplicaSetSnapshot(c.ReplicaSet, c.Pods, c.Siblings)
}

// statusOf returns kube's status in the form of a ReplicaSet's. The status of a
// ReplicationController has no terminating pods, and neither may the plan's.
func statusOf(c *gen.ReplicaSetCase, s replicaset.Status) appsv1.ReplicaSetStatus {
	status := kube.ReplicaSetStatus(s)
	if c.Controllers {
		terminating := status.TerminatingReplicas
		status = asReplicaSetStatus(kube.ReplicationControllerStatus(s))
		status.TerminatingReplicas = terminating
	}
	return status
}

// asReplicaSetStatus returns s in the form of the status of a ReplicaSet, for both
// sides.
func asReplicaSetStatus(s corev1.ReplicationControllerStatus) appsv1.ReplicaSetStatus {
	status := appsv1.ReplicaSetStatus{
		Replicas: s.Replicas, FullyLabeledReplicas: s.FullyLabeledReplicas, ReadyReplicas: s.ReadyReplicas,
		AvailableReplicas: s.AvailableReplicas, ObservedGeneration: s.ObservedGeneration,
	}
	for _, c := range s.Conditions {
		status.Conditions = append(status.Conditions, appsv1.ReplicaSetCondition{
			Type: appsv1.ReplicaSetConditionType(c.Type), Status: c.Status,
			LastTransitionTime: c.LastTransitionTime, Reason: c.Reason, Message: c.Message,
		})
	}
	return status
}

// replicationControllerCorners are the corners of ReplicaSets that also apply to
// ReplicationControllers, and further ones.
var replicationControllerCorners = append(withoutCorners(replicaSetCorners,
	"neighbours of a sibling", "neighbour that a sibling selects but does not control",
	"invalid selector of a sibling", "selector with expressions", "terminating pod counted",
), []corner[*replicaSetPass]{
	{"pods of a sibling are no neighbours", func(p *replicaSetPass) bool {
		return len(p.upstream.Deletes) > 0 && anyPod(func(p *replicaSetPass, pod *corev1.Pod) bool {
			return slices.ContainsFunc(p.c.Siblings, func(rs *appsv1.ReplicaSet) bool {
				return sameController(rs, p.c.ReplicaSet) && selects(rs, pod)
			})
		})(p)
	}},
	{"own pods are no neighbours", func(p *replicaSetPass) bool {
		return len(p.upstream.Deletes) == 1 && metav1.GetControllerOf(p.c.ReplicaSet) != nil && len(p.ranked().Pods) > 2
	}},
	{"terminating pod not counted", anyPod(func(p *replicaSetPass, pod *corev1.Pod) bool {
		return controller.IsPodTerminating(pod) && metav1.IsControlledBy(pod, p.c.ReplicaSet)
	})},
	{"pod of a ReplicaSet with our UID", anyPod(func(p *replicaSetPass, pod *corev1.Pod) bool {
		o := metav1.GetControllerOf(pod)
		return o != nil && o.UID == p.c.ReplicaSet.UID && o.Kind == replicaset.Kind
	})},
	{"selector of several labels", func(p *replicaSetPass) bool {
		s := p.c.ReplicaSet.Spec.Selector
		return s != nil && len(s.MatchLabels) > 1
	}},
	{"no template", func(p *replicaSetPass) bool { return gen.AsController(p.c.ReplicaSet).Spec.Template == nil }},
	{"status written", func(p *replicaSetPass) bool {
		return slices.ContainsFunc(p.result.Writes, func(w upstream.Write) bool {
			_, ok := w.(upstream.UpdateControllerStatus)
			return ok
		})
	}},
	{"live read", func(p *replicaSetPass) bool { return p.upstream.LiveRead }},
}...)

func sameController(a, b *appsv1.ReplicaSet) bool {
	of, other := metav1.GetControllerOf(a), metav1.GetControllerOf(b)
	return of != nil && other != nil && of.UID == other.UID
}

// withoutCorners returns the corners except the named ones.
func withoutCorners(corners []corner[*replicaSetPass], names ...string) []corner[*replicaSetPass] {
	return slices.DeleteFunc(slices.Clone(corners), func(c corner[*replicaSetPass]) bool { return slices.Contains(names, c.name) })
}

// compareReplicas compares whole passes of a controller with plans.
func compareReplicas(t *testing.T, name string, newSync func() replicaSync, draw func(random.Source, time.Time) *gen.ReplicaSetCase, corners []corner[*replicaSetPass]) {
	counts := newCaseCounts(name)
	defer counts.clock()()
	inBubble(t, func(t bubble, now time.Time) {
		sync := newSync()
		counts.check(t, syncCases, func(t random.T) {
			c := draw(t, now)
			rareReplicas(t, c, now)
			p := passReplicaSet(sync, c, now)
			take(counts, corners, &p)
			judgePass(t, counts, replicaSetDifferences, &p)
		})
	})
}

// TestReplicationControllers compares whole passes of the controller of
// ReplicationControllers with plans.
func TestReplicationControllers(t *testing.T) {
	compareReplicas(t, "whole passes of ReplicationControllers", replicationControllerSync, gen.ReplicationController, replicationControllerCorners)
}

// TestReplicationControllerDifferences checks that ReplicationControllers differ from upstream in
// the examples of ReplicaSets, and for the same reasons.
func TestReplicationControllerDifferences(t *testing.T) {
	inBubble(t, func(t bubble, now time.Time) {
		sync := replicationControllerSync()
		for _, d := range replicaSetDifferences {
			c := replicaSetExamples[d.name](now)
			c.Controllers = true
			for _, pod := range c.Pods {
				for i := range pod.OwnerReferences {
					pod.OwnerReferences[i].Kind = c.Kind()
				}
			}
			p := passReplicaSet(sync, c, now)
			names, diff := explain(replicaSetDifferences, &p)
			require.Equal(t, []string{d.name}, names, diff)
		}
	})
}
