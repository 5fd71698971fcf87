// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// An observer is given each object as it is by a write, and as it was last if it is removed.
func TestChangedObjects(t *testing.T) {
	objects := map[string]any{}
	observe := func(e sim.Change) {
		if e.Kind == "ControllerRevision" {
			return
		}
		if e.Object == nil {
			require.Contains(t, []sim.Verb{sim.Pulled}, e.Verb, "%v of %s %s", e.Verb, e.Kind, e.Name)
			return
		}
		name := string(e.Kind) + " " + e.Name
		if e.Verb == sim.Remove {
			require.Equal(t, objects[name], e.Object, "%s as it was last", name)
			delete(objects, name)
			return
		}
		objects[name] = e.Object
	}
	w := newWorld(t, cluster.Snapshot{Nodes: equalNodes(2, 0)}, sim.Config{Times: lives, Observe: observe})
	for _, template := range []string{"v1", "v2"} {
		require.NoError(t, w.Put(everything(template)...))
		settled(t, w)
	}
	v := w.View()
	for _, d := range v.Deployments() {
		require.Same(t, d, objects["Deployment "+d.Name].(*deploy.Deployment))
		delete(objects, "Deployment "+d.Name)
	}
	for _, rs := range v.ReplicaSets() {
		require.Same(t, rs, objects["ReplicaSet "+rs.Name].(*replicaset.ReplicaSet))
		delete(objects, "ReplicaSet "+rs.Name)
	}
	for _, p := range v.Pods() {
		require.Same(t, p, objects["Pod "+p.Name].(*podorder.Pod))
		delete(objects, "Pod "+p.Name)
	}
	for _, p := range v.DaemonPods() {
		require.Same(t, p, objects["Pod "+p.Name].(*daemonset.Pod))
		delete(objects, "Pod "+p.Name)
	}
	for name, o := range objects {
		switch o.(type) {
		case *replicaset.ReplicaSet:
			require.Contains(t, name, "ReplicationController")
		case *daemonset.DaemonSet, *cluster.Set, *cluster.Object, *cluster.Node:
		default:
			require.Fail(t, "is not there", name)
		}
	}
}

// Plans are told before they are carried out, each of its type, and those of one object in the order of
// time.
func TestPlanned(t *testing.T) {
	var plans []sim.Plan
	var w *sim.World
	config := sim.Config{Times: lives, Planned: func(p sim.Plan) {
		plans = append(plans, p)
		if d, ok := p.Plan.(deploy.Plan); ok && len(d.Actions) > 0 {
			if create, ok := d.Actions[0].(deploy.CreateReplicaSet); ok {
				require.Nil(t, w.View().ReplicaSet(create.Name), "not carried out yet")
			}
		}
	}}
	w = newWorld(t, cluster.Snapshot{Nodes: equalNodes(2, 0)}, config)
	require.NoError(t, w.Put(everything("v1")...))
	settled(t, w)
	kinds, last := map[sim.Kind]int{}, time.Time{}
	for _, p := range plans {
		require.False(t, p.Time.Before(last))
		last = p.Time
		kinds[p.Kind]++
		switch p.Kind {
		case sim.KindDeployment:
			require.IsType(t, deploy.Plan{}, p.Plan)
			require.Equal(t, [2]string{"deployment controller", "a/d"}, [2]string{p.By, p.Name})
		case sim.KindReplicaSet, sim.KindReplicationController:
			require.IsType(t, replicaset.Plan{}, p.Plan)
		case sim.KindDaemonSet:
			require.IsType(t, daemonset.Plan{}, p.Plan)
		}
		require.NotEmpty(t, p.Plan.String())
	}
	require.Len(t, kinds, 5, "of a Deployment, ReplicaSets, a ReplicationController, a DaemonSet and a Set: %v", kinds)
	require.Equal(t, w.Report().Plans, len(plans)+kinds["Object"])
}

// Together, pods that become ready at one instant make one step of a rollout; otherwise each makes its own.
func TestTogether(t *testing.T) {
	passes := func(together bool) (n int) {
		w := newWorld(t, cluster.Snapshot{}, sim.Config{Together: together, Times: cluster.Times{Ready: cluster.Exactly(10 * time.Second)}, Planned: func(p sim.Plan) {
			if d, ok := p.Plan.(deploy.Plan); ok && len(d.Actions) > 0 {
				n++
			}
		}})
		for _, template := range []string{"v1", "v2"} {
			n = 0
			require.NoError(t, w.Put(webDeployment(template, 8)))
			settled(t, w)
		}
		return n
	}
	require.Less(t, passes(true), passes(false))
}

// Together, a plan that labels many pods makes no more plans than one that labels few.
func TestTogetherLabels(t *testing.T) {
	plans := func(replicas int32) int {
		w := newWorld(t, cluster.Snapshot{}, sim.Config{Together: true, Times: cluster.Times{Ready: cluster.Exactly(10 * time.Second)}})
		require.NoError(t, w.Put(webDeployment("v1", replicas), webRollout(deploymentOf("web"))))
		settled(t, w)
		require.NoError(t, w.Put(webDeployment("v2", replicas)))
		settled(t, w)
		require.Equal(t, kruise.PhaseHealthy, w.View().Rollouts()[0].Status.Phase)
		return w.Report().Plans
	}
	require.Equal(t, plans(20), plans(200))
}
