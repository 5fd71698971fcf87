// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
)

// Two ReplicaSets of one name, or of one UID, are an error if the plan would release both: which
// comes first decided their order.
func TestReleasedTwice(t *testing.T) {
	other := func(uid string) func(*replicaset.ReplicaSet) {
		return func(rs *replicaset.ReplicaSet) { rs.UID, rs.Labels = uid, map[string]string{"app": "x"} }
	}
	for _, c := range []struct {
		why  string
		sets []replicaset.ReplicaSet
		want string
	}{
		{"one name", []replicaset.ReplicaSet{set(1, 0, other("a")), set(1, 0, other("b"))}, `ReplicaSets["web-v1"].Name: "web-v1": must be unique`},
		{"one UID", []replicaset.ReplicaSet{set(1, 0, other("a")), set(2, 0, other("a"))}, `ReplicaSets["web-v1"].UID: "a": must be unique`},
		{"the name of one that stays", []replicaset.ReplicaSet{set(1, 0, func(rs *replicaset.ReplicaSet) { rs.Labels = map[string]string{"app": "web"} }), set(1, 0, other("b"))}, `ReplicaSets["web-v1"].Name: "web-v1": must be unique`},
		{"neither", []replicaset.ReplicaSet{set(1, 0, other("a")), set(2, 0, other("b"))}, ""},
	} {
		s := snapshot(web(3, selects(map[string]string{"app": "web"})), c.sets...)
		for range 2 {
			_, err := deploy.Reconcile(s, t0, deploy.Options{})
			if c.want == "" {
				require.NoError(t, err, c.why)
			} else {
				require.EqualError(t, err, c.want, c.why)
			}
			slices.Reverse(s.ReplicaSets)
		}
	}
}

// Of several ReplicaSets with the name of the new one, of which a namespace has one, the first by UID
// decides how a pass ends that was to create it, in whatever order they come.
func TestNameTakenTwice(t *testing.T) {
	s := deploy.Snapshot{Deployment: web(3), ReplicaSets: []replicaset.ReplicaSet{
		set(2, 0, func(rs *replicaset.ReplicaSet) { rs.UID = "b" }),
		set(2, 0, func(rs *replicaset.ReplicaSet) { rs.UID, rs.ControllerUID = "a", "other" }),
	}}
	for range 2 {
		r := created(s, deploy.CreateReplicaSet{Name: "web-v2", Revision: 3}, kplan.Outcome{Answer: kplan.AlreadyExists})
		require.Equal(t, ptr.To(int32(1)), r.Status.CollisionCount)
		slices.Reverse(s.ReplicaSets)
	}
}
