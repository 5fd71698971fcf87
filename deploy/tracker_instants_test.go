// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
)

// A Tracker plans what is planned for its snapshot a nanosecond before an instant at which something
// changes, at that instant, and after it, whichever it was asked before.
func TestTrackerInstants(t *testing.T) {
	trackedtest.Instants[deploy.Tracker](t, func(s random.Source) (deploy.Snapshot, deploy.Options) {
		opts := random.DeploymentOptions(s)
		return random.Deployment(s, random.OneOf(s, "kind", random.Truthful, random.Midway)), opts
	}, deploy.Reconcile, func(p deploy.Plan) time.Time { return p.RecheckAt })
}
