// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/rollout/batchrelease"
)

// A Tracker plans what is planned for its snapshot a nanosecond before an instant at which something
// changes, at that instant, and after it, whichever it was asked before.
func TestTrackerInstants(t *testing.T) {
	trackedtest.Instants[batchrelease.Tracker](t, func(s random.Source) (batchrelease.Snapshot, batchrelease.Options) {
		opts := random.BatchOptions(s)
		return random.Batches(s, random.OneOf(s, "kind", random.Truthful, random.Midway, random.Anything)), opts
	}, batchrelease.Reconcile, func(p batchrelease.Plan) time.Time { return p.RecheckAt })
}
