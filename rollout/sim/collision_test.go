// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// TestNameTaken: a ReplicaSet of another owner has the name that a Deployment computes for its own. That
// counts as a collision, and the Deployment computes another one.
func TestNameTaken(t *testing.T) {
	taken := webReplicaSet(1)
	taken.Name, taken.UID, taken.ControllerKind, taken.ControllerName, taken.ControllerUID = "web-v1", "taken", "Thing", "thing", "thing"
	taken.Labels = taken.TemplateLabels
	w := newWorld(t, cluster.Snapshot{ReplicaSets: []replicaset.ReplicaSet{taken}}, sim.Config{Times: lives})
	require.NoError(t, w.Put(webDeployment("v1", 3)))
	settled(t, w)
	require.Equal(t, ptr.To(int32(1)), w.View().Deployment("web").Status.CollisionCount)
	own := w.View().ReplicaSetsOf("web")
	require.Len(t, own, 1)
	require.Equal(t, "web-v11", own[0].Name)
	require.EqualValues(t, 3, own[0].Status.AvailableReplicas)
	require.EqualValues(t, 1, w.View().ReplicaSet("web-v1").Status.AvailableReplicas)
}
