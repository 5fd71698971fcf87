// SPDX-License-Identifier: Apache-2.0

package claim

// Reasons of strays.
const (
	ReasonUnselected     Reason = "Unselected"     // it has no controller, and none selects it
	ReasonOwnerGone      Reason = "OwnerGone"      // its controller is none of those given
	ReasonOwnerRecreated Reason = "OwnerRecreated" // its controller is gone, and another of that name took its place
)

// A Stray is a child that no controller looks after.
type Stray struct {
	Child  int
	Reason Reason
}

// Strays returns the children that none of the controllers looks after, in order:
// orphans that none selects, and children whose controller does not exist, which
// everybody ignores until they are garbage collected. The controllers must be all
// that there are, of every kind that the children may have.
func Strays(controllers []Controller, n int, child func(i int) Child) []Stray {
	type identity struct{ namespace, kind, name string }
	h := newControllerIndex(controllers)
	named := make(map[identity]bool, len(controllers))
	for i := range controllers {
		o := &controllers[i].Owner
		named[identity{o.Namespace, o.Kind, o.Name}] = true
	}
	var strays []Stray
	var found []int
	for i := range n {
		c := child(i)
		if !c.Controlled() {
			if found = h.selecting(&c, found[:0]); len(found) == 0 {
				strays = append(strays, Stray{i, ReasonUnselected})
			}
			continue
		}
		if _, ok := h.owner(&c); ok {
			continue
		}
		reason := ReasonOwnerGone
		if named[identity{c.Namespace, c.ControllerKind, c.ControllerName}] {
			reason = ReasonOwnerRecreated
		}
		strays = append(strays, Stray{i, reason})
	}
	return strays
}
