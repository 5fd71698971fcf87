// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"errors"
	"math"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/base/zero"
	"github.com/kplan-go/kplan/selector"
)

// Keys of the taints of a dead node, which does not answer.
const (
	TaintNotReady    = "node.kubernetes.io/not-ready"
	TaintUnreachable = "node.kubernetes.io/unreachable"
)

// DefaultTolerations returns the tolerations of a template together with the default
// tolerations of every daemon. A default replaces, in place, a toleration that differs from it
// only in its seconds, so that the seconds are lost; other defaults go to the end. The result
// shares no memory with the argument.
func DefaultTolerations(tolerations []Toleration, hostNetwork bool) []Toleration {
	list := make([]Toleration, len(tolerations), len(tolerations)+7)
	for i, t := range tolerations {
		if t.Seconds != nil {
			t.Seconds = ptr.To(*t.Seconds)
		}
		list[i] = t
	}
	return addDefaults(list, hostNetwork, true)
}

// Tolerations returns the tolerations of created pods: [DefaultTolerations], but with
// KeepUserTolerations the seconds of the template stay.
func Tolerations(t *Template, opts Options) []Toleration {
	t = zero.Or(t)
	if !opts.KeepUserTolerations {
		return DefaultTolerations(t.Tolerations, t.HostNetwork)
	}
	return addDefaults(slices.Clone(t.Tolerations), t.HostNetwork, false)
}

// addDefaults adds the defaults that the list lacks. A toleration that differs from a default
// only in its seconds is replaced if overwrite is set.
func addDefaults(list []Toleration, hostNetwork, overwrite bool) []Toleration {
	for _, d := range defaults(hostNetwork) {
		found := false
		for i, t := range list {
			if t.Key != d.Key || t.Effect != d.Effect || t.Operator != d.Operator || t.Value != d.Value {
				continue
			}
			found = true
			if overwrite {
				list[i] = d
			}
		}
		if !found {
			list = append(list, d)
		}
	}
	return list
}

// defaults returns the default tolerations.
func defaults(hostNetwork bool) []Toleration {
	list := []Toleration{
		{Key: TaintNotReady, Operator: TolerationExists, Effect: NoExecute},
		{Key: TaintUnreachable, Operator: TolerationExists, Effect: NoExecute},
		{Key: "node.kubernetes.io/disk-pressure", Operator: TolerationExists, Effect: NoSchedule},
		{Key: "node.kubernetes.io/memory-pressure", Operator: TolerationExists, Effect: NoSchedule},
		{Key: "node.kubernetes.io/pid-pressure", Operator: TolerationExists, Effect: NoSchedule},
		{Key: "node.kubernetes.io/unschedulable", Operator: TolerationExists, Effect: NoSchedule},
	}
	if hostNetwork {
		list = append(list, Toleration{Key: "node.kubernetes.io/network-unavailable", Operator: TolerationExists, Effect: NoSchedule})
	}
	return list
}

// Tolerates reports whether the toleration covers the taint. Operators other than
// Equal, Exists and the empty one cover nothing.
func (t *Toleration) Tolerates(taint Taint) bool {
	if (t.Effect != "" && t.Effect != taint.Effect) || (t.Key != "" && t.Key != taint.Key) {
		return false
	}
	switch t.Operator {
	case "", TolerationEqual:
		return t.Value == taint.Value
	}
	return t.Operator == TolerationExists
}

// A Placement is the decision whether a node should run a pod of the DaemonSet, with its reason.
type Placement struct {
	ShouldRun             bool         `json:"shouldRun"`             // create a pod if there is none
	ShouldContinueRunning bool         `json:"shouldContinueRunning"` // leave an existing pod
	Reason                kplan.Reason `json:"reason"`                // reason.Fits, or the reason against the node
	Taint                 Taint        `json:"taint,omitzero"`        // of reason.TaintNoSchedule and reason.TaintNoExecute
	Key                   string       `json:"key,omitzero"`          // of reason.NodeSelector: the first label that differs
}

// A Placer decides on which nodes pods of one template belong. It is immutable.
type Placer struct {
	nodeName      string
	labels        map[string]string
	selector      selector.Selector      // of the labels
	terms         []selector.NodeMatcher // of the affinity, one matcher for each term
	constrained   bool                   // there are labels or an affinity
	hasAffinity   bool
	tolerations   []Toleration
	finiteMeansNo bool // the option FiniteTolerationMeansNo
}

// NewPlacer compiles the node constraints of a template. It never fails: invalid terms of the
// affinity match no node.
func NewPlacer(t *Template, opts Options) Placer {
	t = zero.Or(t)
	p := Placer{
		nodeName: t.NodeName, labels: t.NodeSelector, selector: selector.FromMap(t.NodeSelector),
		constrained: len(t.NodeSelector) > 0 || t.Affinity != nil, hasAffinity: t.Affinity != nil, finiteMeansNo: opts.FiniteTolerationMeansNo,
	}
	if p.hasAffinity {
		p.terms = make([]selector.NodeMatcher, len(t.Affinity.Terms))
		for i := range p.terms {
			p.terms[i] = selector.NewNodeMatcher(&selector.NodeSelector{Terms: t.Affinity.Terms[i : i+1]})
		}
	}
	p.tolerations = Tolerations(t, opts)
	return p
}

// Place decides about one node (see Placement in rules.md). Only name, labels and
// taints are read.
func (p *Placer) Place(n *Node) Placement {
	place, _ := p.place(zero.Or(n), 0)
	return place
}

// place is [Placer.Place] for one of many nodes, most of which meet the same term of the
// affinity: it begins with the given term, which the node before has met, and returns the term
// that this node meets.
func (p *Placer) place(n *Node, term int) (Placement, int) {
	if p.nodeName != "" && p.nodeName != n.Name {
		return Placement{Reason: reason.NodeName}, term
	}
	if p.constrained {
		met, ok := p.accepts(n, term)
		if !ok {
			return p.mismatch(n), term
		}
		term = met
	}
	if len(n.Taints) == 0 {
		return Placement{ShouldRun: true, ShouldContinueRunning: true, Reason: reason.Fits}, term
	}
	return p.placeTainted(n), term
}

// accepts reports whether a node has the labels and meets a term of the affinity, and which
// one: it begins with the given term.
func (p *Placer) accepts(n *Node, term int) (met int, ok bool) {
	if !p.selector.Matches(n.Labels) {
		return 0, false
	}
	for i := range p.terms {
		met = (term + i) % len(p.terms)
		if ok, _ := p.terms[met].Match(n.Name, n.Labels); ok {
			return met, true
		}
	}
	return 0, !p.hasAffinity
}

// placeTainted decides about a node with taints that meets all other constraints. A NoExecute taint
// decides before a NoSchedule taint.
func (p *Placer) placeTainted(n *Node) Placement {
	worst := Placement{ShouldRun: true, ShouldContinueRunning: true, Reason: reason.Fits}
	for i := range n.Taints {
		taint := n.Taints[i]
		if (taint.Effect != NoSchedule && taint.Effect != NoExecute) || p.tolerates(taint) {
			continue
		}
		if taint.Effect == NoExecute {
			return Placement{Reason: reason.TaintNoExecute, Taint: taint}
		}
		if worst.ShouldRun {
			worst = Placement{ShouldContinueRunning: true, Reason: reason.TaintNoSchedule, Taint: taint}
		}
	}
	if worst.ShouldRun && p.finiteMeansNo {
		return p.placeWithFinite(n, worst)
	}
	return worst
}

// placeWithFinite keeps new pods off a node with a NoExecute taint that they tolerate only for some
// seconds. Otherwise it returns fits.
func (p *Placer) placeWithFinite(n *Node, fits Placement) Placement {
	for _, taint := range n.Taints {
		if taint.Effect != NoExecute {
			continue
		}
		forever := slices.ContainsFunc(p.tolerations, func(t Toleration) bool { return t.Seconds == nil && t.Tolerates(taint) })
		if !forever {
			return Placement{ShouldContinueRunning: true, Reason: reason.TaintNoExecute, Taint: taint}
		}
	}
	return fits
}

// tolerates reports whether a toleration of the template covers the taint.
func (p *Placer) tolerates(taint Taint) bool {
	for i := range p.tolerations {
		if p.tolerations[i].Tolerates(taint) {
			return true
		}
	}
	return false
}

// mismatch returns the placement on a node that lacks a label, the first one by key, or else does
// not meet the affinity.
func (p *Placer) mismatch(n *Node) Placement {
	key := ""
	for k, want := range p.labels {
		if got, ok := n.Labels[k]; (!ok || got != want) && (key == "" || k < key) {
			key = k
		}
	}
	if key != "" {
		return Placement{Reason: reason.NodeSelector, Key: key}
	}
	return Placement{Reason: reason.Affinity}
}

// dead reports whether a taint says that the node does not answer.
func (n *Node) dead() bool {
	for i := range n.Taints {
		if key := n.Taints[i].Key; key == TaintNotReady || key == TaintUnreachable {
			return true
		}
	}
	return false
}

var (
	errNoAffinity = errors.New("no required node affinity")
	errNoTerms    = errors.New("no node selector terms")
	errNotUnique  = errors.New("more than one node")
	errNotFound   = errors.New("no node is named")
)

// TargetNode returns the node that a pod is bound to, or else the node that its required node
// affinity names: the first requirement In on the field metadata.name, which must have one
// value. A pod with an error belongs to no node: it is neither counted nor deleted.
func TargetNode(nodeName string, required *selector.NodeSelector) (string, error) {
	switch {
	case nodeName != "":
		return nodeName, nil
	case required == nil:
		return "", errNoAffinity
	case len(required.Terms) == 0:
		return "", errNoTerms
	}
	for _, term := range required.Terms {
		for _, field := range term.MatchFields {
			if field.Key != selector.FieldName || field.Operator != selector.In {
				continue
			}
			if len(field.Values) != 1 {
				return "", errNotUnique
			}
			return field.Values[0], nil
		}
	}
	return "", errNotFound
}

// Pin returns the required node affinity of a pod that is created for a node. It replaces the
// affinity of the template.
func Pin(node string) *selector.NodeSelector {
	return &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{
		MatchFields: []selector.Expression{{Key: selector.FieldName, Operator: selector.In, Values: []string{node}}},
	}}}
}

// A Daemon is a DaemonSet for an autoscaler that adds nodes: where its pods belong, and the
// requests of one pod. It is compiled once, and then used for many nodes.
type Daemon struct {
	Placer Placer
	// Requests are the requests of a pod, by resource, in whole numbers of any unit, such as
	// thousandths of a CPU and bytes.
	Requests map[string]int64
}

// Overhead returns the total requests of the pods of all daemons that should run on a node,
// and the number of these pods. The node need not exist: an autoscaler passes the name, labels
// and taints of a node that it may add.
//
// The room of the node does not count: the controller also creates pods that do not fit, and they
// stay pending. Sums that overflow are cut off. Leave out taints that a node has only while it
// starts, since they keep pods off only until then; include labels that it gets later. If the node
// has no name, a template with a node name excludes it, and requirements of an affinity on the name
// hold.
//
// The requests are added up in into, which is emptied first, so that a reused map costs no
// allocation; nil makes a map.
//
// Placement follows NodeShouldRunDaemonPod of the daemon package of Kubernetes 1.37.
func Overhead(daemons []Daemon, n *Node, into map[string]int64) (requests map[string]int64, pods int) {
	if into == nil {
		into = map[string]int64{}
	}
	clear(into)
	for i := range daemons {
		d := &daemons[i]
		if !d.Placer.Place(n).ShouldRun {
			continue
		}
		pods++
		for resource, amount := range d.Requests {
			into[resource] = sum(into[resource], amount)
		}
	}
	return into, pods
}

// sum returns the sum of two numbers, or the largest or smallest number if it overflows.
func sum(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}
