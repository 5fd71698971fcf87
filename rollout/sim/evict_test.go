// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/selector"
)

// A budget without a number of its own allows nothing while an owner of its pods has no size: a DaemonSet, or
// one that is gone.
func TestBudgetAsksOwners(t *testing.T) {
	for kind, owner := range map[string]string{"DaemonSet": "agent", "ReplicaSet": "gone"} {
		for _, b := range []cluster.Budget{{MinAvailable: rollout.Percent(50)}, {MaxUnavailable: rollout.Int(1)}, {MinAvailable: rollout.Int(1)}} {
			pods := orphans("web", 3)
			for i := range pods {
				pods[i].ControllerKind, pods[i].ControllerName, pods[i].ControllerUID = "ReplicaSet", "web", "rs"
			}
			pods[2].ControllerKind, pods[2].ControllerName, pods[2].ControllerUID = kind, owner, owner
			rs := webReplicaSet(2)
			rs.Name, rs.UID = "web", "rs"
			b.Name, b.Selector = "web", selector.FromLabels(map[string]string{"app": "web"})
			w := newWorld(t, cluster.Snapshot{
				Pods: pods, ReplicaSets: []replicaset.ReplicaSet{rs}, Budgets: []cluster.Budget{b}, DaemonSets: []daemonset.DaemonSet{{Name: "agent", UID: "agent"}},
			}, sim.Config{Without: []sim.Kind{sim.KindReplicaSet, sim.KindDaemonSet}})
			if err := w.Evict("web-0"); b.MinAvailable == rollout.Int(1) {
				require.NoError(t, err, kind)
			} else {
				require.ErrorContains(t, err, "budget web", kind)
			}
		}
	}
}

// A pod that runs and is not ready may be evicted while enough others are ready, and some have to be. One
// that has not started, or has ended, may be evicted always.
func TestEvictionOfUnreadyPods(t *testing.T) {
	labels := map[string]string{"app": "web"}
	for _, c := range []struct {
		phase        podorder.Phase
		ready, least int // ready pods beside it, and how many have to be
		goes         bool
	}{
		{podorder.Running, 1, 2, false},
		{podorder.Running, 2, 2, true},
		{podorder.Running, 0, 0, false},
		{podorder.Running, 1, 0, true},
		{podorder.Pending, 0, 2, true},
		{podorder.Failed, 0, 2, true},
		{podorder.Succeeded, 0, 2, true},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			pods := orphans("web", 3)
			for i := range pods {
				pods[i].Ready, pods[i].Phase, pods[i].NodeName = i > 0 && i <= c.ready, podorder.Running, "node"
			}
			pods[0].Phase = c.phase
			w := newWorld(t, cluster.Snapshot{
				Pods: pods, Held: map[string]cluster.PodHold{"web-0": {Unready: true}, "web-1": {Unready: true}, "web-2": {Unready: true}},
				Budgets: []cluster.Budget{{Name: "web", Selector: selector.FromLabels(labels), MinAvailable: rollout.Int(int32(c.least))}},
			}, sim.Config{})
			if err := w.Evict("web-0"); c.goes {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "budget web")
			}
		})
	}
}
