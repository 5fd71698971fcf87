// SPDX-License-Identifier: Apache-2.0

package podset

import (
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A replica is the place of an ordinal. A missing pod is to be created.
type replica struct {
	pod      *podorder.Pod
	revision string // of the pod, or of the one to be created
}

func (r *replica) leaving() bool { return r.pod != nil && !r.pod.DeletionTimestamp.IsZero() }

// statefulSet makes the plan of a StatefulSet: it grows, then it shrinks, then it updates.
func (p *pass) statefulSet(pods []podorder.Pod) {
	pods = slices.Clone(pods)
	slices.SortFunc(pods, func(a, b podorder.Pod) int { return OrdinalOf(p.set.Name, a.Name) - OrdinalOf(p.set.Name, b.Name) })
	p.count(pods)
	if st, n := &p.plan.Status, p.set.DesiredReplicas(); st.UpdatedReplicas == n && st.ReadyReplicas == n && st.Replicas == n {
		p.plan.StableRevision = p.update
	}
	replicas, surplus := p.places(pods)
	if p.fill(replicas) || p.shrink(replicas, surplus) || p.set.StrategyType == "OnDelete" || p.set.Paused {
		return
	}
	switch {
	case p.set.GroupKind() == AdvancedStatefulSet:
		p.rollAdvanced(replicas)
	case p.set.Parallel:
		p.rollParallel(replicas)
	default:
		p.roll(replicas)
	}
}

// places returns the places of all ordinals, and the surplus pods, the last first.
func (p *pass) places(pods []podorder.Pod) (replicas []replica, surplus []*podorder.Pod) {
	replicas = make([]replica, max(p.set.DesiredReplicas(), 0))
	old := 0
	for i := range pods {
		pod := &pods[i]
		switch n := OrdinalOf(p.set.Name, pod.Name); {
		case n < 0:
		case n < len(replicas):
			replicas[n] = replica{pod, RevisionOf(pod)}
			old += number(!p.updated(pod))
		default:
			surplus = append(surplus, pod)
		}
	}
	slices.Reverse(surplus)
	for n := range replicas {
		r := &replicas[n]
		if r.pod != nil {
			continue
		}
		r.revision = p.update
		kept := n
		if p.set.Unordered {
			kept = old
		}
		if kept < p.kept() {
			r.revision = p.current
			old++
		}
	}
	return replicas, surplus
}

// kept returns how many pods stay old.
func (p *pass) kept() int { return int(p.set.Partition.OfUp(p.set.DesiredReplicas())) }

// fill creates missing pods and deletes finished ones, so that they are created again. It reports
// whether nothing else may happen yet.
func (p *pass) fill(replicas []replica) (wait bool) {
	for n := range replicas {
		pod := replicas[n].pod
		switch {
		case pod == nil:
			p.act(Create, &podorder.Pod{Name: p.set.Name + "-" + strconv.Itoa(n)}, replicas[n].revision)
			wait = !p.set.Parallel
		case pod.Finished():
			if pod.DeletionTimestamp.IsZero() {
				p.act(Delete, pod, "")
			}
			wait = !p.set.Parallel
		default:
			wait = !p.set.Parallel && (!pod.DeletionTimestamp.IsZero() || !p.available(pod))
		}
		if wait {
			return true
		}
	}
	return false
}

// shrink deletes surplus pods, the last first. It reports whether nothing else may happen yet.
func (p *pass) shrink(replicas []replica, surplus []*podorder.Pod) bool {
	first := p.firstUnavailable(replicas, surplus)
	for _, pod := range surplus {
		going := !pod.DeletionTimestamp.IsZero()
		if !p.set.Parallel && (going || !p.available(pod) && pod != first) {
			return true
		}
		if going {
			continue
		}
		p.act(Delete, pod, "")
		if !p.set.Parallel {
			return true
		}
	}
	return false
}

// firstUnavailable returns the unavailable pod with the lowest ordinal, nil if all are available.
func (p *pass) firstUnavailable(replicas []replica, surplus []*podorder.Pod) *podorder.Pod {
	for n := range replicas {
		if p.unavailable(&replicas[n]) {
			return replicas[n].pod
		}
	}
	for _, pod := range slices.Backward(surplus) {
		if !p.available(pod) || !pod.DeletionTimestamp.IsZero() {
			return pod
		}
	}
	return nil
}

func (p *pass) unavailable(r *replica) bool {
	return r.pod == nil || r.leaving() || !p.available(r.pod)
}

// roll updates the old pod with the highest ordinal, once all pods above it are available.
func (p *pass) roll(replicas []replica) {
	for n := len(replicas) - 1; n >= p.kept(); n-- {
		r := &replicas[n]
		if r.revision != p.update && !r.leaving() {
			if r.pod != nil {
				p.act(Delete, r.pod, "")
			}
			return
		}
		if p.unavailable(r) {
			return
		}
	}
}

// rollParallel updates all old pods that are unavailable, and one available pod if all others
// are available.
func (p *pass) rollParallel(replicas []replica) {
	serve, next := true, (*podorder.Pod)(nil)
	for n := len(replicas) - 1; n >= 0; n-- {
		r := &replicas[n]
		old := n >= p.kept() && r.pod != nil && !r.leaving() && r.revision != p.update
		switch idle := p.unavailable(r); {
		case idle && old:
			p.act(Delete, r.pod, "")
			serve = false
		case idle:
			serve = false
		case old && next == nil:
			next = r.pod
		}
	}
	if serve && next != nil {
		p.act(Delete, next, "")
	}
}

// mostUnavailable returns how many pods of an Advanced StatefulSet may be unavailable.
func mostUnavailable(s *cluster.Set) int {
	limit := s.Limits().MaxUnavailable
	if limit.IsZero() {
		return 1
	}
	return max(1, int(limit.Of(s.DesiredReplicas())))
}

// rollAdvanced updates old pods as long as the limit of unavailable pods allows. A pod that is
// unavailable already does not count against the limit.
func (p *pass) rollAdvanced(replicas []replica) {
	most := mostUnavailable(p.set)
	idle := make([]bool, len(replicas))
	unavailable := 0
	for n := range replicas {
		idle[n] = p.unavailable(&replicas[n])
		unavailable += number(idle[n])
	}
	for _, n := range p.order(replicas) {
		r := &replicas[n]
		if r.revision == p.update || r.pod == nil {
			continue
		}
		if unavailable >= most && !idle[n] {
			return
		}
		if r.leaving() {
			continue
		}
		if p.set.InPlace {
			p.act(Update, r.pod, p.update)
		} else {
			p.act(Delete, r.pod, "")
		}
		unavailable += number(!idle[n])
		idle[n] = true
	}
}

// order returns the ordinals that may be of the update revision. Without an order of its own it
// begins with pods that are of that revision already, or are being deleted.
func (p *pass) order(replicas []replica) (list []int) {
	most := len(replicas) - p.kept()
	if most <= 0 {
		return nil
	}
	if !p.set.Unordered {
		for n := len(replicas) - 1; n >= p.kept(); n-- {
			list = append(list, n)
		}
		return list
	}
	var wait []int
	for n := len(replicas) - 1; n >= 0; n-- {
		if r := &replicas[n]; r.leaving() || r.revision == p.update {
			list = append(list, n)
		} else {
			wait = append(wait, n)
		}
	}
	list = append(list, wait...)
	return list[:min(most, len(list))]
}
