// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/random"
	"github.com/kplan-go/kplan/internal/trackedtest"
)

// A Tracker plans what is planned for its snapshot a nanosecond before an instant at which something
// changes, at that instant, and after it, whichever it was asked before.
func TestTrackerInstants(t *testing.T) {
	trackedtest.Instants(t, func(s random.Source) (tracker, reconcile func(time.Time) (daemonset.Plan, error)) {
		opts := random.DaemonSetOptions(s)
		text, err := json.Marshal(random.DaemonSet(s, random.OneOf(s, "kind", random.Truthful, random.Midway, random.Anything)))
		require.NoError(t, err)
		var tr daemonset.Tracker
		require.NoError(t, json.Unmarshal(text, &tr))
		snapshot := tr.Snapshot()
		return func(now time.Time) (daemonset.Plan, error) { return tr.Plan(now, opts) },
			func(now time.Time) (daemonset.Plan, error) { return daemonset.Reconcile(snapshot, now, opts) }
	}, func(p daemonset.Plan) time.Time { return p.RecheckAt })
}
