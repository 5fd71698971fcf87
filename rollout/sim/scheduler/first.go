// SPDX-License-Identifier: Apache-2.0

package scheduler

// First returns the first node from an index on that a pod fits, or -1. It takes
// as long for many nodes as for few, unless other filters exclude most nodes with room.
func (n *Nodes) First(from int, p Pod) int {
	q := n.ask(p)
	if q.Template.Unplaceable || q.exclusive() {
		return -1
	}
	takes := open
	if q.tolerates(cordoned()) || q.tolerates(silent()...) {
		takes = closed
	}
	for i := max(from, 0); i < len(n.list); i++ {
		if i = n.room.next(1, 0, n.room.leaves, i, p.Template.Needs, takes); i < 0 || q.why(i) == "" {
			return i
		}
	}
	return -1
}

// BinPack is a scheduler that fills one node after the other: it returns the name of the first
// that a pod fits, or "".
func BinPack(p Pod, n *Nodes) string {
	if node := n.At(n.First(0, p)); node != nil {
		return node.Name
	}
	return ""
}
