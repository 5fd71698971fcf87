// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/selector"
)

// A podTerm selects pods.
type podTerm struct {
	selector   selector.Selector
	namespaces []string
	text       string // which another term has if it selects the same
}

// newTerm compiles a term of a pod in a namespace. One that cannot be read selects nothing.
func newTerm(s *selector.LabelSelector, namespaces []string, namespace string) (podTerm, error) {
	compiled, err := selector.FromLabelSelector(s)
	if len(namespaces) == 0 {
		namespaces = []string{namespace}
	}
	namespaces = slices.Sorted(slices.Values(namespaces))
	return podTerm{compiled, namespaces, fmt.Sprintf("%q %s\n", namespaces, compiled.Describe())}, err
}

// matches reports whether the term selects a pod.
//
// It mirrors AffinityTerm.Matches of the scheduler's framework.
func (t *podTerm) matches(namespace string, labels map[string]string) bool {
	return slices.Contains(t.namespaces, namespace) && t.selector.Matches(labels)
}

// A tally counts pods by the places of their nodes.
type tally struct {
	text    string
	terms   []podTerm // a pod matches if all of them do
	where   domain
	spread  bool // it counts no pods that are being deleted, and knows places without pods
	pods    int  // in all places
	holders int  // of the term, also on nodes without the topology label
	places  map[string]place
	fewest  int  // pods in a place, of a spread
	counted bool // fewest is up to date
}

// A place is all nodes with one value of a topology key.
type place struct{ nodes, pods int } // nodes only of a spread

// matches reports whether all terms select a pod.
func (t *tally) matches(namespace string, labels map[string]string) bool {
	for i := range t.terms {
		if !t.terms[i].matches(namespace, labels) {
			return false
		}
	}
	return true
}

// counts reports whether a pod on a node counts, if the node does.
func (t *tally) counts(h *held) bool {
	return t.matches(h.namespace, h.labels) && !(t.spread && !h.DeletionTimestamp.IsZero())
}

// add adds nodes and pods to the place of a node, if the node counts.
func (t *tally) add(node *cluster.Node, nodes, pods int) {
	value, ok := t.where.of(node)
	if !ok {
		return
	}
	p := t.places[value]
	p.nodes += nodes
	p.pods += pods
	t.pods += pods
	t.counted = false
	if t.places[value] = p; p == (place{}) {
		delete(t.places, value)
	}
}

// least returns the fewest pods in a place, 0 without places.
func (t *tally) least() int {
	if !t.counted {
		t.fewest, t.counted = 0, true
		first := true
		for _, p := range t.places { // in any order
			if first || p.pods < t.fewest {
				t.fewest, first = p.pods, false
			}
		}
	}
	return t.fewest
}

// counts are the tallies of all terms that pods have asked about, and of the required
// anti-affinity of pods on nodes.
type counts struct {
	asked   map[string]*tally // by text
	byAsked index
	held    map[string]*tally // pods with a term, by the text of the term
	byHeld  index
}

// mostAsked is how many tallies are kept. With more, all are counted again when they are asked.
const mostAsked = 4096

// node notes a node, or forgets it with the sign -1. No pod on it counts then.
func (c *counts) node(node *cluster.Node, sign int) {
	for _, t := range c.asked { // in any order
		if t.spread {
			t.add(node, sign, 0)
		}
	}
}

// pod notes a pod on a known node, or forgets it with the sign -1.
func (c *counts) pod(h *held, sign int) {
	if len(c.asked) == 0 {
		return
	}
	c.byAsked.each(h.labels, func(t *tally) {
		if t.counts(h) {
			t.add(h.nodeState.node, 0, sign)
		}
	})
}

// tally returns the tally of a text, which is made and counted if it is new.
func (n *Nodes) tally(text string, spread bool, where domain, terms ...podTerm) *tally {
	c := &n.counts
	if t := c.asked[text]; t != nil {
		return t
	}
	if c.asked == nil || len(c.asked) >= mostAsked {
		c.asked, c.byAsked = map[string]*tally{}, index{}
	}
	t := &tally{text: text, terms: terms, where: where, spread: spread, places: map[string]place{}}
	c.asked[text] = t
	c.byAsked.add(t)
	for _, s := range n.list {
		pods := 0
		for _, h := range s.pods {
			if t.counts(h) {
				pods++
			}
		}
		if spread {
			t.add(s.node, 1, pods)
		} else if pods > 0 {
			t.add(s.node, 0, pods)
		}
	}
	return t
}

// An index finds tallies that may match a pod by its labels: most selectors demand one value.
type index struct {
	exact map[label][]*tally
	rest  []*tally
}

type label struct{ key, value string }

// labelOf returns a label that all pods have which match a tally.
func labelOf(t *tally) (label, bool) {
	for _, r := range t.terms[0].selector.Requirements() {
		if value, ok := t.terms[0].selector.ExactMatch(r.Key()); ok {
			return label{r.Key(), value}, true
		}
	}
	return label{}, false
}

func (x *index) add(t *tally) {
	l, ok := labelOf(t)
	if !ok {
		x.rest = append(x.rest, t)
		return
	}
	if x.exact == nil {
		x.exact = map[label][]*tally{}
	}
	x.exact[l] = append(x.exact[l], t)
}

func (x *index) remove(t *tally) {
	without := func(list []*tally) []*tally {
		i := slices.Index(list, t)
		return slices.Delete(list, i, i+1)
	}
	l, ok := labelOf(t)
	if !ok {
		x.rest = without(x.rest)
	} else if x.exact[l] = without(x.exact[l]); len(x.exact[l]) == 0 {
		delete(x.exact, l)
	}
}

// each calls f with the tallies that may match labels, in any order.
func (x *index) each(labels map[string]string, f func(*tally)) {
	if len(x.exact) > 0 {
		for key, value := range labels {
			for _, t := range x.exact[label{key, value}] {
				f(t)
			}
		}
	}
	for _, t := range x.rest {
		f(t)
	}
}
