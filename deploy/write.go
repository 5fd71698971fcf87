package deploy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/partition"
)

// nowhere is the place of an event that tells of no action.
const nowhere = -1

// write turns a decision into a plan. It alone decides in which order things are written:
//
//  1. adoptions and then releases, each oldest ReplicaSet first: they are made whatever
//     comes after them
//  2. what the new ReplicaSet takes over from the Deployment, or else the revision of the
//     Deployment
//  3. the new ReplicaSet, and the revision of the Deployment
//  4. a rollback
//  5. sizes, in the order in which they were decided: where a scaling is repaired, first those
//     that shrink, so that no prefix of a scaling wants more pods than the whole; then
//     annotations that are brought up to date
//  6. a pause at a pause point, behind which a rolling update goes no further, and what is
//     history no longer
//  7. counts for the controller that moves the partition
//
// Holds are those of the decision, and then those of the report. Events stand in the order of
// the actions, but for that of a pause, which is recorded before the sizes.
func (d *decision) write(r *report) Plan {
	in := d.in
	w := writer{in: in, plan: Plan{
		Status: r.status, RecheckAt: r.recheckAt, ExtraStatus: r.extra, Budget: in.budget,
		Holds: append(d.holds, r.holds...),
	}}
	if in.d.Strategy == Recreate { // every pod may be unavailable on the way
		w.plan.Budget.Unavailable = in.replicas
	}
	if d.path == pathRefused {
		w.event(nowhere, "Warning", "SelectingAll", "This deployment is selecting all pods. A non-empty selector is required.")
		return w.plan
	}
	w.claims()
	w.follow(&d.follow)
	if d.created != nil {
		w.create(d.created)
	}
	if d.rollback != nil {
		w.rollBack(d.rollback, d.source)
	}
	paused := len(w.plan.Events)
	if d.pause != nil {
		w.event(nowhere, "Normal", "PausePointReached", d.pause.String())
	}
	w.sizes(d)
	if d.pause != nil {
		w.pause(d.pause)
	}
	w.remove(d)
	if d.pause != nil {
		w.plan.Events[paused].Action = len(w.plan.Actions) - 1
	}
	if r.extra != nil {
		w.annotate(extraAnnotation(in, r.extra), ReasonExtraStatus)
	}
	return w.plan
}

// A writer holds the plan while it is written.
type writer struct {
	in   *input
	plan Plan
}

func (w *writer) act(a Action) {
	if w.plan.Actions == nil {
		w.plan.Actions = make(Actions, 0, 2) // most plans have no more
	}
	w.plan.Actions = append(w.plan.Actions, a)
}

func (w *writer) event(action int, eventType, reason, message string) {
	w.plan.Events = append(w.plan.Events, Event{Action: action, Type: eventType, Reason: reason, Message: message})
}

// last is the place of the last action.
func (w *writer) last() int { return len(w.plan.Actions) - 1 }

// claims writes adoptions and releases.
func (w *writer) claims() {
	for i := range w.in.sets {
		if rs := w.in.sets[i].rs; w.in.sets[i].adopted {
			w.act(AdoptReplicaSet{Name: rs.Name, UID: rs.UID, Reason: ReasonOrphan})
		}
	}
	for _, rs := range w.in.released {
		w.act(ReleaseReplicaSet{Name: rs.Name, UID: rs.UID, Reason: ReasonNoMatch})
	}
}

// annotate writes annotations of the Deployment, if there are any.
func (w *writer) annotate(set map[string]string, reason Reason) {
	if set != nil {
		w.act(AnnotateDeployment{Set: set, Reason: reason})
	}
}

// follow writes annotations and minReadySeconds of the new ReplicaSet, or else the revision
// of the Deployment.
func (w *writer) follow(f *following) {
	if f.publish {
		w.annotate(w.in.publish(f.number), ReasonRevision)
	}
	if !f.write {
		return
	}
	rs := w.in.newSet().rs
	a := AnnotateReplicaSet{Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion, Set: f.set, Reason: ReasonRevision}
	if f.minReady {
		a.MinReadySeconds = new(w.in.d.MinReadySeconds)
	}
	w.act(a)
}

// create writes the new ReplicaSet. If its name is taken, nothing follows.
func (w *writer) create(n *creation) {
	in := w.in
	w.act(CreateReplicaSet{
		Name: n.rs.Name, Replicas: n.size, Template: in.d.Template, Revision: in.next,
		MinReadySeconds: in.d.MinReadySeconds, Labels: in.newLabels(), Annotations: maps.Clone(n.rs.Annotations), Reason: ReasonNewTemplate,
	})
	if n.taken {
		return
	}
	if n.wanted > 0 {
		w.event(w.last(), "Normal", "ScalingReplicaSet", in.createEvent(n.rs.Name, n.size))
	}
	w.annotate(in.publish(fmt.Sprint(in.next)), ReasonRevision)
}

// rollBack writes the template and annotations of a former revision, or removes the request.
func (w *writer) rollBack(r *revision.Rollback, source *revision.Entry) {
	kind, reason, message := r.Event()
	if source == nil {
		w.event(nowhere, kind, reason, message) // before the write, and whatever becomes of it
		w.act(ClearRollback{Reason: ReasonRollback})
		return
	}
	w.act(RollBackDeployment{
		Revision: r.Number, Name: source.Name, Template: source.Template, Annotations: r.Annotations, Reason: ReasonRollback,
	})
	w.event(w.last(), kind, reason, message)
}

// sizes writes the sizes, one write for each ReplicaSet.
func (w *writer) sizes(d *decision) {
	changes := d.changes
	for _, i := range d.refreshed {
		changes = append(changes, change{set: i, to: w.in.sets[i].size, reason: ReasonScaling})
	}
	direction := func(c change) int { return cmp.Compare(c.to, w.in.sets[c.set].size) }
	if d.shrinkFirst && slices.ContainsFunc(changes, func(c change) bool { return direction(c) < 0 }) {
		slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(max(0, direction(a)), max(0, direction(b))) })
	}
	for _, c := range changes {
		rs, from, annotations := w.in.sets[c.set].rs, w.in.sets[c.set].size, w.in.sizeAnnotations()
		if c.set == w.in.newest {
			maps.Copy(annotations, d.follow.withNextSize)
		}
		if c.to == from {
			w.act(AnnotateReplicaSet{Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion, Set: annotations, Reason: c.reason})
			continue
		}
		scale := ScaleReplicaSet{
			Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion, From: from, To: c.to, Unhealthy: c.unhealthy,
			Set: annotations, Reason: c.reason,
		}
		w.act(scale)
		w.event(w.last(), "Normal", "ScalingReplicaSet", w.in.scaleEvent(scale))
	}
}

// pause writes the pause at a pause point.
func (w *writer) pause(p *pausepoint.PauseDeployment) {
	w.act(PauseDeployment{
		UID: p.UID, ResourceVersion: p.ResourceVersion, Pod: p.Pod, Mode: p.Mode, Reason: ReasonPausePoint,
		Set: map[string]string{pausepoint.AnnotationHit: p.Token},
	})
}

// remove writes what is history no longer.
func (w *writer) remove(d *decision) {
	for _, rs := range d.remove {
		number, _ := revision.Number(rs.Annotations)
		w.act(DeleteReplicaSet{
			Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion, Revision: number, Reason: ReasonHistoryLimit,
		})
	}
}

// extraAnnotation returns the annotation with counts of a partitioned Deployment, or nil if it
// is there.
func extraAnnotation(in *input, extra *partition.ExtraStatus) map[string]string {
	text := extra.Text()
	if in.d.Annotations[partition.AnnotationExtraStatus] == text {
		return nil
	}
	return map[string]string{partition.AnnotationExtraStatus: text}
}

// scaleEvent returns what is recorded for a change of size: OpenKruise names the new
// size before the old one.
func (in *input) scaleEvent(a ScaleReplicaSet) string {
	if !in.partitioned() {
		return a.event()
	}
	return fmt.Sprintf("%s%s to %d from %d", a.verb(), a.Name, a.To, a.From)
}

// createEvent returns what is recorded for a new ReplicaSet, which OpenKruise leaves
// out if only the lower bound has given it a pod.
func (in *input) createEvent(name string, size int32) string {
	if in.partitioned() {
		return fmt.Sprintf("Scaled up replica set %s to %d", name, size)
	}
	return ScaleReplicaSet{Name: name, To: size}.event()
}
