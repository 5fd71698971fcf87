// SPDX-License-Identifier: Apache-2.0

package trackedtest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/random"
)

// toAndFro are offsets from an instant at which a Tracker is asked for plans, in this order.
var toAndFro = []time.Duration{-1, 0, -1, 1, 0, -1, time.Second, 1, 0, -1, -time.Second, 0, 1, 0, 999_999_999, -1}

// A Planner is a Tracker of snapshots S, which makes plans P with options O. Its JSON is the
// snapshot's.
type Planner[S, O, P, T any] interface {
	*T
	json.Unmarshaler
	Snapshot() S
	Plan(now time.Time, opts O) (P, error)
}

// Instants asks Trackers of drawn snapshots for plans before, at and after the recheck time of the
// first plan, in changing order: each plan must be the one for the snapshot. recheck returns the
// recheck time of a plan.
func Instants[T, S, O, P any, Tracker Planner[S, O, P, T]](
	t *testing.T, draw func(random.Source) (S, O), reconcile func(S, time.Time, O) (P, error), recheck func(P) time.Time,
) {
	t.Helper()
	seen := 0
	for seed := uint64(0); seed < 2000 && seen < 100; seed++ {
		drawn, opts := draw(random.Seeded(seed))
		text, err := json.Marshal(drawn)
		require.NoError(t, err)
		tracker := Tracker(new(T))
		require.NoError(t, json.Unmarshal(text, tracker))
		snapshot := tracker.Snapshot()
		p, err := reconcile(snapshot, random.Now, opts)
		if err != nil || recheck(p).IsZero() {
			continue
		}
		seen++
		at := recheck(p)
		for i, d := range toAndFro {
			want, wrong := reconcile(snapshot, at.Add(d), opts)
			got, err := tracker.Plan(at.Add(d), opts)
			require.Equal(t, wrong, err)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d: at time %d, %v from %v (-want +got):\n%s", seed, i, d, at, diff)
			}
		}
	}
	require.Equal(t, 100, seen)
}
