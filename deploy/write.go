// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/partition"
)

// noAction is the index of the action of an event that belongs to none.
const noAction = -1

// write turns a decision into a plan. It alone decides the order of the writes:
//
//  1. adoptions and then releases, each oldest ReplicaSet first; they do not depend on
//     later actions
//  2. annotations and minReadySeconds of the new ReplicaSet, or else the revision of the
//     Deployment
//  3. the new ReplicaSet, and the revision of the Deployment
//  4. a rollback
//  5. sizes, in the order of the decision; if a scaling is repaired, smaller sizes first, so
//     that no prefix of a scaling wants more pods than the whole; then annotations of
//     unchanged ReplicaSets
//  6. a pause at a pause point, and deletions of old ReplicaSets from the history
//  7. counts for the controller that moves the partition
//
// Holds of the decision come before holds of the report. Events have the order of the
// actions, except the event of a pause, which comes before the sizes.
func (p *Plan) write(in *input, u *newSetUpdate, d *decision, r *report) {
	in = d.created.inputAfter(in)
	p.Status, p.RecheckAt, p.ExtraStatus, p.Budget = r.status, r.recheckAt, r.extra, in.budget
	p.Holds = append(slices.Clip(d.sizing.holds), r.holds...)
	if in.d.Strategy == Recreate { // all pods may be unavailable during the update
		p.Budget.Unavailable = in.replicas
	}
	if d.path == pathRefused {
		p.addEvent(noAction, "Warning", "SelectingAll", "This "+word(in.d.kind())+" is selecting all pods. A non-empty selector is required.")
		return
	}
	p.addClaims(in)
	p.addNewSetUpdate(in, u)
	if d.created != nil {
		p.addCreation(in, d.created)
	}
	if d.rollback != nil {
		p.addRollback(in, d.rollback, d.source)
	}
	paused := len(p.Events)
	if d.pause != nil {
		p.addEvent(noAction, "Normal", "PausePointReached", d.pause.String())
	}
	p.addSizes(in, u, d)
	if d.pause != nil {
		p.addPause(in, d.pause)
	}
	p.addDeletions(in, d)
	if d.pause != nil {
		p.Events[paused].Action = len(p.Actions) - 1
	}
	if r.extra != nil {
		p.addAnnotations(in, extraAnnotation(in, r.extra), reason.ExtraStatus)
	}
}

func (p *Plan) addAction(a Action) {
	p.Actions = append(p.Actions, a)
}

// addEvent adds an event of the action with an index, or of none.
func (p *Plan) addEvent(action int, eventType, why, message string) {
	p.Events = append(p.Events, kplan.Event{Action: action, Type: eventType, Reason: why, Message: message})
}

// lastAction returns the index of the last action.
func (p *Plan) lastAction() int { return len(p.Actions) - 1 }

// addClaims adds adoptions and releases.
func (p *Plan) addClaims(in *input) {
	for i := range in.sets {
		if rs := in.sets[i].rs; in.sets[i].adopted {
			p.addAction(AdoptReplicaSet{Kind: in.d.setKind(), Name: rs.Name, UID: rs.UID, Reason: reason.Orphan})
		}
	}
	for _, rs := range in.released {
		p.addAction(ReleaseReplicaSet{Kind: in.d.setKind(), Name: rs.Name, UID: rs.UID, Reason: reason.NoMatch})
	}
}

// addAnnotations adds annotations of the Deployment, if there are any.
func (p *Plan) addAnnotations(in *input, set map[string]string, why kplan.Reason) {
	if set != nil {
		p.addAction(AnnotateDeployment{Kind: in.d.kind(), Set: set, Reason: why})
	}
}

// addNewSetUpdate adds the write of annotations and minReadySeconds of the new ReplicaSet, or else of
// the revision of the Deployment.
func (p *Plan) addNewSetUpdate(in *input, u *newSetUpdate) {
	if u.upToDate {
		p.addAnnotations(in, in.revisionAnnotation(u.revision), reason.Revision)
	}
	if !u.needed {
		return
	}
	rs := in.newSet().rs
	a := AnnotateReplicaSet{Kind: in.d.setKind(), Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion, Set: u.annotations, Reason: reason.Revision}
	if u.minReadyDiffers {
		a.MinReadySeconds = ptr.To(in.d.MinReadySeconds)
	}
	p.addAction(a)
}

// addCreation adds the creation of the new ReplicaSet. If its name is taken, this is the last
// action.
func (p *Plan) addCreation(in *input, n *creation) {
	p.addAction(CreateReplicaSet{
		Kind: in.d.setKind(), Name: n.rs.Name, Replicas: n.size, Template: in.d.Template, Revision: in.nextRevision,
		MinReadySeconds: in.d.MinReadySeconds, Labels: in.newLabels(), Annotations: maps.Clone(n.rs.Annotations), Reason: reason.NewTemplate,
	})
	if n.taken {
		return
	}
	if n.allowed > 0 { // OpenKruise records no event if only the lower bound gives it a pod
		p.addEvent(p.lastAction(), "Normal", in.scalingReason(), in.createEvent(n.rs.Name, n.size))
	}
	p.addAnnotations(in, in.revisionAnnotation(fmt.Sprint(in.nextRevision)), reason.Revision)
}

// addRollback adds the write of the template and annotations of a former revision, or the removal
// of a request that cannot be met.
func (p *Plan) addRollback(in *input, r *revision.Rollback, source *revision.Entry) {
	kind, why, message := r.Event()
	if source == nil {
		p.addEvent(noAction, kind, why, message) // before the write, even if that fails
		p.addAction(ClearRollback{Key: in.rollbackKey(), Reason: reason.Rollback})
		return
	}
	p.addAction(RollBackDeployment{
		Kind: in.d.kind(), ReplicaSetKind: in.d.setKind(),
		Revision: r.Number, Name: source.Name, Template: source.Template, Annotations: r.Annotations, Reason: reason.Rollback,
	})
	p.addEvent(p.lastAction(), kind, why, message)
}

// addSizes adds the sizes, one write for each ReplicaSet.
func (p *Plan) addSizes(in *input, u *newSetUpdate, d *decision) {
	changes := slices.Clip(d.sizing.changes)
	for _, i := range d.refreshed {
		changes = append(changes, change{set: i, to: in.sets[i].size, reason: reason.Scaling})
	}
	direction := func(c change) int { return cmp.Compare(c.to, in.sets[c.set].size) }
	if d.sizing.shrinkFirst && slices.ContainsFunc(changes, func(c change) bool { return direction(c) < 0 }) {
		changes = slices.Clone(changes)
		slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(max(0, direction(a)), max(0, direction(b))) })
	}
	for _, c := range changes {
		rs, from, annotations := in.sets[c.set].rs, in.sets[c.set].size, in.sizeAnnotations()
		if c.set == in.newAt && u.withNextSize != nil {
			maps.Copy(annotations, u.withNextSize)
		}
		if c.to == from {
			p.addAction(AnnotateReplicaSet{Kind: in.d.setKind(), Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion, Set: annotations, Reason: c.reason})
			continue
		}
		scale := ScaleReplicaSet{
			Kind: in.d.setKind(), Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion, From: from, To: c.to, Unhealthy: c.unhealthy,
			Set: annotations, Reason: c.reason,
		}
		p.addAction(scale)
		p.addEvent(p.lastAction(), "Normal", in.scalingReason(), in.scaleEvent(&scale))
	}
}

// addPause adds the pause at a pause point.
func (p *Plan) addPause(in *input, at *pausepoint.PauseDeployment) {
	p.addAction(PauseDeployment{
		Kind: in.d.kind(), UID: at.UID, ResourceVersion: at.ResourceVersion, Pod: at.Pod, Mode: at.Mode, Reason: reason.PausePoint,
		Set: map[string]string{pausepoint.AnnotationHit: at.Token},
	})
}

// addDeletions adds the deletions of old ReplicaSets.
func (p *Plan) addDeletions(in *input, d *decision) {
	for _, rs := range d.remove {
		number, _ := in.opts.Keys.Number(rs.Annotations)
		p.addAction(DeleteReplicaSet{
			Kind: in.d.setKind(), Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion, Revision: number, Reason: reason.HistoryLimit,
		})
	}
}

// extraAnnotation returns the annotation with counts of a partitioned Deployment, or nil if it
// is set already.
func extraAnnotation(in *input, extra *partition.ExtraStatus) map[string]string {
	text := extra.Text()
	if in.d.Annotations[partition.AnnotationExtraStatus] == text {
		return nil
	}
	return map[string]string{partition.AnnotationExtraStatus: text}
}

// scalingReason returns the reason of an event for a size.
func (in *input) scalingReason() string {
	if in.d.setKind() == "" {
		return "ScalingReplicaSet"
	}
	return "Scaling" + in.d.ReplicaSetKind
}

// scaleEvent returns the message for a change of size. OpenKruise names the new size before
// the old one.
func (in *input) scaleEvent(a *ScaleReplicaSet) string {
	if !in.partitioned() {
		return a.event()
	}
	return fmt.Sprintf("%s%s %s to %d from %d", a.verb(), wordOfSet(a.Kind), a.Name, a.To, a.From)
}

// createEvent returns the message for a new ReplicaSet.
func (in *input) createEvent(name string, size int32) string {
	if in.partitioned() {
		return fmt.Sprintf("Scaled up %s %s to %d", wordOfSet(in.d.setKind()), name, size)
	}
	return (&ScaleReplicaSet{Kind: in.d.setKind(), Name: name, To: size}).event()
}
