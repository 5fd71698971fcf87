// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
)

// A Tracker plans what is planned for its snapshot a nanosecond before an instant at which something
// changes, at that instant, and after it, whichever it was asked before.
func TestTrackerInstants(t *testing.T) {
	trackedtest.Instants[daemonset.Tracker](t, func(s random.Source) (daemonset.Snapshot, daemonset.Options) {
		opts := random.DaemonSetOptions(s)
		return random.DaemonSet(s, random.OneOf(s, "kind", random.Truthful, random.Midway, random.Anything)), opts
	}, daemonset.Reconcile, func(p daemonset.Plan) time.Time { return p.RecheckAt })
}
