// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/replicaset"
)

// A Tracker plans what is planned for its snapshot a nanosecond before an instant at which something
// changes, at that instant, and after it, whichever it was asked before.
func TestTrackerInstants(t *testing.T) {
	trackedtest.Instants[replicaset.Tracker](t, func(s random.Source) (replicaset.Snapshot, replicaset.Options) {
		opts := random.ReplicaSetOptions(s)
		return random.ReplicaSet(s, random.OneOf(s, "kind", random.Truthful, random.Midway, random.Anything)), opts
	}, replicaset.Reconcile, func(p replicaset.Plan) time.Time { return p.RecheckAt })
}
