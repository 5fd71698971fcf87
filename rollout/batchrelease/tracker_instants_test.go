// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/random"
	"github.com/kplan-go/kplan/internal/trackedtest"
	"github.com/kplan-go/kplan/rollout/batchrelease"
)

// A Tracker plans what is planned for its snapshot a nanosecond before an instant at which something
// changes, at that instant, and after it, whichever it was asked before.
func TestTrackerInstants(t *testing.T) {
	trackedtest.Instants(t, func(s random.Source) (tracker, reconcile func(time.Time) (batchrelease.Plan, error)) {
		opts := random.BatchOptions(s)
		text, err := json.Marshal(random.Batches(s, random.OneOf(s, "kind", random.Truthful, random.Midway, random.Anything)))
		require.NoError(t, err)
		var tr batchrelease.Tracker
		require.NoError(t, json.Unmarshal(text, &tr))
		snapshot := tr.Snapshot()
		return func(now time.Time) (batchrelease.Plan, error) { return tr.Plan(now, opts) },
			func(now time.Time) (batchrelease.Plan, error) { return batchrelease.Reconcile(snapshot, now, opts) }
	}, func(p batchrelease.Plan) time.Time { return p.RecheckAt })
}
