// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/replicaset"
	replicasetquirk "github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
)

var repairedReleases = sim.Config{
	Times: livesShort, Deployment: deploy.Options{Repair: deployquirk.All}, ReplicaSet: replicaset.Options{Repair: replicasetquirk.All},
	Rollout: kruise.Options{Repair: workloadquirk.All},
}

// TestGoesOnAnywhere: whatever a release has come to, with requests lost, controllers restarted and caches
// behind, another world can take it over from JSON at any moment, and comes to its end. That of a set must
// have seen what is asked for.
func TestGoesOnAnywhere(t *testing.T) {
	for _, l := range closedLoops {
		if !slices.Contains([]string{"Partition", "Canary", "BlueGreen", "Sets"}, l.name) {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			taken := 0
			for seed := range uint64(12) {
				e := &editor{Rand: rand.New(rand.NewPCG(seed, 2)), t: t, done: map[string]int{}}
				c := repairedReleases
				c.Seed, c.Faults = seed, sim.Faults{Flaky: 1, Crash: 1, Stale: 1, Skip: 1}
				e.begin(l.begin(e), c)
				for range 40 {
					require.NoError(t, e.w.Run(e.w.Now().Add(e.someTime()/2)))
					e.once(rolloutEdits)
					o := e.server.Sets.Get("web")
					seen := o == nil || o.Status.ObservedGeneration == o.Generation
					if seen && e.server.Rollouts.All()[0].Status.Phase == kruise.PhaseProgressing && e.IntN(3) == 0 {
						e.takenOver(&l, seed)
						taken++
					}
				}
			}
			require.Greater(t, taken, 30)
		})
	}
}

// begin gives the editor a world.
func (e *editor) begin(s cluster.Snapshot, c sim.Config) {
	e.w = newWorld(e.t, s, c)
	e.server, _, _ = e.w.Inside()
}

// takenOver lets another world go on from the present state of this one to its end.
func (e *editor) takenOver(l *closedLoop, seed uint64) {
	e.t.Helper()
	text, err := json.Marshal(e.w.Snapshot())
	require.NoError(e.t, err)
	var s cluster.Snapshot
	require.NoError(e.t, json.Unmarshal(text, &s))
	next := &editor{Rand: rand.New(rand.NewPCG(seed, 3)), t: e.t, done: map[string]int{}}
	next.begin(s, repairedReleases)
	l.heal(next)
	for more := true; more; more = next.goesOn() {
		_, err := next.w.Settle(24 * time.Hour)
		require.NoError(e.t, err)
	}
	require.NoError(e.t, l.check(next), "seed %d, %v after the start", seed, e.w.Now().Sub(e.w.Start()))
}
