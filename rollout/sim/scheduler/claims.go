// SPDX-License-Identifier: Apache-2.0

package scheduler

import "slices"

// useClaims notes the claims of a pod, or gives them back with the sign -1.
func (n *Nodes) useClaims(h *held, sign int) {
	for _, c := range h.Template.Claims {
		users := n.claims[c.Name]
		if sign > 0 {
			if n.claims == nil {
				n.claims = map[string][]*held{}
			}
			n.claims[c.Name] = append(users, h)
			continue
		}
		if i := slices.Index(users, h); i >= 0 {
			users = slices.Delete(users, i, i+1)
		}
		if n.claims[c.Name] = users; len(users) == 0 {
			delete(n.claims, c.Name)
		}
	}
}

// claimsFree reports whether the pod may use its claims on a node: no other pod uses one with
// ReadWriteOncePod, and none on another node one with ReadWriteOnce.
//
// Of ReadWriteOncePod it mirrors Filter of the scheduler plugin VolumeRestrictions. The scheduler
// has no filter for ReadWriteOnce: a pod on another node waits there, until the volume can be
// attached. Here it waits for the node.
func (q *question) claimsFree(s *nodeState) bool {
	elsewhere := func(h *held) bool { return h.nodeState != s }
	for _, c := range q.Template.Claims {
		if users := q.nodes.claims[c.Name]; len(users) > 0 && (c.OnePod || slices.ContainsFunc(users, elsewhere)) {
			return false
		}
	}
	return true
}

// exclusive reports whether a claim that one pod may use is in use, so that no node is free.
func (q *question) exclusive() bool {
	for _, c := range q.Template.Claims {
		if c.OnePod && len(q.nodes.claims[c.Name]) > 0 {
			return true
		}
	}
	return false
}
