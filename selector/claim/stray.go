// SPDX-License-Identifier: Apache-2.0

package claim

// Reasons of strays.
const (
	ReasonUnselected     Reason = "Unselected"     // it has no controller, and no selector selects it
	ReasonOwnerGone      Reason = "OwnerGone"      // its controller is not in the list
	ReasonOwnerRecreated Reason = "OwnerRecreated" // its controller was replaced by another one with the same name
)

// A Stray is a child that no controller manages.
type Stray struct {
	Child  int
	Reason Reason
}

// Strays returns the children that none of the controllers manages, in order: orphans that no
// controller selects, and children whose controller does not exist, which all controllers
// ignore until they are garbage collected. Pass all existing controllers, of all kinds that
// children may refer to.
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
