// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/trackedtest"
)

var trackerBugs = []trackedtest.Bug{
	{"a pod that leaves stays counted", "tracker_count.go", "t.totals.add(r.state, -1)\n\tt.records.Set(i, record{})", "t.records.Set(i, record{})"},
	{"a pod that changes is counted twice", "tracker_count.go", "t.leave(i)\n\tif !same && before", "if !same && before"},
	{"terminating pods are not subtracted", "count.go", "t.terminating += n", "t.terminating += max(n, 0)"},
	{"a pod is available a second early", "tracker_count.go", "case instant <= t.observed:", "case instant <= t.observed+1e9:"},
	{"who leaves stays in the queue", "tracker_count.go", "t.queue.Cut(r.place, t.put)", "_ = 0"},
	{"one becomes available at a time", "tracker_count.go", "for t.queue.Len() > 0 && t.queue.First().At <= now {", "if t.queue.Len() > 0 && t.queue.First().At <= now {"},
	{"an instant too late", "tracker_count.go", "t.queue.First().At <= now", "t.queue.First().At < now"},
	{"time never goes back", "tracker_count.go", "earlier := now < t.observed ||", "earlier :="},
	{"a pod that is cut from the middle never rises", "../internal/paged/queue.go", "if k > 0 && d.At < q.at((k-1)/2).At {", "if false {"},
	{"the larger of two behind goes up", "../internal/paged/queue.go", "q.at(next+1).At < q.at(next).At", "q.at(next+1).At > q.at(next).At"},
	{"the pod that moves keeps its number in the queue", "../internal/paged/queue.go", "d.Item = int32(item)", ""},
	{"the pod that moves keeps its number by name", "../internal/tracked/table.go", "t.names.Move(last, i, name)", ""},
	{"the pod that moves keeps its number by UID", "tracker_count.go", "t.twins.Move(last, i, t.uid)", ""},
	{"a free cell hides others", "../internal/paged/index.go", "x.ahead(home, c) >= x.ahead(free, c)", "home == c"},
	{"two pods of one UID are no longer noticed when a third is gone", "../internal/tracked/twins.go", "case 2:\n\t\tt.Shared--", "default:\n\t\tt.Shared = 0"},
	{"two pods of one UID are not noticed once one of them has come back", "../internal/tracked/twins.go", "case 1:\n\t\tt.Shared++", "case 1:"},
	{"a UID equal to the last is behind it", "../internal/tracked/twins.go", "own > t.last", "own >= t.last"},
	{"UIDs that came before the first not behind them are not known", "../internal/tracked/twins.go", "j != i && among(j)", "j < 0 && j != i && among(j)"},
	{"the pod that breaks the order is entered twice", "../internal/tracked/twins.go", "j != i && ", "(j != i || among(j)) && "},
	{"counting anew, pods that are yet to be counted have UIDs", "tracker_count.go", "t.records.Set(i, record{}) // or", "_ = i // or"},
	{"the UID that a pod had is not forgotten", "tracker_count.go", "if !same && before.registered(uid)", "if !s.registered(uid) && before.registered(uid)"},
	{"another minReadySeconds changes nothing", "tracker_apply.go", " && a.MinReadySeconds == b.MinReadySeconds", ""},
	{"other template labels change nothing", "tracker_apply.go", " && maps.Equal(a.TemplateLabels, b.TemplateLabels)", ""},
	{"values of a selector are not compared", "../internal/tracked/same.go", " && slices.Equal(x.Values, y.Values)", ""},
	{"a deletion of the ReplicaSet changes nothing", "tracker_apply.go", "a.DeletionTimestamp.IsZero() == b.DeletionTimestamp.IsZero() && ", ""},
	{"another dialect counts as before", "tracker.go", "t.recount(m)\n\t}\n\tc, err", "t.measure = m\n\t}\n\tc, err"},
	{"a far instant is a near one", "../internal/tracked/same.go", "s > -9e9 && s < 9e9", "true"},
	{"what is late is taken", "../internal/tracked/judge.go", "case compare && age < 0:", "case compare && age < -1:"},
	{"a removal of another UID removes", "../internal/tracked/judge.go", "uid == knownUID && now == nil", "now == nil"},
	{"clones write to each other's pages", "../internal/paged/list.go", "l.owner, l.shared = new(owner), true", "l.shared = true"},
	{"no pods to finish with", "tracker.go", "len(p.Actions) > 0 && isClaim(p.Actions[0])", "false"},
	{"no pods if pods are to be adopted", "tracker.go", "c.adopt == 0 && ", ""},
	{"neighbours are not counted", "../internal/lineup/seats.go", "l.nodes.Ref(k).neighbours++", ""},
	{"who leaves a node stays a neighbour", "../internal/lineup/seats.go", "l.nodes.Ref(k).neighbours--", ""},
	{"a neighbour stays wherever it goes", "../internal/lineup/seats.go", " && pods.At(i).NodeName == p.NodeName", ""},
	{"a neighbour stays although it ends", "../internal/lineup/seats.go", "(l.seats.At(i).place < 0) == l.isNeighbour(p) && ", ""},
	{"a pod of others stays one", "tracker_count.go", "s == none && before == none", "before == none"},
	{"one that was not of others is put aside", "tracker_count.go", "s == none && before == none", "s == none"},
	{"the pod that moves keeps its number in its row", "../internal/lineup/seats.go", "l.reseat(in, int32(last+1), int32(i+1))", ""},
	{"who is alone stays so when another one comes", "../internal/lineup/line.go", "\tif first >= 0 {\n\t\tl.rise(first)", "\tif false {\n\t\tl.rise(first)"},
	{"who leaves a node of its own stays there", "../internal/lineup/seats.go", "l.alone.Remove(i, l.nodeName)", ""},
	{"the pod that moves keeps its number alone", "../internal/lineup/seats.go", "l.alone.Move(last, i, l.nodeName)", ""},
	{"all nodes have as many neighbours as the first", "../internal/lineup/front.go", "= list[k].neighbours", "= list[0].neighbours"},
	{"a node is free although others are on it", "../internal/lineup/seats.go", "case n.neighbours == 0 && k != apart:", "case k != apart:"},
	{"a node that is free keeps its name", "../internal/lineup/seats.go", "l.names.Remove(k, l.name)", ""},
	{"a node that is free twice", "../internal/lineup/line.go", "l.freeNode = l.nodes.At(k).open", ""},
	{"the rows of a node are all before those of the next", "../internal/lineup/front.go", "f.full && f.line.compare(&f.list[f.n-1], c) < 0", "f.full"},
	{"a node has one row", "../internal/lineup/front.go", "first.past(&candidate{r.first, at.neighbours})", "len(first.list) > 0"},
	{"rows are of all nodes behind", "../internal/lineup/front.go", "r.node != k || ", ""},
	{"neighbours go before health", "../internal/lineup/line.go", "a.neighbours != b.neighbours && a.health == b.health && a.cost == b.cost {", "a.neighbours != b.neighbours && a.cost == b.cost {"},
	{"neighbours go before costs", "../internal/lineup/line.go", "a.health == b.health && a.cost == b.cost {", "a.health == b.health {"},
	{"mates of other costs hold a pod", "../internal/lineup/line.go", "a.cost == b.cost && a.neighbours == b", "a.neighbours == b"},
	{"who is alone has no neighbours", "../internal/lineup/front.go", "l.nodes.Ref(apart).neighbours = 1", "_ = 0"},
	{"pods do not age", "../internal/lineup/front.go", "l.queue.First().At <= at", "l.queue.First().At < 0"},
	{"other siblings have the same neighbours", "tracker_apply.go", "!sameRelatives(t.rest.Siblings, d.Siblings)", "false"},
	{"another controller has the same siblings", "tracker_apply.go", "t.rest.ReplicaSet.ControllerUID != d.ReplicaSet.ControllerUID", "false"},
	{"restarts decide nothing", "../internal/lineup/line.go", "l.restarts == 0 && (", "("},
	{"creation decides nothing", "../internal/lineup/line.go", "podorder.AgeBucket(l.oldest, l.now) == podorder.AgeBucket(l.youngest, l.now)", "true"},
	{"an order of the caller's is that of Kubernetes", "tracker_victims.go", " && !o.Spread", ""},
	{"the last of a row goes first", "../internal/lineup/seats.go", "l.compareIDs(i-1, r.first.pod) < 0", "l.compareIDs(i-1, r.first.pod) > 0"},
	{"costs decide nothing", "../internal/lineup/line.go", "case a.cost != b.cost:", "case false:"},
	{"health decides nothing", "../internal/lineup/line.go", "case a.health != b.health:", "case false:"},
	{"the last that comes to a row tells whether it has costs", "../internal/lineup/seats.go", "each.costs || cost != 0", "cost != 0"},
	{"clones share the line", "tracker.go", "t.line.Clone()", "t.line"},
	{"pods that end go once more", "tracker_victims.go", "t.records.At(i).state.role.counts())", "t.records.At(i).state.role != roleNone)"},
	{"pods are drafted by the numbers of others", "tracker_victims.go", "\t\trefs[i] = t.pods.At(i)", "\t\trefs[i] = t.pods.At(len(refs) - 1 - i)"},
	{"the first in line is all that go", "tracker.go", "len(in.refs) == 1", "len(in.refs) > 0"},
	{"an age of centuries never ends", "../internal/lineup/line.go", "return now + 1", "return math.MaxInt64"},
	{"nobody waits for mates", "../internal/lineup/mates.go", "if mate < 0 || l.compareInPart(c.pod, mate) < 0 {", "{"},
	{"mates go by UID alone", "../internal/lineup/mates.go", "l.compareInPart(c.pod, mate) < 0", "l.compareIDs(c.pod, mate) < 0"},
	{"any mate behind holds a pod, not the first alone", "../internal/lineup/mates.go", "l.compareInPart(i, first) < 0", "false"},
	{"mates on other nodes hold a pod", "../internal/lineup/mates.go", "near && c.alike(last) && l.compare", "near && l.compare"},
	{"a mate that moves is lost", "../internal/lineup/seats.go", "l.moveMate(last, i)", ""},
	{"a mate that leaves stays", "../internal/lineup/line.go", "l.mates.Remove(int32(i), l.compareMates)", ""},
	{"a clone shares mates", "../internal/lineup/line.go", "c.mates = l.mates.Clone()", ""},
}

// TestTrackerBugsApply: each bug is a change of the sources as they are.
func TestTrackerBugsApply(t *testing.T) { trackedtest.Apply(t, trackerBugs) }

// TestTrackerBugs plants each bug: see [trackedtest.Find].
func TestTrackerBugs(t *testing.T) { trackedtest.Find(t, trackerBugs) }
