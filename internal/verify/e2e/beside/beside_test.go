// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// How many scenarios there are, and how many of them run unless all are asked for with KPLAN_CI=long.
const (
	scenarios = 200
	few       = 5
)

// atLeast is in how many of all scenarios each kind and each topic comes up, and in how many workloads compete.
const (
	atLeast  = 30
	atLeastC = 100
)

// TestBeside plays scenarios in a world and in a real cluster. KPLAN_SCENARIO selects some: "25",
// or "20-30", without the last.
func TestBeside(t *testing.T) {
	require.LessOrEqual(t, len(differences), 10)
	from, to := 0, few
	if os.Getenv("KPLAN_CI") == "long" {
		to = scenarios
	}
	if list := os.Getenv("KPLAN_SCENARIO"); list != "" {
		n, err := fmt.Sscanf(list, "%d-%d", &from, &to)
		if n == 1 {
			to = from + 1
		} else {
			require.NoError(t, err)
		}
	}
	var mu sync.Mutex
	met := map[string]int{}
	t.Run("all", func(t *testing.T) {
		for seed := from; seed < to; seed++ {
			t.Run(strconv.Itoa(seed), func(t *testing.T) {
				t.Parallel()
				s := newScenario(t, seed)
				s.play()
				mu.Lock()
				defer mu.Unlock()
				for of := range s.met {
					met[of]++
				}
			})
		}
	})
	for _, of := range slices.Concat([]string{competing}, kinds, topics, others) {
		least := atLeast
		switch {
		case of == competing:
			least = atLeastC
		case slices.Contains(others, of):
			least = 1
		}
		t.Logf("%-22s in %3d of %d scenarios", of, met[of], to-from)
		if to-from == scenarios && met[of] < least {
			t.Errorf("%s is in less than %d scenarios", of, least)
		}
	}
}
