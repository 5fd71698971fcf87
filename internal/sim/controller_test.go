// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// TestOvertaken: a request that writes nothing, such as the release of what others have
// released, does not make a plan fresh again that the store has left behind.
func TestOvertaken(t *testing.T) {
	w := newWorld(1, Faults{})
	c := &controller{}
	w.addController(c, nil, DeploymentController, KindDeployment)
	change := func() answer {
		r := by(User)
		r.name = "web"
		_, a := update(w, &w.store.deployments, r, func(d *Deployment) { d.Generation++ })
		return a
	}
	fresh := func() bool { return c.request(Update, "web", precondition{}, nil).fresh }

	create(w, &w.store.deployments, by(User), &Deployment{Deployment: deploy.Deployment{Name: "web"}})
	c.version, c.fresh = w.store.version, true
	require.Equal(t, done, c.ask(change))
	require.Equal(t, w.store.version, c.wrote)
	require.True(t, fresh(), "own writes are known")
	change()
	require.Equal(t, done, c.ask(func() answer { return done }))
	require.Less(t, c.wrote, w.store.version)
	require.False(t, fresh())
}

// TestUnseenAdoption: a pod that is relabelled while it is being adopted is missing as
// long as the adoption is not seen. Versions wait for it, expectations do not.
func TestUnseenAdoption(t *testing.T) {
	for _, gated := range []bool{false, true} {
		w := newWorld(1, Faults{})
		w.addReplicaSetController(replicaset.Options{Repair: replicaset.RepairAll})
		c := w.controllers[0].worker.(*replicaSetController)
		if c.versions = nil; gated {
			c.versions = map[string]replicaset.Versions{}
		}
		expecting := map[Verb]bool{}
		w.Observer.Write = func(e Write) error {
			if e.By.Role == ReplicaSetController {
				expecting[e.Verb] = e.Expecting
			}
			return nil
		}
		pass := func() (acts bool) {
			for job := c.begin("web"); job != nil && job(); {
				acts = true
			}
			return acts
		}

		create(w, &w.store.replicaSets, by(User), &replicaSet{
			Name: "web", Replicas: ptr.To(int32(1)), Selector: selector.FromLabels(appWeb), TemplateLabels: appWeb, Labels: appWeb,
		})
		create(w, &w.store.pods, by(User), &podorder.Pod{Name: "p", Labels: appWeb, Phase: podorder.Running})
		see := func(version int64) { c.view[KindReplicaSet], c.view[KindPod] = w.store.version, version }
		see(w.store.version)
		adopt := c.begin("web")
		w.relabelPod(w.store.podNamed("p", false))
		relabelled := w.store.version
		for adopt() {
		}
		require.Equal(t, "web", w.store.pods.named("p").ControllerName)

		see(relabelled)
		require.Equal(t, !gated, pass(), "an orphan that does not match is no pod of the ReplicaSet")
		if !gated {
			require.Len(t, w.store.pods.all(), 2, "so another one is created")
		}
		see(w.store.version)
		require.True(t, pass())
		require.Empty(t, w.store.pods.named("p").ControllerUID, "released")
		require.Len(t, w.store.pods.all(), 2)
		require.Equal(t, gated, expecting[Create])
	}
}

// TestNegativeSize: the API server takes no size below 0, and a plan that asks for one ends
// the loop.
func TestNegativeSize(t *testing.T) {
	for _, a := range []deploy.Action{
		deploy.CreateReplicaSet{Name: "web-1", Replicas: -1},
		deploy.ScaleReplicaSet{Name: "web-1", To: -1},
	} {
		w := newWorld(1, Faults{})
		p := &deploymentPass{c: &deploymentController{controller: &controller{w: w}}}
		require.Equal(t, invalid, p.perform(a))
		require.Empty(t, w.store.replicaSets.all())
		require.ErrorContains(t, w.err, "size below 0")
	}
}
