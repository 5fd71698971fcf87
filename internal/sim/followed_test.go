// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// TestFollowedRuns: a run of Trackers, which see of pods what has changed and is of their concern, is one of
// planners that see all, whatever the order in which pods go. There are more changes than the journal
// remembers, and among the pods that go are new ones that have no node yet.
func TestFollowedRuns(t *testing.T) {
	unusual := podorder.Order{Stages: []podorder.Stage{{Rule: podorder.RuleNeighbours}, {Rule: podorder.RuleUnassigned}}}
	for i, order := range []podorder.Order{{}, unusual} {
		for seed := range uint64(6) {
			size := int32(20)
			if seed == 0 && i == 0 {
				size = 700
			}
			k := Kubelet{ScheduleAfter: time.Second, ReadyAfter: 5 * time.Second, TerminateAfter: 3 * time.Second, Jitter: 4 * time.Second, Seed: seed, Nodes: 3}
			cfg := Config{Kubelet: k, TimeLimit: 3 * time.Second, ReplicaSetOptions: replicaset.Options{Burst: 1_000, Order: order}}
			start := updated(finished(t, deployment("old", size, quarter, quarter)), deployment("new", size, quarter, quarter))
			for _, next := range []string{"old", "new", ""} {
				seen := cfg
				seen.PlanDeployment, seen.PlanReplicaSet = deploy.Reconcile, replicaset.Reconcile
				want, err := Run(start, seen)
				require.NoError(t, err)
				got, err := Run(start, cfg)
				require.NoError(t, err)
				require.Empty(t, cmp.Diff(want, got, cmpopts.IgnoreUnexported(Cluster{})), fmt.Sprint(order, seed, next))
				start = updated(got.Cluster, deployment(next, size, quarter, quarter))
				cfg.TimeLimit = map[string]time.Duration{"old": 4 * time.Second}[next]
			}
		}
	}
}
