// Package roller is a planner of Deployments written without kplan's: rolling updates, Recreate,
// pause and a history, and nothing else. It uses the types of package deploy, and none of its
// decisions.
package roller

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// A roller plans one pass.
type roller struct {
	bug      Bug
	s        *deploy.Snapshot
	d        *deploy.Deployment
	replicas int64
	most     int64 // largest sum of sizes
	least    int64 // least number of available pods
	sets     []set // oldest first
	fresh    int   // the index of the new one, or -1
	plan     deploy.Plan
}

// A set is a ReplicaSet with its planned size.
type set struct {
	*replicaset.ReplicaSet
	was, size, available int64
}

// Plan returns a planner with a bug, or without one.
func Plan(bug Bug) func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error) {
	return func(s deploy.Snapshot, now time.Time, _ deploy.Options) (deploy.Plan, error) {
		r := &roller{bug: bug, s: &s, d: &s.Deployment, fresh: -1}
		r.limits()
		r.list()
		r.status(now)
		if bug == PauseIgnored || !r.d.Paused {
			if r.d.Strategy == deploy.Recreate && bug != RecreateRolls {
				r.recreate()
			} else {
				r.create()
				r.grow()
				r.shrink()
			}
			r.write()
			r.cleanUp()
		}
		return r.plan, nil
	}
}

func (r *roller) limits() {
	r.replicas = 1
	if r.d.Replicas != nil || r.bug == NilReplicas {
		r.replicas = int64(*r.d.Replicas)
	}
	surge := amount(r.d.MaxSurge, r.replicas, r.bug != SurgeRoundedDown)
	unavailable := min(amount(r.d.MaxUnavailable, r.replicas, r.bug == UnavailableRoundedUp), r.replicas)
	if r.d.Strategy == deploy.Recreate {
		surge, unavailable = 0, r.replicas
	}
	if surge == 0 && unavailable == 0 && r.bug != BothLimitsZero {
		unavailable = min(1, r.replicas)
	}
	r.most, r.least = r.replicas+surge, r.replicas-unavailable
	r.plan.Budget = rollout.Budget{Replicas: int32(r.replicas), Surge: int32(surge), Unavailable: int32(unavailable)}
	switch r.bug {
	case OneTooMany:
		r.most++
	case OneTooFew:
		r.least = max(0, r.least-1)
	case Wraps:
		r.most = int64(int32(r.replicas) + int32(surge))
	}
}

// amount resolves a limit to a number out of of.
func amount(v rollout.IntOrPercent, of int64, up bool) int64 {
	n := int64(v.Value())
	if v.IsPercent() {
		if n *= of; up {
			n += 99
		}
		n /= 100
	}
	return min(n, math.MaxInt32)
}

// list finds the ReplicaSets of the Deployment.
func (r *roller) list() {
	for i := range r.s.ReplicaSets {
		rs := &r.s.ReplicaSets[i]
		if rs.ControllerUID != r.d.UID && r.bug != TakesOthers {
			continue
		}
		x := set{ReplicaSet: rs, was: 1}
		if rs.Replicas != nil {
			x.was = int64(*rs.Replicas)
		}
		x.size = x.was
		x.available = max(0, min(int64(rs.Status.AvailableReplicas), x.size))
		if r.bug == ReportedAreAvailable {
			x.available = max(0, min(int64(rs.Status.Replicas), x.size))
		}
		r.sets = append(r.sets, x)
	}
	if r.bug != UnsortedSets {
		slices.SortFunc(r.sets, func(a, b set) int {
			return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp), cmp.Compare(a.Name, b.Name))
		})
	}
	for i, x := range r.sets {
		if x.Template.Same(r.d.Template) && r.fresh < 0 {
			r.fresh = i
		}
	}
}

func (r *roller) total() (n int64) {
	for _, x := range r.sets {
		n += x.size
	}
	return n
}

func (r *roller) status(now time.Time) {
	st := &r.plan.Status
	st.ObservedGeneration, st.Conditions = r.d.Generation, slices.Clone(r.d.Status.Conditions)
	for i, x := range r.sets {
		st.Replicas += x.Status.Replicas
		st.ReadyReplicas += x.Status.ReadyReplicas
		st.AvailableReplicas += x.Status.AvailableReplicas
		if i == r.fresh {
			st.UpdatedReplicas = x.Status.Replicas
		}
	}
	if r.bug == TimeOfDay && now.Hour() < 12 {
		st.ReadyReplicas = 0
	}
}

// next returns the revision of a new template.
func (r *roller) next() string {
	highest := int64(0)
	for i, x := range r.sets {
		if n, err := strconv.ParseInt(x.Annotations[revision.AnnotationRevision], 10, 64); err == nil && i != r.fresh {
			highest = max(highest, n)
		}
	}
	if r.bug == CountsRevisions {
		highest = int64(len(r.sets))
	}
	return strconv.FormatInt(highest+1, 10)
}

// create creates the ReplicaSet of the template, with as many pods as the surge permits.
func (r *roller) create() {
	if r.fresh >= 0 {
		r.number()
		return
	}
	n := max(0, min(r.replicas, r.most-r.total()))
	if r.d.Strategy == deploy.Recreate || r.bug == CreatesAll {
		n = r.replicas
	}
	number := r.next()
	annotations := map[string]string{revision.AnnotationRevision: number}
	if r.bug == NoRevision {
		delete(annotations, revision.AnnotationRevision)
	}
	parsed, _ := strconv.ParseInt(number, 10, 64)
	hash := r.d.Template.Hash
	r.plan.Actions = append(r.plan.Actions, deploy.CreateReplicaSet{
		Name: r.d.Name + "-" + hash, Replicas: int32(n), Template: r.d.Template, Revision: parsed,
		Labels: map[string]string{"pod-template-hash": hash}, Annotations: annotations, Reason: reason.NewTemplate,
	})
	r.sets = append(r.sets, set{ReplicaSet: &replicaset.ReplicaSet{Template: r.d.Template}, size: n})
	r.fresh = len(r.sets) - 1
}

// number gives the new ReplicaSet a revision above all others.
func (r *roller) number() {
	rs := r.sets[r.fresh].ReplicaSet
	now, _ := strconv.ParseInt(rs.Annotations[revision.AnnotationRevision], 10, 64)
	want, _ := strconv.ParseInt(r.next(), 10, 64)
	switch {
	case now < want || r.bug == WritesAgain:
		annotations := map[string]string{revision.AnnotationRevision: strconv.FormatInt(max(now, want), 10)}
		if r.bug == SharesMaps && rs.Annotations != nil {
			rs.Annotations[revision.AnnotationRevision] = strconv.FormatInt(want, 10)
			annotations = rs.Annotations
		}
		r.plan.Actions = append(r.plan.Actions, deploy.AnnotateReplicaSet{Name: rs.Name, UID: rs.UID, Set: annotations, Reason: reason.Revision})
	}
}

// resize sets the planned size.
func (x *set) resize(size int64) { x.size, x.available = size, min(x.available, size) }

// write adds the size changes to the plan, the new ReplicaSet first.
func (r *roller) write() {
	for i, x := range r.sets {
		if x.size == x.was || x.Name == "" {
			continue
		}
		a := deploy.ScaleReplicaSet{Name: x.Name, UID: x.UID, From: int32(x.was), To: int32(x.size), Reason: reason.RolloutDown}
		if r.bug == NoUID {
			a.UID = ""
		}
		if i != r.fresh {
			r.plan.Actions = append(r.plan.Actions, a)
			continue
		}
		a.Reason = reason.RolloutUp
		r.plan.Actions = slices.Insert(r.plan.Actions, 0, deploy.Action(a))
	}
}

func (r *roller) hold(reason kplan.Reason) {
	r.plan.Holds = append(r.plan.Holds, kplan.Hold{Reason: reason})
}

// grow scales the new ReplicaSet up as far as the surge permits, or down to the replicas.
func (r *roller) grow() {
	x := &r.sets[r.fresh]
	if x.ReplicaSet.Name == "" {
		return // it has just been created
	}
	switch want := min(r.replicas, x.size+max(0, r.most-r.total())); {
	case x.size > r.replicas && r.bug != NewStaysLarge:
		x.resize(r.replicas)
	case want > x.size:
		x.resize(want)
	}
	if x.size < r.replicas {
		r.hold(reason.SurgeExhausted)
	}
}

// shrink scales old ReplicaSets down, unavailable pods first.
func (r *roller) shrink() {
	fresh := r.sets[r.fresh]
	left := r.total() - r.least - (fresh.size - fresh.available)
	if r.bug == NewCountAsAvailable {
		left = r.total() - r.least
	}
	for i := range r.sets {
		if x := &r.sets[i]; i != r.fresh && left > 0 && r.bug != HealthyFirst {
			n := min(left, x.size-x.available)
			if r.bug == AllUnhealthy {
				n = x.size - x.available
			}
			left -= n
			x.resize(x.size - n)
		}
	}
	available := int64(0)
	for _, x := range r.sets {
		available += x.available
	}
	spare := min(left, available-r.least)
	for i := range r.sets {
		x := &r.sets[i]
		if i == r.fresh || spare <= 0 {
			continue
		}
		n := min(spare, x.size)
		if r.bug == LastPodStays {
			n = min(spare, max(0, x.size-1))
		}
		spare -= n
		x.resize(x.size - n)
	}
	if r.total() > fresh.size {
		r.hold(reason.MinAvailable)
	}
}

// recreate scales all old ReplicaSets to 0, and starts new pods when the last old one has ended.
func (r *roller) recreate() {
	waits := false
	for i := range r.sets {
		if x := &r.sets[i]; i != r.fresh {
			waits = waits || x.size > 0 || x.Status.Replicas > 0 && r.bug != RecreateLooksAtSizes
			x.resize(0)
		}
	}
	if waits && r.bug != RecreateWaitsForNobody {
		r.hold(reason.OldPodsRemain)
		return
	}
	r.create()
	if x := &r.sets[r.fresh]; x.ReplicaSet.Name != "" {
		x.resize(r.replicas)
	}
}

// cleanUp deletes the oldest ReplicaSets without pods beyond the limit.
func (r *roller) cleanUp() {
	if r.d.RevisionHistoryLimit == nil || *r.d.RevisionHistoryLimit == deploy.NoLimit {
		return
	}
	var idle []set
	for i, x := range r.sets {
		used := x.size > 0 || x.Status.Replicas > 0 && r.bug != DeletesUsed
		if observed := x.Generation <= x.Status.ObservedGeneration; i != r.fresh && !used && observed && x.Replicas != nil && *x.Replicas == 0 {
			idle = append(idle, x)
		}
	}
	limit := int(*r.d.RevisionHistoryLimit)
	if r.bug == KeepsNoHistory {
		limit = 0
	}
	for _, x := range idle[:max(0, len(idle)-limit)] {
		r.plan.Actions = append(r.plan.Actions, deploy.DeleteReplicaSet{Name: x.Name, UID: x.UID, ResourceVersion: x.ResourceVersion, Reason: reason.HistoryLimit})
	}
}
