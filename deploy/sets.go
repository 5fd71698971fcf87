package deploy

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// old yields the number and the set of every ReplicaSet with another template,
// oldest first.
func (st *state) old(yield func(int, *set) bool) {
	for i := range st.sets {
		if i != st.newest && !yield(i, &st.sets[i]) {
			return
		}
	}
}

// all yields the old sets and then the new one.
func (st *state) all(yield func(int, *set) bool) {
	for i, s := range st.old {
		if !yield(i, s) {
			return
		}
	}
	if s := st.newSet(); s != nil {
		yield(st.newest, s)
	}
}

// newSet returns the ReplicaSet with the Deployment's template, or nil.
func (st *state) newSet() *set {
	if st.newest < 0 {
		return nil
	}
	return &st.sets[st.newest]
}

// total returns how many pods are wanted by all sets, as far as planned.
func (st *state) total() int64 {
	total := int64(0)
	for i := range st.sets {
		total += int64(st.sets[i].spec)
	}
	return st.asInt32Sum(total)
}

func (st *state) asInt32Sum(n int64) int64 { return st.policy().Sum(n) }
func (st *state) clampInt32(n int64) int32 { return st.policy().Size(n) }

func (s *set) status() *replicaset.Status { return &s.rs.Status }

// wantedAvailable returns the available pods of a set, as far as it wanted them before
// the plan.
func (s *set) wantedAvailable() int64 {
	return int64(max(0, min(s.status().AvailableReplicas, s.from)))
}

// count returns the counts of a set.
func (s *set) count() rollout.Set {
	return rollout.Set{Wanted: s.spec, Available: s.status().AvailableReplicas}
}

// setScale plans a size for a set and reports whether it changes. With
// refresh the annotations are brought up to date even if the size is right
// already; without, they are then left stale, as upstream leaves them. A size that has
// wrapped around below 0 changes nothing: the API server would refuse it.
func (st *state) setScale(i int, to int32, reason Reason, refresh bool) bool {
	s := &st.sets[i]
	if to < 0 || s.spec == to && !(refresh && st.annotationsStale(s.rs.Annotations)) {
		return false
	}
	if !s.scaled {
		s.scaled = true
		st.scaled = append(st.scaled, i)
	}
	changed := s.spec != to
	s.spec, s.reason = to, reason
	return changed
}

func (st *state) hold(name string, reason Reason, have, limit int32) {
	st.hold64(name, reason, int64(have), int64(limit))
}

func (st *state) hold64(name string, reason Reason, have, limit int64) {
	st.plan.Holds = append(st.plan.Holds, Hold{Name: name, Reason: reason, Have: have, Limit: limit})
}

// grows returns 1 for a set that is planned to grow, and otherwise 0. Where a
// scaling is repaired, what shrinks comes first, so that no prefix of a scaling wants more pods than the whole.
func (s *set) grows() int {
	if s.spec > s.from {
		return 1
	}
	return 0
}

// emitScales turns the planned sizes into actions, one for each ReplicaSet.
func (st *state) emitScales() {
	if st.refresh {
		for _, i := range st.activeSets() {
			st.setScale(i, st.sets[i].spec, ReasonScaling, true)
		}
	}
	shrinks := func(i int) bool { return st.sets[i].spec < st.sets[i].from }
	if st.shrinkFirst && slices.ContainsFunc(st.scaled, shrinks) {
		slices.SortStableFunc(st.scaled, func(i, j int) int { return cmp.Compare(st.sets[i].grows(), st.sets[j].grows()) })
	}
	for _, i := range st.scaled {
		s := &st.sets[i]
		annotations := st.sizeAnnotations()
		if i == st.newest {
			maps.Copy(annotations, st.withNextSize)
		}
		if s.spec == s.from {
			st.act(AnnotateReplicaSet{
				Name: s.rs.Name, UID: s.rs.UID, ResourceVersion: s.rs.ResourceVersion, Set: annotations, Reason: s.reason,
			})
			continue
		}
		scale := ScaleReplicaSet{
			Name: s.rs.Name, UID: s.rs.UID, ResourceVersion: s.rs.ResourceVersion, From: s.from, To: s.spec, Unhealthy: s.unhealthy,
			Set: annotations, Reason: s.reason,
		}
		st.act(scale)
		st.event(len(st.plan.Actions)-1, "Normal", "ScalingReplicaSet", st.scaleEvent(scale))
	}
	st.plan.Actions = append(st.plan.Actions, st.trailing...)
	for i := range st.plan.Events { // the pause is the last of these
		if st.plan.Events[i].Action == pending {
			st.plan.Events[i].Action = len(st.plan.Actions) - 1
		}
	}
}

// Places of events that have none in the plan, or not yet.
const (
	nowhere = -1
	pending = -2
)

func (st *state) act(a Action) {
	if st.plan.Actions == nil {
		st.plan.Actions = make(Actions, 0, 2) // most plans have no more
	}
	st.plan.Actions = append(st.plan.Actions, a)
}

func (st *state) event(action int, eventType, reason, message string) {
	st.plan.Events = append(st.plan.Events, Event{Action: action, Type: eventType, Reason: reason, Message: message})
}
