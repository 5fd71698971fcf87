// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"time"

	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// An input is a snapshot that has been checked, defaulted, claimed and put in order.
// Nothing writes to it. It reads the caller's slices and maps in place.
type input struct {
	d       Deployment
	pods    []podorder.Pod // of a Tracker only if admitPods has read them
	tracked *roster        // in place of the lists, or nil
	now     time.Time
	opts    Options

	replicas     int32
	budget       rollout.Budget
	policy       rollout.Policy // with Options.Repair
	hasPolicies  bool           // the caller has policies
	deadline     int32          // seconds, or NoLimit
	historyLimit int32          // or NoLimit

	namespaceSets []replicaset.ReplicaSet  // of the namespace
	sets          []set                    // own ReplicaSets, by creation and name
	released      []*replicaset.ReplicaSet // no longer its own, by creation and name
	newAt         int                      // the place of the new one, with the Deployment's template, or -1
	nextRevision  int64                    // the revision of a new ReplicaSet
}

// A set is a ReplicaSet that the Deployment owns. Its index in input.sets identifies it in a plan.
type set struct {
	rs      *replicaset.ReplicaSet // the caller's, or an empty one if the plan creates it
	size    int32                  // pods that it wants
	adopted bool                   // the plan makes the Deployment its controller
}

func (in *input) deleting() bool { return !in.d.DeletionTimestamp.IsZero() }

func (in *input) hasDeadline() bool { return in.deadline != NoLimit }

// partitioned reports whether the Deployment is rolled by partition.
func (in *input) partitioned() bool { return in.d.Partitioned != nil }

// old yields the index and the set of every ReplicaSet but the new one, oldest first.
func (in *input) old(yield func(int, *set) bool) {
	for i := range in.sets {
		if i != in.newAt && !yield(i, &in.sets[i]) {
			return
		}
	}
}

// hasActiveOld reports whether some old set wants pods.
func (in *input) hasActiveOld() bool {
	for range in.activeOld {
		return true
	}
	return false
}

// activeOld yields the old sets that want pods, oldest first.
func (in *input) activeOld(yield func(int, *set) bool) {
	for i, s := range in.old {
		if s.size > 0 && !yield(i, s) {
			return
		}
	}
}

// all yields the old sets and then the new one.
func (in *input) all(yield func(int, *set) bool) {
	for i, s := range in.old {
		if !yield(i, s) {
			return
		}
	}
	if s := in.newSet(); s != nil {
		yield(in.newAt, s)
	}
}

// newSet returns the ReplicaSet with the Deployment's template, or nil.
func (in *input) newSet() *set {
	if in.newAt < 0 {
		return nil
	}
	return &in.sets[in.newAt]
}

// named returns the ReplicaSet of the namespace with a name, or nil.
func (in *input) named(name string) *replicaset.ReplicaSet {
	if in.tracked != nil {
		return in.tracked.named(name)
	}
	for i := range in.namespaceSets {
		if in.namespaceSets[i].Name == name {
			return &in.namespaceSets[i]
		}
	}
	return nil
}

func (s *set) status() *replicaset.Status { return &s.rs.Status }

// rolloutSet returns the counts of a set for package rollout.
func (s *set) rolloutSet() rollout.Set {
	return rollout.Set{Wanted: s.size, Available: s.status().AvailableReplicas}
}

// policySet returns the counts of a set for package rollout, with its policy from Options.Sets.
func (in *input) policySet(s *set) rollout.Set {
	c := s.rolloutSet()
	if in.hasPolicies {
		p := in.opts.Sets[s.rs.Name]
		c.There, c.Least, c.Protected, c.Moves, c.Busy = s.status().Replicas, p.Least, p.Protected, p.Moves, p.Busy
	}
	return c
}

// leastSize returns the size below which Options.Sets does not let a set shrink.
func (in *input) leastSize(i int) int32 {
	if len(in.opts.Sets) == 0 {
		return 0
	}
	return in.policy.Keeps(in.policySet(&in.sets[i]))
}

// A roster holds the ReplicaSets and pods of a Tracker. A pass reads it in place of lists.
type roster struct {
	sets     tracked.Table[replicaset.ReplicaSet, ofSets]
	places   paged.List[int32] // of each set in relevant, from 1; 0 if it is not there
	relevant paged.List[int32] // the sets that a plan reads
	pods     tracked.Table[podorder.Pod, tracked.Pods]
	running  tracked.Counter // of the pods that have not ended, by the UID of their controller
}

// ofSets describes ReplicaSets to package tracked.
type ofSets struct{}

func (ofSets) Word() string                             { return "ReplicaSet" }
func (ofSets) Path() string                             { return "ReplicaSet" }
func (ofSets) Name(rs *replicaset.ReplicaSet) string    { return rs.Name }
func (ofSets) UID(rs *replicaset.ReplicaSet) string     { return rs.UID }
func (ofSets) Version(rs *replicaset.ReplicaSet) string { return rs.ResourceVersion }

func (r *roster) clone() roster {
	return roster{r.sets.Clone(), r.places.Clone(), r.relevant.Clone(), r.pods.Clone(), r.running.Clone()}
}

// relevantAt returns one of the sets that a plan reads.
func (r *roster) relevantAt(k int) *replicaset.ReplicaSet { return r.sets.At(int(r.relevant.At(k))) }

// named returns the set with a name, or nil.
func (r *roster) named(name string) *replicaset.ReplicaSet {
	if i := r.sets.Find(name); i >= 0 {
		return r.sets.At(i)
	}
	return nil
}

// counts are the sums over all ReplicaSets before the plan.
type counts struct {
	wanted, replicas, ready, available int64

	terminating      int64
	terminatingKnown bool // every ReplicaSet that has been synced reports its terminating pods

	hasConditions bool // some ReplicaSet has conditions, and so perhaps a failure
}

// count sums up the ReplicaSets.
func (c *counts) count(in *input) {
	c.terminatingKnown = true
	for i := range in.sets {
		s := &in.sets[i]
		status := s.status()
		c.wanted += int64(s.size)
		c.replicas += int64(status.Replicas)
		c.ready += int64(status.ReadyReplicas)
		c.available += int64(status.AvailableReplicas)
		c.hasConditions = c.hasConditions || len(status.Conditions) > 0
		switch {
		case status.TerminatingReplicas != nil:
			c.terminating += int64(*status.TerminatingReplicas)
		case status.ObservedGeneration != 0:
			c.terminatingKnown = false
		}
	}
}

// terminatingThatCount returns the number of terminating pods that take up room by
// Options.Terminating. If known is false, nothing may be started until the number is known.
func (c *counts) terminatingThatCount(in *input) (n int64, known bool) {
	if in.opts.Terminating == TerminationStarted {
		return 0, true
	}
	if !c.terminatingKnown {
		return 0, in.opts.Terminating != TerminationKnown
	}
	return int64(in.policy.Size(c.terminating)), true
}
