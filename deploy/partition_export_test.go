// SPDX-License-Identifier: Apache-2.0

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
	var in input
	if err := in.admit(&s, now, &opts); err != nil {
		return StepResult{}, err
	}
	var c counts
	c.count(&in)
	d, p := decision{path: pathCounts}, Plan{}
	r := StepResult{Sizes: map[string]int32{}, Set: map[string]Action{}}
	if in.newAt >= 0 {
		wanted := int64(0)
		for _, s := range in.activeOld {
			wanted += int64(s.size)
		}
		r.OldSurplus = int32(in.oldSurplus(wanted))
	}
	switch step {
	case StepNew:
		d.sizing = in.growToPartition(&c)
	case StepOld:
		d.sizing = in.shrinkToPartition()
	default:
		d.sizing = in.scale(&c)
	}
	for i := range in.sets {
		r.Sizes[in.sets[i].rs.Name] = in.sets[i].size
	}
	for _, c := range d.sizing.changes {
		r.Sizes[in.sets[c.set].rs.Name] = c.to
	}
	p.write(&in, &newSetUpdate{}, &d, &report{})
	for _, a := range p.Actions {
		switch a := a.(type) {
		case ScaleReplicaSet:
			r.Set[a.Name] = a
		case AnnotateReplicaSet:
			r.Set[a.Name] = a
		}
	}
	r.Scaled, r.Aborted = d.sizing.moved, d.sizing.failed
	return r, nil
}

// NextSize returns the size that the new ReplicaSet of a partitioned Deployment may
// have, or would be created with.
func NextSize(s Snapshot, now time.Time) (next int32, err error) {
	var in input
	if err := in.admit(&s, now, &Options{}); err != nil {
		return 0, err
	}
	var c counts
	c.count(&in)
	return in.sizeToPartition(&c, in.newSet().size), nil
}

// Limits returns what a partitioned Deployment may have: pods of the new template,
// at least so many at creation, and the budget.
func Limits(s Snapshot, now time.Time) (limit, lower, surge, unavailable int32, err error) {
	var in input
	if err := in.admit(&s, now, &Options{}); err != nil {
		return 0, 0, 0, 0, err
	}
	return in.partitionLimit(), in.sizeAtCreation(0), in.budget.Surge, in.budget.Unavailable, nil
}
