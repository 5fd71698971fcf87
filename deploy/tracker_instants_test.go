// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"errors"
	"testing"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A Tracker plans what is planned for its snapshot a nanosecond before an instant at which something
// changes, at that instant, and after it, whichever it was asked before.
func TestTrackerInstants(t *testing.T) {
	trackedtest.Instants[deploy.Tracker](t, func(s random.Source) (deploy.Snapshot, deploy.Options) {
		opts := random.DeploymentOptions(s)
		return random.Deployment(s, random.OneOf(s, "kind", random.Truthful, random.Midway)), opts
	}, deploy.Reconcile, func(p deploy.Plan) time.Time { return p.RecheckAt })
}

// Whether a list or a map is empty or nil means the same before and after JSON, and to a Tracker.
func TestTrackerEmpties(t *testing.T) {
	trackedtest.Empties[deploy.Tracker](t, func(s random.Source) (deploy.Snapshot, deploy.Options) {
		opts := random.DeploymentOptions(s)
		return random.Deployment(s, random.OneOf(s, "kind", random.Truthful, random.Midway, random.Anything)), opts
	}, deploy.Reconcile, func(tracker *deploy.Tracker, from, to *deploy.Snapshot) error {
		err := tracker.Apply(deploy.Delta{Deployment: &to.Deployment})
		ofSets := trackedtest.Replace(from.ReplicaSets, to.ReplicaSets, func(rs *replicaset.ReplicaSet) string { return rs.Name }, func(e trackedtest.Event[replicaset.ReplicaSet]) error {
			return tracker.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent(e)})
		})
		return errors.Join(err, ofSets, trackedtest.Replace(from.Pods, to.Pods, func(p *podorder.Pod) string { return p.Name }, func(e trackedtest.Event[podorder.Pod]) error {
			return tracker.Apply(deploy.Delta{Pod: replicaset.PodEvent(e)})
		}))
	})
}
