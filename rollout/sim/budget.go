// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// allowsEviction reports whether a budget allows a pod to be evicted: it does not select it, or
// the pod does not serve anyway, or enough others do.
func allowsEviction(v View, b *Budget, p *podorder.Pod) bool {
	if b.Selector == nil || namespaceOf(b.Name) != namespaceOf(p.Name) {
		return true
	}
	s, err := selector.FromLabelSelector(b.Selector)
	if err != nil || !s.Matches(p.Labels) || !p.Ready {
		return true
	}
	healthy, wanted, owners := int32(0), int32(0), map[string]bool{}
	for _, o := range v.Pods() {
		if namespaceOf(o.Name) != namespaceOf(b.Name) || !s.Matches(o.Labels) || o.Finished() {
			continue
		}
		if o.Ready && o.DeletionTimestamp.IsZero() {
			healthy++
		}
		wanted += expected(v, o, owners)
	}
	least := wanted
	switch unset := (rollout.IntOrPercent{}); {
	case b.MinAvailable != unset:
		least = b.MinAvailable.OfUp(wanted)
	case b.MaxUnavailable != unset:
		least = wanted - b.MaxUnavailable.OfUp(wanted)
	}
	return healthy-1 >= least
}

// expected is how many pods a budget counts for a pod: the size of its owner for the first of
// those, and else 0; and 1 without an owner that has a size.
func expected(v View, p *podorder.Pod, owners map[string]bool) int32 {
	size := func(n *int32) int32 {
		if n == nil {
			return 1
		}
		return *n
	}
	if rs := v.ReplicaSet(p.ControllerName); rs != nil && rs.UID == p.ControllerUID {
		if d := v.Deployment(rs.ControllerName); d != nil && d.UID == rs.ControllerUID {
			if owners[d.UID] {
				return 0
			}
			owners[d.UID] = true
			return size(d.Replicas)
		}
		if owners[rs.UID] {
			return 0
		}
		owners[rs.UID] = true
		return size(rs.Replicas)
	}
	for _, s := range v.Sets() {
		if s.UID == p.ControllerUID {
			if owners[s.UID] {
				return 0
			}
			owners[s.UID] = true
			return s.DesiredReplicas()
		}
	}
	return 1
}
