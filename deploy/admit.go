package deploy

import (
	"cmp"
	"time"

	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// A state is a snapshot that has been checked, defaulted and put in order, and the
// plan as far as it has been made. It reads the caller's slices and maps in place
// and never writes to them.
type state struct {
	d    Deployment
	pods []podorder.Pod
	now  time.Time
	opts Options

	replicas     int32
	budget       rollout.Budget
	deadline     int32 // seconds, or NoLimit
	historyLimit int32 // or NoLimit

	namespaceSets []replicaset.ReplicaSet // of the namespace
	sets          []set                   // own ReplicaSets, by creation and name
	newest        int                     // the one with the Deployment's template, or -1
	// shrinkFirst orders sizes so that no prefix of a scaling wants more than the whole.
	shrinkFirst bool
	scaled      []int       // sets whose size or annotations change, in order
	next        int64       // the revision of a new ReplicaSet
	refresh     bool        // annotations of all active sets are brought up to date
	conditions  []Condition // of the status to be
	// withNextSize is annotations that are no reason to write the new ReplicaSet, but that go
	// along with its next size: see revision.Sync.
	withNextSize map[string]string
	found        bool // the new set has been found, and Progressing says so unless something else follows

	trailing Actions // behind all scalings: deletions, and a pause
	aborted  bool    // the pass ends with an error, and reports nothing

	plan Plan
}

// A set is a ReplicaSet of the Deployment and what the plan does to it.
type set struct {
	rs   *replicaset.ReplicaSet // the caller's, or an empty one if the plan creates it
	from int32                  // size before the plan
	spec int32                  // size after the plan
	// unhealthy is how many of the removed pods were not available.
	unhealthy int32
	// cleaned is how many of these upstream knows of when it counts.
	cleaned int32
	scaled  bool
	adopted bool // the plan makes the Deployment its controller
	reason  Reason
}

// admit checks, defaults and orders a snapshot. The state is the caller's, so that it
// need not be allocated.
func (st *state) admit(s *Snapshot, now time.Time, opts *Options) error {
	st.d, st.pods, st.namespaceSets, st.newest = s.Deployment, s.Pods, s.ReplicaSets, -1
	st.now, st.opts = now.Round(0).UTC(), *opts
	var errs field.Errors
	if now.IsZero() {
		errs.Add("now", "", "must be set")
	}
	opts.admit(&errs)
	st.admitDeployment(&errs)
	st.admitReplicaSets(&errs)
	if err := errs.Join(); err != nil {
		return err
	}
	st.conditions = append(make([]Condition, 0, max(2, len(st.d.Status.Conditions))), st.d.Status.Conditions...)
	st.plan.Budget = st.budget
	if st.d.Strategy == Recreate { // every pod may be unavailable on the way
		st.plan.Budget.Unavailable = st.replicas
	}
	return nil
}

// admit rejects quirks and policies that do not exist.
func (o *Options) admit(errs *field.Errors) {
	if beyond := o.Repair &^ RepairAll; beyond != 0 {
		errs.Add("Options.Repair", uint64(beyond), "must have no bits beyond RepairAll")
	}
	switch o.Terminating {
	case TerminationStarted, TerminationComplete, TerminationKnown:
	default:
		errs.Add("Options.Terminating", string(o.Terminating), "must be TerminationComplete or TerminationKnown, or unset")
	}
	switch o.Paused {
	case PausedFill, PausedScale, PausedFreeze:
	default:
		errs.Add("Options.Paused", string(o.Paused), "must be Scale or Freeze, or unset")
	}
	switch o.Adoption {
	case AdoptAll, AdoptSameTemplate, AdoptNone:
	default:
		errs.Add("Options.Adoption", string(o.Adoption), "must be SameTemplate or None, or unset")
	}
	switch o.Leftover {
	case LeftoverDefault, LeftoverLargest, LeftoverNewest:
	default:
		errs.Add("Options.Leftover", string(o.Leftover), "must be Largest or Newest, or unset")
	}
}

func (st *state) admitDeployment(errs *field.Errors) {
	d := &st.d
	if d.Name == "" {
		errs.Add("Deployment.Name", "", "must be set")
	}
	if d.UID == "" {
		errs.Add("Deployment.UID", "", "must be set, because it decides which ReplicaSets belong to the Deployment")
	}
	number := func(path string, value *int32, unset int32) int32 {
		if value == nil {
			return unset
		}
		errs.NotNegative(path, *value)
		return *value
	}
	st.replicas = number("Deployment.Replicas", d.Replicas, 1)
	st.deadline = number("Deployment.ProgressDeadlineSeconds", d.ProgressDeadlineSeconds, NoLimit)
	st.historyLimit = number("Deployment.RevisionHistoryLimit", d.RevisionHistoryLimit, NoLimit)
	errs.NotNegative("Deployment.MinReadySeconds", d.MinReadySeconds)
	st.admitStrategy(errs)
}

func (st *state) admitStrategy(errs *field.Errors) {
	d := &st.d
	if d.Partitioned != nil {
		st.admitPartitioned(errs)
		return
	}
	switch d.Strategy {
	case "", RollingUpdate:
		if d.MaxSurge.IsNegative() {
			errs.Add("Deployment.MaxSurge", d.MaxSurge.String(), "must not be negative")
		}
		if d.MaxUnavailable.IsNegative() {
			errs.Add("Deployment.MaxUnavailable", d.MaxUnavailable.String(), "must not be negative")
		}
		resolve := rollout.Resolve
		if st.opts.Repair.Has(SumsWrapAround) {
			resolve = rollout.ResolveExact
		}
		st.budget = resolve(st.replicas, d.MaxSurge, d.MaxUnavailable)
	case Recreate:
		st.budget = rollout.Budget{Replicas: st.replicas}
	default:
		errs.Add("Deployment.Strategy", string(d.Strategy), "must be RollingUpdate or Recreate")
	}
}

func (st *state) deleting() bool { return !st.d.DeletionTimestamp.IsZero() }

// admitReplicaSets claims the ReplicaSets and checks that they can be told apart.
func (st *state) admitReplicaSets(errs *field.Errors) {
	st.claim(errs)
	if i, _, found := field.Duplicate(len(st.sets), func(i int) string { return st.sets[i].rs.Name }); found {
		name := st.sets[i].rs.Name
		errs.Add(field.Element("ReplicaSets", name)+".Name", name, "must be unique")
	}
	if i, j, found := field.Duplicate(len(st.sets), func(i int) string { return st.sets[i].rs.UID }); found {
		name := min(st.sets[i].rs.Name, st.sets[j].rs.Name)
		errs.Add(field.Element("ReplicaSets", name)+".UID", st.sets[i].rs.UID, "must be unique")
	}
}

func admitReplicaSet(rs *replicaset.ReplicaSet, adopted bool, errs *field.Errors) set {
	size := int32(1)
	if rs.Replicas != nil {
		size = *rs.Replicas
	}
	if rs.Name == "" || rs.UID == "" || size < 0 {
		path := field.Element("ReplicaSets", rs.Name)
		if rs.Name == "" {
			errs.Add(path+".Name", "", "must be set")
		}
		if rs.UID == "" {
			errs.Add(path+".UID", "", "must be set")
		}
		errs.NotNegative(path+".Replicas", size)
	}
	return set{rs: rs, adopted: adopted, from: size, spec: size}
}

// byCreation orders ReplicaSets oldest first. An unset time is the oldest.
func byCreation(a, b *replicaset.ReplicaSet) int {
	if c := a.CreationTimestamp.Compare(b.CreationTimestamp); c != 0 {
		return c
	}
	return cmp.Compare(a.Name, b.Name)
}
