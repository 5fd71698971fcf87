// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/internal/base/zero"
)

// ControllersSelecting returns the numbers of the controllers of a child's
// namespace that select it, the oldest first. A selector without requirements
// counts as selecting nothing, and a child without labels as selected by none:
// this is the look-up by which controllers learn of orphans, and not what a
// claim goes by.
//
// It mirrors GetPodReplicaSets and its siblings in client-go 0.36.3.
func ControllersSelecting(c *Child, controllers []Controller) []int {
	c = zero.Or(c)
	return oldestFirst(controllers, func(o *Owner) bool {
		return o.Namespace == c.Namespace && o.Selector.Selects(c.Labels)
	})
}

// WhoWouldAdopt returns the numbers of the controllers that would adopt the child,
// the oldest first. With more than one there is a race, which the first patch wins;
// the others get an answer of Invalid, and try again. Controllers whose selector is
// empty are left out: the API does not allow them, and those that slip through are
// refused by most controllers.
func WhoWouldAdopt(c *Child, controllers []Controller) []int {
	return oldestFirst(controllers, func(o *Owner) bool {
		return !o.Selector.IsEverything() && Decide(o, c).Verdict == Adopt
	})
}

// oldestFirst returns the numbers of the controllers that have the property.
func oldestFirst(controllers []Controller, has func(*Owner) bool) []int {
	var found []int
	for i := range controllers {
		if has(&controllers[i].Owner) {
			found = append(found, i)
		}
	}
	slices.SortFunc(found, func(a, b int) int {
		return cmp.Or(CompareAge(controllers[a], controllers[b]), cmp.Compare(a, b))
	})
	return found
}
