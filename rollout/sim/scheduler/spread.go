// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/selector"
)

// A domain determines which nodes count, and in which place.
type domain struct {
	key         string
	all         []string               // labels that nodes have
	affinity    *selector.NodeAffinity // nil accepts all
	taints      bool                   // a node with one that is not tolerated does not count
	tolerations []daemonset.Toleration
}

// of returns the place of a node, false if it does not count.
//
// It mirrors the choice of nodes in calPreFilterState of the scheduler plugin PodTopologySpread.
func (d *domain) of(node *cluster.Node) (string, bool) {
	value, ok := node.Labels[d.key]
	if !ok {
		return "", false
	}
	for _, key := range d.all {
		if _, ok := node.Labels[key]; !ok {
			return "", false
		}
	}
	if d.affinity != nil {
		if ok, _ := d.affinity.Match(node.Name, node.Labels); !ok {
			return "", false
		}
	}
	if d.taints && !tolerated(d.tolerations, taintsOf(node)) {
		return "", false
	}
	return value, true
}

// taintsOf returns the taints of a node, and the ones that a cluster adds if it is cordoned or does
// not answer.
func taintsOf(node *cluster.Node) []daemonset.Taint {
	taints := node.Taints
	if node.Cordoned {
		taints = append(taints[:len(taints):len(taints)], cordoned())
	}
	if node.NotReady {
		taints = append(taints[:len(taints):len(taints)], silent()...)
	}
	return taints
}

// A spread is a topology spread constraint of a pod.
type spread struct {
	*cluster.TopologySpread
	tally *tally
	self  int // 1 if the pod counts too
}

// spreads notes the topology spread constraints of a pod.
func (n *Nodes) spreads(p Pod, namespace string) (wrong Reason) {
	t := &p.Template
	if len(t.TopologySpread) == 0 {
		return ""
	}
	affinity := selector.NewNodeAffinity(t.NodeSelector, t.Affinity)
	selected := fmt.Sprintf("%q %q\n", t.NodeSelector, t.Affinity)
	var keys []string
	for _, c := range t.TopologySpread {
		keys = append(keys, c.TopologyKey)
	}
	for i := range t.TopologySpread {
		c := &t.TopologySpread[i]
		term, err := newTerm(c.Selector, nil, namespace)
		if err != nil {
			wrong = TopologySpread
		}
		s := spread{TopologySpread: c}
		if term.matches(namespace, p.Labels) {
			s.self = 1
		}
		if term.selector.IsEverything() { // of which upstream counts no pod but this one
			term.selector, term.text = selector.Nothing(), "none\n"
		}
		where := domain{key: c.TopologyKey, all: keys, taints: c.HonorTaints}
		text := fmt.Sprintf("spread\n%s%q %q\n", term.text, c.TopologyKey, keys)
		if !c.IgnoreAffinity {
			where.affinity = &affinity
			text += selected
		}
		if c.HonorTaints {
			where.tolerations = t.Tolerations
			text += "taints\n" + tolerationsText(t.Tolerations)
		}
		s.tally = n.tally(text, true, where, term)
		n.last.spread = append(n.last.spread, s)
	}
	return wrong
}

// tolerationsText distinguishes tolerations that do not tolerate the same taints.
func tolerationsText(list []daemonset.Toleration) string {
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "%q %q %q %q\n", t.Key, t.Operator, t.Value, t.Effect)
	}
	return b.String()
}

// spreads reports whether all constraints hold with the pod on a node: its place has at most
// maxSkew pods more than the place with the fewest, which counts as one with 0 if there are fewer
// places than minDomains. Pods that are being deleted do not count, and a selector for all pods
// counts none but the one that asks.
//
// It mirrors Filter of the scheduler plugin PodTopologySpread.
func (t *terms) spreads(s *nodeState, pinned bool) bool {
	for _, c := range t.spread {
		value, ok := s.node.Labels[c.TopologyKey]
		if !ok {
			return false
		}
		pods, least, places := c.tally.places[value].pods, c.tally.least(), len(c.tally.places)
		if pinned && !c.IgnoreAffinity {
			pods, places = c.onNode(s)
			least = pods
		}
		if places < int(max(c.MinDomains, 1)) {
			least = 0
		}
		if pods+c.self-least > int(c.MaxSkew) {
			return false
		}
	}
	return true
}

// onNode returns how many pods count if the node is the only one that does, and whether it does.
func (c *spread) onNode(s *nodeState) (pods, places int) {
	if _, ok := c.tally.where.of(s.node); !ok {
		return 0, 0
	}
	for _, h := range s.pods {
		if c.tally.counts(h) {
			pods++
		}
	}
	return pods, 1
}
