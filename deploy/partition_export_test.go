package deploy

import "time"

// A StepResult is what one step of a partitioned pass comes to, for tests that
// compare it with recordings of that step alone.
type StepResult struct {
	Sizes      map[string]int32  // of all sets, by name
	Set        map[string]Action // what was planned, by the name of the set
	OldSurplus int32             // of active old sets, before the step
	Scaled     bool
	Aborted    bool
}

// Steps of a partitioned pass.
const (
	StepNew   = "new"
	StepOld   = "old"
	StepScale = "scale"
)

// Step takes one step of a partitioned pass, as if all before it had nothing to do.
func Step(step string, s Snapshot, now time.Time, opts Options) (StepResult, error) {
	var st state
	if err := st.admit(&s, now, &opts); err != nil {
		return StepResult{}, err
	}
	st.findNew()
	r := StepResult{Sizes: map[string]int32{}, Set: map[string]Action{}}
	if st.newest >= 0 {
		wanted := int64(0)
		for _, s := range st.activeOld {
			wanted += int64(s.spec)
		}
		r.OldSurplus = int32(st.oldSurplus(wanted))
	}
	switch step {
	case StepNew:
		r.Scaled = st.growNew()
	case StepOld:
		r.Scaled = st.shrinkOld()
	default:
		st.scale()
	}
	st.emitScales()
	for _, a := range st.plan.Actions {
		switch a := a.(type) {
		case ScaleReplicaSet:
			r.Set[a.Name] = a
		case AnnotateReplicaSet:
			r.Set[a.Name] = a
		}
	}
	for i := range st.sets {
		r.Sizes[st.sets[i].rs.Name] = st.sets[i].spec
	}
	r.Aborted = st.aborted
	return r, nil
}

// NextSize returns the size that the new ReplicaSet of a partitioned Deployment may
// have, or would be created with.
func NextSize(s Snapshot, now time.Time) (next int32, err error) {
	var st state
	if err := st.admit(&s, now, &Options{}); err != nil {
		return 0, err
	}
	st.findNew()
	return st.newSize(), nil
}

// Limits returns what a partitioned Deployment may have: pods of the new template,
// at least so many at creation, and the budget.
func Limits(s Snapshot, now time.Time) (limit, lower, surge, unavailable int32, err error) {
	var st state
	if err := st.admit(&s, now, &Options{}); err != nil {
		return 0, 0, 0, 0, err
	}
	return st.limit(), st.createdSize(0), st.budget.Surge, st.budget.Unavailable, nil
}
