// SPDX-License-Identifier: Apache-2.0

package trackedtest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/random"
)

// toAndFro is how far from an instant a Tracker is asked, one time after the other.
var toAndFro = []time.Duration{-1, 0, -1, 1, 0, -1, time.Second, 1, 0, -1, -time.Second, 0, 1, 0, 999_999_999, -1}

// Instants asks Trackers of drawn snapshots for plans around the instant at which the first of
// them is to be looked at again, a nanosecond before and after, to and fro: each plan is that for
// the snapshot. Draw returns the plans of both; recheck is the instant that a plan names.
func Instants[P any](t *testing.T, draw func(s random.Source) (tracker, reconcile func(time.Time) (P, error)), recheck func(P) time.Time) {
	t.Helper()
	seen := 0
	for seed := uint64(0); seed < 2000 && seen < 100; seed++ {
		tracker, reconcile := draw(random.Seeded(seed))
		p, err := reconcile(random.Now)
		if err != nil || recheck(p).IsZero() {
			continue
		}
		seen++
		at := recheck(p)
		for i, d := range toAndFro {
			want, wrong := reconcile(at.Add(d))
			got, err := tracker(at.Add(d))
			require.Equal(t, wrong, err)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d: at time %d, %v from %v (-want +got):\n%s", seed, i, d, at, diff)
			}
		}
	}
	require.Equal(t, 100, seen)
}
