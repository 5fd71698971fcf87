// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
)

// The table. A pod that belongs is counted on its node, so that nothing is created
// there.
func TestOwnership(t *testing.T) {
	foreign := func(p *daemonset.Pod) { p.ControllerUID = "x" }
	orphan := func(p *daemonset.Pod) { p.ControllerUID, p.ControllerKind, p.ControllerName = "", "", "" }
	other := label("app", "x")
	for _, c := range []struct {
		why      string
		changes  []change
		deleting bool // the DaemonSet
		want     string
	}{
		{"another controller", []change{foreign}, false, "Created pod on node n1 (Missing)"},
		{"ours, matches", nil, false, "nothing to do"},
		{"ours, matches not", []change{other}, false, "Released pod p (NoMatch)\nCreated pod on node n1 (Missing)"},
		{"ours, matches not, deleted", []change{other}, true, "held back: Deleting"},
		{"orphan, matches not", []change{orphan, other}, false, "Created pod on node n1 (Missing)"},
		{"orphan, deleted", []change{orphan}, true, "held back: Deleting"},
		{"orphan, on its way out", []change{orphan, terminating}, false, "Created pod on node n1 (Missing)"},
		{"orphan", []change{orphan}, false, "Adopted pod p (Orphan)"},
	} {
		s := cluster(1, pod("p", "n1", "v2", c.changes...))
		if c.deleting {
			s.DaemonSet.DeletionTimestamp = t0
		}
		for _, o := range []daemonset.Options{{}, kruise} {
			require.Equal(t, c.want, mustPlan(t, s, o).String(), c.why)
		}
	}
}

// Progressive creation, the burst, paused.
func TestManageRest(t *testing.T) {
	reserved := with(cluster(10), func(s *daemonset.Snapshot) { s.DaemonSet.Partition, s.DaemonSet.Progressive = rollout.Int(100), true })
	require.Empty(t, mustPlan(t, reserved, kruise).Actions, "100 of 10 are 10")
	reserved.DaemonSet.Partition = rollout.Int(0)
	require.Len(t, mustPlan(t, reserved, kruise).Actions, 10, "it has no effect at 0")
	reserved.DaemonSet.Partition, reserved.DaemonSet.Strategy = rollout.Int(9), daemonset.OnDelete
	require.Len(t, mustPlan(t, reserved, kruise).Actions, 10, "it needs a rolling update")

	many := cluster(251)
	for i := range 251 { // as many again on nodes that they must leave
		name := fmt.Sprint("x", i)
		many.Nodes = append(many.Nodes, daemonset.Node{Name: name, Taints: []daemonset.Taint{taint("x", daemonset.NoExecute)}})
		many.Pods = append(many.Pods, pod("p"+name, name, "v2"))
	}
	c := choices(mustPlan(t, many, daemonset.Options{}).Actions)
	require.Equal(t, []int{250, 250}, []int{len(c.create), len(c.remove)}, "250 each")

	paused := with(cluster(2, pod("p1", "n1", "v1")), func(s *daemonset.Snapshot) { s.DaemonSet.Paused = true })
	require.Equal(t, "v2", mustPlan(t, paused, kruise).Actions[0].(daemonset.CreatePod).Hash, "empty nodes still get the current revision")
}

// Every deletion passes the hook, and marks are not limited.
func TestPreDelete(t *testing.T) {
	held := label("hold", "yes")
	hook := func(s *daemonset.Snapshot) {
		s.DaemonSet.PreDelete = &daemonset.PreDelete{Labels: map[string]string{"hold": "yes"}, MarkNotReady: true}
	}
	misplaced := cluster(1, pod("p1", "n1", "v2", held))
	misplaced.Nodes[0].Taints = []daemonset.Taint{taint("x", daemonset.NoExecute)}
	for _, c := range []struct {
		why  string
		s    daemonset.Snapshot
		want string
	}{
		{"misplaced", misplaced, "Prepared deletion of pod p1 on node n1 (Misplaced)"},
		{"failed", cluster(1, pod("p1", "n1", "v2", held, failed)), "Prepared deletion of pod p1 on node n1 (Failed)"},
		{"no node", cluster(0, pod("p1", "x", "v2", held, unbound)), "Prepared deletion of pod p1 on node x (NodeGone)"},
		{"not limited", with(cluster(3, olds(3, held)...), func(s *daemonset.Snapshot) {
			s.DaemonSet.Burst, s.DaemonSet.MaxUnavailable = rollout.Int(1), rollout.Int(3)
		}), "Prepared deletion of pod p3 on node n3 (Rollout)\nPrepared deletion of pod p2 on node n2 (Rollout)\nPrepared deletion of pod p1 on node n1 (Rollout)"},
		{"the rollout goes on behind a mark", cluster(2, pod("a", "n1", "v2"), pod("b", "n1", "v2", aged(time.Hour), held), pod("p2", "n2", "v1")), "Prepared deletion of pod b on node n1 (Duplicate)"},
	} {
		s := with(c.s, hook)
		require.Contains(t, mustPlan(t, s, kruise).String(), c.want, c.why)
		require.Empty(t, deleted(mustPlan(t, s, kruise)), c.why)
		s.DaemonSet.PreDelete = &daemonset.PreDelete{}
		require.NotContains(t, mustPlan(t, s, kruise).String(), "Prepared", "an empty hook hooks nothing")
	}
	both := with(cluster(3, pod("a", "n1", "v2"), pod("b", "n1", "v2", aged(time.Hour), held), pod("p2", "n2", "v1"), pod("p3", "n3", "v1")), func(s *daemonset.Snapshot) { hook(s); unavailableTwo(s) })
	require.Equal(t, []string{"p3"}, deleted(mustPlan(t, both, kruise)), "a mark is no write that the update waits for")

	old := with(misplaced, func(s *daemonset.Snapshot) { hook(s); s.Pods[0].Labels[daemonset.LabelHash] = "v1" })
	for _, o := range []daemonset.Options{{}, kruise, kruiseCorrected} {
		require.Len(t, mustPlan(t, old, o).Actions, 1, "neither step marks what the other has marked: %+v", o)
		marked := with(old, func(s *daemonset.Snapshot) { preparing(&s.Pods[0]) })
		require.Equal(t, "p1 on n1 held back: PreDelete", strings.Split(mustPlan(t, marked, o).String(), "\n")[0], "and it is told that the hook holds it: %+v", o)
	}

	gate := with(misplaced, hook)
	require.False(t, mustPlan(t, gate, kruise).Actions[0].(daemonset.PreparePod).NotReady, "a pod without the gate")
	gate.Pods[0].ReadinessGates = []string{daemonset.GateKruiseReady}
	mark := mustPlan(t, gate, kruise).Actions[0].(daemonset.PreparePod)
	require.Equal(t, []any{true, daemonset.StatePreparingDelete, t0}, []any{mark.NotReady, mark.State, mark.Since})
}

// Other finalizers do not hold, and other values of a label neither.
func TestPreDeleteHolds(t *testing.T) {
	hook := daemonset.PreDelete{Finalizers: []string{"a"}, Labels: map[string]string{"hold": "yes"}}
	for _, c := range []struct {
		finalizer, label string
		want             bool
	}{{"a", "no", true}, {"x", "no", false}, {"x", "yes", true}} {
		p := pod("p", "n", "v1", label("hold", c.label))
		p.Finalizers = []string{c.finalizer}
		require.Equal(t, c.want, hook.Holds(&p), c)
	}
}

// An update in place closes the gate, sets the hash and notes what ran, of
// containers that have a status.
func TestInPlaceAction(t *testing.T) {
	s := inPlaceCluster(1)
	a := mustPlan(t, s, kruise).Actions[0].(daemonset.UpdatePod)
	require.Equal(t, []any{true, "v1", "v2"}, []any{a.CloseGate, a.From, a.To})
	require.Equal(t, map[string]inplace.LastContainer{"app": {ImageID: "id-v1"}}, a.Patch.State.Last)
	require.Equal(t, []inplace.Batch{{Timestamp: t0, Containers: []string{"app"}}}, a.Patch.State.Batches)
	s.Pods[0].Containers[0].Status = nil
	require.Empty(t, mustPlan(t, s, kruise).Actions[0].(daemonset.UpdatePod).Patch.State.Last)
}

// Equal data, finding the current revision, history.
func TestRevisionRules(t *testing.T) {
	s := cluster(0)
	s.DaemonSet.Template.Data = append(slices.Clone(stored("v2")), ' ')
	require.Contains(t, mustPlan(t, with(s, func(s *daemonset.Snapshot) { s.DaemonSet.Template.Hash = "v3" }), daemonset.Options{}).String(),
		"Created controller revision agent-v3, number 3 (NewTemplate)", "a byte more is another template; one more than the others")

	equal := cluster(1, pod("p1", "n1", "v3"))
	equal.Revisions[0], equal.Revisions[1] = agentRevision("v3", 4), agentRevision("v4", 4)
	equal.Revisions[0].Data, equal.Revisions[1].Data = stored("v2"), stored("v2")
	require.Equal(t, lines(`
		Relabelled pod p1 from "v3" to "v4" (Duplicate)
		Deleted controller revision agent-v3 (Duplicate)`), lines(mustPlan(t, equal, daemonset.Options{}).String()), "one stays, and its hash")

	history := cluster(0)
	history.Revisions = nil
	for i := range 12 {
		history.Revisions = append(history.Revisions, agentRevision(fmt.Sprintf("h%02d", i), int64(i)))
	}
	history.Revisions = append(history.Revisions, agentRevision("v2", 20))
	for _, o := range []daemonset.Options{{}, kruise} {
		require.Equal(t, "Deleted controller revision agent-h00 (HistoryLimit)\nDeleted controller revision agent-h01 (HistoryLimit)", mustPlan(t, history, o).String(), "10 stay if nothing is said")
	}
	skipped := with(history, func(s *daemonset.Snapshot) {
		s.Nodes, s.Pods = nodes(1), []daemonset.Pod{pod("p", "n1", "v2"), pod("q", "n1", "h00", failed, terminating)}
	})
	require.Contains(t, mustPlan(t, skipped, daemonset.Options{}).String(), "Deleted controller revision agent-h01 (HistoryLimit)\nDeleted controller revision agent-h02 (HistoryLimit)",
		"one in use is skipped, even by a pod that has ended and goes, and another goes instead")

	// The name of the example.
	d := agent()
	d.Name, d.Template.Hash = "ds12", "659669bf5"
	named := mustPlan(t, daemonset.Snapshot{DaemonSet: d, Revisions: []revision.ControllerRevision{}}, daemonset.Options{}).Actions[0].(daemonset.CreateRevision)
	require.Equal(t, []any{"ds12-659669bf5", int64(1)}, []any{named.Name, named.Revision})
}

// Generation 7, of which 6 has been observed; one node is empty, and the other old.
func TestObservedGeneration(t *testing.T) {
	s := with(cluster(2, pod("p1", "n1", "v1")), func(s *daemonset.Snapshot) { s.DaemonSet.Generation, s.DaemonSet.Status.ObservedGeneration = 7, 6 })
	settled := with(s, func(s *daemonset.Snapshot) { s.Pods = []daemonset.Pod{pod("p1", "n1", "v2"), pod("p2", "n2", "v2")} })
	unseen := with(s, func(s *daemonset.Snapshot) { s.Unseen = true })
	for _, c := range []struct {
		why                string
		s                  daemonset.Snapshot
		kubernetes, kruise int64
	}{{"a pod is created", s, 7, 6}, {"no work is left", settled, 7, 7}, {"writes are not seen yet", unseen, 6, 6}} {
		require.Equal(t, c.kubernetes, mustPlan(t, c.s, daemonset.Options{}).Status.ObservedGeneration, c.why)
		require.Equal(t, c.kruise, mustPlan(t, c.s, kruise).Status.ObservedGeneration, c.why)
	}
}

// The smallest of what there is to wait for: a delay, and a pod to become available.
func TestRecheckIsTheFirst(t *testing.T) {
	s := cluster(2, pod("p1", "n1", "v2", failed), pod("p2", "n2", "v2", readyFor(4*time.Second)))
	s.DaemonSet.MinReadySeconds = 10
	key := daemonset.BackoffKey{UID: "agent-uid", Generation: 3, Node: "n1"}
	for _, c := range []struct {
		left, want time.Duration
	}{{5 * time.Second, 5 * time.Second}, {7 * time.Second, 6 * time.Second}} {
		s.Backoff = daemonset.Backoff{{BackoffKey: key, Delay: 8 * time.Second, Since: t0.Add(c.left - 8*time.Second)}}
		require.Equal(t, t0.Add(c.want), mustPlan(t, s, daemonset.Options{}).RecheckAt)
	}
}

// An empty update selector selects nothing for an event.
func TestEffectsOfEmptySelector(t *testing.T) {
	d := agent()
	change := daemonset.Change{Bound: []string{d.UID}, Node: daemonset.NodeEvent{
		Old: &daemonset.Node{Name: "n"}, New: &daemonset.Node{Name: "n", Labels: map[string]string{"zone": "a"}},
	}}
	for _, c := range []struct {
		selector *selector.LabelSelector
		want     bool
	}{{nil, false}, {&selector.LabelSelector{}, false}, {&selector.LabelSelector{MatchLabels: map[string]string{"zone": "a"}}, true}} {
		d.NodeSelector = c.selector
		require.Equal(t, c.want, concerned(d, change, kruise))
	}
	d.Strategy = daemonset.OnDelete
	require.False(t, concerned(d, change, kruise), "it needs a rolling update")
}

// What is unset in OpenKruise counts only if both limits are.
func TestDefaultsTogether(t *testing.T) {
	for _, c := range []struct {
		surge, unavailable rollout.IntOrPercent
		want               daemonset.Budget
	}{
		{rollout.IntOrPercent{}, rollout.Int(2), daemonset.Budget{Desired: 3, Unavailable: 2}},
		{rollout.IntOrPercent{}, rollout.IntOrPercent{}, daemonset.Budget{Desired: 3, Unavailable: 1}},
		{rollout.Int(0), rollout.IntOrPercent{}, daemonset.Budget{Desired: 3, Unavailable: 1}}, // both limits 0
	} {
		s := cluster(3, olds(3)...)
		s.DaemonSet.MaxSurge, s.DaemonSet.MaxUnavailable = c.surge, c.unavailable
		require.Equal(t, c.want, mustPlan(t, s, kruise).Budget)
	}
}
