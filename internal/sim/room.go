// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// Room is what the nodes of a [Kubelet] have left for pods. A pod that fits none waits until
// others are gone.
type Room struct {
	// Free is what is left of each resource, by node, beside the pods that are there when a
	// run begins.
	Free map[string][]int64
	// Needs returns what a pod takes of each.
	Needs func(podorder.Pod, revision.Template) []int64
}

// A room is the room of a world, which its pods take and give back.
type room struct {
	free  map[string][]int64
	needs func(podRef) []int64
	wait  []podRef // those that fitted no node
}

func newRoom(r *Room, templateOf func(podRef) revision.Template) *room {
	if r == nil {
		return nil
	}
	own := &room{free: map[string][]int64{}, needs: func(p podRef) []int64 { return r.Needs(*p.Pod, templateOf(p)) }}
	for name, free := range r.Free {
		own.free[name] = slices.Clone(free)
	}
	return own
}

// take takes what a pod needs on a node. It reports whether that was there.
func (r *room) take(node string, p podRef) bool {
	if r == nil {
		return true
	}
	free, needs := r.free[node], r.needs(p)
	for i, n := range needs {
		if n > 0 && (i >= len(free) || free[i] < n) {
			return false
		}
	}
	for i, n := range needs {
		if n > 0 {
			free[i] -= n
		}
	}
	return true
}

// give gives back what a pod has taken, and returns those that wait for it.
func (r *room) give(p podRef) (again []podRef) {
	if r == nil || p.NodeName == "" || p.Finished() {
		return nil
	}
	free := r.free[p.NodeName]
	for i, n := range r.needs(p) {
		if i < len(free) {
			free[i] += n
		}
	}
	again, r.wait = r.wait, r.wait[:0]
	return again
}

// waits notes a pod that fitted no node.
func (r *room) waits(p podRef) {
	if r != nil && !p.daemon {
		r.wait = append(r.wait, podRef{number: p.number})
	}
}
