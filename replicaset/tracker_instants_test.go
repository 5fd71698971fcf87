// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/random"
	"github.com/kplan-go/kplan/internal/trackedtest"
	"github.com/kplan-go/kplan/replicaset"
)

// A Tracker plans what is planned for its snapshot a nanosecond before an instant at which something
// changes, at that instant, and after it, whichever it was asked before.
func TestTrackerInstants(t *testing.T) {
	trackedtest.Instants(t, func(s random.Source) (tracker, reconcile func(time.Time) (replicaset.Plan, error)) {
		opts := random.ReplicaSetOptions(s)
		text, err := json.Marshal(random.ReplicaSet(s, random.OneOf(s, "kind", random.Truthful, random.Midway, random.Anything)))
		require.NoError(t, err)
		var tr replicaset.Tracker
		require.NoError(t, json.Unmarshal(text, &tr))
		snapshot := tr.Snapshot()
		return func(now time.Time) (replicaset.Plan, error) { return tr.Plan(now, opts) },
			func(now time.Time) (replicaset.Plan, error) { return replicaset.Reconcile(snapshot, now, opts) }
	}, func(p replicaset.Plan) time.Time { return p.RecheckAt })
}
