// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
)

// endWithFailure ends the pass after action i, which failed. The status gets only the conditions
// that upstream has set by then.
func (f *finish) endWithFailure(i int) {
	var in input
	if err := in.admit(&f.s, f.now, &f.opts); err != nil {
		f.result.Errs = append(f.result.Errs, err)
		return
	}
	list := in.storedConditions()
	list.setPause(&in)
	switch a := f.plan.Actions[i].(type) {
	case CreateReplicaSet:
		f.creationFailed(&in, &list, a, i)
	default:
		f.addError(a, f.outcome(i).Failure())
		f.setConditionsBefore(&in, &list, i)
	}
	list.finish(&in)
	collisions := f.result.Status.CollisionCount
	f.result.Status = in.storedStatus(list.list)
	f.result.Status.CollisionCount = collisions
}

// createsTaken reports whether the plan ends with the creation of a ReplicaSet under a name that
// it expects to be taken.
func (p *Plan) createsTaken() bool {
	if len(p.Actions) == 0 {
		return false
	}
	a, ok := p.Actions[len(p.Actions)-1].(CreateReplicaSet)
	return ok && slices.ContainsFunc(p.Holds, func(h kplan.Hold) bool { return h.Reason == reason.NameTaken && h.Name == a.Name })
}

// endWithCreation ends a pass in which the creation has succeeded although [Plan.createsTaken]: with
// the event, the revision and the condition that upstream writes at once.
func (f *finish) endWithCreation() {
	var in input
	if err := in.admit(&f.s, f.now, &f.opts); err != nil {
		f.result.Errs = append(f.result.Errs, err)
		return
	}
	list, last := in.storedConditions(), len(f.plan.Actions)-1
	list.setPause(&in)
	a := f.plan.Actions[last].(CreateReplicaSet)
	f.setConditionsBefore(&in, &list, last+1)
	if a.Replicas > 0 {
		f.result.Events = append(f.result.Events, kplan.Event{
			Action: last, Type: "Normal", Reason: in.scalingReason(), Message: in.createEvent(a.Name, a.Replicas),
		})
	}
	f.setRevision(&in, a.Revision)
	list.finish(&in)
	f.result.Status = in.storedStatus(list.list)
	f.result.RecheckAt = in.recheck(&f.result.Status)
	if in.partitioned() {
		f.result.RecheckAt = in.recheckPartition(f.result.RecheckAt, false)
	}
}

// setRevision sets the revision annotation of the Deployment, which is written with the status.
func (f *finish) setRevision(in *input, number int64) {
	if set := in.revisionAnnotation(strconv.FormatInt(number, 10)); set != nil {
		f.nextAnnotations = with(f.nextAnnotations, set)
	}
}

// setConditionsBefore sets the conditions that upstream has set before action i.
func (f *finish) setConditionsBefore(in *input, list *conditions, i int) {
	if i < len(f.plan.Actions) {
		if a, ok := f.plan.Actions[i].(AnnotateReplicaSet); ok && a.Reason == reason.Revision {
			return // nothing is set before this action
		}
	}
	var update newSetUpdate
	update.decide(in)
	list.setFound(in, &update)
	for k, a := range f.plan.Actions[:i] {
		if a, ok := a.(CreateReplicaSet); ok && f.outcome(k).Answer == kplan.Done && in.hasDeadline() {
			list.setCreated(in, a.Name)
			list.found = false
		}
	}
}

// creationFailed adds the errors, conditions, events and holds of a new ReplicaSet that could not be
// created.
func (f *finish) creationFailed(in *input, list *conditions, a CreateReplicaSet, i int) {
	o := f.outcome(i)
	switch o.Answer {
	case kplan.NamespaceTerminating:
	case kplan.AlreadyExists:
		f.addError(a, o.Failure())
		switch rs := cmp.Or(f.report.Existing, in.named(a.Name)); {
		case rs == nil:
		case rs.ControllerUID == in.d.UID && rs.Template.Same(in.d.Template):
			f.setRevision(in, a.Revision)
		default:
			f.result.Holds = []kplan.Hold{hold(a.Name, reason.NameTaken, 0, 0)}
			f.result.Status.CollisionCount = nextCollisionCount(in.d.Status.CollisionCount)
		}
	default:
		f.addError(a, o.Failure())
		text := quotedMessage("Failed to create new "+wordOfSet(a.Kind), a.Name, ": "+o.Failure().Error())
		if in.hasDeadline() {
			list.set(in, ConditionProgressing, kplan.ConditionFalse, progressFailed, text)
		}
		f.result.Events = append(f.result.Events, kplan.Event{Action: i, Type: "Warning", Reason: progressFailed, Message: text})
		f.result.Holds = []kplan.Hold{hold(a.Name, reason.CreateFailed, 0, 0)}
	}
}

// nextCollisionCount returns the collision count after one more collision. The highest count stays.
func nextCollisionCount(count *int32) *int32 {
	switch {
	case count == nil:
		return ptr.To(int32(1))
	case *count == math.MaxInt32:
		return count
	}
	return ptr.To(*count + 1)
}

// recount counts unavailable pods again without the changes of sizes from the failed action on,
// which were not made. By default unavailable pods do not depend on these: see
// [quirk.UnavailableReplicasLag].
func (f *finish) recount(failed int) {
	if !f.opts.Repair.Has(quirk.UnavailableReplicasLag) {
		return
	}
	sizes := map[string]int64{}
	for i := range f.s.ReplicaSets {
		if rs := &f.s.ReplicaSets[i]; rs.ControllerUID == f.s.Deployment.UID {
			sizes[rs.Name] = 1 // the default
			if rs.Replicas != nil {
				sizes[rs.Name] = int64(*rs.Replicas)
			}
		}
	}
	for i, a := range f.plan.Actions {
		switch a := a.(type) {
		case AdoptReplicaSet:
			k := slices.IndexFunc(f.s.ReplicaSets, func(rs replicaset.ReplicaSet) bool { return rs.Name == a.Name && rs.UID == a.UID })
			if k >= 0 && f.s.ReplicaSets[k].Replicas != nil {
				sizes[a.Name] = int64(*f.s.ReplicaSets[k].Replicas)
			}
		case ReleaseReplicaSet:
			delete(sizes, a.Name)
		case CreateReplicaSet:
			sizes[a.Name] = int64(a.Replicas)
		case ScaleReplicaSet:
			if i < failed {
				sizes[a.Name] = int64(a.To)
			}
		}
	}
	wanted := int64(0)
	for _, n := range sizes {
		wanted += n
	}
	available := int64(f.result.Status.AvailableReplicas)
	f.result.Status.UnavailableReplicas = int32(max(0, int64(withRepairs(f.opts.Policy, f.opts.Repair).Size(wanted))-available))
}

// clone returns a status that shares no memory with s.
func (s *Status) clone() Status {
	c := *s
	c.Conditions = slices.Clone(s.Conditions)
	if s.CollisionCount != nil {
		c.CollisionCount = ptr.To(*s.CollisionCount)
	}
	if s.TerminatingReplicas != nil {
		c.TerminatingReplicas = ptr.To(*s.TerminatingReplicas)
	}
	return c
}

// equal reports whether two statuses are the same.
func (s *Status) equal(t *Status) bool {
	return s.ObservedGeneration == t.ObservedGeneration && s.Replicas == t.Replicas && s.UpdatedReplicas == t.UpdatedReplicas &&
		s.ReadyReplicas == t.ReadyReplicas && s.AvailableReplicas == t.AvailableReplicas && s.UnavailableReplicas == t.UnavailableReplicas &&
		ptr.Equal(s.CollisionCount, t.CollisionCount) && ptr.Equal(s.TerminatingReplicas, t.TerminatingReplicas) &&
		slices.EqualFunc(s.Conditions, t.Conditions, func(a, b kplan.Condition) bool {
			return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message &&
				a.LastUpdateTime.Equal(b.LastUpdateTime) && a.LastTransitionTime.Equal(b.LastTransitionTime)
		})
}
