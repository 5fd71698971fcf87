// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"
)

// Run lengths and the seed, overridden by the environment variables of these names.
var (
	functionCases = fromEnv("KPLAN_CASES", 30_000)
	syncCases     = fromEnv("KPLAN_SYNCS", 60_000)
	daemonCases   = fromEnv("KPLAN_DAEMONS", max(1, syncCases/6))
	carriedCases  = fromEnv("KPLAN_CARRIED", 6_000)
	chainedRuns   = fromEnv("KPLAN_CHAINS", 150)
	seed          = fromEnv("KPLAN_SEED", 0) // 0 draws other cases in every run
)

func fromEnv(name string, unset int) int {
	text := os.Getenv(name)
	if text == "" {
		return unset
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		panic(fmt.Sprintf("%s=%q: must be a positive number", name, text))
	}
	return n
}

// TestMain prints the extent of the comparison after the tests.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // almost everything is garbage after one case
	flag.Parse()
	code := m.Run()
	printCensuses()
	if code == 0 && !replayed() && !flagged("rapid.checks") {
		if err := record(); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}

// A corner is a kind of case that must occur in a run.
type corner[C any] struct {
	name string
	is   func(C) bool
}

// A caseCounts counts the cases of one comparison, its corners, and the differences
// that were intended.
type caseCounts struct {
	name        string
	cases       int
	elapsed     time.Duration
	corners     []string
	count       map[string]int
	differences map[string]int
	judgement   any                           // of the differences, and
	applied     func(testing.TB, *caseCounts) // checks at the end of the run
	planted     []string                      // near the differences
	calls       tally
}

var allCaseCounts []*caseCounts

func newCaseCounts(name string) *caseCounts {
	c := &caseCounts{name: name, count: map[string]int{}, differences: map[string]int{}, calls: tally{}}
	allCaseCounts = append(allCaseCounts, c)
	return c
}

// take counts a case. The corners must be the same in every call.
func take[C any](c *caseCounts, corners []corner[C], value C) {
	if c.corners == nil {
		for _, k := range corners {
			c.corners = append(c.corners, k.name)
		}
	}
	c.cases++
	for i := range corners {
		if corners[i].is(value) {
			c.count[corners[i].name]++
		}
	}
}

// check runs n random cases, and fails unless every corner occurred. A replay runs one case and
// requires no corner.
func (c *caseCounts) check(t testing.TB, n int, property func(random.T)) {
	c.draw(t, n, seed, property)
	c.met(t)
}

// replayed reports whether one case is repeated.
func replayed() bool { return flagged("rapid.failfile") || flagged("rapid.seed") }

// draw runs n random cases.
func (c *caseCounts) draw(t testing.TB, n, seed int, property func(random.T)) {
	if !flagged("rapid.checks") {
		if flagged("rapid.seed") {
			n = 1
		}
		set(t, "rapid.checks", strconv.Itoa(n))
		defer func() { set(t, "rapid.checks", "100") }()
	}
	if seed > 0 && !flagged("rapid.seed") {
		set(t, "rapid.seed", strconv.Itoa(seed))
	}
	if !flagged("rapid.shrinktime") {
		set(t, "rapid.shrinktime", "15s")
	}
	random.Check(t, property)
}

// met fails unless every corner occurred.
func (c *caseCounts) met(t testing.TB) {
	if c.applied != nil {
		c.applied(t, c)
	}
	if replayed() || t.Failed() || flagged("rapid.checks") {
		return
	}
	for _, name := range c.corners {
		if c.count[name] == 0 {
			t.Errorf("%s: in %d cases the corner %q did not occur", c.name, c.cases, name)
		}
	}
}

// clock measures the time of a comparison, outside of any bubble.
func (c *caseCounts) clock() (stop func()) {
	start := time.Now()
	return func() { c.elapsed = time.Since(start) }
}

var given map[string]bool

// flagged reports whether a flag was given on the command line.
func flagged(name string) bool {
	if given == nil {
		given = map[string]bool{}
		flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	}
	return given[name]
}

func set(t testing.TB, name, value string) {
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
}

// printCensuses prints one line for each comparison and one for each of its corners
// and differences.
func printCensuses() {
	total := 0
	for _, c := range allCaseCounts {
		if c.cases == 0 {
			continue
		}
		total += c.cases
		fmt.Printf("%-48s %9d cases in %6.1fs, %8.0f/s\n", c.name, c.cases, c.elapsed.Seconds(), float64(c.cases)/c.elapsed.Seconds())
		for _, name := range c.corners {
			fmt.Printf("    %-60s %9d\n", name, c.count[name])
		}
		names := make([]string, 0, len(c.differences))
		for name := range c.differences {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Printf("    intended difference: %-39s %9d\n", name, c.differences[name])
		}
		for _, line := range c.planted {
			fmt.Println("    " + line)
		}
		for _, line := range c.calls.lines() {
			fmt.Println(line)
		}
	}
	if total > 0 {
		fmt.Printf("%d cases in all\n", total)
	}
}
