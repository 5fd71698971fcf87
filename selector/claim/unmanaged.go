// SPDX-License-Identifier: Apache-2.0

package claim

// Reasons of unmanaged children.
const (
	ReasonUnselected     Reason = "Unselected"     // it has no controller, and no selector selects it
	ReasonOwnerGone      Reason = "OwnerGone"      // its controller is not in the list
	ReasonOwnerRecreated Reason = "OwnerRecreated" // its controller was replaced by another one with the same name
)

// An Unmanaged is a child that no controller manages.
type Unmanaged struct {
	Child  int
	Reason Reason
}

// UnmanagedChildren returns the children that none of the controllers manages, in order: orphans that no
// controller selects, and children whose controller does not exist, which all controllers
// ignore until they are garbage collected. Pass all existing controllers, of all kinds that
// children may refer to.
func UnmanagedChildren(controllers []Controller, n int, child func(i int) Child) []Unmanaged {
	type identity struct{ namespace, kind, name string }
	h := newControllerIndex(controllers)
	named := make(map[identity]bool, len(controllers))
	for i := range controllers {
		o := &controllers[i].Owner
		named[identity{o.Namespace, o.Kind, o.Name}] = true
	}
	var list []Unmanaged
	var found []int
	for i := range n {
		c := child(i)
		if !c.Controlled() {
			if found = h.selecting(&c, found[:0]); len(found) == 0 {
				list = append(list, Unmanaged{i, ReasonUnselected})
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
		list = append(list, Unmanaged{i, reason})
	}
	return list
}
