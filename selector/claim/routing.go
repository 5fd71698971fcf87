// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/internal/base/zero"
)

// ControllersSelecting returns the numbers of the controllers in a child's namespace that
// select it, the oldest first. A selector without requirements selects nothing here, and no
// selector selects a child without labels: controllers use this look-up to notice orphans,
// but claims do not use it.
//
// It mirrors GetPodReplicaSets and the corresponding functions of client-go 0.36.3.
func ControllersSelecting(c *Child, controllers []Controller) []int {
	c = zero.Or(c)
	return oldestFirst(controllers, func(o *Owner) bool {
		return o.Namespace == c.Namespace && o.Selector.Selects(c.Labels)
	})
}

// WhoWouldAdopt returns the numbers of the controllers that would adopt the child, the oldest
// first. More than one means a race, which the first patch wins; the patches of the others
// are answered with Invalid, and they try again. Controllers with an empty selector are left
// out: the API does not allow them, and most controllers ignore existing ones.
func WhoWouldAdopt(c *Child, controllers []Controller) []int {
	return oldestFirst(controllers, func(o *Owner) bool {
		return !o.Selector.IsEverything() && Decide(o, c).Verdict == Adopt
	})
}

// oldestFirst returns the numbers of the controllers that have the property, the oldest
// first.
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
