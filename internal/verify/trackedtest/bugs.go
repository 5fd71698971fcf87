// SPDX-License-Identifier: Apache-2.0

package trackedtest

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A Bug is a change of the incremental counting that makes it wrong: its name, a file, what
// that has once, within a function, and what it has instead.
type Bug [4]string

// Apply checks that each bug is a change of the sources as they are.
func Apply(t *testing.T, bugs []Bug) {
	for _, b := range bugs {
		text, err := os.ReadFile(b[1])
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(text), b[2]), "%s: %q", b[1], b[2])
	}
}

// Find plants each bug, and wants TestTrackerSteps of the package to find it, and says after
// how many steps it does, of 500,000 or KPLAN_STEPS. It takes minutes, and so runs only on
// demand.
func Find(t *testing.T, bugs []Bug) {
	if os.Getenv("KPLAN_MUTANTS") == "" {
		t.Skip("takes minutes: set KPLAN_MUTANTS to run it")
	}
	program := plant(t, bugs)
	steps := cmp.Or(os.Getenv("KPLAN_STEPS"), "500000")
	out, err := runPlanted(program, 0, "10000")
	require.NoError(t, err, "there is something to find without a bug\n%s", out)
	for i := range bugs {
		t.Run(bugs[i][0], func(t *testing.T) {
			out, err := runPlanted(program, i+1, steps)
			require.Error(t, err, "nobody notices\n%s", out)
			found := regexp.MustCompile(`after \d+ steps(: it panics|: it never ends)?`).Find(out)
			require.NotNil(t, found, "it does not run\n%s", out)
			t.Logf("found %s", found)
		})
	}
}

// runPlanted takes steps with the bug of a number, from 1, or with none.
func runPlanted(program string, bug int, steps string) ([]byte, error) {
	cmd := exec.Command(program, "-test.run", "^TestTrackerSteps$", "-test.timeout", "20m")
	cmd.Env = append(os.Environ(), "KPLAN_STEPS="+steps, planted+"="+strconv.Itoa(bug))
	return cmd.CombinedOutput()
}

// Steps runs machines until they have made as many steps as KPLAN_STEPS says, or few. Each
// makes at most 500, and none knows of the others: KPLAN_STEPS=1400500-1401000 makes the steps
// behind 1,400,500 alone, which is the end of a machine. Begin makes a machine whose first step
// is the one after so many, and returns how to take one. A panic is a failure, and so is a step
// that takes minutes.
func Steps(t *testing.T, few int, begin func(seed uint64, before int) (step func())) {
	first, steps := span(t, few)
	done := atomic.Int64{}
	limit := 3 * time.Minute
	if os.Getenv(planted) != "" {
		limit = 20 * time.Second
	}
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("after %d steps: it panics: %v", done.Load()+1, r)
		}
	}()
	late := time.AfterFunc(limit, func() { panic(fmt.Sprintf("after %d steps: it never ends", done.Load()+1)) })
	defer late.Stop()
	var step func()
	for k := first; k < steps; k++ {
		if k%500 == 0 {
			late.Reset(limit)
			step = begin(uint64(k/500+1), k)
		}
		step()
		done.Store(int64(k + 1))
	}
}

// span returns behind which step to begin, and which is the last one.
func span(t *testing.T, few int) (first, last int) {
	text := os.Getenv("KPLAN_STEPS")
	if text == "" {
		return 0, few
	}
	from, to, both := strings.Cut(text, "-")
	if !both {
		from, to = "0", text
	}
	first, err := strconv.Atoi(from)
	require.NoError(t, err)
	last, err = strconv.Atoi(to)
	require.NoError(t, err)
	require.Zero(t, first%500, "a machine makes 500 steps")
	return first, last
}
