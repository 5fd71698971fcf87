// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"

	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

type template = revision.Template

// rooms are the nodes with what pods take there, and what templates need.
type rooms struct {
	scheduler func(Pod, *Nodes) string // nil means BinPack
	resources int
	templates map[string]Template
	nodes     *Nodes
	taken     holdings
	fail      func(error)
}

// anyNode is where pods are in a world without nodes.
const anyNode = "node"

func newRooms(s *Snapshot, scheduler func(Pod, *Nodes) string) *rooms {
	r := &rooms{
		scheduler: scheduler, resources: len(s.Resources), templates: map[string]Template{},
		nodes: newNodes(s.Nodes, len(s.Resources)),
	}
	for id, t := range s.Templates {
		r.templates[id] = t
	}
	return r
}

// labelHash is what pods have of the template of their ReplicaSet.
const labelHash = "pod-template-hash"

// template returns what a pod's template means. One that no ReplicaSet has made tells by its
// label.
func (r *rooms) template(p *podorder.Pod, t template) Template {
	if len(r.templates) == 0 {
		return Template{}
	}
	for _, id := range [...]string{t.ID, t.Hash} {
		if of, ok := r.templates[id]; ok && id != "" {
			return of
		}
	}
	if id := p.Labels[labelHash]; id != "" { // most are found before, and their labels stay unread
		return r.templates[id]
	}
	return Template{}
}

// place returns the node for a pod and takes the room there.
func (r *rooms) place(p *podorder.Pod, t template, pinned string) string {
	pod := Pod{p, r.template(p, t)}
	name := pinned
	switch {
	case pod.Template.Unplaceable:
		return ""
	case len(r.nodes.list) == 0:
		if pinned == "" {
			return anyNode
		}
		return pinned
	case pinned != "": // which has decided about taints and labels
		i, ok := r.nodes.place[pinned]
		if !ok || !r.roomFor(i, pod.Template.Needs) {
			return ""
		}
	case r.scheduler != nil:
		name = r.scheduler(pod, r.nodes)
	default:
		name = BinPack(pod, r.nodes)
	}
	if name == "" {
		return ""
	}
	i, ok := r.nodes.place[name]
	if pinned == "" && (!ok || !r.nodes.Fits(i, pod)) {
		r.fail(fmt.Errorf("pod %s was placed on %q, which it does not fit: %w", p.Name, name, ErrInvalid))
		return ""
	}
	r.take(p, name, pod.Template.Needs)
	return name
}

// roomFor reports whether a node has room, whether it takes other pods or not.
func (r *rooms) roomFor(i int, needs []int64) bool {
	for at, need := range needs {
		if at+1 < r.nodes.width && need > r.nodes.free[i*r.nodes.width+1+at] {
			return false
		}
	}
	return true
}

// take takes the room of a pod on a node.
func (r *rooms) take(p *podorder.Pod, node string, needs []int64) {
	if i, ok := r.nodes.place[node]; ok && len(needs) > 0 {
		r.nodes.take(i, needs, 1)
		r.taken.put(p.UID, taken{node, needs})
	}
}

// giveBack gives back the room of the pod with a UID, if it has any.
func (r *rooms) giveBack(uid string) {
	t := r.taken.remove(uid)
	if i, ok := r.nodes.place[t.node]; ok {
		r.nodes.take(i, t.needs, -1)
	}
}

// nodeSet notes what is known of a node.
func (r *rooms) nodeSet(_, n *sim.Node) {
	if n == nil {
		return
	}
	if i, ok := r.nodes.place[n.Name]; ok {
		o := &r.nodes.list[i]
		o.Node, o.Zone, o.Cordoned, o.NotReady = n.Node, n.Zone, n.Cordoned, n.NotReady
		r.nodes.opened(i)
	}
}

// rebuild makes the nodes anew from a list, with what pods take.
func (r *rooms) rebuild(list []Node) {
	r.nodes = newNodes(list, r.resources)
	for t := range r.taken.all {
		if i, ok := r.nodes.place[t.node]; ok {
			r.nodes.take(i, t.needs, 1)
		}
	}
}

// removed drops a node. Its pods go with it.
func (r *rooms) removed(name string) {
	list := make([]Node, 0, len(r.nodes.list))
	for _, n := range r.nodes.list {
		if n.Name != name {
			list = append(list, n)
		}
	}
	r.rebuild(list)
}
