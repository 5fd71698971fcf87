// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

func TestAdmit(t *testing.T) {
	change := func(c func(*deploy.Deployment)) deploy.Snapshot { return snapshot(web(3, c)) }
	for _, c := range []struct {
		why  string
		s    deploy.Snapshot
		want string
	}{
		{"no name", change(func(d *deploy.Deployment) { d.Name = "" }), `Deployment.Name: "": must be set`},
		{"no UID", change(func(d *deploy.Deployment) { d.UID = "" }),
			`Deployment.UID: "": must be set, because it decides which ReplicaSets belong to the Deployment`},
		{"negative replicas", change(func(d *deploy.Deployment) { d.Replicas = ptr.To(int32(-1)) }), `Deployment.Replicas: -1: must not be negative`},
		{"the most negative", change(func(d *deploy.Deployment) { d.Replicas = ptr.To(int32(math.MinInt32)) }),
			`Deployment.Replicas: -2147483648: must not be negative`},
		{"negative deadline", change(deadline(-1)), `Deployment.ProgressDeadlineSeconds: -1: must not be negative`},
		{"negative history", change(history(-1)), `Deployment.RevisionHistoryLimit: -1: must not be negative`},
		{"negative readiness", change(func(d *deploy.Deployment) { d.MinReadySeconds = -1 }), `Deployment.MinReadySeconds: -1: must not be negative`},
		{"negative surge", change(limits(-1, 1)), `Deployment.MaxSurge: "-1": must not be negative`},
		{"negative unavailability", change(func(d *deploy.Deployment) { d.MaxUnavailable = rollout.Percent(-5) }),
			`Deployment.MaxUnavailable: "-5%": must not be negative`},
		{"unknown strategy", change(func(d *deploy.Deployment) { d.Strategy = "Canary" }),
			`Deployment.Strategy: "Canary": must be RollingUpdate or Recreate`},
		{"an unusable selector", change(func(d *deploy.Deployment) {
			d.Selector = &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: "Like"}}}
		}), `Deployment.Selector: "<error>": "Like" is not a valid label selector operator`},
		{"a ReplicaSet without a UID", snapshot(web(3), set(1, 1, func(rs *replicaset.ReplicaSet) { rs.UID = "" })),
			`ReplicaSets["web-v1"].UID: "": must be set`},
		{"a ReplicaSet without a name", snapshot(web(3), set(1, 1, func(rs *replicaset.ReplicaSet) { rs.Name = "" })),
			`ReplicaSets[""].Name: "": must be set`},
		{"a negative ReplicaSet", snapshot(web(3), set(1, -7)), `ReplicaSets["web-v1"].Replicas: -7: must not be negative`},
		{"a name twice", snapshot(web(3), set(1, 1), set(1, 1, func(rs *replicaset.ReplicaSet) { rs.UID = "other" })),
			`ReplicaSets["web-v1"].Name: "web-v1": must be unique`},
		{"a UID twice", snapshot(web(3), set(1, 1), set(1, 1, func(rs *replicaset.ReplicaSet) { rs.Name = "other" })),
			`ReplicaSets["other"].UID: "v1": must be unique`},
	} {
		_, err := deploy.Reconcile(c.s, t0, deploy.Options{})
		require.EqualError(t, err, c.want, c.why)
		require.ErrorIs(t, err, kplan.ErrInvalid, c.why)
		var field *kplan.FieldError
		require.True(t, errors.As(err, &field), c.why)
		require.True(t, strings.HasPrefix(c.want, field.Path+": "), c.why)
	}
}

func TestAdmitReportsAllAtOnce(t *testing.T) {
	_, err := deploy.Reconcile(deploy.Snapshot{}, time.Time{}, deploy.Options{})
	require.EqualError(t, err, `Deployment.Name: "": must be set
Deployment.UID: "": must be set, because it decides which ReplicaSets belong to the Deployment
now: "": must be set`)
}

// TestUnset: what is not set means what it means to the controller, and not what the API
// server would have stored.
func TestUnset(t *testing.T) {
	s := deploy.Snapshot{Deployment: deploy.Deployment{Name: "web", UID: "u"}}
	p := reconcile(t, s)
	requireEqual(t, "replicas 1, no surge, and so 1 unavailable", rollout.Budget{Replicas: 1, Surge: 0, Unavailable: 1}, p.Budget)
	require.Zero(t, p.RecheckAt, "no deadline")
	require.Len(t, p.Status.Conditions, 1, "no Progressing without a deadline")

	var sets []replicaset.ReplicaSet
	for n := range 12 {
		sets = append(sets, set(n+10, 0))
	}
	d := web(3, reported(3, 3, 3, 3))
	d.RevisionHistoryLimit = nil
	require.Equal(t, "none", sizes(reconcile(t, snapshot(d, append(sets, set(2, 3))...))), "all of the history is kept")
}

// TestTimesAreNormal: equal instants give equal plans, whatever their zone and
// monotonic reading.
func TestTimesAreNormal(t *testing.T) {
	s := snapshot(web(3, deadline(60)), set(1, 3))
	utc := reconcile(t, s)
	elsewhere, err := deploy.Reconcile(s, t0.In(time.FixedZone("x", 3600)), deploy.Options{})
	require.NoError(t, err)
	require.Equal(t, utc, elsewhere)
}
