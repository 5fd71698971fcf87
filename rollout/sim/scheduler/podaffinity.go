// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"
	"maps"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// terms are the demands of a pod on other pods, and theirs on it.
type terms struct {
	of     Pod
	wrong  Reason   // of a selector that cannot be read
	near   []*tally // pods that match all terms of affinity, by the topology key of each term
	first  bool     // no pod matches these yet, and the pod does so
	apart  []*tally // pods that must not be in the place of the pod
	spread []spread
}

// termsOf returns the terms of a pod, nil if there are none. The last answer is kept for a scheduler that asks about
// many nodes.
func (n *Nodes) termsOf(p Pod) *terms {
	t := &p.Template
	if len(t.PodAffinity) == 0 && len(t.PodAntiAffinity) == 0 && len(t.TopologySpread) == 0 && len(n.counts.held) == 0 {
		return nil
	}
	if n.last == nil || !same(n.last.of, p) {
		namespace := namespaceOf(p.Name)
		n.last = &terms{of: p}
		n.last.wrong = firstOf(n.spreads(p, namespace), n.near(p, namespace), n.apart(p, namespace))
	}
	return n.last
}

// firstOf returns the first that is not empty.
func firstOf(reasons ...Reason) Reason {
	for _, r := range reasons {
		if r != "" {
			return r
		}
	}
	return ""
}

// same reports whether two pods are one object, with one template.
func same(a, b Pod) bool {
	x, y := &a.Template, &b.Template
	return a.Pod == b.Pod && one(x.PodAffinity, y.PodAffinity) && one(x.PodAntiAffinity, y.PodAntiAffinity) &&
		one(x.TopologySpread, y.TopologySpread) && one(x.Tolerations, y.Tolerations) && x.Affinity == y.Affinity &&
		maps.Equal(x.NodeSelector, y.NodeSelector)
}

// one reports whether two slices are one.
func one[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// near notes the required affinity of a pod.
func (n *Nodes) near(p Pod, namespace string) (wrong Reason) {
	all := make([]podTerm, 0, len(p.Template.PodAffinity))
	text, self := "near\n", true
	for i := range p.Template.PodAffinity {
		a := &p.Template.PodAffinity[i]
		term, err := newTerm(a.Selector, a.Namespaces, namespace)
		if err != nil {
			wrong = PodAffinity
		}
		all = append(all, term)
		text += term.text
		self = self && term.matches(namespace, p.Labels)
	}
	n.last.first = self
	for i := range p.Template.PodAffinity {
		key := p.Template.PodAffinity[i].TopologyKey
		t := n.tally(fmt.Sprintf("%s%q", text, key), false, domain{key: key}, all...)
		n.last.near = append(n.last.near, t)
		n.last.first = n.last.first && t.pods == 0
	}
	return wrong
}

// apart notes the required anti-affinity of a pod, and the terms of pods on nodes that match it.
func (n *Nodes) apart(p Pod, namespace string) (wrong Reason) {
	for i := range p.Template.PodAntiAffinity {
		a := &p.Template.PodAntiAffinity[i]
		term, err := newTerm(a.Selector, a.Namespaces, namespace)
		if err != nil {
			wrong = PodAntiAffinity
		}
		t := n.tally(fmt.Sprintf("apart\n%s%q", term.text, a.TopologyKey), false, domain{key: a.TopologyKey}, term)
		n.last.apart = append(n.last.apart, t)
	}
	n.counts.byHeld.each(p.Labels, func(t *tally) {
		if t.matches(namespace, p.Labels) {
			n.last.apart = append(n.last.apart, t)
		}
	})
	return wrong
}

// holder notes the required anti-affinity of a pod on a known node, or forgets it with the sign -1.
func (c *counts) holder(h *held, sign int) {
	for i := range h.Template.PodAntiAffinity {
		if sign > 0 {
			h.against = append(h.against, c.against(&h.Template.PodAntiAffinity[i], h.namespace))
		}
		t := h.against[i]
		t.holders += sign
		t.add(h.nodeState.node, 0, sign)
		if t.holders == 0 {
			delete(c.held, t.text)
			c.byHeld.remove(t)
		}
	}
	if sign < 0 {
		h.against = nil
	}
}

// against returns the tally of pods with a term of anti-affinity.
func (c *counts) against(a *cluster.PodTerm, namespace string) *tally {
	term, _ := newTerm(a.Selector, a.Namespaces, namespace)
	text := fmt.Sprintf("%s%q", term.text, a.TopologyKey)
	t := c.held[text]
	if t == nil {
		if c.held == nil {
			c.held = map[string]*tally{}
		}
		t = &tally{text: text, terms: []podTerm{term}, where: domain{key: a.TopologyKey}, places: map[string]place{}}
		c.held[text] = t
		c.byHeld.add(t)
	}
	return t
}

// why returns which of the terms refuses a node.
func (t *terms) why(s *nodeState, pinned bool) Reason {
	switch {
	case t == nil:
		return ""
	case t.wrong != "":
		return t.wrong
	case !t.spreads(s, pinned):
		return TopologySpread
	case !t.together(s.node):
		return PodAffinity
	case !t.alone(s.node):
		return PodAntiAffinity
	}
	return ""
}

// together reports whether each place of a node has a pod that matches all terms of affinity. If
// no pod matches yet, a pod that does so itself is the first. The node must have all topology
// labels.
//
// It mirrors the check of pod affinity in Filter of the scheduler plugin InterPodAffinity.
func (t *terms) together(node *cluster.Node) bool {
	all := true
	for _, near := range t.near {
		value, ok := node.Labels[near.where.key]
		if !ok {
			return false
		}
		all = all && near.places[value].pods > 0
	}
	return all || t.first
}

// alone reports whether no place of a node has a pod that must not be near, in either direction.
// A node without the topology label is in no such place.
//
// It mirrors the checks of pod anti-affinity in Filter of the scheduler plugin InterPodAffinity.
func (t *terms) alone(node *cluster.Node) bool {
	for _, apart := range t.apart {
		if value, ok := node.Labels[apart.where.key]; ok && apart.places[value].pods > 0 {
			return false
		}
	}
	return true
}
