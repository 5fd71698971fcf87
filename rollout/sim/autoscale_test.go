// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// TestAutoscaled: an autoscaler gives each kind of workload that is asked for by name its
// replicas, and leaves alone what it does not name, what others control, and what there is not.
func TestAutoscaled(t *testing.T) {
	labels := map[string]string{"app": "set"}
	set := cluster.Set{TemplateLabels: labels, Workload: workload.Workload{
		Ref: workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "clones"}, UID: "clones",
		Replicas: ptr.To(int32(3)), Template: revision.Template{ID: "v1", Hash: "v1"},
	}}
	alone := replicaset.ReplicaSet{
		Name: "alone", UID: "alone", Replicas: ptr.To(int32(1)), TemplateLabels: map[string]string{"app": "alone"},
		Selector: selector.FromLabels(map[string]string{"app": "alone"}),
	}
	rc := webController("rc", 1)
	rc.Name = "rc"
	canary := argoCanary("v1", 2)
	canary.Name, canary.UID, canary.TemplateLabels = "canary", "canary", map[string]string{"app": "canary"}
	asked := map[string]int32{"clones": 7, "web": 4, "alone": 2, "rc": 3, "canary": 5, "nobody": 9, "alone-0": -1}
	w := newWorld(t, cluster.Snapshot{
		Sets: []cluster.Set{set}, Deployments: []deploy.Deployment{webDeployment("v1", 3)}, ReplicaSets: []replicaset.ReplicaSet{alone},
		ReplicationControllers: []replicaset.ReplicaSet{rc}, ArgoRollouts: []cluster.ArgoRollout{canary},
	}, sim.Config{Times: lives, Autoscalers: []sim.Autoscaler{{Name: "hpa", Desired: func(v sim.View) map[string]int32 {
		for _, rs := range v.ReplicaSets() {
			if rs.ControllerUID != "" {
				asked[rs.Name] = 1 // which its owner would have to undo, again and again
			}
		}
		return asked
	}}}})
	settled(t, w)
	v := w.View()
	require.EqualValues(t, 7, *v.Sets()[0].Replicas)
	require.EqualValues(t, 4, *v.Deployment("web").Replicas)
	require.EqualValues(t, 2, *v.ReplicaSet("alone").Replicas)
	require.EqualValues(t, 3, *v.ReplicationController("rc").Replicas)
	require.EqualValues(t, 5, *v.ArgoRollouts()[0].Replicas)
	require.Len(t, v.Pods(), 7+4+2+3+5)
}
