// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout/sim"
)

// number returns what a variable of the environment says, or a default.
func number(t *testing.T, variable string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, variable)
	return n
}

// someFaults are faults of which each strikes in half of the loops, up to three times as often
// as at the rate 1.
func someFaults(r *rand.Rand) (f sim.Faults) {
	for _, rate := range []*float64{
		&f.Crash, &f.Stale, &f.Skip, &f.Flaky, &f.Conflict, &f.LostEvents, &f.Disorder, &f.TwoLeaders, &f.Clocks, &f.PodFailures, &f.Unready, &f.SlowEnds,
		&f.NoNode, &f.NodeFaults,
	} {
		if r.IntN(2) == 0 {
			*rate = 3 * r.Float64()
		}
	}
	return f
}

// TestFaultyLoops: whatever strikes, and whenever somebody wants something else, a workload of
// any kind comes to rest with what is wanted. KPLAN_LOOPS is how many loops are tried, and
// KPLAN_SEED the seed of the first.
func TestFaultyLoops(t *testing.T) {
	fired := map[string]int{}
	first, loops := number(t, "KPLAN_SEED", 1), number(t, "KPLAN_LOOPS", 60)
	for seed := first; seed < first+loops && !t.Failed(); seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		sub := subjects[r.IntN(len(subjects))]
		s := scenario{faults: someFaults(r), every: time.Duration(1+r.IntN(40)) * time.Second}
		s.faultsFor = s.every + time.Duration(r.IntN(90))*time.Second
		t.Run(sub.name, func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("KPLAN_LOOPS=1 KPLAN_SEED=%d", seed)
				}
			}()
			report, _ := s.run(t, &sub, seed, nil)
			for f, n := range report.Fired {
				fired[f] += n
			}
		})
	}
	t.Log(fired)
	if loops >= 60 {
		require.Len(t, fired, 14, "each fault has struck")
	}
}

// TestOneReadPerInstant: a controller that sees the past reads one past state at an instant. With
// another one at each read, controllers would plan for long without time passing.
func TestOneReadPerInstant(t *testing.T) {
	most, planned := 0, map[string]int{}
	s := scenario{faults: sim.Faults{Stale: 3}, every: 20 * time.Second, faultsFor: 2 * time.Minute}
	for i := range subjects {
		for seed := range uint64(2) {
			clear(planned)
			s.run(t, &subjects[i], seed, func(line string) {
				if who, _, plans := strings.Cut(line, " behind: "); plans {
					who = who[:strings.LastIndex(who, ",")] // at an instant and a version of the store
					planned[who]++
					most = max(most, planned[who])
				}
			})
		}
	}
	require.Less(t, most, 20)
}
