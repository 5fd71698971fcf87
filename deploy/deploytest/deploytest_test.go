// SPDX-License-Identifier: Apache-2.0

package deploytest_test

import (
	"fmt"
	"strings"
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
		deploytest.Check(t, deploy.Reconcile, deploytest.Strict(), deploytest.With(repaired))
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

// A recorder keeps what a check says of a test.
type recorder struct {
	testing.TB
	text string
}

func (*recorder) Helper()             {}
func (r *recorder) Fatal(args ...any) { r.text += fmt.Sprint(args...) }
func (r *recorder) Fatalf(format string, args ...any) {
	r.Fatal(fmt.Sprintf(format, args...))
}

// Pods that a controller could not see yet are allowed for, and no others: of 10 replicas and
// a surge of 3, 15 are wanted.
func TestSlack(t *testing.T) {
	for slack, want := range map[int64]string{0: "bounds after every prefix: 15 pods", 1: "bounds from stale views: 15 pods", 2: ""} {
		before, after := edited(), edited()
		size := int32(15)
		after.ReplicaSets[0].Replicas = &size
		r := &recorder{}
		deploytest.CheckChange(r, deploytest.Change{Before: before, After: after, Now: deploytest.Now(), Slack: slack})
		if !strings.Contains(r.text, want) || (want == "") != (r.text == "") {
			t.Errorf("slack of %d: %q", slack, r.text)
		}
	}
}

// Of a pass that has ended early only the bounds are checked: one pod is left of a Deployment
// that is scaled to 0.
func TestPartialChange(t *testing.T) {
	for _, partial := range []bool{false, true} {
		before, after := edited(), edited()
		none, left := int32(0), int32(1)
		before.Deployment.Replicas, after.Deployment.Replicas = &none, &none
		before.ReplicaSets[0].Annotations = map[string]string{"deployment.kubernetes.io/desired-replicas": "10"}
		after.ReplicaSets[0].Annotations, after.ReplicaSets[0].Replicas = before.ReplicaSets[0].Annotations, &left
		r := &recorder{}
		deploytest.CheckChange(r, deploytest.Change{Before: before, After: after, Now: deploytest.Now(), Partial: partial})
		if partial != (r.text == "") || !partial && !strings.Contains(r.text, "scaled to zero: 1 pods") {
			t.Errorf("partial %v: %q", partial, r.text)
		}
	}
}

// A name that is no check's would test nothing.
func TestUnknownName(t *testing.T) {
	r := &recorder{}
	deploytest.CheckPass(r, deploytest.Pass{Snapshot: edited(), Now: deploytest.Now()}, deploytest.Only("surge"))
	if !strings.Contains(r.text, `there is no check "surge"; there are: snapshots are accepted, `) {
		t.Error(r.text)
	}
}
