// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/verify/trackedtest"
)

var trackerBugs = []trackedtest.Bug{
	{"a pod that changes stays in its group", "tracker.go", "if was == is {", "if true {"},
	{"the pod that moves keeps its number", "tracker.go", "t.pods.Remove(i); i != last", "t.pods.Remove(i); false"},
	{"a plan that changes keeps its hash", "reading.go", "r.hash == \"\" || !plan.equal(&was.Release.ReleasePlan)", "r.hash == \"\""},
	{"a strategy is read once", "reading.go", "text != strategyText(was.Workload)", "text != \"\" && r.strategy == (partition.Strategy{})"},
	{"a clone has read nothing", "tracker.go", "{t.rest, t.read, t", "{t.rest, reading{}, t"},
	{"clones share their groups", "tracker.go", "t.groups.clone()}", "t.groups}"},
	{"clones share the pods of a group", "tracker_groups.go", "own := members.Clone()", "own := *members"},
	{"the first names come last", "tracker_groups.go", "strings.Compare(of.At(int(b)).Name, of.At(int(a)).Name)", "strings.Compare(of.At(int(a)).Name, of.At(int(b)).Name)"},
	{"those that end are like others", "tracker_groups.go", "!p.DeletionTimestamp.IsZero(), p", "false, p"},
	{"the hash of the template does not count", "tracker_groups.go", "p.TemplateHash,\n", "\"\",\n"},
	{"the batch does not count", "tracker_groups.go", "p.Labels[workload.LabelBatchID],", "\"\","},
	{"those that end are labelled", "tracker_groups.go", "!key.terminating && key", "key"},
	{"full batches are not known", "tracker_groups.go", "l.missing[batch-1] -= int32(members.Len())", ""},
	{"what is offered is counted twice", "tracker_groups.go", "l.missing[batch-1] += int32(n)", ""},
	{"those without a hash wait for one more", "tracker_groups.go", "free >= lack", "free > lack"},
	{"too few are offered", "tracker_groups.go", "n = min(lack, members.Len())", "n = min(lack, members.Len()) - 1"},
}

// TestTrackerBugsApply: each bug is a change of the sources as they are.
func TestTrackerBugsApply(t *testing.T) { trackedtest.Apply(t, trackerBugs) }

// TestTrackerBugs plants each bug: see [trackedtest.Find].
func TestTrackerBugs(t *testing.T) { trackedtest.Find(t, trackerBugs) }
