// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/verify/trackedtest"
)

var trackerBugs = []trackedtest.Bug{
	{"a pod that leaves stays counted", "tracker.go", "t.countPod(t.pods.At(i), -1)", ""},
	{"a pod that has ended is counted when it goes", "tracker.go", "if !p.Finished() {", "if n < 0 || !p.Finished() {"},
	{"an owner that moves keeps its number", "../internal/base/tracked/counter.go", "c.byText.Move(last, i, c.text)", ""},
	{"another selector looks at no ReplicaSet", "tracker.go", "tracked.SameSelector(b.Selector, d.Selector)", "(true || tracked.SameSelector(b.Selector, d.Selector))"},
	{"a deletion of the Deployment changes nothing", "tracker.go", "b.DeletionTimestamp.IsZero() == d.DeletionTimestamp.IsZero() &&", ""},
	{"a partition changes nothing", "tracker.go", "(b.Partitioned == nil) == (d.Partitioned == nil) && ", ""},
	{"another UID changes nothing", "tracker.go", "b.UID == d.UID && ", ""},
	{"an orphan is of no concern", "tracker.go", "case t.places.At(i) == 0:", "case t.places.At(i) == 0 && t.sets.At(i).ControllerUID != \"\":"},
	{"a ReplicaSet that moves keeps its number", "tracker.go", "t.relevant.Set(int(place-1), int32(i))", ""},
	{"the last that is read keeps its place", "tracker.go", "t.places.Set(int(last), place)", ""},
	{"a clone shares what is read", "input.go", "r.relevant.Clone()", "r.relevant"},
	{"a stranger's name is free", "input.go", "if i := r.sets.Find(name); i >= 0 {", "if i := r.sets.Find(name); i >= 0 && r.places.At(i) > 0 {"},
	{"no stranger to finish with", "pass.go", "i >= 0 && t.places.At(i) == 0", "false"},
	{"no snapshot to plan from again", "pass.go", "return t.Snapshot()", "return s"},
	{"pause points see no pods", "pausepoint.go", "in.pods = in.tracked.pods.List()", ""},
	{"no ReplicaSets to finish with", "pass.go", "len(actions) == 0", "len(actions) >= 0"},
	{"another selector of a list looks at no ReplicaSet", "tracker.go", "t.follow(&s.Deployment)", ""},
}

// TestTrackerBugsApply: each bug is a change of the sources as they are.
func TestTrackerBugsApply(t *testing.T) { trackedtest.Apply(t, trackerBugs) }

// TestTrackerBugs plants each bug: see [trackedtest.Find].
func TestTrackerBugs(t *testing.T) { trackedtest.Find(t, trackerBugs) }
