package deploytest_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/deploytest"
)

// Our own planner passes all checks, whatever is drawn.
func TestReconcile(t *testing.T) {
	t.Run("check", func(t *testing.T) { deploytest.Check(t, deploy.Reconcile) })
	t.Run("machine", func(t *testing.T) { rapid.Check(t, deploytest.Machine(deploy.Reconcile)) })
	repaired := rapid.Just(deploy.Options{Repair: deploy.RepairAll})
	t.Run("strict", func(t *testing.T) {
		deploytest.Check(t, deploy.Reconcile, deploytest.Strict(), deploytest.With(repaired), deploytest.Except("history limit"))
	})
	t.Run("scaling", func(t *testing.T) {
		deploytest.Check(t, deploy.Reconcile, deploytest.From(deploytest.Scaling()))
	})
	t.Run("partitioned", func(t *testing.T) {
		deploytest.Check(t, deploy.Reconcile, deploytest.From(deploytest.Partitioned()))
	})
}

// What our plans make of a Deployment passes as a change, wholly carried out or in part.
func TestChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := deploytest.Snapshots(0).Draw(t, "snapshot"), deploytest.Options().Draw(t, "options")
		p, err := deploy.Reconcile(s, deploytest.Now(), o)
		if err != nil {
			return
		}
		n := rapid.IntRange(0, len(p.Actions)).Draw(t, "actions carried out")
		after, err := p.Actions[:n].Apply(s, deploytest.Now())
		if err != nil {
			return
		}
		deploytest.CheckChange(t, deploytest.Change{Before: s, After: after, Now: deploytest.Now(), Options: o, Partial: n < len(p.Actions)})
	})
}
