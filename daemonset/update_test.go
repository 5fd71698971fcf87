// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

func unavailableTwo(s *daemonset.Snapshot) { s.DaemonSet.MaxUnavailable = rollout.Int(2) }
func surgeOne(s *daemonset.Snapshot)       { s.DaemonSet.MaxSurge = rollout.Int(1) }

func TestUpdateWithoutSurge(t *testing.T) {
	four := with(cluster(4, pod("p1", "n1", "v2", unready), pod("p2", "n2", "v1", unready), pod("p3", "n3", "v1"), pod("p4", "n4", "v1")), unavailableTwo)
	runPlans(t, []planCase{
		{"first", "by name", with(cluster(3, olds(3)...), func(s *daemonset.Snapshot) { slices.Reverse(s.Pods) }), daemonset.Options{}, `
			Deleted pod: p1 on node n1 (Rollout)
			held back: MaxUnavailable (1 of 1)`},
		{"ranked", "by rank, then by name", with(cluster(3, olds(3)...), func(s *daemonset.Snapshot) { s.Nodes[0].Rank, s.Nodes[1].Rank = 7, 7 }), daemonset.Options{}, `
			Deleted pod: p3 on node n3 (Rollout)
			held back: MaxUnavailable (1 of 1)`},
		{"example, Kubernetes", "an old pod that serves nobody uses the budget and goes", four, daemonset.Options{}, `
			Deleted pod: p2 on node n2 (OldUnavailable)
			held back: MaxUnavailable (2 of 2)
			p1 on n1 held back: NotReady
			p2 on n2 held back: NotReady`},
		{"example, OpenKruise", "it does not use the budget, so that three nodes are without; its order is from the last name", four, kruise, `
			Deleted pod: p2 on node n2 (OldUnavailable)
			Deleted pod: p4 on node n4 (Rollout)
			held back: MaxUnavailable (3 of 2)
			p1 on n1 held back: NotReady`},
		{"example, OpenKruise, corrected", "OldUnavailableNotCounted", four, daemonset.Options{Dialect: daemonset.OpenKruise, Repair: quirk.All}, `
			Deleted pod: p2 on node n2 (OldUnavailable)
			held back: MaxUnavailable (2 of 2)
			p1 on n1 held back: NotReady
			p2 on n2 held back: NotReady`},
		{"terminating", "a node whose pods all go is empty", cluster(2, pod("p1", "n1", "v1", terminating), pod("p2", "n2", "v1")), daemonset.Options{}, `
			held back: MaxUnavailable (1 of 1)
			n1 held back: Terminating`},
		{"not yet available", "minReadySeconds", with(cluster(2, pod("p1", "n1", "v2", readyFor(5*time.Second)), pod("p2", "n2", "v1")), func(s *daemonset.Snapshot) { s.DaemonSet.MinReadySeconds = 10 }), daemonset.Options{}, `
			held back: MaxUnavailable (1 of 1)
			p1 on n1 held back: NotAvailable`},
		{"all unavailable at once", "replacements are not limited", with(cluster(3, olds(3, readyFor(30*time.Second))...), func(s *daemonset.Snapshot) { s.DaemonSet.MinReadySeconds = 60 }), daemonset.Options{}, `
			Deleted pod: p1 on node n1 (OldUnavailable)
			Deleted pod: p2 on node n2 (OldUnavailable)
			Deleted pod: p3 on node n3 (OldUnavailable)`},
		{"all unavailable, strict", "they are", with(cluster(3, olds(3, readyFor(30*time.Second))...), func(s *daemonset.Snapshot) { s.DaemonSet.MinReadySeconds = 60 }), daemonset.Options{StrictUnavailable: true}, `
			Deleted pod: p1 on node n1 (OldUnavailable)
			held back: Strict (3 of 1)
			p1 on n1 held back: NotAvailable
			p2 on n2 held back: NotAvailable
			p3 on n3 held back: NotAvailable`},
		{"strict, OpenKruise", "replacements take the room of the others", with(cluster(3, pod("p1", "n1", "v1", unready), pod("p2", "n2", "v1"), pod("p3", "n3", "v1")), unavailableTwo), daemonset.Options{Dialect: daemonset.OpenKruise, StrictUnavailable: true}, `
			Deleted pod: p1 on node n1 (OldUnavailable)
			Deleted pod: p3 on node n3 (Rollout)
			held back: MaxUnavailable (2 of 2)`},
		{"strict, beside another", "a new pod that is not ready takes the room of the replacement", with(cluster(2, pod("p1", "n1", "v2", unready), pod("p2", "n2", "v1", unready)), func(s *daemonset.Snapshot) {}), daemonset.Options{StrictUnavailable: true}, `
			held back: Strict (1 of 0)
			p1 on n1 held back: NotReady
			p2 on n2 held back: NotReady`},
		{"strict, nodes outside", "an old pod on a node outside, n3, takes no room that the new one on n1 would give back", with(cluster(3, pod("p1", "n1", "v2", unready), pod("p2", "n2", "v1", unready), pod("p3", "n3", "v1", unready)), func(s *daemonset.Snapshot) {
			s.Nodes[2].Taints = []daemonset.Taint{taint("x", daemonset.NoSchedule)}
		}), daemonset.Options{StrictUnavailable: true, Repair: quirk.OutsideNodesUseBudget}, `
			held back: Strict (2 of 0)
			p1 on n1 held back: NotReady
			p2 on n2 held back: NotReady`},
		{"preparing, counted twice", "pods that are about to go, in OpenKruise, DeletedPodCountsTwice", with(cluster(2, pod("p1", "n1", "v1"), pod("p2", "n1", "v2", preparing, unready), pod("p3", "n2", "v1")), func(s *daemonset.Snapshot) {
			unavailableTwo(s)
			s.DaemonSet.PreDelete = &daemonset.PreDelete{Labels: map[string]string{"app": "agent"}}
		}), kruise, `
			p2 on n1 held back: PreDelete
			held back: MaxUnavailable (2 of 2)
			p2 on n1 held back: Preparing
			p2 on n1 held back: NotReady`},
		{"preparing, corrected", "once; the pod is then held by the hook", with(cluster(2, pod("p1", "n1", "v1"), pod("p2", "n1", "v2", preparing, unready), pod("p3", "n2", "v1")), func(s *daemonset.Snapshot) {
			unavailableTwo(s)
			s.DaemonSet.PreDelete = &daemonset.PreDelete{Labels: map[string]string{"app": "agent"}}
		}), daemonset.Options{Dialect: daemonset.OpenKruise, Repair: quirk.All}, `
			Prepared deletion of pod p3 on node n2 (Rollout)
			p2 on n1 held back: PreDelete`},
		{"strict, all at once", "what blocks is told once", with(cluster(4, olds(3, unready)...), func(s *daemonset.Snapshot) {
			unavailableTwo(s)
			s.Pods = append(s.Pods, pod("p4", "n4", "v1"))
		}), daemonset.Options{StrictUnavailable: true}, `
			Deleted pod: p1 on node n1 (OldUnavailable)
			Deleted pod: p2 on node n2 (OldUnavailable)
			held back: Strict (3 of 2)
			held back: MaxUnavailable (3 of 2)
			p1 on n1 held back: NotReady
			p2 on n2 held back: NotReady
			p3 on n3 held back: NotReady`},
		{"the last one ends", "the node waits, and that is told", cluster(2, pod("p1", "n1", "v2"), pod("p2", "n2", "v1", terminating)), daemonset.Options{}, `
			n2 held back: Terminating`},
		{"on delete", "without a rolling update nothing is deleted", with(cluster(2, olds(2)...), func(s *daemonset.Snapshot) { s.DaemonSet.Strategy = daemonset.OnDelete }), daemonset.Options{}, `held back: OnDelete (2 of 0)`},
		{"paused", "paused", with(cluster(2, olds(2)...), func(s *daemonset.Snapshot) { s.DaemonSet.Paused = true }), kruise, `held back: Paused (2 of 0)`},
		{"both zero", "one may be unavailable", with(cluster(2, olds(2)...), func(s *daemonset.Snapshot) {
			s.DaemonSet.MaxUnavailable, s.DaemonSet.MaxSurge = rollout.Percent(0), rollout.Int(0)
		}), daemonset.Options{}, `
			Deleted pod: p1 on node n1 (Rollout)
			held back: MaxUnavailable (1 of 1)`},
		{"frozen", "the policy leaves everything as it is", cluster(2, olds(1)...), daemonset.Options{Freeze: true}, `held back: Frozen`},
		{"unseen", "when nothing is done", with(cluster(2, olds(1)...), func(s *daemonset.Snapshot) { s.Unseen = true }), daemonset.Options{}, `held back: Unseen`},
	})
}

// Nodes that do not answer, and nodes that no longer belong.
func TestDeadNodes(t *testing.T) {
	dead := cluster(3, pod("p1", "n1", "v1"), pod("p2", "n2", "v1"), pod("p3", "n3", "v1", unready))
	dead.Nodes[2].Taints = []daemonset.Taint{taint(daemonset.TaintUnreachable, daemonset.NoExecute), taint(daemonset.TaintUnreachable, daemonset.NoSchedule)}
	gone := with(dead, func(s *daemonset.Snapshot) { terminating(&s.Pods[2]) })
	outside := cluster(3, pod("p1", "n1", "v1"), pod("p2", "n2", "v1"), pod("p3", "n3", "v2", unready))
	outside.Nodes[2].Taints = []daemonset.Taint{taint("x", daemonset.NoSchedule)}
	runPlans(t, []planCase{
		{"dead", "its pod goes first, and takes the budget", dead, daemonset.Options{}, `
			Deleted pod: p3 on node n3 (OldUnavailable)
			held back: MaxUnavailable (1 of 1)
			p3 on n3 held back: NotReady`},
		{"dead, then", "it never ends, and the update stops", gone, daemonset.Options{}, `
			held back: MaxUnavailable (1 of 1)
			n3 held back: Terminating`},
		{"dead, skipped", "the policy goes on without it", dead, daemonset.Options{SkipDeadNodes: 1}, `
			Deleted pod: p1 on node n1 (Rollout)
			n3 held back: DeadNode
			held back: MaxUnavailable (1 of 1)`},
		{"dead, then, skipped", "SkipDeadNodes", gone, daemonset.Options{SkipDeadNodes: 1}, `
			Deleted pod: p1 on node n1 (Rollout)
			n3 held back: DeadNode
			held back: MaxUnavailable (1 of 1)`},
		{"two dead, one skipped", "those beyond the cap count, so that an update which kills nodes stops", with(gone, func(s *daemonset.Snapshot) { s.Nodes[1].Taints = s.Nodes[2].Taints; terminating(&s.Pods[1]) }), daemonset.Options{SkipDeadNodes: 1}, `
			n2 held back: DeadNode
			held back: MaxUnavailable (1 of 1)
			n3 held back: Terminating`},
		{"dead, but up to date", "a node of which the update wants nothing takes no place among those skipped", with(dead, func(s *daemonset.Snapshot) {
			s.Nodes[0].Taints, s.Pods[0] = s.Nodes[2].Taints, pod("p1", "n1", "v2")
		}), daemonset.Options{SkipDeadNodes: 1}, `
			Deleted pod: p2 on node n2 (Rollout)
			n3 held back: DeadNode`},
		{"outside", "a node that is not desired uses the budget", outside, daemonset.Options{}, `
			held back: MaxUnavailable (1 of 1)
			p3 on n3 held back: NotReady`},
		{"outside, beside a blocker, corrected", "it gives back its own share only", with(cluster(4, pod("p1", "n1", "v2", unready), pod("p2", "n2", "v2", unready), pod("p3", "n3", "v1"), pod("p4", "n4", "v1")), func(s *daemonset.Snapshot) {
			unavailableTwo(s)
			s.Nodes[1].Taints = outside.Nodes[2].Taints
		}), daemonset.Options{Repair: quirk.All}, `
			Deleted pod: p3 on node n3 (Rollout)
			held back: MaxUnavailable (2 of 2)
			p1 on n1 held back: NotReady`},
		{"another taint", "it says nothing about whether the node answers", with(dead, func(s *daemonset.Snapshot) {
			s.Nodes[2].Taints = []daemonset.Taint{taint("x", daemonset.PreferNoSchedule)}
		}), daemonset.Options{SkipDeadNodes: 1}, `
			Deleted pod: p3 on node n3 (OldUnavailable)
			held back: MaxUnavailable (1 of 1)
			p3 on n3 held back: NotReady`},
		{"not ready", "the other taint that does", with(dead, func(s *daemonset.Snapshot) {
			s.Nodes[2].Taints = []daemonset.Taint{taint(daemonset.TaintNotReady, daemonset.NoExecute)}
		}), daemonset.Options{SkipDeadNodes: 1}, `
			Deleted pod: p1 on node n1 (Rollout)
			n3 held back: DeadNode
			held back: MaxUnavailable (1 of 1)`},
		{"outside, corrected", "OutsideNodesUseBudget", outside, daemonset.Options{Repair: quirk.All}, `
			Deleted pod: p1 on node n1 (Rollout)
			held back: MaxUnavailable (1 of 1)`},
		{"outside, pruned", "the gate of OpenKruise does as much", outside, daemonset.Options{Prune: true}, `
			Deleted pod: p1 on node n1 (Rollout)
			held back: MaxUnavailable (1 of 1)`},
	})
}

func TestUpdateWithSurge(t *testing.T) {
	sunset := with(cluster(2, pod("p1", "n1", "v1"), pod("p2", "n2", "v2", unready)), surgeOne)
	sunset.Nodes[0].Taints = []daemonset.Taint{taint("x", daemonset.NoSchedule)}
	forgetful := func(s *daemonset.Snapshot) {
		s.DaemonSet.RevisionHistoryLimit = ptr.To(int32(0))
		s.Revisions = append(s.Revisions, agentRevision("v0", 0))
	}
	missing := with(cluster(2, pod("p1", "n1", "v1"), pod("p2", "n2", "v1"), pod("p3", "x", "v1")), surgeOne)
	runPlans(t, []planCase{
		{"first", "by name", with(cluster(3, olds(3)...), surgeOne), daemonset.Options{}, `
			Created pod on node n1 (Rollout)
			held back: MaxSurge (1 of 1)`},
		{"ranked", "the order of updates", with(cluster(3, olds(3)...), func(s *daemonset.Snapshot) { surgeOne(s); s.Nodes[2].Rank = -1 }), daemonset.Options{}, `
			Created pod on node n3 (Rollout)
			held back: MaxSurge (1 of 1)`},
		{"under way", "surge in Kubernetes", with(cluster(2, pod("p1", "n1", "v1"), pod("q1", "n1", "v2", unready), pod("p2", "n2", "v1")), surgeOne), daemonset.Options{}, `
			held back: MaxSurge (1 of 1)
			q1 on n1 held back: NotReady`},
		{"old is not available", "not limited", with(cluster(3, olds(3, unready)...), surgeOne), daemonset.Options{}, `
			Created pod on node n1 (Rollout)
			Created pod on node n2 (Rollout)
			Created pod on node n3 (Rollout)`},
		{"done", "the manage step deletes", with(cluster(1, pod("p1", "n1", "v1"), pod("q1", "n1", "v2")), surgeOne), daemonset.Options{}, `
			Deleted pod: p1 on node n1 (Replaced)
			held back: ManageFirst (1 of 0)`},
		{"sunset", "not enough others are available", sunset, daemonset.Options{}, `
			held back: MinAvailable (1 of 1)`},
		{"sunset, later", "pods where none is desired", with(sunset, func(s *daemonset.Snapshot) { s.Pods[1] = pod("p2", "n2", "v2") }), daemonset.Options{}, `
			Deleted pod: p1 on node n1 (NotDesired)`},
		{"sunset, not available", "at once", with(sunset, func(s *daemonset.Snapshot) { unready(&s.Pods[0]) }), daemonset.Options{}, `
			Deleted pod: p1 on node n1 (NotDesired)`},
		{"sunset, OpenKruise", "it does not look at whether the node is desired", with(sunset, func(s *daemonset.Snapshot) {}), kruise, `
			Created pod on node n1 (Rollout)`},
		{"sunset, OpenKruise, corrected", "as in Kubernetes", with(sunset, func(s *daemonset.Snapshot) {}), kruiseCorrected, `
			held back: MinAvailable (1 of 1)`},
		{"missing node", "upstream fails", missing, daemonset.Options{}, `
			p3 on x held back: MissingNode`},
		{"missing node, history", "upstream does not get as far as its history", with(missing, forgetful), daemonset.Options{}, `
			p3 on x held back: MissingNode`},
		{"missing node, history, corrected", "MissingNodeStopsSurge", with(missing, forgetful), daemonset.Options{Repair: quirk.All}, `
			Created pod on node n1 (Rollout)
			Deleted controller revision agent-v0 (HistoryLimit)
			held back: MaxSurge (1 of 1)`},
		{"missing node, corrected", "MissingNodeStopsSurge", missing, daemonset.Options{Repair: quirk.All}, `
			Created pod on node n1 (Rollout)
			held back: MaxSurge (1 of 1)`},
		{"missing node, OpenKruise", "it is left out", missing, kruise, `
			Created pod on node n2 (Rollout)
			held back: MaxSurge (1 of 1)`},
		{"preparing, OpenKruise", "one that is about to go does not run", with(cluster(2, pod("p1", "n1", "v1", preparing), pod("p2", "n2", "v1"), pod("q2", "n2", "v2", preparing)), func(s *daemonset.Snapshot) {
			surgeOne(s)
			s.DaemonSet.PreDelete = &daemonset.PreDelete{Labels: map[string]string{"app": "agent"}}
		}), kruise, `
			Created pod on node n1 (Missing)
			p1 on n1 held back: PreDelete
			q2 on n2 held back: PreDelete
			held back: ManageFirst (2 of 0)`},
		{"surging", "an old name", with(cluster(3, olds(3)...), func(s *daemonset.Snapshot) { s.DaemonSet.RollingType = daemonset.Surging }), kruise, `
			Created pod on node n3 (Rollout)
			held back: MaxSurge (1 of 1)`},
	})
}

// The partition tells how many nodes it keeps.
func TestPartitionHold(t *testing.T) {
	s := with(cluster(5, olds(5)...), func(s *daemonset.Snapshot) { s.DaemonSet.Partition = rollout.Int(2) })
	require.Contains(t, mustPlan(t, s, kruise).String(), "held back: Partition (2 of 2)")
}

// Nodes that are up to date are not told as left out by a selector.
func TestNotSelected(t *testing.T) {
	s := cluster(2, pod("p1", "n1", "v1"), pod("p2", "n2", "v2"))
	s.Nodes[0].Labels = map[string]string{"zone": "a"}
	for zone, want := range map[string]string{
		"a": "Deleted pod: p1 on node n1 (Rollout)",
		"b": "held back: NotSelected (1 of 0)",
	} {
		s.DaemonSet.NodeSelector = &selector.LabelSelector{MatchLabels: map[string]string{"zone": zone}}
		require.Equal(t, want, mustPlan(t, s, kruise).String())
	}
}

// The examples.
func TestFilter(t *testing.T) {
	zone := func(s *daemonset.Snapshot, names ...string) {
		s.DaemonSet.NodeSelector = &selector.LabelSelector{MatchLabels: map[string]string{"zone": "a"}}
		for i := range s.Nodes {
			if slices.Contains(names, s.Nodes[i].Name) {
				s.Nodes[i].Labels = map[string]string{"zone": "a"}
			}
		}
	}
	for _, c := range []struct {
		why  string
		s    daemonset.Snapshot
		opts daemonset.Options
		want []string
	}{
		{"updated ones first, then from the last name", cluster(3, pod("p1", "n1", "v1"), pod("p2", "n2", "v2"), pod("p3", "n3", "v1")), kruise, []string{"n2", "n3", "n1"}},
		{"the partition keeps the first names", with(cluster(3, pod("p1", "n1", "v2"), pod("p2", "n2", "v1"), pod("p3", "n3", "v1")), func(s *daemonset.Snapshot) { s.DaemonSet.Partition = rollout.Int(1) }), kruise, []string{"n1", "n3"}},
		{"the partition is applied to what the selector leaves", with(cluster(4, pod("p1", "n1", "v1"), pod("p2", "n2", "v2"), pod("p3", "n3", "v1"), pod("p4", "n4", "v1")), func(s *daemonset.Snapshot) {
			zone(s, "n1", "n3", "n4")
			s.DaemonSet.Partition = rollout.Int(2)
		}), kruise, []string{"n2", "n4"}},
		{"a node whose pod goes counts as being updated", with(cluster(4, pod("p1", "n1", "v1"), pod("p2", "n2", "v2"), pod("p3", "n3", "v1", terminating), pod("p4", "n4", "v1")), func(s *daemonset.Snapshot) { zone(s, "n1", "n3") }), kruise, []string{"n2", "n3", "n1"}},
		{"an empty selector matches every node", with(cluster(2, olds(2)...), func(s *daemonset.Snapshot) { s.DaemonSet.NodeSelector = &selector.LabelSelector{} }), kruise, []string{"n2", "n1"}},
		{"a partition above the number of nodes", with(cluster(2, olds(2)...), func(s *daemonset.Snapshot) { s.DaemonSet.Partition = rollout.Int(9) }), kruise, []string{}},
		{"99% of 7 are 6", with(cluster(7, olds(7)...), func(s *daemonset.Snapshot) { s.DaemonSet.Partition = rollout.Percent(99) }), kruise, []string{"n7"}},
		{"a percentage of the last status, which may be 0", with(cluster(2, olds(2)...), func(s *daemonset.Snapshot) {
			s.DaemonSet.Partition, s.DaemonSet.Status.DesiredNumberScheduled = rollout.Percent(50), 0
		}), kruise, []string{"n2", "n1"}},
		{"repaired: of the present nodes", with(cluster(2, olds(2)...), func(s *daemonset.Snapshot) {
			s.DaemonSet.Partition, s.DaemonSet.Status.DesiredNumberScheduled = rollout.Percent(50), 0
		}), daemonset.Options{Dialect: daemonset.OpenKruise, Repair: quirk.All}, []string{"n2"}},
		{"ranks come before names", with(cluster(3, olds(3)...), func(s *daemonset.Snapshot) { s.DaemonSet.Partition, s.Nodes[0].Rank = rollout.Int(1), -1 }), kruise, []string{"n1", "n3"}},
		{"Kubernetes: all keys, as there is nothing to filter by", cluster(2, pod("p1", "x", "v1"), pod("p2", "n2", "v1")), daemonset.Options{}, []string{"n1", "n2", "x"}},
		{"Kubernetes with a partition", with(cluster(2, pod("p1", "x", "v1"), pod("p2", "n2", "v1")), func(s *daemonset.Snapshot) { s.DaemonSet.Partition = rollout.Int(1) }), daemonset.Options{}, []string{"n1"}},
	} {
		got, err := daemonset.FilterOnly(c.s, t0, c.opts)
		require.NoError(t, err)
		if c.opts.Dialect == daemonset.Kubernetes {
			slices.Sort(got)
		}
		require.Equal(t, c.want, got, c.why)
	}
}

// Pods on nodes that the partition reserves.
func TestPartitionCreatesOld(t *testing.T) {
	s := cluster(5, pod("p1", "n1", "v1"))
	s.DaemonSet.Partition = rollout.Int(4)
	hashes := func(opts daemonset.Options) (list []string) {
		for _, a := range mustPlan(t, s, opts).Actions {
			list = append(list, a.(daemonset.CreatePod).Hash)
		}
		return list
	}
	require.Equal(t, []string{"v2", "v2", "v2", "v2"}, hashes(kruise))
	require.Equal(t, []string{"v2", "v1", "v1", "v1"}, hashes(daemonset.Options{Dialect: daemonset.OpenKruise, PartitionCreatesOld: true}))
	// A node outside takes a place of the update, and must take one here as well: the pod
	// of n2, which the update released, would come back old and be released again.
	outside := with(cluster(3, pod("p1", "n1", "v2"), pod("p3", "n3", "v1")), func(s *daemonset.Snapshot) {
		s.DaemonSet.Partition = rollout.Int(1)
		s.Nodes[2].Taints = []daemonset.Taint{taint("x", daemonset.NoSchedule)}
	})
	created := mustPlan(t, outside, daemonset.Options{PartitionCreatesOld: true}).Actions[0].(daemonset.CreatePod)
	require.Equal(t, []string{"n2", "v2"}, []string{created.Node, created.Hash})
	s.Revisions = s.Revisions[1:]
	require.Equal(t, []string{"v2", "v2", "v2", "v2"}, hashes(daemonset.Options{Dialect: daemonset.OpenKruise, PartitionCreatesOld: true}), "no old revision is left")
}

// An example: with 2 of 5 unavailable the update takes these steps.
func TestUpdateSteps(t *testing.T) {
	s := with(cluster(5, olds(5)...), unavailableTwo)
	var steps []string
	for now := t0; ; now = now.Add(time.Minute) {
		p, err := daemonset.Reconcile(s, now, daemonset.Options{})
		require.NoError(t, err)
		if p.Empty() {
			require.Equal(t, int32(5), p.Status.UpdatedNumberScheduled)
			break
		}
		c := choices(p.Actions)
		steps = append(steps, string(rune('0'+len(c.remove)))+"-"+string(rune('0'+len(c.create)))+"+")
		execute(&s, p, now)
		settle(&s, now, nil)
	}
	require.Equal(t, []string{"2-0+", "0-2+", "2-0+", "0-2+", "1-0+", "0-1+"}, steps)
}

// An update that a pod of a missing node stops, beside 31 creations and 17 deletions for which
// there is no burst: however nodes and pods come, the holds are those of creations, of deletions,
// and of each missing node by name.
func TestMissingNodesInOrder(t *testing.T) {
	s := with(cluster(48), surgeOne)
	s.DaemonSet.Burst = rollout.Percent(0)
	want := []kplan.Hold{{Reason: reason.Burst, Have: 31}, {Reason: reason.Burst, Have: 17}}
	for i := range 17 {
		s.Nodes[31+i].Taints = []daemonset.Taint{taint("x", daemonset.NoExecute)}
		s.Pods = append(s.Pods, pod(fmt.Sprint("p", i), s.Nodes[31+i].Name, "v2"))
	}
	for i := 10; i < 30; i++ {
		node, name := fmt.Sprint("gone", i), fmt.Sprint("q", 40-i)
		s.Pods = append(s.Pods, pod(name, node, "v1"))
		want = append(want, kplan.Hold{Node: node, Name: name, Reason: reason.MissingNode})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		random.Shuffle(len(s.Nodes), func(i, j int) { s.Nodes[i], s.Nodes[j] = s.Nodes[j], s.Nodes[i] })
		random.Shuffle(len(s.Pods), func(i, j int) { s.Pods[i], s.Pods[j] = s.Pods[j], s.Pods[i] })
		require.Equal(t, want, mustPlan(t, s, daemonset.Options{}).Holds)
	}
}
