// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"errors"
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/podorder"
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

// Whether a list or a map is empty or nil means the same before and after JSON, and to a Tracker.
func TestTrackerEmpties(t *testing.T) {
	trackedtest.Empties[replicaset.Tracker](t, func(s random.Source) (replicaset.Snapshot, replicaset.Options) {
		opts := random.ReplicaSetOptions(s)
		return random.ReplicaSet(s, random.OneOf(s, "kind", random.Truthful, random.Midway, random.Anything)), opts
	}, replicaset.Reconcile, func(tracker *replicaset.Tracker, from, to *replicaset.Snapshot) error {
		err := tracker.Apply(replicaset.Delta{
			ReplicaSet: &to.ReplicaSet, Siblings: append([]replicaset.ReplicaSet{}, to.Siblings...), Domains: &to.Domains,
			Expectations: &to.Expectations, Written: &to.Written, Read: &to.Read,
		})
		return errors.Join(err, trackedtest.Replace(from.Pods, to.Pods, func(p *podorder.Pod) string { return p.Name }, func(e trackedtest.Event[podorder.Pod]) error {
			return tracker.Apply(replicaset.Delta{Pod: replicaset.PodEvent(e)})
		}))
	})
}
