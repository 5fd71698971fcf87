// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/random"
	"github.com/kplan-go/kplan/internal/trackedtest"
)

// A Tracker plans what is planned for its snapshot a nanosecond before an instant at which something
// changes, at that instant, and after it, whichever it was asked before.
func TestTrackerInstants(t *testing.T) {
	trackedtest.Instants(t, func(s random.Source) (tracker, reconcile func(time.Time) (deploy.Plan, error)) {
		opts := random.DeploymentOptions(s)
		text, err := json.Marshal(random.Deployment(s, random.OneOf(s, "kind", random.Truthful, random.Midway)))
		require.NoError(t, err)
		var tr deploy.Tracker
		require.NoError(t, json.Unmarshal(text, &tr))
		snapshot := tr.Snapshot()
		return func(now time.Time) (deploy.Plan, error) { return tr.Plan(now, opts) },
			func(now time.Time) (deploy.Plan, error) { return deploy.Reconcile(snapshot, now, opts) }
	}, func(p deploy.Plan) time.Time { return p.RecheckAt })
}
