// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"slices"

	"github.com/kplan-go/kplan/selector"
)

// A controllerIndex is a list of controllers, indexed by namespace, selector and UID.
type controllerIndex struct {
	controllers []Controller
	byNamespace map[string]*group
	byUID       map[string]int
}

// A group holds the controllers of one namespace; the group of "" is cluster-scoped.
type group struct {
	numbers []int
	index   *selector.Index
}

func newControllerIndex(controllers []Controller) controllerIndex {
	h := controllerIndex{controllers: controllers, byNamespace: map[string]*group{}, byUID: map[string]int{}}
	for _, numbers := range byNamespace(controllers) {
		selectors := make([]selector.Selector, len(numbers))
		for i, n := range numbers {
			selectors[i] = controllers[n].Owner.Selector
		}
		h.byNamespace[controllers[numbers[0]].Owner.Namespace] = &group{numbers, selector.NewIndex(selectors)}
	}
	for i := range slices.Backward(controllers) { // the first of several
		h.byUID[controllers[i].Owner.UID] = i
	}
	return h
}

// owner returns the number of the controller that controls the child.
func (h *controllerIndex) owner(c *Child) (int, bool) {
	if !c.Controlled() {
		return 0, false
	}
	i, ok := h.byUID[c.ControllerUID]
	return i, ok
}

// selecting appends to found the numbers of the controllers in the child's namespace, and of
// cluster-scoped ones, that match its labels, in order.
func (h *controllerIndex) selecting(c *Child, found []int) []int {
	start := len(found)
	found = h.byNamespace[c.Namespace].matching(c.Labels, found)
	if c.Namespace != "" {
		found = h.byNamespace[""].matching(c.Labels, found)
	}
	slices.Sort(found[start:])
	return found
}

func (g *group) matching(labels map[string]string, found []int) []int {
	if g == nil {
		return found
	}
	start := len(found)
	found = g.index.Matching(labels, found)
	for i := start; i < len(found); i++ {
		found[i] = g.numbers[found[i]]
	}
	return found
}

// adopters appends to found the numbers of the controllers that would adopt the child if it
// were an orphan, in order.
func (h *controllerIndex) adopters(c Child, found []int) []int {
	c.ControllerKind, c.ControllerName, c.ControllerUID = "", "", ""
	start := len(found)
	found = h.selecting(&c, found)
	kept := slices.DeleteFunc(found[start:], func(i int) bool {
		return Decide(&h.controllers[i].Owner, &c).Verdict != Adopt
	})
	return found[:start+len(kept)]
}
