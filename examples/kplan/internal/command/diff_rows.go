// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kplan-go/kplan/examples/kplan/internal/files"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// A reacher is a simulated rollout that reports how close it comes to its bounds.
type reacher interface {
	judged
	Within() ([]view.Reach, time.Duration)
}

// A rows collects the changes of all workloads that differ between two sets.
type rows struct {
	diff          view.Diff
	end           error // of the first workload that is rejected, does not finish or is not simulated
	before, after map[manifest.ID]*manifest.Object
	set           *manifest.Set
	old           *subject.Earlier
	told          map[manifest.ID]bool
}

func rowsOf(from, set *manifest.Set, old *subject.Earlier) *rows {
	r := &rows{before: objectsByID(from), after: objectsByID(set), set: set, old: old, told: map[manifest.ID]bool{}}
	for i := range from.Objects {
		if o := &from.Objects[i]; r.after[o.Placed()] == nil {
			r.diff.Gone = append(r.diff.Gone, view.Subject(o.ID))
		}
	}
	for _, note := range slices.Concat(from.Absent, set.Absent) {
		r.diff.Notes = append(r.diff.Notes, note+".")
	}
	return r
}

func objectsByID(set *manifest.Set) map[manifest.ID]*manifest.Object {
	all := make(map[manifest.ID]*manifest.Object, len(set.Objects))
	for i := range set.Objects {
		all[set.Objects[i].Placed()] = &set.Objects[i]
	}
	return all
}

// add adds a simulated workload if it differs or its rollout does something. The row of a Rollout
// includes its workload.
func (r *rows) add(o subject.Outcome) error {
	what, err := r.differences(o.Of)
	if err != nil {
		return err
	}
	change := view.Change{Of: view.Subject(o.Of.ID()), What: what}
	switch daemon := subject.DaemonSetOf(o.Of); {
	case o.Err == nil:
		r.end = cmp.Or(r.end, subject.Unfinished(o))
		change = completed(change, o)
	case errors.Is(o.Err, manifest.ErrNoNode) && daemon != nil:
		if err := r.withoutNodes(&change, o, daemon); err != nil {
			return err
		}
	default:
		r.fail(&change, o.Err)
	}
	if change.Answer == view.Stays && len(what) == 0 {
		r.diff.Unchanged++
		return nil
	}
	if change.Answer == view.Stays {
		change.Answer, change.Takes, change.Reaches = view.Keeps, nil, nil
	}
	r.diff.Changes = append(r.diff.Changes, change)
	return nil
}

// completed completes a change with the result of a simulation.
func completed(change view.Change, o subject.Outcome) view.Change {
	s, ok := o.Result.(reacher)
	if !ok {
		change.Answer = view.Stays
		return change
	}
	reaches, takes := s.Within()
	change.Answer, change.Why, change.Reaches, change.Takes = s.Verdict(), o.Result.Unfinished(), reaches, &takes
	switch change.Answer {
	case view.Starts: // nothing was available before
		change.Reaches = slices.DeleteFunc(change.Reaches, func(r view.Reach) bool { return r.Least })
	case view.Fails:
		change.Takes = nil
	}
	return change
}

// fail completes a change with the error that prevents an answer.
func (r *rows) fail(change *view.Change, err error) {
	r.end = cmp.Or(r.end, err)
	change.Answer, change.Why = view.Unknown, files.Cause(err)
	if fixed := (*subject.Immutable)(nil); errors.As(err, &fixed) {
		change.Answer = view.Rejected
	}
}

// withoutNodes completes a change of a DaemonSet in a set without nodes: whether it rolls, but
// not how many pods.
func (r *rows) withoutNodes(change *view.Change, o subject.Outcome, d *manifest.DaemonSet) error {
	snapshot, err := d.Snapshot()
	if err != nil {
		return err
	}
	before, after := subject.DaemonSet{DaemonSet: d}.Versions(r.old)
	update := view.DaemonUpdate{
		DaemonSet: snapshot.DaemonSet, New: before.Template == nil, Rolls: !equality.Semantic.DeepEqual(before.Template, after.Template),
	}
	change.Answer, change.How = update.Verdict(), update.How()
	if _, released := o.Of.(subject.Rollout); released && change.Answer != view.Stays {
		change.Answer, change.How = view.Rolls, "each node that it matches, in the steps of its Rollout"
	} else if change.Why = update.Unfinished(); change.Why != "" {
		r.end = cmp.Or(r.end, o.Of.Invalid(errors.New(change.Why)))
	}
	if change.How != "" {
		r.note("How many pods of DaemonSets roll, and for how long, nodes tell: --nodes makes some.")
	}
	return nil
}

// note adds a sentence to the answer, once.
func (r *rows) note(text string) {
	if !slices.Contains(r.diff.Notes, text) {
		r.diff.Notes = append(r.diff.Notes, text)
	}
}

// others adds objects that are not simulated: objects that the API server rejects, objects that
// no planner knows, and Rollouts that release nothing.
func (r *rows) others() error {
	for i := range r.set.Objects {
		o := &r.set.Objects[i]
		if r.told[o.Placed()] {
			continue
		}
		what, err := r.objectDifferences(o.ID, nil)
		if err != nil {
			return err
		}
		change := view.Change{Of: view.Subject(o.ID), What: what, Answer: view.Unplanned}
		releases := o.Kind == "Rollout"
		switch {
		case o.Wrong != nil:
			r.fail(&change, o.Wrong)
			change.Answer = view.Rejected
		case len(what) == 0 && releases: // not a workload
			continue
		case len(what) == 0:
			r.diff.Unchanged++
			continue
		case releases:
			change.Answer = view.Keeps
		case scalesAlone(o.ID, what):
			change.Answer = view.Scales
		default:
			r.note("Of what is not planned nothing is told but its changes.")
		}
		r.diff.Changes = append(r.diff.Changes, change)
	}
	return nil
}

// scalesAlone reports whether replicas is the only difference of a CloneSet or a StatefulSet. The
// template, the strategy and the Rollout are then unchanged.
func scalesAlone(id manifest.ID, what []view.Difference) bool {
	return (id.Kind == "CloneSet" || id.Kind == "StatefulSet") && len(what) == 1 && what[0].Part == "replicas"
}

// differences returns the differences of a simulated workload. For a Rollout it returns the
// differences of its workload and of the Rollout itself.
func (r *rows) differences(of subject.Subject) ([]view.Difference, error) {
	rollout, ok := of.(subject.Rollout)
	if !ok {
		return r.objectDifferences(of.ID(), of)
	}
	id, of := rollout.WorkloadID(), subject.Subject(nil)
	switch {
	case rollout.Deployment != nil:
		of = subject.Deployment{Workload: rollout.Deployment}
	case rollout.DaemonSet != nil:
		of = subject.DaemonSet{DaemonSet: rollout.DaemonSet}
	}
	for i := range rollout.Canaries {
		r.told[rollout.Canaries[i].ID().Placed()] = true
	}
	list, err := r.objectDifferences(id, of)
	if err != nil {
		return nil, err
	}
	own, err := r.objectDifferences(rollout.ID(), nil)
	return append(list, own...), err
}

// objectDifferences returns the differences of an object. For a simulated workload it compares
// the simulated pods: a template that the Rollout takes from another object, and the replicas
// that an autoscaler wants.
func (r *rows) objectDifferences(id manifest.ID, of subject.Subject) ([]view.Difference, error) {
	id = id.Placed()
	r.told[id] = true
	old, now := r.before[id], r.after[id]
	if now == nil {
		return nil, nil
	}
	if old == nil {
		return []view.Difference{{Part: "new"}}, nil
	}
	before, err := partsOf(old)
	if err != nil {
		return nil, err
	}
	after, err := partsOf(now)
	if err != nil {
		return nil, err
	}
	if of != nil {
		was, is := of.Versions(r.old)
		before.take(was)
		after.take(is)
	}
	return before.differences(after), nil
}
