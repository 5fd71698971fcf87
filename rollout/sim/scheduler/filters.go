// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/selector"
)

// A Reason is why a pod does not fit a node. The empty one is that it fits.
type Reason string

// The reasons, in the order in which filters are asked.
const (
	Unplaceable       Reason = "Unplaceable"       // its template says so, or there is no such node
	Unschedulable     Reason = "Unschedulable"     // the node is cordoned
	NotReady          Reason = "NotReady"          // the node does not answer
	TaintNotTolerated Reason = "TaintNotTolerated" // NoSchedule or NoExecute
	NodeAffinity      Reason = "NodeAffinity"      // node selector or required node affinity
	HostPort          Reason = "HostPort"          // a pod on the node uses it
	Insufficient      Reason = "Insufficient"      // room; see [Nodes.Short]
	VolumeInUse       Reason = "VolumeInUse"       // a claim
	TopologySpread    Reason = "TopologySpread"    // a constraint with DoNotSchedule
	PodAffinity       Reason = "PodAffinity"       // a required term of the pod
	PodAntiAffinity   Reason = "PodAntiAffinity"   // a required term of the pod, or of one on a node
)

// Fits reports whether a pod fits a node. A pod with the same UID that is on a node counts as any
// other.
func (n *Nodes) Fits(i int, p Pod) bool { return n.Why(i, p) == "" }

// Why returns the reason of the first filter by which a pod does not fit a node, "" if it fits.
func (n *Nodes) Why(i int, p Pod) Reason {
	q := n.ask(p)
	return q.why(i)
}

// FitsPinned reports whether a pod of a DaemonSet fits the node that its controller has chosen.
// The controller has decided about node selector and node affinity, and has given the pod the tolerations of
// daemonset.DefaultTolerations: it fits a cordoned node, but none that has stopped to answer since. Of topology spread constraints that honor node affinity, the node is the only
// one that counts.
func (n *Nodes) FitsPinned(i int, p Pod) bool {
	q := n.ask(p)
	q.pinned = true
	return q.why(i) == ""
}

// Short returns the resources that a node has too little of for a pod, in ascending order.
func (n *Nodes) Short(i int, p Pod) (resources []int) {
	if i < 0 || i >= len(n.list) {
		return nil
	}
	free := n.room.leaf(i)[1:]
	for r := range min(len(p.Template.Needs), len(free)) {
		if short(free, p.Template.Needs, r) {
			resources = append(resources, r)
		}
	}
	return resources
}

// A question is about one pod and any node. It is good until something changes.
type question struct {
	Pod
	nodes    *Nodes
	pinned   bool
	affinity selector.NodeAffinity
	compiled bool // affinity
	asked    bool // terms
	terms    *terms
}

func (n *Nodes) ask(p Pod) question {
	if p.Pod == nil {
		p.Pod = &podorder.Pod{}
	}
	return question{Pod: p, nodes: n}
}

// why returns why the pod does not fit a node.
func (q *question) why(i int) Reason {
	if i < 0 || i >= len(q.nodes.list) || q.Template.Unplaceable {
		return Unplaceable
	}
	s, ask := q.nodes.list[i], q.whyNode
	if q.pinned {
		ask = q.whyTaints
	}
	if why := ask(s.node); why != "" {
		return why
	}
	switch {
	case !s.portsFree(q.Template.HostPorts):
		return HostPort
	case !enough(q.nodes.room.leaf(i), q.Template.Needs, closed):
		return Insufficient
	case !q.claimsFree(s):
		return VolumeInUse
	}
	if !q.asked {
		q.terms, q.asked = q.nodes.termsOf(q.Pod), true
	}
	return q.terms.why(s, q.pinned)
}

// cordoned returns the taint of a cordoned node.
func cordoned() daemonset.Taint {
	return daemonset.Taint{Key: "node.kubernetes.io/unschedulable", Effect: daemonset.NoSchedule}
}

// silent returns the taints of a node that does not answer.
func silent() []daemonset.Taint {
	const key = "node.kubernetes.io/unreachable"
	return []daemonset.Taint{{Key: key, Effect: daemonset.NoSchedule}, {Key: key, Effect: daemonset.NoExecute}}
}

// whyNode asks the filters that look at the node alone.
//
// A pod that tolerates the taint of cordoned nodes fits them, as the scheduler plugin
// NodeUnschedulable has it. A node that does not answer has taints in a cluster; one that
// tolerates these fits it.
func (q *question) whyNode(node *cluster.Node) Reason {
	switch {
	case node.Cordoned && !q.tolerates(cordoned()):
		return Unschedulable
	case node.NotReady && !q.tolerates(silent()...):
		return NotReady
	case !tolerated(q.Template.Tolerations, node.Taints):
		return TaintNotTolerated
	case !q.selects(node):
		return NodeAffinity
	}
	return ""
}

// whyTaints asks the filters of taints for a pod of a DaemonSet.
func (q *question) whyTaints(node *cluster.Node) Reason {
	if !node.NotReady && len(node.Taints) == 0 {
		return ""
	}
	tolerations := daemonset.DefaultTolerations(q.Template.Tolerations, true)
	switch {
	case node.NotReady && !tolerated(tolerations, silent()):
		return NotReady
	case !tolerated(tolerations, node.Taints):
		return TaintNotTolerated
	}
	return ""
}

func (q *question) tolerates(taints ...daemonset.Taint) bool {
	return len(q.Template.Tolerations) > 0 && tolerated(q.Template.Tolerations, taints)
}

// tolerated reports whether each taint with the effect NoSchedule or NoExecute is tolerated.
//
// It mirrors Filter of the scheduler plugin TaintToleration.
func tolerated(tolerations []daemonset.Toleration, taints []daemonset.Taint) bool {
	for _, taint := range taints {
		hard := taint.Effect == daemonset.NoSchedule || taint.Effect == daemonset.NoExecute
		if hard && !slices.ContainsFunc(tolerations, func(t daemonset.Toleration) bool { return t.Tolerates(taint) }) {
			return false
		}
	}
	return true
}

// selects reports whether a node is one that the node selector and required affinity ask for. An
// affinity that cannot be read asks for none.
//
// It mirrors Filter of the scheduler plugin NodeAffinity.
func (q *question) selects(node *cluster.Node) bool {
	if len(q.Template.NodeSelector) == 0 && q.Template.Affinity == nil {
		return true
	}
	if !q.compiled {
		q.affinity, q.compiled = selector.NewNodeAffinity(q.Template.NodeSelector, q.Template.Affinity), true
	}
	ok, err := q.affinity.Match(node.Name, node.Labels)
	return ok && err == nil
}
