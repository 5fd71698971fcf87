// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
)

func TestExplain(t *testing.T) {
	blocked := cluster(4, pod("p1", "n1", "v1"), pod("p2", "n2", "v2", unready), pod("p3", "n3", "v1", terminating), pod("p4", "n4", "v1"), pod("p5", "x", "v1"))
	blocked.Nodes[3].Taints = []daemonset.Taint{taint("x", daemonset.NoSchedule)}
	dead := cluster(2, olds(2)...)
	dead.Nodes[0].Taints = []daemonset.Taint{taint(daemonset.TaintUnreachable, daemonset.NoSchedule)}
	for _, c := range []struct {
		name string
		s    daemonset.Snapshot
		opts daemonset.Options
		want string
	}{
		{"blocked", blocked, daemonset.Options{}, `
			n1: desired, old pod p1, waits (MaxUnavailable)
			n2: desired, new pod p2, uses the budget (NotReady)
			n3: desired, uses the budget (Terminating)
			n4: not desired (TaintNoSchedule), old pod p4, waits (MaxUnavailable)
			x: no such node, old pod p5, waits (MaxUnavailable)`},
		{"OpenKruise, pruned", blocked, daemonset.Options{Dialect: daemonset.OpenKruise, Prune: true}, `
			n1: desired, old pod p1, waits (MaxUnavailable)
			n2: desired, new pod p2, uses the budget (NotReady)
			n3: desired, uses the budget (Terminating)
			n4: not desired (TaintNoSchedule), old pod p4, waits (NotDesired)
			x: no such node, old pod p5, waits (MissingNode)`},
		{"surge", with(cluster(3, pod("p1", "n1", "v1"), pod("q1", "n1", "v2", unready), pod("p2", "n2", "v1"), pod("p3", "n3", "v2")), surgeOne), daemonset.Options{}, `
			n1: desired, new pod q1, old pod p1, uses the budget (NotReady), waits (MaxSurge)
			n2: desired, old pod p2, waits (MaxSurge)
			n3: desired, new pod p3`},
		{"surge, OpenKruise", with(cluster(2, pod("p1", "n1", "v1"), pod("q1", "n1", "v2", preparing), pod("p2", "n2", "v1")), func(s *daemonset.Snapshot) {
			surgeOne(s)
			s.DaemonSet.PreDelete = &daemonset.PreDelete{Labels: map[string]string{"app": "agent"}}
		}), kruise, `
			n1: desired, new pod q1, old pod p1, uses the budget (Preparing), waits (MaxSurge)
			n2: desired, old pod p2, waits (MaxSurge)`},
		{"partition and selector", with(cluster(3, olds(3)...), func(s *daemonset.Snapshot) {
			s.DaemonSet.Partition = rollout.Int(1)
			s.DaemonSet.NodeSelector = &selector.LabelSelector{MatchLabels: map[string]string{"zone": "a"}}
			s.DaemonSet.MaxUnavailable = rollout.Int(1)
			s.Nodes[0].Labels, s.Nodes[1].Labels = map[string]string{"zone": "a"}, map[string]string{"zone": "a"}
			s.DaemonSet.Partition = rollout.Int(2)
		}), kruise, `
			n1: desired, old pod p1, waits (Partition)
			n2: desired, old pod p2, acts (Rollout)
			n3: desired, old pod p3, waits (NotSelected)`},
		{"paused", with(cluster(1, olds(1)...), func(s *daemonset.Snapshot) { s.DaemonSet.Paused = true }), kruise, `n1: desired, old pod p1, waits (Paused)`},
		{"several", with(cluster(1, pod("a", "n1", "v1"), pod("b", "n1", "v1")), func(s *daemonset.Snapshot) { s.Unseen = true }), kruise, `n1: desired, uses the budget (TooManyPods), waits (Unseen)`},
		{"stopped", with(cluster(1, olds(1)...), func(s *daemonset.Snapshot) { s.DaemonSet.DeletionTimestamp = t0 }), kruise, `n1: desired, old pod p1, waits (Deleting)`},
		{"collision", with(cluster(1, olds(1)...), func(s *daemonset.Snapshot) { s.Revisions[1].Data = nil }), kruise, `n1: desired, old pod p1, waits (Collision)`},
		{"dead", dead, daemonset.Options{SkipDeadNodes: 1}, `
			n1: not desired (TaintNoSchedule), old pod p1, waits (DeadNode)
			n2: desired, old pod p2, acts (Rollout)`},
		{"in place", with(inPlaceCluster(2), func(s *daemonset.Snapshot) { s.Pods[1].InPlace.True = false }), kruise, `
			n1: desired, old pod p1, acts (Rollout)
			n2: desired, old pod p2, acts (Rollout)`},
		{"held", with(cluster(1, olds(1)...), func(s *daemonset.Snapshot) {
			s.DaemonSet.PreDelete = &daemonset.PreDelete{Labels: map[string]string{"app": "agent"}}
		}), kruise, `n1: desired, old pod p1, acts (PreDelete)`},
		{"created", cluster(1), kruise, `n1: desired, acts (Missing), uses the budget (Empty)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			reports, err := daemonset.Explain(c.s, t0, c.opts)
			require.NoError(t, err)
			var got []string
			for _, r := range reports {
				got = append(got, r.String())
			}
			if diff := cmp.Diff(lines(c.want), lines(strings.Join(got, "\n"))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Nodes are told of even where nothing is done because the DaemonSet is being deleted, and its
// selectors are unusable.
func TestExplainDeleting(t *testing.T) {
	s := cluster(1, olds(1)...)
	s.DaemonSet.DeletionTimestamp, s.DaemonSet.Selector = t0, nil
	for _, opts := range []daemonset.Options{{}, kruise} {
		reports, err := daemonset.Explain(s, t0, opts)
		require.NoError(t, err)
		require.Len(t, reports, 1)
		produced.Note(reports[0].Uses)
		require.Equal(t, "n1: desired, uses the budget (Empty)", reports[0].String(), "nothing belongs to it any more")
	}
}
