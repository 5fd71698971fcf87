// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// nodesOf are the parameters of a step of a DaemonSet.
func nodesOf(values map[string]*big.Int) (n rollout.NodeCounts, limit int32) {
	at := func(i int) int { return int(values[fmt.Sprintf("n.%d", i)].Int64()) }
	return rollout.NodeCounts{Unavailable: at(0), OfOld: at(1), OldUnavailable: at(2), OldAvailable: at(3)}, int32(values["limit"].Int64())
}

// onNodes is a DaemonSet on these nodes, one of which is up to date.
func onNodes(n rollout.NodeCounts, limit int32) daemonset.Snapshot {
	labels := map[string]string{"app": "logs"}
	s := daemonset.Snapshot{DaemonSet: daemonset.DaemonSet{
		Name: "logs", UID: "d1", Generation: 1, Selector: &selector.LabelSelector{MatchLabels: labels}, MaxUnavailable: rollout.Int(limit),
		Template: daemonset.Template{Hash: "new", Data: []byte(`{"new":true}`), Labels: labels},
	}}
	for i, hash := range []string{"old", "new"} {
		s.Revisions = append(s.Revisions, revision.ControllerRevision{
			Name: "logs-" + hash, ControllerUID: "d1", Revision: int64(i + 1), Labels: map[string]string{"app": "logs", daemonset.LabelHash: hash},
			Data: []byte(fmt.Sprintf(`{"new":%t}`, hash == "new")),
		})
	}
	add := func(many int, hash string, ready bool) {
		for range many {
			node := fmt.Sprintf("node-%d", len(s.Nodes))
			p := podorder.Pod{Name: "on-" + node, UID: node, ControllerUID: "d1", NodeName: node, Phase: podorder.Running, Ready: ready,
				Labels: map[string]string{"app": "logs", daemonset.LabelHash: hash}}
			if ready {
				p.ReadySince = start.Add(-time.Hour)
			}
			s.Nodes = append(s.Nodes, daemonset.Node{Name: node})
			s.Pods = append(s.Pods, daemonset.Pod{Pod: p})
		}
	}
	add(n.OldAvailable, "old", true)
	add(n.OldUnavailable, "old", false)
	add(n.Unavailable-n.OfOld, "new", false)
	add(1, "new", true)
	return s
}

// removed returns the numbers of unavailable and available pods that the planner deletes.
func removed(t *testing.T, s daemonset.Snapshot, strict bool) (unavailable, available int) {
	t.Helper()
	plan, err := daemonset.Reconcile(s, start, daemonset.Options{StrictUnavailable: strict})
	require.NoError(t, err)
	for _, a := range plan.Actions {
		d, ok := a.(daemonset.DeletePod)
		require.True(t, ok, "%v", a)
		if d.Reason == reason.OldUnavailable {
			unavailable++
		} else {
			available++
		}
	}
	return unavailable, available
}

// On each path of the arithmetic of a DaemonSet, Go and the planner delete the same pods as the
// translation.
func TestNodePaths(t *testing.T) {
	p := program0(t)
	for name, strict := range map[string]bool{"nodesByDefault": false, "nodesStrictly": true} {
		t.Run(name, func(t *testing.T) {
			all, err := p.paths(p.others[name], elements, 0)
			require.NoError(t, err)
			t.Logf("%d paths", len(all))
			require.Greater(t, len(all), 5)
			for _, path := range all {
				n, limit := nodesOf(path.values)
				want := [2]int{int(path.values["result.0"].Int64()), int(path.values["result.1"].Int64())}
				var got [2]int
				got[0], got[1] = n.Removals(limit)
				if strict {
					got[0], got[1] = n.StrictRemovals(limit)
				}
				require.Equal(t, want, got, "%+v, limit %d", n, limit)
				got[0], got[1] = removed(t, onNodes(n, limit), strict)
				require.Equal(t, want, got, "the planner: %+v, limit %d", n, limit)
			}
		})
	}
}
