// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// A rolling update does not guarantee replicas less maxUnavailable available pods at every moment.
// A Deployment controller counts the available pods that ReplicaSets report, and a ReplicaSet that
// has just been scaled down still reports pods that it is about to delete. Where unhealthy pods are
// removed first, the controller notices that, but not always: if the unavailable pods in the older
// ReplicaSets use up the budget, the reported pods of this one count again where available pods are
// removed. Then too many pods are deleted, by upstream's controllers and by ours. It takes two old
// ReplicaSets, so a rollout from one template to the next keeps the bound exactly, and a rollover
// may violate it. With quirk.ExcessAvailableCounts and quirk.StatusAheadStopsCleanup repaired, no
// pod counts beyond the size of its ReplicaSet, and the bound holds.
//
// The guarantees, which are checked here at every write, have two halves, one for each controller.

// available reports whether a pod serves.
func available(p *corev1.Pod) bool { return active(p) && ready(p) }

// sure returns how many pods of a Deployment stay available if no size changes: the pods of each
// ReplicaSet that it wants, has, and reports.
func sure(s *cluster.State, deployment string) int {
	n := 0
	for name, kept := range keeps(s, deployment) {
		n += min(kept, int(s.ReplicaSets[name].Status.AvailableReplicas))
	}
	return n
}

// keeps returns how many available pods each ReplicaSet of a Deployment has and wants.
func keeps(s *cluster.State, deployment string) map[string]int {
	kept := map[string]int{}
	for _, p := range s.Pods {
		if rs := s.ReplicaSets[owner(p)]; rs != nil && owner(rs) == deployment && available(p) && kept[rs.Name] < int(*rs.Spec.Replicas) {
			kept[rs.Name]++
		}
	}
	return kept
}

// decision: the Deployment controller makes a ReplicaSet want fewer pods than it reports
// available only if the minimum is sure afterwards, less the pods that were reported and
// are not to be relied on.
func decision(e *env, before *cluster.State, c cluster.Change, after *cluster.State) string {
	rs, ok := c.Object.(*appsv1.ReplicaSet)
	was := before.ReplicaSets[c.Name]
	if !ok || was == nil || was.UID != rs.UID || owner(rs) == "" {
		return ""
	}
	if is := *rs.Spec.Replicas; is >= *was.Spec.Replicas || is >= was.Status.AvailableReplicas {
		return ""
	}
	n, overstated := sure(after, owner(rs)), e.overstated(before, c, owner(rs))
	if _, least := e.limits(owner(rs), c.At); n < least-overstated {
		return fmt.Sprintf("from %d to %d leaves %d pods, %d must be; %d were reported in vain", *was.Spec.Replicas, *rs.Spec.Replicas, n, least, overstated)
	}
	return ""
}

// overstated returns the number of pods that the ReplicaSets of a Deployment report as available
// beyond the ones that they have and want, at a write to one of them. The version of that one is a
// precondition of the write; the controller may have seen an older version of the others.
func (e *env) overstated(before *cluster.State, c cluster.Change, deployment string) int {
	reported := map[string]int{}
	for name, rs := range before.ReplicaSets {
		if owner(rs) == deployment {
			reported[name] = int(rs.Status.AvailableReplicas)
		}
	}
	for _, h := range e.history {
		if h.Revision >= c.Revision {
			break
		}
		rs, ok := h.Object.(*appsv1.ReplicaSet)
		if ok && h.Name != c.Name && owner(rs) == deployment && c.At.Sub(h.At) < grace {
			reported[h.Name] = max(reported[h.Name], int(rs.Status.AvailableReplicas))
		}
	}
	kept, n := keeps(before, deployment), 0
	for name, r := range reported {
		n += max(0, r-kept[name])
	}
	return n
}

// availability: the ReplicaSet controller takes an available pod away only if the minimum
// is left, or as many as were sure.
func availability(e *env, before *cluster.State, c cluster.Change, after *cluster.State) string {
	d, n, taken := e.taken(before, c, after)
	if !taken {
		return ""
	}
	_, least := e.limits(d, c.At)
	if must := min(least, sure(before, d)); n < must {
		return fmt.Sprintf("%d pods are available, %d must be", n, must)
	}
	return ""
}

// minimum: no available pod is taken away unless the minimum is left.
func minimum(e *env, before *cluster.State, c cluster.Change, after *cluster.State) string {
	d, n, taken := e.taken(before, c, after)
	if _, least := e.limits(d, c.At); taken && n < least {
		return fmt.Sprintf("%d pods are available, %d must be", n, least)
	}
	return ""
}

// taken reports whether a change removes an available pod of a Deployment, which Deployment, and
// how many pods are left. Deletions by the script or the garbage collector do not count.
func (e *env) taken(before *cluster.State, c cluster.Change, after *cluster.State) (deployment string, left int, ok bool) {
	was, existed := before.Pods[c.Name]
	if c.Resource != "pods" || !existed || !available(was) || e.harmed[c.Name] || after.Pods[c.Name] != nil && available(after.Pods[c.Name]) {
		return "", 0, false
	}
	rs := before.ReplicaSets[owner(was)]
	if rs == nil || owner(rs) == "" {
		return "", 0, false
	}
	if d := before.Deployments[owner(rs)]; d == nil || d.DeletionTimestamp != nil {
		return "", 0, false
	}
	return owner(rs), len(podsOf(after, func(p *corev1.Pod) bool {
		set := after.ReplicaSets[owner(p)]
		return set != nil && owner(set) == owner(rs) && available(p)
	})), true
}
