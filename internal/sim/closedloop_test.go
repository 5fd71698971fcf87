// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout/workload"
)

// A closedLoop is a kind of worlds, with its share of a hundred loops.
type closedLoop struct {
	name  string
	share int
	ticks int // of the first phase
	make  func(seed uint64, faults Faults) *World
}

func rollouts(style workload.Style) func(uint64, Faults) *World {
	return func(seed uint64, faults Faults) *World { return newRollouts(seed, faults, style) }
}

var closedLoops = []closedLoop{
	{"Deployments", 40, 150, NewDeployments},
	{"DaemonSets", 25, 150, NewDaemonSets},
	{"Partition", 15, 300, rollouts(workload.Partition)},
	{"Canary", 5, 300, rollouts(workload.Canary)},
	{"BlueGreen", 5, 300, rollouts(workload.BlueGreen)},
	{"Sets", 10, 300, NewSets},
}

// Environment variables of the test.
const (
	loopsVariable = "KPLAN_LOOPS"      // how many loops, of all kinds together
	seedVariable  = "KPLAN_SEED"       // the first seed
	traceVariable = "KPLAN_LOOP_TRACE" // print what happens
)

func number(t testing.TB, variable string, value int) int {
	if text := os.Getenv(variable); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err, variable)
		return n
	}
	return value
}

// A tally is what came of many loops.
type tally struct {
	sync.Mutex
	troubles      Troubles
	plans, writes int
	checked       map[string]int
	failures      []string
}

func (c *tally) add(w *World, g *guard, failure string) {
	c.Lock()
	defer c.Unlock()
	c.plans, c.writes = c.plans+w.Plans, c.writes+w.Writes
	c.troubles.Add(&w.Troubles)
	for name, n := range g.checked {
		c.checked[name] += n
	}
	if failure != "" {
		c.failures = append(c.failures, failure)
	}
}

// run runs n loops on all processors.
func (l *closedLoop) run(first, n int, trace bool) *tally {
	c := &tally{checked: map[string]int{}}
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				seed := uint64(first) + uint64(i)
				w, g := l.make(seed, Every()), newGuard()
				w.Observer = g.observer()
				if trace {
					w.Trace = func(line string) { fmt.Println(line) }
				}
				failure := ""
				if err := w.Run(l.ticks); err != nil {
					failure = fmt.Sprintf("seed %d: %v\nreplay: %s=%d %s=1 %s=1 go test ./internal/sim -count 1 -run 'TestClosedLoop/%s'",
						seed, err, seedVariable, seed, loopsVariable, traceVariable, l.name)
				}
				c.add(w, g, failure)
			}
		}()
	}
	group.Wait()
	return c
}

// TestClosedLoop runs seeded worlds of all kinds under all faults. The bounds are checked
// at every write, and each world must come to rest with what is wanted.
func TestClosedLoop(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	first, n := number(t, seedVariable, 0), number(t, loopsVariable, 5000)
	var troubles Troubles
	for i := range closedLoops {
		l := &closedLoops[i]
		t.Run(l.name, func(t *testing.T) {
			start, loops := time.Now(), max(1, n*l.share/100)
			c := l.run(first, loops, os.Getenv(traceVariable) != "")
			troubles.Add(&c.troubles)
			t.Logf("%d loops in %v, %d plans, %d writes, checked %v, %d violations",
				loops, time.Since(start).Round(time.Millisecond), c.plans, c.writes, c.checked, len(c.failures))
			for i, f := range c.failures {
				if t.Error(f); i == 9 {
					break
				}
			}
		})
	}
	if n < 1000 || troubles[TemplateChanged] == 0 || troubles[NodeAdded] == 0 || troubles[SizesEdited] == 0 {
		return // a replay, or not all kinds
	}
	for i, count := range troubles {
		t.Logf("%2d %-20v %d", Trouble(i).Fault(), Trouble(i), count)
		require.Positive(t, count, "%v never occurs", Trouble(i))
	}
}

// TestFaultsSwitch: a fault of weight 0 does not occur, and without faults nothing does.
func TestFaultsSwitch(t *testing.T) {
	for f := Crash; f < Fair; f++ {
		only := Faults{}
		only[f] = 1
		var seen Troubles
		for seed := range uint64(60) {
			for _, l := range closedLoops {
				w := l.make(seed, only)
				if l.name != "DaemonSets" && seed%20 > 0 && f != Collision {
					continue // enough of them
				}
				require.NoError(t, w.Run(60), "%s, fault %d, seed %d", l.name, f, seed)
				seen.Add(&w.Troubles)
			}
		}
		for i, count := range seen {
			own := Trouble(i).Fault() == f || Trouble(i) == FairPhase || Trouble(i) == SeesEverything || Trouble(i) == TemplateChanged
			answers := Trouble(i).Fault() == Request || Trouble(i) == PodUnschedulable || Trouble(i) == HashCollided // may follow from others
			if count > 0 && !own && !answers {
				t.Errorf("%v occurs %d times with fault %d alone", Trouble(i), count, f)
			}
		}
	}
}

// TestEqualSeeds: a seed gives the same run again.
func TestEqualSeeds(t *testing.T) {
	for _, l := range closedLoops {
		for seed := range uint64(5) {
			var runs [2]string
			for i := range runs {
				var text strings.Builder
				w := l.make(seed, Every())
				w.Trace = func(line string) { text.WriteString(line + "\n") }
				require.NoError(t, w.Run(l.ticks))
				runs[i] = text.String()
			}
			require.Equal(t, runs[0], runs[1], "%s, seed %d", l.name, seed)
		}
	}
}
