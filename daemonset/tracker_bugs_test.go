// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/verify/trackedtest"
)

var trackerBugs = []trackedtest.Bug{
	{"a pod that leaves stays on its node", "tracker_count.go", "t.relink(i, entry.next)", ""},
	{"the pod that moves keeps its number on its node", "tracker_count.go", "t.relink(last, int32(i+1))", ""},
	{"the pod that moves keeps its number among those on no node", "tracker_count.go", "c.nodeless.Renumber(r.nodeless, i)", ""},
	{"the node that a pod has left is not looked at", "tracker.go", "\t}\n\tt.file(left)\n", "\t}\n"},
	{"a node that stops to answer is like others", "tracker_count.go", "s.node, s.dead = n, n.dead()", "s.node = n"},
	{"the pods of nodes that are gone are left out", "tracker_file.go", "pods = append(pods, t.pods.At(c.nodeless.At(k)))", "_ = k"},
	{"the nodes of an excerpt are not found by name", "tracker_file.go", "in.indexNodes(&errs)", ""},
	{"a node that comes is not desired", "tracker_count.go", "c.desired++", ""},
	{"a node that goes is still there", "tracker_count.go", "t.removeNode(i)", ""},
	{"pods of a node that goes are nowhere", "tracker_count.go", "c.nodeless.Add(int(k-1), c.setNodeless)", ""},
	{"pods of a node that goes do not wait for it", "tracker_count.go", "c.missing.Add(int(s.pods-1), t.target)", ""},
	{"the pods of the node that moves are on the one that goes", "tracker_count.go", "c.podEntries.Ref(int(k - 1)).node = int32(i + 1)", ""},
	{"the node that moves keeps its number under its name", "tracker_count.go", "c.names.Move(last, i, c.name)", ""},
	{"the node that moves is looked at no more", "tracker_count.go", "t.file(i)", ""},
	{"pods that came before their node are not on it", "tracker_count.go", "c.nodeEntries.Ref(i).pods = int32(first + 1)", ""},
	{"pods that came before their node wait for it on", "tracker_count.go", "r.node = int32(i + 1)\n\t\tc.nodeless.Cut(r.nodeless, c.setNodeless)", "r.node = int32(i + 1)"},
	{"the second pod that waits for a node is not on it", "tracker_count.go", "c.podEntries.Ref(first).next = int32(i + 1)", ""},
	{"a pod that leaves still waits for its node", "tracker_count.go", "c.missing.Remove(i, t.target)", ""},
	{"the pod that moves keeps its number among those that wait", "tracker_count.go", "c.missing.Move(i, int(to-1), t.target)", ""},
	{"old pods on no node are not updated", "tracker_file.go", " + c.nodeless.Len()", ""},
	{"clones share the pods that wait for nodes", "tracker_count.go", "c.missing.Clone()", "c.missing"},
	{"ranks are not noticed", "tracker.go", "t.counts.ranked > 0 || ", ""},
	{"groups keep who has left", "tracker_file.go", "c.single.add(s.facts, -1)\n\t\tswitch", "switch"},
	{"one becomes available at a time", "tracker_measure.go", "for c.now = in.now; c.queue.Len() > 0 &&", "for c.now = in.now; c.queue.Len() == 1 &&"},
	{"an instant too late", "tracker_measure.go", "c.queue.First().At <= at", "c.queue.First().At < at"},
	{"time never goes back", "tracker_measure.go", "in.now.Before(c.now) || ", ""},
	{"another revision changes nothing", "tracker_measure.go", "m.version.Hash == v.Hash && ", ""},
	{"what is relabelled is new for the next plan, too", "tracker.go", "if len(h.gone) > 0 {", "if t.updateCounts(in, h, at); len(h.gone) > 0 {"},
	{"another template generation changes nothing", "tracker_measure.go", "m.version.Generation == v.Generation &&", ""},
	{"another minReadySeconds changes nothing", "tracker_measure.go", " && a.MinReadySeconds == b.MinReadySeconds", ""},
	{"another selector changes nothing", "tracker_measure.go", "tracked.SameSelector(a.Selector, b.Selector) && ", ""},
	{"other tolerations change nothing", "tracker_measure.go", " && slices.EqualFunc(a.Tolerations, b.Tolerations, sameToleration)", ""},
	{"other seconds of a toleration change nothing", "tracker_measure.go", "ptr.Equal(x, y)", "(x == y || true)"},
	{"another affinity changes nothing", "tracker_measure.go", "sameAffinity(a.Affinity, b.Affinity) && ", ""},
	{"other options change nothing", "tracker_measure.go", "m.opts == in.opts && ", ""},
	{"a pod to be adopted is like others", "tracker_file.go", "p.ControllerUID != t.measure.ds.UID || f", "f"},
	{"a pod that is updated in place is like others", "tracker_file.go", " || f.has(isTouched)", ""},
	{"dead nodes are like others", "facts.go", "case dead:", "case false:"},
	{"a pod that should not be there is like others", "facts.go", "!n.run || !n.cont || ", ""},
	{"old ones that wait are not counted", "facts.go", "return o.count(isAvailable, isCurrent|isTerminating)", "return 0"},
	{"those that serve are not counted", "facts.go", "return o.count(isAvailable, isTerminating)", "return 0"},
	{"too few old ones are looked at", "tracker_file.go", "int(budget.Unavailable)-all.newUnavailable-all.terminating", "1"},
	{"new pods that are not ready use up nothing", "tracker_file.go", "list = c.newUnavailable.AppendTo(list)", ""},
	{"pods that end use up nothing", "tracker_file.go", "list = c.terminating.AppendTo(list)", ""},
	{"pods that end are like others with surge, too", "tracker_file.go", "in.opts.SumHolds && !SurgeAllowed(in.strategy, in.surge)", "in.opts.SumHolds"},
	{"what is only counted uses up nothing", "rolling.go", ", used: st.omitted.blocking()}", "}"},
	{"what is only counted is not told of", "rolling.go", "b.add(reason, int64(n))", "_ = n"},
	{"a pod that ends is one that waits", "facts.go", "isAvailable, isCurrent|isTerminating", "isAvailable, isCurrent"},
	{"clones share the nodes whose pods end", "tracker_count.go", "c.terminating.Clone()", "c.terminating"},
	{"the last empty nodes get their pods first", "tracker_count.go", "return strings.Compare(c.name(int(a)), c.name(int(b)))", "return -strings.Compare(c.name(int(a)), c.name(int(b)))"},
	{"empty nodes hold nothing back", "tracker_file.go", "few.empty = all.empty", ""},
	{"a revision without pods is kept", "tracker_count.go", "c.hashes.Add(keys.hash, -1)", ""},
	{"nobody becomes available", "tracker_file.go", "next: t.nextDue()", "next: time.Time{}"},
	{"two pods of one UID are not noticed", "tracker.go", "t.counts.uids.Shared > 0 || ", ""},
	{"the pod that moves keeps its number by UID", "tracker_count.go", "c.uids.Move(last, i, t.uid)", ""},
	{"counting anew, pods that are yet to be counted have UIDs", "tracker_count.go", "c.podEntries.Len(), t.controlled", "t.pods.Len(), t.controlled"},
	{"odd nodes are among those with an old pod that is available", "tracker_file.go", "c.nodeEntries.At(int(i)).kind == kindSingle", "true"},
	{"a name that goes stays in the list of old pods", "tracker_count.go", "c.setListed(i, c.nodeEntries.Ref(i), false)", ""},
	{"what is to be deleted beyond the burst is not counted", "rolling.go", "overBurst(len(remove)+counted", "overBurst(len(remove)"},
	{"what is to be created beyond the burst is not counted", "surge.go", "overBurst(len(create)+counted", "overBurst(len(create)"},
	{"a pod that has ended is like others", "facts.go", "n.facts.has(isFinished) || ", ""},
	{"an old pod that is not available is like others", "facts.go", " || n.old && !n.facts.has(isAvailable)", ""},
	{"clones share the empty nodes", "tracker_count.go", "c.empty.Clone(), c.old", "c.empty, c.old"},
	{"a node of a list with other taints is unchanged", "tracker.go", " && slices.Equal(a.Taints, b.Taints)", ""},
	{"a node of a list with other labels is unchanged", "tracker.go", "maps.Equal(a.Labels, b.Labels) && ", ""},
	{"a node of a list with another rank is unchanged", "tracker.go", "a.Rank == b.Rank && ", ""},
	{"another DaemonSet of a list counts as the old one", "tracker.go", "t.rest, t.admitted = s, nil", "t.rest = s"},
}

// TestTrackerBugsApply: each bug is a change of the sources as they are.
func TestTrackerBugsApply(t *testing.T) { trackedtest.Apply(t, trackerBugs) }

// TestTrackerBugs plants each bug: see [trackedtest.Find].
func TestTrackerBugs(t *testing.T) { trackedtest.Find(t, trackerBugs) }
