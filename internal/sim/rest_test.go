// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// TestNoRest: a planner that never has done ends a run in which nothing takes time, and the sooner the
// smaller the cluster is, whether pods change behind each plan or not.
func TestNoRest(t *testing.T) {
	plans := 0
	writesAlways := func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
		plans++
		p, err := deploy.Reconcile(s, now, o)
		p.Actions = append(p.Actions, deploy.AnnotateDeployment{Set: map[string]string{"a": "b"}})
		return p, err
	}
	replacesAlways := func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
		plans++
		p, err := replicaset.Reconcile(s, now, o)
		for i := 0; i < len(s.Pods) && len(p.Actions) == 0; i++ {
			if o := &s.Pods[i]; o.ControllerUID == s.ReplicaSet.UID && o.Ready && o.Active() {
				p.Actions = replicaset.Actions{replicaset.DeletePod{Name: o.Name, UID: o.UID}}
			}
		}
		return p, err
	}
	for _, replicas := range []int32{1, 100} {
		start := finished(t, deployment("old", replicas, rollout.Int(1), rollout.Int(0)))
		start.Update(deployment("new", replicas, rollout.Int(1), rollout.Int(0)))
		for who, cfg := range map[string]Config{
			"deployment controller: web":      {PlanDeployment: writesAlways},
			"replica set controller: web-old": {PlanReplicaSet: replacesAlways},
		} {
			plans = 0
			_, err := Run(start, cfg)
			require.ErrorContains(t, err, who+" is still changing after")
			require.Less(t, plans, 3*maxPasses+200*int(replicas))
		}
	}
}

// TestOneByOne: a rollout in which nothing takes time comes to its end however many pods change one
// behind the other.
func TestOneByOne(t *testing.T) {
	const replicas = 1_000
	start := finished(t, deployment("old", replicas, rollout.Int(1), rollout.Int(0)))
	start.Update(deployment("new", replicas, rollout.Int(1), rollout.Int(0)))
	r := begin(start, Config{})
	r.world.still.n = maxStill - replicas/2 // as if so many had changed before
	result, err := r.run()
	require.NoError(t, err)
	require.True(t, result.Done)
	require.Equal(t, start.Now, result.Cluster.Now)
	require.Greater(t, int(r.world.still.n), maxStill)
}
