// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/rollout"
)

// Updates without and with surge, row by row: what the pods of node n1 count for. Beside it
// four nodes with an available old pod wait, of which a budget of 3 lets 3 less what is
// used go. The manage step does not run, as it would sort some of these out before.
func TestCensus(t *testing.T) {
	n1 := func(name, version string, changes ...change) daemonset.Pod {
		return pod(name, "n1", version, changes...)
	}
	gone := n1("g", "v1", terminating)
	for _, c := range []struct {
		name, why          string
		pods               []daemonset.Pod
		kubernetes, kruise string // used without surge, and what happens on n1
		surge, surgeKruise string // the same with surge
	}{
		{"empty", "no pod", nil, "1", "1", "0", "0"},
		{"going", "only a pod on its way out", []daemonset.Pod{gone}, "1", "1", "0", "0"},
		{"two new", "not ok", []daemonset.Pod{n1("a", "v2"), n1("b", "v2")}, "1", "1", "1", "1"},
		{"two old", "not ok", []daemonset.Pod{n1("a", "v1"), n1("b", "v0")}, "1", "1", "1", "1"},
		{"two new, one going", "it is not counted", []daemonset.Pod{n1("a", "v2"), n1("b", "v2", terminating)}, "0", "0", "0", "0"},
		{"new", "available", []daemonset.Pod{n1("a", "v2")}, "0", "0", "0", "0"},
		{"new, unready", "not available", []daemonset.Pod{n1("a", "v2", unready)}, "1", "1", "0", "0"},
		{"new, failed", "the phase is not looked at", []daemonset.Pod{n1("a", "v2", failed)}, "1", "1", "0", "0"},
		{"both", "new and old", []daemonset.Pod{n1("a", "v1"), n1("b", "v2")}, "1", "1", "0 deletes a", "0 deletes a"},
		{"both, new is unready", "surge in Kubernetes", []daemonset.Pod{n1("a", "v1"), n1("b", "v2", unready)}, "1", "1", "1", "1"},
		{"old", "a candidate", []daemonset.Pod{n1("a", "v1")}, "0 deletes a", "0", "0 creates", "0"},
		{"old, unready", "a replacement: in OpenKruise it does not use the budget; with surge a node that may surge", []daemonset.Pod{n1("a", "v1", unready)}, "1 deletes a", "0 deletes a", "0 creates", "0 creates"},
		{"old, failed", "new and old pods of a node", []daemonset.Pod{n1("a", "v1", failed)}, "1 deletes a", "0 deletes a", "0 creates", "0 creates"},
		{"new, preparing", "as none", []daemonset.Pod{n1("a", "v2", preparing)}, "", "1", "", "0"},
		{"old, preparing", "as none", []daemonset.Pod{n1("a", "v1", preparing)}, "", "1", "", "0"},
		{"both, old is preparing", "the new one counts", []daemonset.Pod{n1("a", "v1", preparing), n1("b", "v2", unready)}, "", "1", "", "0"},
		{"both, old is preparing, new is available", "pods that are about to go, in OpenKruise", []daemonset.Pod{n1("a", "v1", preparing), n1("b", "v2")}, "", "0", "", "0"},
		{"both, new is preparing", "one more; with surge it surges", []daemonset.Pod{n1("a", "v1"), n1("b", "v2", preparing)}, "", "1", "", "1"},
		{"both, new is preparing and unready", "two more", []daemonset.Pod{n1("a", "v1"), n1("b", "v2", preparing, unready)}, "", "2", "", "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			s := cluster(5, append(c.pods, pod("p2", "n2", "v1"), pod("p3", "n3", "v1"), pod("p4", "n4", "v1"), pod("p5", "n5", "v1"))...)
			s.DaemonSet.MaxUnavailable = rollout.Int(3)
			s.DaemonSet.PreDelete = &daemonset.PreDelete{}
			withSurge := with(s, func(s *daemonset.Snapshot) { s.DaemonSet.MaxSurge = rollout.Int(3) })
			if c.kubernetes != "" {
				require.Equal(t, c.kubernetes, used(t, s, daemonset.Options{}))
				require.Equal(t, c.surge, used(t, withSurge, daemonset.Options{}))
			}
			require.Equal(t, c.kruise, used(t, s, kruise))
			require.Equal(t, c.surgeKruise, used(t, withSurge, kruise))
		})
	}
}

// used returns how much of the budget an update counts as used, and what it does on n1.
func used(t *testing.T, s daemonset.Snapshot, opts daemonset.Options) string {
	t.Helper()
	p, err := daemonset.UpdateOnly(s, t0, opts)
	require.NoError(t, err)
	i := slices.IndexFunc(p.Holds, func(h kplan.Hold) bool {
		return h.Reason == reason.MaxUnavailable || h.Reason == reason.MaxSurge
	})
	require.GreaterOrEqual(t, i, 0, "four nodes cannot all have 3 places: %v", p)
	unready := slices.ContainsFunc(s.Pods, func(p daemonset.Pod) bool { return p.NodeName == "n1" && !p.Ready })
	acts, others := "", 0
	for _, a := range p.Actions {
		switch a := a.(type) {
		case daemonset.DeletePod:
			if a.Node == "n1" {
				acts = " deletes " + a.Name
			}
			if a.Reason == reason.Rollout {
				others++
			}
		case daemonset.CreatePod:
			if a.Node == "n1" {
				acts = " creates"
			}
			if a.Node != "n1" || !unready {
				others++
			}
		}
	}
	have := int64(3)
	if acts != "" && unready && others == 3 { // n1 as well, without using the budget
		have++
	}
	require.Equal(t, kplan.Hold{Reason: p.Holds[i].Reason, Have: have, Limit: 3}, p.Holds[i], "the rest of the budget is used up: %v", p)
	return fmt.Sprint(3-others) + acts
}

// Which nodes count. Both budgets: surge comes first.
func TestCensusNodes(t *testing.T) {
	lost := cluster(2, pod("p1", "n1", "v1"), pod("p2", "n2", "v1"), pod("q", "x", "v2", unready))
	require.Empty(t, deleted(mustPlan(t, lost, daemonset.Options{})), "a pod of a missing node uses the budget")
	require.Len(t, deleted(mustPlan(t, lost, kruise)), 1, "not in OpenKruise")
	require.Len(t, deleted(mustPlan(t, lost, daemonset.Options{Repair: quirk.All})), 1, "OutsideNodesUseBudget")

	both := with(cluster(3, olds(3)...), func(s *daemonset.Snapshot) { surgeOne(s); unavailableTwo(s) })
	p := mustPlan(t, both, daemonset.Options{})
	require.Equal(t, []string{"n1"}, choices(p.Actions).create)
	require.Empty(t, deleted(p), "maxUnavailable is ignored beside a surge")
	unlimited := with(cluster(0), func(s *daemonset.Snapshot) {
		s.DaemonSet.MaxUnavailable, s.DaemonSet.MaxSurge = rollout.Int(0), rollout.Int(0)
	})
	require.Equal(t, daemonset.Budget{}, mustPlan(t, unlimited, daemonset.Options{}).Budget, "nobody is desired")
}

// Examples: what is not ready holds the rest, and with a surge of
// 1 the nodes go one by one.
func TestUpdateWaits(t *testing.T) {
	waiting := with(cluster(5, pod("p1", "n1", "v2", unready), pod("p2", "n2", "v2", unready), pod("p3", "n3", "v1"), pod("p4", "n4", "v1"), pod("p5", "n5", "v1")), unavailableTwo)
	p := mustPlan(t, waiting, daemonset.Options{})
	require.Empty(t, p.Actions, "u = 2, nothing moves")
	require.Equal(t, int64(2), p.Holds[0].Have)

	s := with(cluster(3, olds(3)...), surgeOne)
	var steps []string
	for now := t0; ; now = now.Add(time.Minute) {
		p, err := daemonset.Reconcile(s, now, daemonset.Options{})
		require.NoError(t, err)
		if p.Empty() {
			require.Equal(t, int32(3), p.Status.UpdatedNumberScheduled)
			break
		}
		c := choices(p.Actions)
		for _, node := range c.create {
			steps = append(steps, "+"+node)
		}
		for _, name := range c.remove {
			steps = append(steps, "-"+name)
		}
		execute(&s, p, now)
		settle(&s, now, nil)
	}
	require.Equal(t, []string{"+n1", "-p1", "+n2", "-p2", "+n3", "-p3"}, steps)
}

// Managing looks at the hash alone, updating at the generation too.
func TestSurgeComparesHashes(t *testing.T) {
	old := pod("a", "n", "v1", aged(3*time.Hour), label(daemonset.LabelGeneration, "5"))
	fresh := pod("b", "n", "v2")
	r := daemonset.NodeRules{Surge: true, Version: daemonset.Version{Hash: "v2", Generation: "5"}, Availability: daemonset.Availability{Now: t0}}
	n := daemonset.NodeCase{ShouldRun: true, ShouldContinueRunning: true, Exists: true, Pods: []*daemonset.Pod{&old, &fresh}}
	require.True(t, r.Version.Current(old.Labels), "both are new for the update")
	require.Equal(t, "delete a Replaced", text(r.Decide(&n)), "and one is old for the manage step")
	n.Pods = n.Pods[1:]
	require.Empty(t, text(r.Decide(&n)), "one that runs is enough")
}
