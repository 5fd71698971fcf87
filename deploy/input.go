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

// An input is a checked snapshot with defaults and resolved limits, and with the ReplicaSets of the
// Deployment, sorted. It does not change after it is admitted. pods, namespaceSets and the maps in
// objects belong to the caller.
type input struct {
	d       Deployment
	pods    []podorder.Pod // with a Tracker, nil unless admitPods needs them
	tracked *roster        // of a Tracker, in place of the lists; or nil
	now     time.Time
	opts    Options

	replicas     int32
	budget       rollout.Budget
	policy       rollout.Policy // Options.Policy, plus the fields that Options.Repair sets
	hasPolicies  bool           // Options.Policy or Options.Sets is set
	deadline     int32          // the progress deadline in seconds, or NoLimit
	historyLimit int32          // old ReplicaSets to keep, or NoLimit

	namespaceSets []replicaset.ReplicaSet  // all ReplicaSets of the namespace
	sets          []set                    // of the Deployment, by creation time and name
	released      []*replicaset.ReplicaSet // to release, by creation time and name
	newAt         int                      // the index of the new ReplicaSet in sets, or -1
	nextRevision  int64                    // the revision of a ReplicaSet that the plan creates
}

// A set is a ReplicaSet that the Deployment controls or adopts. The new set is the oldest one with
// the Deployment's template, and all others are old, even with the same template. An active set wants pods. In this package a set is
// identified by its index in input.sets.
type set struct {
	rs      *replicaset.ReplicaSet // the caller's, or the ReplicaSet that the plan creates
	size    int32                  // spec.replicas: the pods that it wants
	adopted bool                   // the plan adopts it
}

func (in *input) deleting() bool { return !in.d.DeletionTimestamp.IsZero() }

func (in *input) hasDeadline() bool { return in.deadline != NoLimit }

// partitioned reports whether the Deployment is rolled by partition: see [PartitionedBy].
func (in *input) partitioned() bool { return in.d.Partitioned != nil }

// old yields the index of each old set and the set, oldest first.
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

// all yields the old sets, oldest first, and then the new set if there is one.
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

// newSet returns the set with the Deployment's template, or nil.
func (in *input) newSet() *set {
	if in.newAt < 0 {
		return nil
	}
	return &in.sets[in.newAt]
}

// named returns the ReplicaSet of the namespace with a name, or nil. Of several, which a namespace
// never has, it returns the first by UID.
func (in *input) named(name string) (found *replicaset.ReplicaSet) {
	if in.tracked != nil {
		return in.tracked.named(name)
	}
	for i := range in.namespaceSets {
		if rs := &in.namespaceSets[i]; rs.Name == name && (found == nil || rs.UID < found.UID) {
			found = rs
		}
	}
	return found
}

func (s *set) status() *replicaset.Status { return &s.rs.Status }

// rolloutSet returns the counts of a set for package rollout.
func (s *set) rolloutSet() rollout.Set {
	return rollout.Set{Wanted: s.size, Available: s.status().AvailableReplicas}
}

// policySet returns the counts of a set for package rollout. If there are policies, it includes the
// existing pods and the policies of the set in Options.Sets.
func (in *input) policySet(s *set) rollout.Set {
	c := s.rolloutSet()
	if in.hasPolicies {
		p := in.opts.Sets[s.rs.Name]
		c.There, c.Least, c.Protected, c.Moves, c.Busy = s.status().Replicas, p.Least, p.Protected, p.Moves, p.Busy
	}
	return c
}

// leastSize returns the size below which Options.Sets does not let a set shrink. It is 0 without
// policies for single sets.
func (in *input) leastSize(i int) int32 {
	if len(in.opts.Sets) == 0 {
		return 0
	}
	return in.policy.Keeps(in.policySet(&in.sets[i]))
}

// A roster holds the ReplicaSets and pods of a Tracker. A pass reads it in place of lists.
type roster struct {
	sets     tracked.Table[replicaset.ReplicaSet, ofSets]
	places   paged.List[int32] // for each ReplicaSet its index in relevant plus 1, or 0
	relevant paged.List[int32] // indexes in sets of the ReplicaSets that a plan reads
	pods     tracked.Table[podorder.Pod, tracked.Pods]
	running  tracked.Counter // of pods that have not ended, by the UID of their controller
}

// ofSets describes ReplicaSets to package tracked.
type ofSets struct{}

func (ofSets) Word() string                             { return "ReplicaSet" }
func (ofSets) Path() string                             { return "ReplicaSet" }
func (ofSets) Name(rs *replicaset.ReplicaSet) string    { return rs.Name }
func (ofSets) UID(rs *replicaset.ReplicaSet) string     { return rs.UID }
func (ofSets) Version(rs *replicaset.ReplicaSet) string { return rs.ResourceVersion }
func (k ofSets) Same(a, b *replicaset.ReplicaSet) bool  { return tracked.SameVersion(k, a, b) }

func (r *roster) clone() roster {
	return roster{r.sets.Clone(), r.places.Clone(), r.relevant.Clone(), r.pods.Clone(), r.running.Clone()}
}

// relevantAt returns the kth ReplicaSet that a plan reads. The numbers are arbitrary.
func (r *roster) relevantAt(k int) *replicaset.ReplicaSet { return r.sets.At(int(r.relevant.At(k))) }

// named returns the ReplicaSet with a name, or nil.
func (r *roster) named(name string) *replicaset.ReplicaSet {
	if i := r.sets.Find(name); i >= 0 {
		return r.sets.At(i)
	}
	return nil
}

// counts are sums over the Deployment's ReplicaSets before the plan.
type counts struct {
	wanted, replicas, ready, available int64

	terminating      int64
	terminatingKnown bool // every ReplicaSet that has been synced reports its terminating pods

	hasConditions bool // some ReplicaSet has conditions: one may be ReplicaFailure
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

// terminatingThatCount returns the number of terminating pods that use up the surge under
// Options.Terminating. If some synced ReplicaSet does not report its terminating pods, the number
// is 0; with [TerminationKnown] known is then false, and no pods may be started.
func (c *counts) terminatingThatCount(in *input) (n int64, known bool) {
	if in.opts.Terminating == TerminationStarted {
		return 0, true
	}
	if !c.terminatingKnown {
		return 0, in.opts.Terminating != TerminationKnown
	}
	return int64(in.policy.Size(c.terminating)), true
}
