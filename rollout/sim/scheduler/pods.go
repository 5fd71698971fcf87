// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"strings"

	"github.com/kplan-go/kplan/podorder"
)

// A held pod is on a node.
type held struct {
	Pod
	labels    map[string]string // of the Pod, until they change
	namespace string
	nodeState *nodeState
	index     int      // among the pods of the nodeState
	against   []*tally // pods with the same terms of required anti-affinity, by its terms
}

// Take records that a pod is on a node, even if it does not fit there. A pod with the same UID is
// replaced: call Take again when the pod is being deleted, because topology spread constraints
// read that. A pod of an unknown node counts once the node is set. With a finished pod, or the
// node "", Take is Release.
func (n *Nodes) Take(p Pod, node string) {
	if p.Pod == nil {
		p.Pod = &podorder.Pod{}
	}
	n.Release(p.UID)
	if node == "" || p.Finished() {
		return
	}
	if n.pods == nil {
		n.pods = map[string]*held{}
	}
	s := n.nodeState(node)
	h := &held{Pod: p, labels: p.Labels, namespace: namespaceOf(p.Name), nodeState: s, index: len(s.pods)}
	s.pods = append(s.pods, h)
	n.pods[p.UID] = h
	if s.node != nil {
		n.count(h, 1)
	}
}

// Release records that the pod with a UID is gone, or has finished.
func (n *Nodes) Release(uid string) {
	n.last = nil
	h := n.pods[uid]
	if h == nil {
		return
	}
	s := h.nodeState
	if s.node != nil {
		n.count(h, -1)
	}
	delete(n.pods, uid)
	end := len(s.pods) - 1
	s.pods[h.index] = s.pods[end]
	s.pods[h.index].index = h.index
	s.pods[end] = nil
	s.pods = s.pods[:end]
	if end == 0 && s.node == nil {
		delete(n.named, s.name)
	}
}

// Relabel records that the labels of the pod with a UID have changed. Affinity and topology spread
// constraints read them.
func (n *Nodes) Relabel(uid string, labels map[string]string) {
	n.last = nil
	h := n.pods[uid]
	switch {
	case h == nil:
	case h.nodeState.node == nil:
		h.labels = labels
	default:
		n.counts.pod(h, -1)
		h.labels = labels
		n.counts.pod(h, 1)
	}
}

// count notes all that a pod takes on a known node, or gives it back with the sign -1.
func (n *Nodes) count(h *held, sign int) {
	n.room.take(h.nodeState.index, h.nodeState.node, h.Template.Needs, int64(sign))
	h.nodeState.usePorts(h.Template.HostPorts, sign)
	n.useClaims(h, sign)
	n.counts.pod(h, sign)
	n.counts.holder(h, sign)
}

// namespaceOf returns the namespace of a pod by its name, which may be "namespace/name".
func namespaceOf(name string) string {
	namespace, _, ok := strings.Cut(name, "/")
	if !ok {
		return ""
	}
	return namespace
}
