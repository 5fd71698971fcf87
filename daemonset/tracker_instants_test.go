// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"errors"
	"testing"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/revision"
)

// A Tracker plans what is planned for its snapshot a nanosecond before an instant at which something
// changes, at that instant, and after it, whichever it was asked before.
func TestTrackerInstants(t *testing.T) {
	trackedtest.Instants[daemonset.Tracker](t, func(s random.Source) (daemonset.Snapshot, daemonset.Options) {
		opts := random.DaemonSetOptions(s)
		return random.DaemonSet(s, random.OneOf(s, "kind", random.Truthful, random.Midway, random.Anything)), opts
	}, daemonset.Reconcile, func(p daemonset.Plan) time.Time { return p.RecheckAt })
}

// Whether a list or a map is empty or nil means the same before and after JSON, and to a Tracker.
func TestTrackerEmpties(t *testing.T) {
	trackedtest.Empties[daemonset.Tracker](t, func(s random.Source) (daemonset.Snapshot, daemonset.Options) {
		opts := random.DaemonSetOptions(s)
		return random.DaemonSet(s, random.OneOf(s, "kind", random.Truthful, random.Midway, random.Anything)), opts
	}, daemonset.Reconcile, func(tracker *daemonset.Tracker, from, to *daemonset.Snapshot) error {
		err := tracker.Apply(daemonset.Delta{
			DaemonSet: &to.DaemonSet, Revisions: append([]revision.ControllerRevision{}, to.Revisions...), Backoff: &to.Backoff,
			Unseen: &to.Unseen, Written: &to.Written, Read: &to.Read,
		})
		ofNodes := trackedtest.Replace(from.Nodes, to.Nodes, func(n *daemonset.Node) string { return n.Name }, func(e trackedtest.Event[daemonset.Node]) error {
			return tracker.Apply(daemonset.Delta{Node: daemonset.NodeEvent(e)})
		})
		return errors.Join(err, ofNodes, trackedtest.Replace(from.Pods, to.Pods, func(p *daemonset.Pod) string { return p.Name }, func(e trackedtest.Event[daemonset.Pod]) error {
			return tracker.Apply(daemonset.Delta{Pod: daemonset.PodEvent(e)})
		}))
	})
}
