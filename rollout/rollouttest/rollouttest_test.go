// SPDX-License-Identifier: Apache-2.0

package rollouttest_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/rollouttest"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Our own planners pass all checks, whatever is drawn.
func TestReconcile(t *testing.T) {
	t.Run("kruise", func(t *testing.T) { rollouttest.Check(t, kruise.Reconcile) })
	t.Run("kruise machine", func(t *testing.T) { rapid.Check(t, rollouttest.Machine(kruise.Reconcile)) })
	t.Run("batchrelease", func(t *testing.T) { rollouttest.Check(t, batchrelease.Reconcile) })
	t.Run("batchrelease machine", func(t *testing.T) { rapid.Check(t, rollouttest.Machine(batchrelease.Reconcile)) })
	t.Run("rolling back", func(t *testing.T) {
		rollouttest.Check(t, batchrelease.Reconcile, rollouttest.From(rollouttest.RollingBack()))
	})
	t.Run("argo", func(t *testing.T) { rollouttest.Check(t, argo.Reconcile) })
	t.Run("argo machine", func(t *testing.T) { rapid.Check(t, rollouttest.Machine(argo.Reconcile)) })
}

// With all repairs, nothing is excused.
func TestStrict(t *testing.T) {
	t.Run("kruise", func(t *testing.T) {
		rollouttest.Check(t, kruise.Reconcile, rollouttest.Strict(), rollouttest.With(rapid.Just(kruise.Options{Repair: workload.RepairAll})))
	})
	t.Run("batchrelease", func(t *testing.T) {
		rollouttest.Check(t, batchrelease.Reconcile, rollouttest.Strict(), rollouttest.With(rapid.Just(batchrelease.Options{Repair: workload.RepairAll})))
	})
	t.Run("argo", func(t *testing.T) {
		rollouttest.Check(t, argo.Reconcile, rollouttest.Strict(), rollouttest.With(rapid.Just(argo.Options{Repair: argo.RepairAll})))
	})
}

// What our plans make of a Rollout of Argo passes as a change, wholly carried out or in part.
func TestChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := rollouttest.Snapshots[argo.Snapshot](0).Draw(t, "snapshot"), rollouttest.Options[argo.Options]().Draw(t, "options")
		p, err := argo.Reconcile(s, rollouttest.Now(), o)
		if err != nil {
			return
		}
		n := rapid.IntRange(0, len(p.Actions)).Draw(t, "actions carried out")
		after, err := p.Actions[:n].Apply(s, rollouttest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if n == len(p.Actions) {
			after.Rollout.Status = p.Status
		}
		rollouttest.CheckChange(t, rollouttest.Change{Before: s, After: after, Now: rollouttest.Now(), Options: o, Partial: n < len(p.Actions)})
	})
}

// A recorder keeps what a check says of a test, and ends it.
type recorder struct {
	testing.TB
	text string
}

func (*recorder) Helper()             {}
func (*recorder) Name() string        { return "recorder" }
func (*recorder) Logf(string, ...any) {}
func (*recorder) Failed() bool        { return false }
func (r *recorder) Fatal(args ...any) { r.text += fmt.Sprint(args...); panic(r) }
func (r *recorder) Fatalf(format string, args ...any) {
	r.Fatal(fmt.Sprintf(format, args...))
}

// said returns what a check says before it ends.
func said(check func(t *recorder)) string {
	r := &recorder{}
	func() {
		defer func() { _ = recover() }()
		check(r)
	}()
	return r.text
}

// A name that is no check's for the planner, and generators for another, would test nothing.
func TestSettingsOfOthers(t *testing.T) {
	for _, c := range []struct {
		setting rollouttest.Setting
		want    string
	}{
		{rollouttest.Only("rollback in batches"), `there is no check "rollback in batches"; there are: snapshots are accepted, `},
		{rollouttest.From(rollouttest.Snapshots[kruise.Snapshot](0)), "From and With are to draw argo.Snapshot and argo.Options"},
		{rollouttest.With(rollouttest.Options[batchrelease.Options]()), "From and With are to draw argo.Snapshot and argo.Options"},
	} {
		pass := rollouttest.ArgoPass{Snapshot: argo.Snapshot{}, Now: rollouttest.Now()}
		if text := said(func(t *recorder) { rollouttest.CheckPass(t, pass, c.setting) }); !strings.Contains(text, c.want) {
			t.Errorf("%q, want %q", text, c.want)
		}
	}
	mixed := rollouttest.Pass[argo.Snapshot, kruise.Options, argo.Plan]{}
	if text := said(func(t *recorder) { rollouttest.CheckPass(t, mixed) }); !strings.Contains(text, "is no pass of one planner") {
		t.Error(text)
	}
}
