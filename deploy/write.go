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

// noAction is the Action of an event that does not belong to an action.
const noAction = -1

// write turns a decision and its report into a plan. The order of the writes is:
//
//  1. adoptions and then releases, each oldest ReplicaSet first
//  2. annotations and minReadySeconds of the new ReplicaSet; if it needs none, the revision
//     annotation of the Deployment
//  3. the creation of the new ReplicaSet, and then the revision annotation of the Deployment
//  4. a rollback
//  5. sizes in the order of the decision, then annotations of ReplicaSets that keep their size;
//     if sizing.shrinkFirst is set, ReplicaSets that grow come last
//  6. the pause at a pause point, and then deletions of old ReplicaSets
//  7. the annotation with partition.ExtraStatus
//
// Holds of the decision come before holds of the report. Events have the order of their
// actions, except that the event of a pause comes before the events of sizes.
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
		p.Events[paused].Action = p.lastAction()
	}
	p.addDeletions(in, d)
	if r.extra != nil {
		p.addAnnotations(in, extraAnnotation(in, r.extra), reason.ExtraStatus)
	}
}

func (p *Plan) addAction(a Action) {
	p.Actions = append(p.Actions, a)
}

// addEvent adds an event of the action with an index, or without an action for noAction.
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

// addNewSetUpdate adds the write of annotations and minReadySeconds of the existing new ReplicaSet.
// If that is up to date, it adds the write of the Deployment's revision annotation.
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

// addCreation adds the creation of the new ReplicaSet and the write of the Deployment's revision
// annotation. If the API server will reject the creation, it adds the creation alone.
func (p *Plan) addCreation(in *input, n *creation) {
	p.addAction(CreateReplicaSet{
		Kind: in.d.setKind(), Name: n.rs.Name, Replicas: n.size, Template: in.d.Template, Revision: in.nextRevision,
		MinReadySeconds: in.d.MinReadySeconds, Labels: in.newLabels(), Annotations: maps.Clone(n.rs.Annotations), Reason: reason.NewTemplate,
	})
	if n.taken {
		return
	}
	if n.allowed > 0 { // otherwise OpenKruise may create it with 1 pod, but records no event
		p.addEvent(p.lastAction(), "Normal", in.scalingReason(), in.createEvent(n.rs.Name, n.size))
	}
	p.addAnnotations(in, in.revisionAnnotation(fmt.Sprint(in.nextRevision)), reason.Revision)
}

// addRollback adds the write of the template and annotations of a former revision. If the request
// cannot be met, it adds the removal of the request.
func (p *Plan) addRollback(in *input, r *revision.Rollback, source *revision.Entry) {
	kind, why, message := r.Event()
	if source == nil {
		p.addEvent(noAction, kind, why, message) // recorded even if the write fails
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

// addDeletions adds the deletions of old ReplicaSets beyond the history limit.
func (p *Plan) addDeletions(in *input, d *decision) {
	for _, rs := range d.remove {
		number, _ := in.opts.Keys.Number(rs.Annotations)
		p.addAction(DeleteReplicaSet{
			Kind: in.d.setKind(), Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion, Revision: number, Reason: reason.HistoryLimit,
		})
	}
}

// extraAnnotation returns the annotation with partition.ExtraStatus, or nil if the Deployment has
// it.
func extraAnnotation(in *input, extra *partition.ExtraStatus) map[string]string {
	text := extra.Text()
	if in.d.Annotations[partition.AnnotationExtraStatus] == text {
		return nil
	}
	return map[string]string{partition.AnnotationExtraStatus: text}
}

// scalingReason returns the reason of an event about a size, such as ScalingReplicaSet.
func (in *input) scalingReason() string {
	if in.d.setKind() == "" {
		return "ScalingReplicaSet"
	}
	return "Scaling" + in.d.ReplicaSetKind
}

// scaleEvent returns the event message for a change of size. The message of OpenKruise has the new
// size before the old one.
func (in *input) scaleEvent(a *ScaleReplicaSet) string {
	if !in.partitioned() {
		return a.event()
	}
	return fmt.Sprintf("%s%s %s to %d from %d", a.verb(), wordOfSet(a.Kind), a.Name, a.To, a.From)
}

// createEvent returns the event message for a created ReplicaSet.
func (in *input) createEvent(name string, size int32) string {
	if in.partitioned() {
		return fmt.Sprintf("Scaled up %s %s to %d", wordOfSet(in.d.setKind()), name, size)
	}
	return (&ScaleReplicaSet{Kind: in.d.setKind(), Name: name, To: size}).event()
}
