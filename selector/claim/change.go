// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"github.com/kplan-go/kplan/internal/base/zero"
	"github.com/kplan-go/kplan/selector"
)

// A Change is the additional effect of a new selector on the children of an owner.
type Change struct {
	Released []int // no longer claimed
	Adopted  []int // claimed for the first time
}

// SelectorChange returns which of n children the owner would release and adopt because of a new
// selector. Kubernetes has made selectors immutable because of the surprises in this list.
func SelectorChange(o *Owner, s selector.Selector, n int, child func(i int) Child) Change {
	after := *zero.Or(o)
	after.Selector = s
	var change Change
	for i := range n {
		c := child(i)
		then, now := Decide(&after, &c).Verdict, Decide(o, &c).Verdict
		switch {
		case then == now:
		case then == Release:
			change.Released = append(change.Released, i)
		case then == Adopt:
			change.Adopted = append(change.Adopted, i)
		}
	}
	return change
}
