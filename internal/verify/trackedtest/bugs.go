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

// A Bug is a change that makes the incremental counting wrong: its name, a file, a text that occurs
// once in the file, within a function, and its replacement.
type Bug [4]string

// Apply checks that each bug still applies to the sources.
func Apply(t *testing.T, bugs []Bug) {
	for _, b := range bugs {
		text, err := os.ReadFile(b[1])
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(text), b[2]), "%s: %q", b[1], b[2])
	}
}

// Find plants each bug, requires that TestTrackerSteps of the package finds it, and logs after how
// many steps, of 500,000 or KPLAN_STEPS. It takes minutes, and so runs only on demand.
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

// runPlanted runs steps with a bug, by its number from 1, or with none for 0.
func runPlanted(program string, bug int, steps string) ([]byte, error) {
	cmd := exec.Command(program, "-test.run", "^TestTrackerSteps$", "-test.timeout", "20m")
	cmd.Env = append(os.Environ(), "KPLAN_STEPS="+steps, planted+"="+strconv.Itoa(bug))
	return cmd.CombinedOutput()
}

// Steps runs machines of 500 steps each until they have made KPLAN_STEPS steps, or few. The
// machines are independent: KPLAN_STEPS=1400500-1401000 runs only the steps after 1,400,500, a
// multiple of 500. begin makes the machine of the steps after before, and returns its step
// function. A panic fails the test, and also a machine that takes minutes.
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

// span returns the number of steps to skip, and the number of the last step.
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
