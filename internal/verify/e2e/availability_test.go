// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// What may be expected of available pods is less than that replicas less maxUnavailable of
// them are there at every moment. A Deployment controller counts what ReplicaSets report,
// and a ReplicaSet that has just been made smaller reports pods that are about to go. It
// notices where unhealthy pods go first, but not always: if the pods that are not available
// in the old ReplicaSets before it use up all that may go, those of it are counted once more
// where available pods go.
// Then as many go too many, with upstream's controllers as with ours. It takes two old
// ReplicaSets, so a rollout from one template to the next keeps the bound exactly, and a
// rollover may miss it. With deploy.ExcessAvailableCounts and deploy.StatusAheadStopsCleanup
// repaired no pod is counted that is not wanted, and the bound holds.
//
// What holds, and is checked here at every write, has two halves, one for each controller.

// available reports whether a pod serves.
func available(p *corev1.Pod) bool { return active(p) && ready(p) }

// sure returns how many pods of a Deployment stay available if no size changes: of each
// ReplicaSet those that it wants, has, and reports.
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

// overstated returns how many pods the ReplicaSets of a Deployment report available beyond
// those that they have and want, at a write to one of them. Of that one, the version is a
// precondition of the write; of the others the controller may have seen one that is older.
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

// taken reports whether a change takes an available pod of a Deployment away, of which, and
// how many are left. What the script or the collector takes does not count.
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
