// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	daemonsetquirk "github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/deploy"
	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/replicaset"
	replicasetquirk "github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/controllers"
	"github.com/kplan-go/kplan/rollout/workload"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A closedLoop is a kind of worlds that somebody edits while faults strike.
type closedLoop struct {
	name  string
	share int // of a hundred loops
	begin func(e *editor) cluster.Snapshot
	edits []edit
	heal  func(e *editor)
	check func(e *editor) error
	// bounds must all have been put to the test.
	bounds []string
}

var closedLoops = []closedLoop{
	{
		name: "Deployments", share: 40, edits: slices.Concat(podEdits, deploymentEdits),
		begin: func(e *editor) cluster.Snapshot {
			return cluster.Snapshot{Deployments: []deploy.Deployment{e.someDeployment()}}
		},
		heal: (*editor).healDeployments, check: (*editor).checkDeployment,
		bounds: []string{"surge", "availability", "creation", "deletion", "create", "marked", "gone"},
	},
	{
		name: "DaemonSets", share: 25, edits: slices.Concat(podEdits, daemonSetEdits),
		begin: (*editor).beginDaemonSet,
		heal:  (*editor).healDaemonSets, check: (*editor).checkDaemonSet,
		bounds: []string{"pods of a node", "unavailable nodes", "hook", "marked"},
	},
	releasedLoop("Partition", 15, beginRollout(workload.Partition), "surge", "availability", "pause", "step", "batch", "partition"),
	releasedLoop("Canary", 5, beginRollout(workload.Canary), "pause", "step", "traffic"),
	releasedLoop("BlueGreen", 5, beginRollout(workload.BlueGreen), "pause", "step", "traffic"),
	releasedLoop("Sets", 10, beginSet, "pause", "step", "batch of a set", "partition by ordinals", "partition by number", "availability of a set"),
}

func releasedLoop(name string, share int, begin func(*editor) cluster.Snapshot, bounds ...string) closedLoop {
	return closedLoop{
		name: name, share: share, begin: begin, edits: slices.Concat(podEdits, rolloutEdits), heal: (*editor).healRollouts,
		check: (*editor).checkRollout, bounds: bounds,
	}
}

// livesShort are the times of pods in closed loops.
var livesShort = cluster.Times{
	Schedule: cluster.Between(0, time.Second), Start: cluster.Between(time.Second, 6*time.Second), End: cluster.Between(0, 5*time.Second),
}

// loop runs one world, and returns what is wrong.
func (l *closedLoop) loop(t testing.TB, seed uint64, g *guard, done map[string]int, plant func(*controllers.Env)) error {
	e := &editor{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, done: done}
	faults := someFaults(e.Rand)
	g.stale = faults.Stale > 0
	w, err := sim.New(l.begin(e), sim.Config{
		Seed: seed, Faults: faults, Times: livesShort, Planned: g.planned, Trace: e.trace(),
		Deployment: deploy.Options{Repair: deployquirk.All}, ReplicaSet: replicaset.Options{Repair: replicasetquirk.All, Burst: e.Int32N(4) + 4},
		DaemonSet: daemonset.Options{Repair: daemonsetquirk.All, Dialect: []daemonset.Dialect{daemonset.Kubernetes, daemonset.OpenKruise}[e.IntN(2)]}, Rollout: kruise.Options{Repair: workloadquirk.All},
	})
	if err != nil {
		return err
	}
	e.w = w
	var env *controllers.Env
	e.server, env, _ = w.Inside()
	if plant != nil {
		plant(env)
	}
	g.watch(w)
	for range 40 {
		if err := w.Run(w.Now().Add(e.someTime())); err != nil {
			return err
		}
		e.once(l.edits)
	}
	e.healPods()
	w.Heal() // the pods that there are begin anew
	l.heal(e)
	for more := true; more; more = e.goesOn() {
		rests, err := w.Settle(24 * time.Hour)
		if err != nil || !rests && l.name != "BlueGreen" { // whose pods are available in 68 years
			return fmt.Errorf("rests: %v %w", rests, err)
		}
	}
	return l.check(e)
}

// trace prints what happens if KPLAN_LOOP_TRACE is set.
func (e *editor) trace() func(string) {
	if os.Getenv("KPLAN_LOOP_TRACE") == "" {
		return nil
	}
	return func(line string) { fmt.Println(line) }
}

// TestClosedLoop runs seeded worlds of all kinds under faults and edits. The bounds are checked at every
// write, and each world must come to rest with what is wanted. KPLAN_LOOPS is how many loops are tried, and
// KPLAN_SEED the seed of the first; KPLAN_LOOP_TRACE prints what happens.
func TestClosedLoop(t *testing.T) {
	first, loops := number(t, "KPLAN_SEED", 1), number(t, "KPLAN_LOOPS", 200)
	for i := range closedLoops {
		l := &closedLoops[i]
		t.Run(l.name, func(t *testing.T) {
			g, done := newGuard(), map[string]int{}
			n := max(1, loops*uint64(l.share)/100)
			for seed := first; seed < first+n; seed++ {
				of := newGuard()
				of.checked = g.checked
				require.NoError(t, l.loop(t, seed, of, done, nil), "KPLAN_LOOPS=1 KPLAN_SEED=%d", seed)
			}
			t.Log(g.checked, done)
			if n > 20 {
				for _, bound := range l.bounds {
					require.NotZero(t, g.checked[bound], bound)
				}
				require.Len(t, done, len(l.edits))
			}
		})
	}
}
