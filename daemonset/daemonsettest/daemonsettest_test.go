// SPDX-License-Identifier: Apache-2.0

package daemonsettest_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/daemonsettest"
)

// Our own planner passes all checks, whatever is drawn.
func TestReconcile(t *testing.T) {
	t.Run("check", func(t *testing.T) { daemonsettest.Check(t, daemonset.Reconcile) })
	t.Run("machine", func(t *testing.T) { rapid.Check(t, daemonsettest.Machine(daemonset.Reconcile)) })
	repaired := rapid.Just(daemonset.Options{Repair: daemonset.RepairAll})
	t.Run("strict", func(t *testing.T) {
		daemonsettest.Check(t, daemonset.Reconcile, daemonsettest.Strict(), daemonsettest.With(repaired))
	})
}

// What our plans make of a DaemonSet passes as a change, wholly carried out or in part.
func TestChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := daemonsettest.Snapshots(0).Draw(t, "snapshot"), daemonsettest.Options().Draw(t, "options")
		p, err := daemonset.Reconcile(s, daemonsettest.Now(), o)
		if err != nil {
			return
		}
		n := rapid.IntRange(0, len(p.Actions)).Draw(t, "actions carried out")
		after, err := p.Actions[:n].Apply(s, daemonsettest.Now())
		if err != nil {
			return
		}
		daemonsettest.CheckChange(t, daemonsettest.Change{Before: s, After: after, Now: daemonsettest.Now(), Options: o, Partial: n < len(p.Actions)})
	})
}
