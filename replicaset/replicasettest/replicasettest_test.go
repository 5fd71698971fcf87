// SPDX-License-Identifier: Apache-2.0

package replicasettest_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/replicasettest"
)

// Our own planner passes all checks, whatever is drawn.
func TestReconcile(t *testing.T) {
	t.Run("check", func(t *testing.T) { replicasettest.Check(t, replicaset.Reconcile) })
	t.Run("machine", func(t *testing.T) { rapid.Check(t, replicasettest.Machine(replicaset.Reconcile)) })
	repaired := rapid.Just(replicaset.Options{Repair: replicaset.RepairAll})
	t.Run("strict", func(t *testing.T) {
		replicasettest.Check(t, replicaset.Reconcile, replicasettest.Strict(), replicasettest.With(repaired),
			replicasettest.Over(replicasettest.CaughtUp|replicasettest.Truthful|replicasettest.Midway))
	})
}

// What our plans make of a ReplicaSet passes as a change, wholly carried out or in part.
func TestChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := replicasettest.Snapshots(0).Draw(t, "snapshot"), replicasettest.Options().Draw(t, "options")
		p, err := replicaset.Reconcile(s, replicasettest.Now(), o)
		if err != nil {
			return
		}
		n := rapid.IntRange(0, len(p.Actions)).Draw(t, "actions carried out")
		after, err := p.Actions[:n].Apply(s, replicasettest.Now())
		if err != nil {
			return
		}
		replicasettest.CheckChange(t, replicasettest.Change{Before: s, After: after, Now: replicasettest.Now(), Options: o, Partial: n < len(p.Actions)})
	})
}
