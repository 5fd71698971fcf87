// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// A daemonView holds the values that the checks of a pass compute from its snapshot, without code
// of the planner.
type daemonView struct {
	p       *DaemonSetPass
	d       *daemonset.DaemonSet
	o       daemonset.Options
	kruise  bool
	rolling bool // the strategy is RollingUpdate
	stopped bool // the pass does nothing
	still   bool // the pass writes no pod
	busy    bool // the plan removes pods, so it does not update
	hash    string
	relabel map[string]string // new hash labels by pod

	nodes   []daemonsOn
	byName  map[string]*daemonsOn
	missing []daemonsOn // nodes that do not exist but have pods
	owned   []*daemonset.Pod

	desired, surge, unavailable, burst, partition int64
	surgeAllowed                                  bool
	filtered                                      bool // the update is limited to some nodes
}

// A daemonsOn is a node with the pods that belong to it.
type daemonsOn struct {
	node      *daemonset.Node // nil if there is no such node
	name      string
	run, cont bool
	dead      bool
	pods      []*daemonset.Pod // in the order of the snapshot
	fresh     []*daemonset.Pod // of the current revision, not being deleted
	old       []*daemonset.Pod
	hasNew    bool
	serving   bool // it has an available pod that is not being deleted
}

func daemonsOf(p *DaemonSetPass) *daemonView {
	if v, ok := p.memo.(*daemonView); ok && v.p == p {
		return v
	}
	v := &daemonView{p: p, d: &p.Snapshot.DaemonSet, o: p.Options, kruise: p.Options.Dialect == daemonset.OpenKruise,
		rolling: p.Snapshot.DaemonSet.Strategy != daemonset.OnDelete, relabel: map[string]string{}, byName: map[string]*daemonsOn{}}
	v.readPlan()
	v.version()
	v.place()
	v.claim()
	v.measure()
	p.memo = v
	return v
}

// readPlan reads from the plan the facts that the snapshot alone does not show: that the pass
// waits, and the new hash labels of pods.
func (v *daemonView) readPlan() {
	for _, h := range v.p.Plan.Holds {
		v.stopped = v.stopped || h.Reason == reason.SelectingAll || h.Reason == reason.Deleting || h.Reason == reason.Collision
		v.still = v.still || h.Reason == reason.Unseen || h.Reason == reason.Frozen
	}
	for _, a := range v.p.Plan.Actions {
		if a, ok := a.(daemonset.RelabelPod); ok {
			v.relabel[a.Name] = a.To
		}
	}
}

// ours reports whether an object belongs to the DaemonSet after claiming.
func (v *daemonView) ours(labels map[string]string, owner string, leaving bool) bool {
	compiled, err := selector.FromLabelSelector(v.d.Selector)
	if err != nil || !compiled.Matches(labels) {
		return false
	}
	return owner == v.d.UID || owner == "" && !leaving && v.d.DeletionTimestamp.IsZero()
}

// version finds the hash of the current revision: the highest revision with the template's data.
func (v *daemonView) version() {
	v.hash = v.d.Template.Hash
	var best *revision.ControllerRevision
	for i := range v.p.Snapshot.Revisions {
		r := &v.p.Snapshot.Revisions[i]
		if !v.ours(r.Labels, r.ControllerUID, false) || !v.sameData(r.Data) {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(best.Revision, r.Revision), best.CreationTimestamp.Compare(r.CreationTimestamp), cmp.Compare(best.Name, r.Name)) < 0 {
			best = r
		}
	}
	if best != nil {
		v.hash = hashOf(best)
	}
}

func hashOf(r *revision.ControllerRevision) string {
	if hash, ok := r.Labels[daemonset.LabelHash]; ok {
		return hash
	}
	return r.Name
}

func (v *daemonView) sameData(data []byte) bool {
	if v.o.Repair.Has(quirk.SerialisationIsVersion) { // in any serialization
		a, err := revision.Normalize(data)
		b, err2 := revision.Normalize(v.d.Template.Data)
		if err == nil && err2 == nil {
			return bytes.Equal(a, b)
		}
	}
	return bytes.Equal(data, v.d.Template.Data)
}

// isNew reports whether a pod has the current revision.
func (v *daemonView) isNew(p *daemonset.Pod) bool {
	hash := p.Labels[daemonset.LabelHash]
	if to, ok := v.relabel[p.Name]; ok {
		hash = to
	}
	if hash == v.hash && hash != "" {
		return true
	}
	generation, err := strconv.ParseInt(v.d.Annotations[daemonset.AnnotationGeneration], 10, 64)
	return err == nil && !v.o.Repair.Has(quirk.GenerationHidesHash) && p.Labels[daemonset.LabelGeneration] == strconv.FormatInt(generation, 10)
}

func (v *daemonView) place() {
	v.nodes = make([]daemonsOn, len(v.p.Snapshot.Nodes))
	for i := range v.p.Snapshot.Nodes {
		n := &v.p.Snapshot.Nodes[i]
		run, cont := Placed(&v.d.Template, n, v.o)
		v.nodes[i] = daemonsOn{node: n, name: n.Name, run: run, cont: cont}
		for _, t := range n.Taints {
			v.nodes[i].dead = v.nodes[i].dead || t.Key == daemonset.TaintNotReady || t.Key == daemonset.TaintUnreachable
		}
		if run {
			v.desired++
		}
		v.byName[n.Name] = &v.nodes[i]
	}
}

func (v *daemonView) claim() {
	missing := map[string]*daemonsOn{}
	for i := range v.p.Snapshot.Pods {
		p := &v.p.Snapshot.Pods[i]
		if !v.ours(p.Labels, p.ControllerUID, !p.DeletionTimestamp.IsZero()) {
			continue
		}
		v.owned = append(v.owned, p)
		name := daemonNode(p)
		ended := p.Phase == podorder.Succeeded || p.Phase == podorder.Failed
		if name == "" || !v.kruise && ended && !p.DeletionTimestamp.IsZero() {
			continue
		}
		n := v.byName[name]
		if n == nil {
			if n = missing[name]; n == nil {
				n = &daemonsOn{name: name}
				missing[name] = n
			}
		}
		v.put(n, p)
	}
	for _, n := range missing {
		v.missing = append(v.missing, *n)
	}
	slices.SortFunc(v.missing, func(a, b daemonsOn) int { return cmp.Compare(a.name, b.name) })
}

func (v *daemonView) put(n *daemonsOn, p *daemonset.Pod) {
	n.pods = append(n.pods, p)
	if !p.DeletionTimestamp.IsZero() {
		return
	}
	n.serving = n.serving || v.available(p)
	if v.isNew(p) {
		n.fresh, n.hasNew = append(n.fresh, p), true
		return
	}
	n.old = append(n.old, p)
}

func (v *daemonView) available(p *daemonset.Pod) bool {
	return availableAt(&p.Pod, v.d.MinReadySeconds, v.p.Now, v.kruise)
}

func (v *daemonView) measure() {
	d := v.d
	surge, unavailable := d.MaxSurge, d.MaxUnavailable
	if d.RollingType == daemonset.Surging {
		surge, unavailable = orDefault(surge, rollout.Int(1)), orDefault(unavailable, rollout.Int(0))
	}
	if unavailable.IsZero() && !(v.kruise && !surge.IsZero()) {
		unavailable = rollout.Int(1)
	}
	if v.rolling {
		v.surge, v.unavailable = amount(surge, v.desired, true), amount(unavailable, v.desired, true)
		v.surgeAllowed = amount(surge, 1, true) > 0
	}
	if v.desired > 0 && v.surge == 0 && v.unavailable == 0 {
		v.unavailable = 1
	}
	base := int64(d.Status.DesiredNumberScheduled)
	if v.o.Repair.Has(quirk.SharesOfLastStatus) {
		base = v.desired
	}
	v.burst, v.partition = amount(orDefault(d.Burst, rollout.Int(250)), base, false), max(0, amount(d.Partition, base, false))
	if v.o.Repair.Has(quirk.BurstRoundsToZero) && v.burst == 0 && amount(d.Burst, 1, true) > 0 {
		v.burst = 1
	}
	v.filtered = v.partition > 0 || d.NodeSelector != nil
	for _, a := range v.p.Plan.Actions {
		if a, ok := a.(daemonset.DeletePod); ok && !slices.ContainsFunc(v.updates(), func(p *daemonset.Pod) bool { return p.Name == a.Name }) {
			v.busy = true
		}
	}
}

// all returns the nodes, including missing ones.
func (v *daemonView) all() []*daemonsOn {
	list := make([]*daemonsOn, 0, len(v.nodes)+len(v.missing))
	for i := range v.nodes {
		list = append(list, &v.nodes[i])
	}
	for i := range v.missing {
		list = append(list, &v.missing[i])
	}
	return list
}

// sole returns the only pod of a node, if it is old, runs and may stay there: an update without
// surge replaces such pods.
func (v *daemonView) sole(n *daemonsOn) *daemonset.Pod {
	if len(n.old) != 1 || len(n.fresh) != 0 || n.node != nil && !n.cont {
		return nil
	}
	p := n.old[0]
	ended := p.Phase == podorder.Failed || p.Phase == podorder.Succeeded && (!v.kruise || v.o.Repair.Has(quirk.SucceededPodsStay))
	if ended || v.kruise && prepared(p) || n.node == nil && p.NodeName == "" {
		return nil
	}
	return p
}

// recovers reports whether a node has an unavailable old pod, which an update deletes at once. If
// no node is desired, an update may delete no other pod, and nothing replaces it.
func (v *daemonView) recovers(n *daemonsOn) bool {
	p := v.sole(n)
	return p != nil && !v.available(p)
}

// running counts the pods of a node that run and are not prepared for deletion.
func (v *daemonView) running(n *daemonsOn) (count int) {
	for _, p := range n.pods {
		if runs(&p.Pod) && !(v.kruise && prepared(p)) {
			count++
		}
	}
	return count
}

// touched returns the names of the pods that the plan deletes, prepares or updates in place.
func (v *daemonView) touched() map[string]bool {
	names := map[string]bool{}
	for _, a := range v.p.Plan.Actions {
		switch a := a.(type) {
		case daemonset.DeletePod:
			names[a.Name] = true
		case daemonset.PreparePod:
			names[a.Name] = true
		case daemonset.UpdatePod:
			names[a.Name] = true
		}
	}
	return names
}

// updates returns the old pods that the plan deletes, prepares or updates in place.
func (v *daemonView) updates() (pods []*daemonset.Pod) {
	if v.surgeAllowed && v.surge > 0 {
		return nil
	}
	names := v.touched()
	for _, n := range v.all() {
		if p := v.sole(n); p != nil && names[p.Name] {
			pods = append(pods, p)
		}
	}
	return pods
}

func (v *daemonView) holds(reason kplan.Reason) (n int) {
	for _, h := range v.p.Plan.Holds {
		if h.Reason == reason {
			n++
		}
	}
	return n
}

func (v *daemonView) creations() (nodes []string) {
	for _, a := range v.p.Plan.Actions {
		if a, ok := a.(daemonset.CreatePod); ok {
			nodes = append(nodes, a.Node)
		}
	}
	return nodes
}

// unserved counts the desired nodes without an available pod.
func (v *daemonView) unserved() (n int64) {
	for i := range v.nodes {
		if v.nodes[i].run && !v.nodes[i].serving {
			n++
		}
	}
	return n
}

func prepared(p *daemonset.Pod) bool {
	return p.Labels[daemonset.LabelState] == daemonset.StatePreparingDelete
}
