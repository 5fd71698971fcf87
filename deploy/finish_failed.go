package deploy

import (
	"math"
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// failed is what follows when an action failed, and with it the pass: of the status only
// the conditions that upstream has written by then.
func (f *finish) failed(i int) {
	var st state
	opts := f.opts
	if err := st.admit(f.s, f.now, &opts); err != nil {
		f.result.Errs = append(f.result.Errs, err)
		return
	}
	if !st.deleting() && !st.partitioned() {
		st.notePause()
	}
	o := f.outcome(i)
	switch a := f.plan.Actions[i].(type) {
	case CreateReplicaSet:
		f.notCreated(&st, a, o)
	default:
		f.fail(a, o.Failure())
		f.before(&st, i)
	}
	st.keepStatus()
	f.result.Status, f.result.Holds = st.plan.Status, st.plan.Holds
	f.result.Events = append(f.result.Events, eventsOf(&st, i)...)
}

// eventsOf returns what a failure of an action has added.
func eventsOf(st *state, action int) []Event {
	for i := range st.plan.Events {
		st.plan.Events[i].Action = action
	}
	return st.plan.Events
}

// nameWasFree reports whether a ReplicaSet was created although the plan, which ends with its
// creation, expected that its name is taken.
func (f *finish) nameWasFree() bool {
	if len(f.plan.Actions) == 0 {
		return false
	}
	a, ok := f.plan.Actions[len(f.plan.Actions)-1].(CreateReplicaSet)
	return ok && slices.ContainsFunc(f.plan.Holds, func(h Hold) bool { return h.Reason == ReasonNameTaken && h.Name == a.Name })
}

// created is what follows that creation: what upstream writes and says of it at once.
func (f *finish) created() {
	var st state
	opts := f.opts
	if err := st.admit(f.s, f.now, &opts); err != nil {
		f.result.Errs = append(f.result.Errs, err)
		return
	}
	if !st.deleting() && !st.partitioned() {
		st.notePause()
	}
	last := len(f.plan.Actions) - 1
	a := f.plan.Actions[last].(CreateReplicaSet)
	f.before(&st, last+1)
	if a.Replicas > 0 {
		st.event(last, "Normal", "ScalingReplicaSet", st.createEvent(a.Name, a.Replicas))
	}
	st.annotateDeployment(strconv.FormatInt(a.Revision, 10))
	f.annotate(&st)
	st.keepStatus()
	f.result.Status = st.plan.Status
	f.result.Events = append(f.result.Events, st.plan.Events...)
}

// annotate adds the annotations that a state has planned to those of the status.
func (f *finish) annotate(st *state) {
	for _, a := range st.plan.Actions {
		f.nextAnnotations = with(f.nextAnnotations, a.(AnnotateDeployment).Set)
	}
}

// before sets the conditions that were set before an action.
func (f *finish) before(st *state, i int) {
	if i < len(f.plan.Actions) {
		if a, ok := f.plan.Actions[i].(AnnotateReplicaSet); ok && a.Reason == ReasonRevision {
			return // it is what comes first
		}
	}
	st.syncNew()
	st.plan = Plan{}
	if !st.hasDeadline() {
		return
	}
	for k, a := range f.plan.Actions[:i] {
		if a, ok := a.(CreateReplicaSet); ok && f.outcome(k).Answer == selector.Done {
			st.setCondition(ConditionProgressing, selector.ConditionTrue, progressCreated, quoting("Created new replica set ", a.Name, ""))
			st.found = false
		}
	}
}

// notCreated is what follows when the new ReplicaSet was not created.
func (f *finish) notCreated(st *state, a CreateReplicaSet, o *selector.Outcome) {
	st.plan = Plan{}
	switch o.Answer {
	case selector.NamespaceTerminating:
	case selector.AlreadyExists:
		f.fail(a, o.Failure())
		switch rs := st.named(a.Name); {
		case rs == nil:
		case rs.ControllerUID == st.d.UID && rs.Template.Same(st.d.Template):
			st.annotateDeployment(strconv.FormatInt(a.Revision, 10))
			f.annotate(st)
		default:
			st.hold(a.Name, ReasonNameTaken, 0, 0)
			st.d.Status.CollisionCount = collided(st.d.Status.CollisionCount)
		}
	default:
		f.fail(a, o.Failure())
		st.reportCreateFailure(a.Name, o.Failure().Error())
	}
}

// collided returns the next count of collisions. It never becomes 0 again.
func collided(count *int32) *int32 {
	switch {
	case count == nil:
		return new(int32(1))
	case *count == math.MaxInt32:
		return count
	}
	return new(*count + 1)
}

// named returns the ReplicaSet of the namespace with a name, or nil.
func (st *state) named(name string) *replicaset.ReplicaSet {
	for i := range st.namespaceSets {
		if st.namespaceSets[i].Name == name {
			return &st.namespaceSets[i]
		}
	}
	return nil
}

func (st *state) reportCreateFailure(name, message string) {
	text := quoting("Failed to create new replica set ", name, ": "+message)
	if st.hasDeadline() {
		st.setCondition(ConditionProgressing, selector.ConditionFalse, progressFailed, text)
	}
	st.event(nowhere, "Warning", progressFailed, text)
	st.hold(name, ReasonCreateFailed, 0, 0)
}

// recount corrects the number of unavailable pods where it is that of the sizes after the
// plan: from a failed action on they are what they were.
func (f *finish) recount(failed int) {
	if !f.opts.Repair.Has(UnavailableReplicasLag) {
		return
	}
	sizes := map[string]int64{}
	for i := range f.s.ReplicaSets {
		if rs := &f.s.ReplicaSets[i]; rs.ControllerUID == f.s.Deployment.UID {
			sizes[rs.Name] = 1
			if rs.Replicas != nil {
				sizes[rs.Name] = int64(*rs.Replicas)
			}
		}
	}
	for i, a := range f.plan.Actions {
		switch a := a.(type) {
		case AdoptReplicaSet:
			k := slices.IndexFunc(f.s.ReplicaSets, func(rs replicaset.ReplicaSet) bool { return rs.UID == a.UID })
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
	f.result.Status.UnavailableReplicas = int32(max(0, int64(f.opts.Repair.policy().Size(wanted))-available))
}

// clone returns a status that shares no memory with s.
func (s *Status) clone() Status {
	c := *s
	c.Conditions = slices.Clone(s.Conditions)
	if s.CollisionCount != nil {
		c.CollisionCount = new(*s.CollisionCount)
	}
	if s.TerminatingReplicas != nil {
		c.TerminatingReplicas = new(*s.TerminatingReplicas)
	}
	return c
}

// equal reports whether two statuses say the same.
func (s *Status) equal(t *Status) bool {
	number := func(a, b *int32) bool { return a == b || a != nil && b != nil && *a == *b }
	return s.ObservedGeneration == t.ObservedGeneration && s.Replicas == t.Replicas && s.UpdatedReplicas == t.UpdatedReplicas &&
		s.ReadyReplicas == t.ReadyReplicas && s.AvailableReplicas == t.AvailableReplicas && s.UnavailableReplicas == t.UnavailableReplicas &&
		number(s.CollisionCount, t.CollisionCount) && number(s.TerminatingReplicas, t.TerminatingReplicas) &&
		slices.EqualFunc(s.Conditions, t.Conditions, func(a, b Condition) bool {
			return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message &&
				a.LastUpdateTime.Equal(b.LastUpdateTime) && a.LastTransitionTime.Equal(b.LastTransitionTime)
		})
}
