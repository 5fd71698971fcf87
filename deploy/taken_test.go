// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// TestNameTaken: if another ReplicaSet has the name of the new one, which is a collision
// of hashes, the creation will be refused, and nothing else is planned. Above all that
// ReplicaSet is not scaled under the name by which another is created.
func TestNameTaken(t *testing.T) {
	taken := func(rs *replicaset.ReplicaSet) { rs.Name = "web-v2" }
	for why, s := range map[string]deploy.Snapshot{
		"its own":            snapshot(web(3, limits(0, 1)), set(1, 3, taken)),
		"a stranger's":       snapshot(web(3, limits(0, 1)), set(1, 3), set(7, 3, taken, controlled("other"))),
		"Recreate":           snapshot(web(3, recreate), set(1, 0, taken)),
		"partitioned":        partitioned(3, strategy("50%", "0", "1"), set(1, 3, taken)),
		"before a rollback":  snapshot(web(3, func(d *deploy.Deployment) { d.Annotations = map[string]string{revision.AnnotationRollback: "1"} }), set(1, 3, taken)),
		"rollout first":      snapshot(web(4, limits(0, 1)), set(1, 3, taken, sized("3", "3"))),
		"its own, corrected": snapshot(web(3, limits(0, 1)), set(1, 3, taken)),
	} {
		opts := deploy.Options{RolloutFirst: why == "rollout first"}
		if why == "its own, corrected" {
			opts.Repair = quirk.All
		}
		if s.Deployment.Partitioned == nil {
			s.Deployment.Template.ID, s.Deployment.Template.Hash = "v2", "v2"
		}
		p := reconcileWith(t, s, opts)
		require.Len(t, p.Actions, 1, why)
		require.Equal(t, "web-v2", p.Actions[0].(deploy.CreateReplicaSet).Name, why)
		require.Contains(t, holds(p), "web-v2 NameTaken 0/0", why)
		require.Equal(t, s.Deployment.Status.ObservedGeneration, p.Status.ObservedGeneration, "%s: the pass has not come to the status", why)
		require.Empty(t, p.Events, why)
	}
}

// TestNoNegativeSize: sums that wrap around do not lead to a size that the API server
// would refuse.
func TestNoNegativeSize(t *testing.T) {
	const most = math.MaxInt32
	for why, s := range map[string]deploy.Snapshot{
		"the new one is created": snapshot(web(most, limits(0, 1), template("v9")), set(1, most, counts(0, 0)), set(2, most, counts(0, 0))),
		"the new one would grow": snapshot(web(most, limits(0, 1), template("v9")), set(1, most, counts(0, 0)), set(2, most, counts(0, 0)), set(9, 3, counts(0, 0))),
		"shared out":             snapshot(web(most, limits(1, 0)), set(1, 3, sized("10", "10")), set(2, 2, sized("10", "10"))),
	} {
		requireNotNegative(t, why, reconcile(t, s))
	}
	check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int32{0, 1, 3, most / 2, most - 1, most})
		var sets []replicaset.ReplicaSet
		for n := range rapid.IntRange(1, 4).Draw(t, "sets") {
			text := rapid.SampledFrom([]string{"", "1", "3", "2147483646", "2147483647"}).Draw(t, "scaled for")
			sets = append(sets, set(n+1, size.Draw(t, "size"), sized(text, text), counts(size.Draw(t, "has"), size.Draw(t, "available"))))
		}
		d := web(size.Draw(t, "replicas"), limits(size.Draw(t, "surge"), size.Draw(t, "unavailable")))
		p, err := deploy.Reconcile(snapshot(d, sets...), t0, deploy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		requireNotNegative(t, "any", p)
	})
}

func requireNotNegative(t require.TestingT, why string, p deploy.Plan) {
	for _, a := range p.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			require.GreaterOrEqual(t, a.Replicas, int32(0), why)
		case deploy.ScaleReplicaSet:
			require.GreaterOrEqual(t, a.To, int32(0), "%s: %v", why, a)
			require.LessOrEqual(t, a.Unhealthy, max(0, a.From-a.To), "%s: %v", why, a)
		}
	}
}
