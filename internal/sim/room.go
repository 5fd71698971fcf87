// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"math"
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

func newRoom(w *World, r *Room) *room {
	if r == nil {
		return nil
	}
	own := &room{free: map[string][]int64{}, needs: func(p podRef) []int64 { return r.Needs(*p.Pod, w.templateOf(p)) }}
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

// give gives back what a pod has taken. Who waited for it is scheduled once more.
func (r *room) give(w *World, p podRef) {
	if r == nil || p.NodeName == "" || p.Finished() {
		return
	}
	free := r.free[p.NodeName]
	for i, n := range r.needs(p) {
		if i < len(free) {
			free[i] += n
		}
	}
	for _, o := range r.wait {
		w.schedulePod(o, bind, w.delay(w.pace.schedule))
	}
	r.wait = r.wait[:0]
}

// waits notes a pod that fitted no node.
func (r *room) waits(p podRef) {
	if r != nil && !p.daemon {
		r.wait = append(r.wait, podRef{number: p.number})
	}
}

// Quota is what a quota of a [Kubelet] allows.
type Quota struct {
	// Hard is how much all pods together may take of each resource.
	Hard []int64
	// Needs returns how much a pod of a template takes of each.
	Needs func(revision.Template) []int64
}

// rationed reports whether a quota bounds the pods.
func (w *World) rationed() bool { return w.maxPods != nil || w.quota != nil }

// spare returns how many more pods of a template quotas allow. Pods that have finished do
// not count.
func (w *World) spare(t revision.Template) int {
	if !w.rationed() {
		return math.MaxInt
	}
	running, free := 0, []int64(nil)
	if w.quota != nil {
		free = slices.Clone(w.quota.Hard)
	}
	for _, p := range w.store.pods.all() {
		if p.Finished() {
			continue
		}
		running++
		if w.quota != nil {
			for j, n := range w.quota.Needs(w.templateOf(podRef{Pod: p})) {
				free[j] -= n
			}
		}
	}
	spare := math.MaxInt
	if w.maxPods != nil {
		spare = max(0, *w.maxPods-running)
	}
	if w.quota != nil {
		for j, n := range w.quota.Needs(t) {
			if n > 0 {
				spare = min(spare, int(max(0, free[j]/n)))
			}
		}
	}
	return spare
}

// freed lets those go on that a pod has stood in the way of.
func (w *World) freed(p podRef) {
	w.room.give(w, p)
	if !w.rationed() {
		return
	}
	for _, c := range w.controllers {
		switch c.worker.(type) {
		case *replicaSetController, *setController:
			c.resync()
		}
	}
}

// forbids returns whether no node may take a pod at all.
func (w *World) forbids(p podRef) bool { return w.unbound != nil && w.unbound(p) }
