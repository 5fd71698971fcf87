// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// grace is how long a specification holds after it was replaced: a controller may not
// have seen the new one.
const grace = 2 * time.Second

// A rule checks a change and returns the violation, or "". after is the state after the change.
type rule func(e *env, before *cluster.State, c cluster.Change, after *cluster.State) string

// check replays everything that was ever written and holds it against the rules.
func (e *env) check(loose bool) {
	e.Helper()
	report := e.Errorf
	if loose {
		report = e.Logf
	}
	state := cluster.NewState()
	checked := 0
	for _, c := range e.history {
		before := copied(state)
		state.Apply(c)
		for _, r := range e.rules {
			if wrong := r(e, before, c, state); wrong != "" {
				report("revision %d, %s %s: %s", c.Revision, c.Resource, c.Name, wrong)
			}
			checked++
		}
	}
	if len(e.rules) > 0 && checked == 0 {
		e.Error("nothing was checked")
	}
}

func copied(s *cluster.State) *cluster.State {
	c := *s
	c.Pods = make(map[string]*corev1.Pod, len(s.Pods))
	for k, v := range s.Pods {
		c.Pods[k] = v
	}
	c.ReplicaSets = make(map[string]*appsv1.ReplicaSet, len(s.ReplicaSets))
	for k, v := range s.ReplicaSets {
		c.ReplicaSets[k] = v
	}
	return &c
}

// limits returns the loosest bounds of a Deployment that were in force at a time: how many
// pods may be wanted, and how many must be available.
func (e *env) limits(name string, at time.Time) (most, least int) {
	least = 1 << 30
	var last *cluster.Change
	for i := range e.history {
		c := &e.history[i]
		if c.At.After(at) && last != nil {
			break
		}
		d, ok := c.Object.(*appsv1.Deployment)
		if !ok || c.Name != name {
			continue
		}
		if last != nil && at.Sub(c.At) > grace {
			most, least = 0, 1<<30 // the former has long been replaced
		}
		last = c
		high, low := bounds(d)
		most, least = max(most, high), min(least, low)
	}
	return most, least
}

func bounds(d *appsv1.Deployment) (most, least int) {
	n := int(*d.Spec.Replicas)
	u := d.Spec.Strategy.RollingUpdate
	if u == nil {
		return n, 0
	}
	surge, _ := intstr.GetScaledValueFromIntOrPercent(u.MaxSurge, n, true)
	unavailable, _ := intstr.GetScaledValueFromIntOrPercent(u.MaxUnavailable, n, false)
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	return n + surge, n - unavailable
}

// surge: all ReplicaSets of a Deployment together are never made to want more pods than
// replicas and surge.
func surge(e *env, before *cluster.State, c cluster.Change, after *cluster.State) string {
	rs, ok := c.Object.(*appsv1.ReplicaSet)
	if !ok || owner(rs) == "" {
		return ""
	}
	was, is := wanted(before, owner(rs)), wanted(after, owner(rs))
	if most, _ := e.limits(owner(rs), c.At); is > was && is > most {
		return fmt.Sprintf("%d pods are wanted, %d may be", is, most)
	}
	return ""
}

func wanted(s *cluster.State, deployment string) int {
	n := 0
	for _, rs := range s.ReplicaSets {
		if owner(rs) == deployment {
			n += int(*rs.Spec.Replicas)
		}
	}
	return n
}

// size: no ReplicaSet ever has more active pods than the largest size that it has had.
func size(e *env, _ *cluster.State, c cluster.Change, after *cluster.State) string {
	pod, ok := c.Object.(*corev1.Pod)
	if !ok || pinned(pod) != "" {
		return ""
	}
	uid := ownerUID(pod)
	largest := 0
	for _, h := range e.history {
		if h.Revision > c.Revision {
			break
		}
		if rs, ok := h.Object.(*appsv1.ReplicaSet); ok && rs.UID == uid {
			largest = max(largest, int(*rs.Spec.Replicas))
		}
	}
	if n := len(podsOf(after, func(p *corev1.Pod) bool { return ownerUID(p) == uid && active(p) })); uid != "" && n > largest {
		return fmt.Sprintf("%s has %d active pods and never wanted more than %d", owner(pod), n, largest)
	}
	return ""
}

// recreate: a pod of a new template starts when the last one of an old template is gone.
func recreate(_ *env, before *cluster.State, c cluster.Change, after *cluster.State) string {
	pod, ok := c.Object.(*corev1.Pod)
	if _, existed := before.Pods[c.Name]; !ok || existed {
		return ""
	}
	if others := podsOf(after, func(p *corev1.Pod) bool { return owner(p) != owner(pod) }); len(others) > 0 {
		return fmt.Sprintf("starts beside %s", others[0].Name)
	}
	return ""
}

// one returns the rule that a node never has more than one active pod of a DaemonSet, or
// two, of which one is not available yet, on as many nodes as the surge says.
func one(surge int) rule {
	return func(_ *env, before *cluster.State, c cluster.Change, after *cluster.State) string {
		pod, ok := c.Object.(*corev1.Pod)
		if _, existed := before.Pods[c.Name]; !ok || existed {
			return ""
		}
		doubled := 0
		for node, pods := range byNode(after) {
			switch {
			case len(pods) > 2 || len(pods) > 1 && surge == 0:
				return fmt.Sprintf("%s has %d active pods, with that on %s", node, len(pods), pinned(pod))
			case len(pods) == 2 && (!available(pods[0]) || !available(pods[1])):
				doubled++
			}
		}
		if doubled > surge {
			return fmt.Sprintf("%d nodes have two pods, %d may", doubled, surge)
		}
		return ""
	}
}

func byNode(s *cluster.State) map[string][]*corev1.Pod {
	nodes := map[string][]*corev1.Pod{}
	for _, p := range s.Pods {
		if node := pinned(p); node != "" && active(p) {
			nodes[node] = append(nodes[node], p)
		}
	}
	return nodes
}

// served returns the rule that no controller takes an available pod of a DaemonSet away
// while more than so many nodes have none. Nodes that are new, or should not run a pod,
// do not count.
func served(unavailable int) rule {
	return func(e *env, before *cluster.State, c cluster.Change, after *cluster.State) string {
		was, existed := before.Pods[c.Name]
		if c.Resource != "pods" || !existed || !available(was) || e.harmed[c.Name] || after.Pods[c.Name] != nil && available(after.Pods[c.Name]) {
			return ""
		}
		if n := after.Nodes[pinned(was)]; n == nil || len(n.Spec.Taints) > 0 {
			return ""
		}
		pods := byNode(after)
		without := 0
		for name, n := range after.Nodes {
			if n.Labels[cluster.PoolLabel] != e.pool || len(n.Spec.Taints) > 0 || c.At.Sub(n.CreationTimestamp.Time) < grace {
				continue
			}
			served := false
			for _, p := range pods[name] {
				served = served || available(p)
			}
			if !served {
				without++
			}
		}
		if without > unavailable {
			return fmt.Sprintf("%d nodes have no available pod, %d may", without, unavailable)
		}
		return ""
	}
}
