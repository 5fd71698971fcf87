package daemonset

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A NodeReport is how a node stands in the plan of its DaemonSet.
type NodeReport struct {
	Node      string    `json:"node"`
	Missing   bool      `json:"missing,omitzero"` // there is no such node, only pods that belong to it
	Placement Placement `json:"placement"`
	Pods      int       `json:"pods,omitzero"` // all that belong to it
	New       string    `json:"new,omitzero"`  // its new pod, "" if it has none or several
	Old       string    `json:"old,omitzero"`  // its old pod
	// Acts is why the plan creates, deletes or updates a pod here, "" if it does not.
	Acts Reason `json:"acts,omitzero"`
	// Uses is why the node uses up the budget of the update, "" if it does not.
	Uses Reason `json:"uses,omitzero"`
	// Waits is what keeps an old pod on the node, "" if there is none or it goes.
	Waits Reason `json:"waits,omitzero"`
}

// String returns one line such as "n1: old pod web-1, waits for MaxUnavailable".
func (r NodeReport) String() string {
	text := r.Node + ":"
	switch {
	case r.Missing:
		text += " no such node"
	case !r.Placement.ShouldRun:
		text += fmt.Sprintf(" not desired (%s)", r.Placement.Reason)
	default:
		text += " desired"
	}
	if r.New != "" {
		text += ", new pod " + r.New
	}
	if r.Old != "" {
		text += ", old pod " + r.Old
	}
	if r.Acts != "" {
		text += fmt.Sprintf(", acts (%s)", r.Acts)
	}
	if r.Uses != "" {
		text += fmt.Sprintf(", uses the budget (%s)", r.Uses)
	}
	if r.Waits != "" {
		text += fmt.Sprintf(", waits (%s)", r.Waits)
	}
	return text
}

// Explain returns how each node stands, by name: where a pod belongs and why not, what
// [Reconcile] does there, whether the node uses up the budget of the update, and what
// an old pod waits for. The error is that of Reconcile.
func Explain(s Snapshot, now time.Time, opts Options) ([]NodeReport, error) {
	st, err := admit(&s, now, opts)
	if err != nil {
		return nil, err
	}
	p := Plan{Status: copyStatus(st.ds.Status)}
	var common Reason // what all nodes wait for
	if common = st.stopped(); common == "" {
		st.plan(&p)
		common = st.commonHold(&p)
	}
	if st.keys == nil { // the plan ended before it came to the nodes
		st.old = nil
		st.construct(&Plan{})
		st.group()
		p.Budget = Resolve(st.strategy, st.surge, st.maxUnavailable, st.desired)
	}
	acts := map[string]Reason{}
	for _, a := range p.Actions {
		node, reason := target(a)
		if node != "" {
			acts[node] = reason
		}
	}
	kept := map[int32]bool{}
	for _, i := range st.updateKeys(&Plan{}) {
		kept[i] = true
	}
	reports := make([]NodeReport, len(st.keys))
	for i := range st.keys {
		reports[i] = st.report(&p, int32(i), acts, kept[int32(i)], common)
	}
	slices.SortFunc(reports, func(a, b NodeReport) int { return strings.Compare(a.Node, b.Node) })
	return reports, nil
}

// target returns the node that an action is about, "" if it is about none.
func target(a Action) (string, Reason) {
	switch a := a.(type) {
	case CreatePod:
		return a.Node, a.Reason
	case DeletePod:
		return a.Node, a.Reason
	case PreparePod:
		return a.Node, ReasonPreDelete
	case UpdatePod:
		return a.Node, a.Reason
	case RefreshPod:
		return a.Node, a.Reason
	}
	return "", ""
}

// commonHold returns the hold that concerns all nodes, "" if there is none.
func (st *state) commonHold(p *Plan) Reason {
	for _, h := range p.Holds {
		switch h.Reason {
		case ReasonUnseen, ReasonFrozen, ReasonCollision, ReasonManageFirst, ReasonPaused, ReasonOnDelete, ReasonMissingNode:
			return h.Reason
		}
	}
	return ""
}

func (st *state) report(p *Plan, key int32, acts map[string]Reason, kept bool, common Reason) NodeReport {
	k := &st.keys[key]
	r := NodeReport{Node: k.name, Missing: k.node < 0, Pods: int(k.count), Acts: acts[k.name]}
	if k.node >= 0 {
		r.Placement = st.placer.Place(&st.nodes[k.node])
	}
	pods := st.classify(k)
	if pods.new.exists() {
		r.New = pods.new.Name
	}
	if pods.old.exists() {
		r.Old = pods.old.Name
	}
	if kept {
		r.Uses = st.uses(p, key)
	}
	if pods.ok && !pods.old.exists() || r.Acts != "" {
		return r
	}
	r.Waits = common
	if common == "" {
		r.Waits = st.waitsFor(p, k, kept)
	}
	return r
}

// uses returns why a node uses the budget of the update.
func (st *state) uses(p *Plan, key int32) Reason {
	var c surgeTally
	switch {
	case p.Budget.Surge == 0:
		st.count(&c.nodeTally, key)
	case st.opts.kruise():
		st.surgeOpenKruise(&Plan{}, &c, key)
	default:
		st.surgeKubernetes(&Plan{}, &c, key)
	}
	if len(c.blockers) == 0 {
		return ""
	}
	return c.blockers[0].reason
}

// waitsFor returns what keeps the old pod of a node.
func (st *state) waitsFor(p *Plan, k *nodeKey, kept bool) Reason {
	switch {
	case k.node < 0 && !kept:
		return ReasonMissingNode
	case !kept && st.ds.NodeSelector != nil && !st.nodeSelector.Matches(st.nodes[k.node].Labels):
		return ReasonNotSelected
	case !kept && st.opts.Prune && !k.run:
		return ReasonNotDesired
	case !kept:
		return ReasonPartition
	}
	for _, h := range p.Holds {
		if h.Node == k.name && h.Reason == ReasonDeadNode {
			return ReasonDeadNode
		}
	}
	if p.Budget.Surge > 0 {
		return ReasonMaxSurge
	}
	return ReasonMaxUnavailable
}
