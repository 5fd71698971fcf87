// SPDX-License-Identifier: Apache-2.0

package deploytest

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/plantest"
)

// Our own planner passes all checks, whatever is drawn.
func TestReconcile(t *testing.T) {
	room.Sound(t, deploy.Options{Repair: quirk.All})
	t.Run("scaling", func(t *testing.T) { Kit().From(Scaling()).Check(t, deploy.Reconcile) })
	t.Run("partitioned", func(t *testing.T) { Kit().From(Partitioned()).Check(t, deploy.Reconcile) })
}

// edited is a Deployment of 10 replicas whose template has just been edited. 13 pods may be
// wanted, and 8 must be available.
func edited() deploy.Snapshot {
	replicas := int32(10)
	return deploy.Snapshot{
		Deployment: deploy.Deployment{
			Name: "web", UID: "d1", Replicas: &replicas, Template: revision.Template{ID: "image:2", Hash: "7d4c665cf7"},
			MaxSurge: rollout.Int(3), MaxUnavailable: rollout.Int(2),
		},
		ReplicaSets: []replicaset.ReplicaSet{{
			Name: "web-66cf68d45", UID: "r1", ControllerUID: "d1", Replicas: &replicas, Template: revision.Template{ID: "image:1"},
			Annotations: map[string]string{revision.AnnotationRevision: "1"},
			Status:      replicaset.Status{Replicas: 10, ReadyReplicas: 10, AvailableReplicas: 10},
		}},
	}
}

// eager forgets the surge: it creates all new pods at once.
func eager(s deploy.Snapshot, now time.Time, opts deploy.Options) (deploy.Plan, error) {
	p, err := deploy.Reconcile(s, now, opts)
	properties.Each(p.Actions, func(a *deploy.CreateReplicaSet) { a.Replicas = p.Budget.Replicas })
	return p, err
}

// A planner without the surge is told each violation, and no other.
func TestFindings(t *testing.T) {
	plan, err := eager(edited(), plantest.Now(), deploy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := plan.Apply(edited(), plantest.Now())
	if err != nil {
		t.Fatal(err)
	}
	pass := plantest.Pass[deploy.Snapshot, deploy.Options, deploy.Plan]{Snapshot: edited(), Now: plantest.Now(), Plan: plan}
	room.Finds(t, `
    surge bound: after 1 actions: 20 pods wanted, at most max(10+3, 10)+0
    surge bound: after 2 actions: 20 pods wanted, at most max(10+3, 10)+0
    surge bound: after 3 actions: 18 pods wanted, at most max(10+3, 10)+0
`, func(t rapid.TB) { Kit().Except("everything explained").CheckPass(t, pass) })
	room.Finds(t, "", func(t rapid.TB) { Kit().Except("surge bound").CheckPass(t, pass) })
	room.Finds(t, `
    bounds after every prefix: 18 pods wanted, at most max(10+3, 10)+0
    surge bound: after 2 actions: 18 pods wanted, at most max(10+3, 10)+0
`, func(t rapid.TB) { Kit().CheckChange(t, change{Before: edited(), After: after, Now: plantest.Now()}) })
}

type change = plantest.Change[deploy.Snapshot, deploy.Options]

// Pods that a controller could not see yet are allowed for, and no others: of 10 replicas and
// a surge of 3, 15 are wanted.
func TestSlack(t *testing.T) {
	for slack, want := range map[int64]string{0: "bounds after every prefix: 15 pods", 1: "bounds from stale views: 15 pods", 2: ""} {
		before, after := edited(), edited()
		size := int32(15)
		after.ReplicaSets[0].Replicas = &size
		text := properties.Said(func(t rapid.TB) {
			Kit().CheckChange(t, change{Before: before, After: after, Now: plantest.Now(), Slack: slack})
		})
		if !strings.Contains(text, want) || (want == "") != (text == "") {
			t.Errorf("slack of %d: %q", slack, text)
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
		text := properties.Said(func(t rapid.TB) {
			Kit().CheckChange(t, change{Before: before, After: after, Now: plantest.Now(), Partial: partial})
		})
		if partial != (text == "") || !partial && !strings.Contains(text, "scaled to zero: 1 pods") {
			t.Errorf("partial %v: %q", partial, text)
		}
	}
}
