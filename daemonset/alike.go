// SPDX-License-Identifier: Apache-2.0

package daemonset

import "time"

// alike is nodes that a snapshot leaves out because there are others like them: they are counted
// and not looked at. A batch leaves out none; a Tracker leaves out those of which it knows that
// a plan says nothing of them, and only needs their number. All of them should run a pod.
type alike struct {
	empty  int     // nodes without a pod
	single []int32 // nodes with one pod that is settled, by its facts; nil if there are none
	next   time.Time
	hashes []string // of the pods of revisions
}

// desired returns how many nodes there are.
func (a *alike) desired() int32 {
	n := int32(a.empty)
	for _, nodes := range a.single {
		n += nodes
	}
	return n
}

// old returns on how many of them an old pod is available. Of no other node with an old pod does
// a plan say nothing.
func (a *alike) old() int { return a.count(isAvailable, isCurrent) }

// serving returns on how many of them a pod is available.
func (a *alike) serving() int { return a.count(isAvailable, 0) }

// count returns on how many nodes the pod is of some facts, and of none of others.
func (a *alike) count(of, not facts) (n int) {
	for f, nodes := range a.single {
		if facts(f).has(of) && !facts(f).has(not) {
			n += int(nodes)
		}
	}
	return n
}
