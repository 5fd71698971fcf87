// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/revision"
)

// write returns the plan of a decision. Only this file appends to a plan, so that the order of all
// writes is decided here:
//
//	revisions     adopted and released, labelled, deduplicated, created
//	pods          adopted and released; if pods are relabelled, both with the revisions
//	manage        pods marked for the hook, created, deleted
//	refresh       updates in place continued, by name
//	update        pods updated in place, marked, created, deleted
//	old revisions deleted
//
// Holds come in the order of the same steps; in each, the holds of the whole step come before
// the holds of single nodes. Holds of nodes are sorted by name.
func write(st *state, d *decision) Plan {
	p := Plan{Status: d.status, Budget: d.budget, RecheckAt: d.recheckAt, Backoff: d.backoff}
	st.writeRevisions(&p, st.history)
	if !st.claimFirst {
		st.writeClaims(&p)
	}
	if d.waits == reason.Unseen || d.waits == reason.Frozen {
		p.hold(kplan.Hold{Reason: d.waits})
		return p
	}
	st.writeManaging(&p, &d.manage)
	for i := range d.refreshes {
		st.writeRefresh(&p, &d.refreshes[i])
	}
	st.writeUpdating(&p, &d.update)
	st.writeUnused(&p, d.unused)
	return p
}

// writeStopped returns the plan of a pass that does nothing at all.
func (in *input) writeStopped(hold kplan.Hold) Plan {
	p := Plan{Status: copyStatus(in.ds.Status), Backoff: in.backoff.Sweep(in.now)}
	p.hold(hold)
	if hold.Reason == reason.SelectingAll {
		p.event("Warning", "SelectingAll", "This "+cmp.Or(unless(in.ds.Kind, Kind), "daemon set")+" is selecting all pods. A non-empty selector is required.")
	}
	return p
}

// writeCollision returns the plan of a pass that only raises the collision count, so that the
// next pass tries another hash. OpenKruise does not raise it, unless quirk.CollisionCountNotRaised is in
// Options.Repair.
func (in *input) writeCollision(h *history) Plan {
	p := Plan{Status: copyStatus(in.ds.Status), Backoff: in.backoff.Sweep(in.now)}
	in.writeRevisions(&p, h)
	if !in.opts.kruise() || in.opts.Repair.Has(quirk.CollisionCountNotRaised) {
		p.Status.CollisionCount = h.collision
	}
	p.hold(kplan.Hold{Reason: reason.Collision, Have: int64(*h.collision)})
	return p
}

// writeRevisions writes the actions on revisions: adoptions and releases come first, then labels,
// then relabelled pods and deleted duplicates, and last the new number of the current revision, or
// its creation. If there are no duplicates, the number is written together with the label.
func (in *input) writeRevisions(p *Plan, h *history) {
	for _, c := range h.claims {
		if object := revisionObject(&in.revisions[c.revision]); c.adopt {
			p.do(AdoptRevision{Object: object, Reason: reason.Orphan})
		} else {
			p.do(ReleaseRevision{Object: object, Reason: reason.NoMatch})
		}
	}
	atOnce := h.number != 0 && len(h.gone) == 0 && slices.Contains(h.unlabelled, h.keep) // number and label
	for _, n := range h.unlabelled {
		r := &in.revisions[n]
		hash, _ := revision.RevisionHash(*r)
		a := UpdateRevision{Object: revisionObject(r), Hash: hash, From: r.Revision, To: r.Revision, Reason: reason.Unlabelled}
		if n == h.keep && atOnce {
			a.To, a.Reason = h.number, reason.Rollback
		}
		p.do(a)
	}
	if h.claimFirst {
		in.writeClaims(p)
	}
	for _, i := range in.relabelled {
		pod := in.pod(i)
		p.do(RelabelPod{Object: in.object(pod), From: pod.Labels[LabelHash], To: h.version.Hash, Reason: reason.Duplicate})
	}
	for _, n := range h.gone {
		p.do(DeleteRevision{Object: revisionObject(&in.revisions[n]), Reason: reason.Duplicate})
	}
	if h.number != 0 && !atOnce {
		r := &in.revisions[h.keep]
		p.do(UpdateRevision{Object: revisionObject(r), From: r.Revision, To: h.number, Reason: reason.Rollback})
	}
	if r := h.create; r != nil {
		p.do(CreateRevision{
			Name: r.Name, Hash: in.ds.Template.Hash, Revision: r.Revision, Labels: r.Labels, Annotations: r.Annotations, Data: r.Data,
			Reason: reason.NewTemplate,
		})
	}
}

func revisionObject(r *revision.ControllerRevision) Object {
	return Object{Name: r.Name, UID: r.UID, ResourceVersion: r.ResourceVersion}
}

// writeClaims writes the adoptions and releases of pods.
func (in *input) writeClaims(p *Plan) {
	for _, i := range in.claimed {
		if pod := in.pod(i); pod.ControllerUID == in.ds.UID {
			p.do(ReleasePod{Object: in.object(pod), Reason: reason.NoMatch})
		} else {
			p.do(AdoptPod{Object: in.object(pod), Reason: reason.Orphan})
		}
	}
}

// writeUnused writes the deletions of old revisions beyond the limit.
func (in *input) writeUnused(p *Plan, unused []int32) {
	for _, n := range unused {
		p.do(DeleteRevision{Object: revisionObject(&in.revisions[n]), Reason: reason.HistoryLimit})
	}
}

// writeManaging writes the result of the manage step, nodes by name.
func (st *state) writeManaging(p *Plan, m *managing) {
	for i := range m.nodes {
		d := &m.nodes[i]
		node := st.keys[d.key].name
		for _, gone := range d.Delete {
			switch gone.Reason {
			case reason.Failed:
				p.event("Warning", "Failed"+cmp.Or(st.ds.podKind(), "DaemonPod"), fmt.Sprintf("Found failed daemon %s %s on node %s, will try to kill it", word(st.ds.podKind()), st.podName(gone.Pod), node))
			case reason.Succeeded:
				p.event("Normal", "Succeeded"+cmp.Or(st.ds.podKind(), "DaemonPod"), fmt.Sprintf("Found succeeded daemon %s %s on node %s, will try to delete it", word(st.ds.podKind()), st.podName(gone.Pod), node))
			}
		}
		if d.Waiting != nil {
			p.hold(kplan.Hold{Node: node, Name: d.Waiting.Name, Reason: reason.Backoff, Limit: int64(d.Delay / time.Second)})
		}
	}
	p.cause(m.progressive)
	st.writeMarks(p, &m.changes)
	for i, key := range m.create {
		a := st.newPod(st.keys[key].name, &st.version, reason.Missing)
		if i >= m.current {
			old := &st.revisions[m.old]
			a.Revision, a.Generation = old.Name, ""
			a.Hash, _ = revision.RevisionHash(*old)
		}
		p.do(a)
	}
	st.writeRemovals(p, m.changes.remove)
}

// writeUpdating writes the result of the update.
func (st *state) writeUpdating(p *Plan, u *updating) {
	p.cause(u.notSelected)
	p.cause(u.partition)
	st.writeUsages(p, u.leftOut)
	if u.waits == reason.MissingNode {
		return
	}
	if u.waits != "" {
		p.hold(kplan.Hold{Reason: u.waits, Have: int64(u.old)})
	}
	p.cause(u.strict)
	if n := len(u.named) + len(u.summed); n > 0 {
		p.Holds = slices.Grow(p.Holds, n+1) // with the limit that they use up
	}
	p.cause(u.limit)
	st.writeUsages(p, u.named)
	for _, c := range u.summed {
		p.cause(c)
	}
	p.cause(u.minAvailable)
	for i := range u.inPlace {
		d := &u.inPlace[i]
		p.do(UpdatePod{
			Object: st.object(d.Pod), Node: d.Pod.target(), From: d.Pod.Labels[LabelHash], To: st.version.Hash, CloseGate: d.spec.ClosesGate(),
			Patch: inplace.FirstBatch(d.Pod.Containers, d.spec, st.now), Reason: d.Reason,
		})
	}
	p.cause(u.tooManyInPlace)
	st.writeMarks(p, &u.changes)
	for _, key := range u.create {
		p.do(st.newPod(st.keys[key].name, &st.version, reason.Rollout))
	}
	st.writeRemovals(p, u.remove)
}

// writeMarks writes the actions and holds before the creations and deletions of a step: pods
// that the hook holds, each marked once, and changes held back by the burst.
func (st *state) writeMarks(p *Plan, c *changes) {
	for _, d := range c.marks {
		if d.Pod.preparing() {
			p.hold(kplan.Hold{Node: d.Pod.target(), Name: d.Pod.Name, Reason: reason.PreDelete})
			continue
		}
		p.do(PreparePod{
			Object: st.object(d.Pod), Node: d.Pod.target(), State: StatePreparingDelete, Since: st.now,
			NotReady: st.ds.PreDelete.MarkNotReady && d.Pod.hasGate(GateKruiseReady), Reason: d.Reason,
		})
	}
	p.cause(c.tooManyToCreate)
	p.cause(c.tooManyToRemove)
	p.Actions = slices.Grow(p.Actions, len(c.create)+len(c.remove))
}

// writeUsages writes a hold for each usage.
func (st *state) writeUsages(p *Plan, list []usage) {
	for _, u := range list {
		h := kplan.Hold{Node: st.keys[u.key].name, Reason: u.reason}
		if u.pod > 0 {
			h.Name = st.name(u.pod - 1)
		}
		p.hold(h)
	}
}

// newPod returns the creation of a pod of the current revision on a node.
func (in *input) newPod(node string, version *Version, reason kplan.Reason) CreatePod {
	gate := in.strategy == RollingUpdate && in.ds.RollingType == InPlaceIfPossible
	if slices.Contains(in.ds.Template.ReadinessGates, inplace.Gate) && in.opts.Repair.Has(quirk.GateAddedTwice) {
		gate = false // the template lists it already
	}
	return CreatePod{
		Kind: in.ds.podKind(),
		Node: node, Hash: version.Hash, Generation: NewVersion(version.Hash, in.ds.Annotations).Generation,
		Gate: gate, Bind: in.opts.BindDirectly, KeepTolerations: in.opts.KeepUserTolerations, Reason: reason,
	}
}

// podName returns namespace/name of a pod for an event, or the name if the namespace is not known.
func (in *input) podName(p *Pod) string {
	if in.ds.Namespace == "" {
		return p.Name
	}
	return in.ds.Namespace + "/" + p.Name
}

// writeRefresh writes the next step of an update in place, or the hold if that is to wait.
func (in *input) writeRefresh(p *Plan, r *refresh) {
	a := RefreshPod{Object: in.object(r.pod), Node: r.pod.target(), Patch: r.step.Put, DropGrace: r.step.DropGrace, Reason: r.reason}
	if r.reason == reason.InPlace {
		p.hold(kplan.Hold{Node: a.Node, Name: a.Name, Reason: r.reason})
		return
	}
	a.OpenGate = r.reason == reason.InPlaceCompleted
	p.do(a)
}

func (in *input) writeRemovals(p *Plan, list []Deletion) {
	for _, d := range list {
		p.do(DeletePod{Object: in.object(d.Pod), Node: d.Pod.target(), Reason: d.Reason})
	}
}

func (p *Plan) do(a Action) { p.Actions = append(p.Actions, a) }

func (p *Plan) hold(h kplan.Hold) { p.Holds = append(p.Holds, h) }

func (p *Plan) event(eventType, reason, message string) {
	p.Events = append(p.Events, kplan.Event{Action: -1, Type: eventType, Reason: reason, Message: message})
}

// cause writes a hold of the DaemonSet as a whole, if there is one.
func (p *Plan) cause(c cause) {
	if c.reason != "" {
		p.hold(kplan.Hold{Reason: c.reason, Have: c.have, Limit: c.limit})
	}
}

func (in *input) object(p *Pod) Object {
	return Object{Kind: in.ds.podKind(), Name: p.Name, UID: p.UID, ResourceVersion: p.ResourceVersion}
}
