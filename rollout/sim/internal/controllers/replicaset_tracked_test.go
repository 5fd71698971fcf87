// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/selector"
)

// comparing is a worker that compares plans before it begins a pass.
type comparing struct {
	control.Worker
	compare func(key string)
}

func (w comparing) Begin(key string) control.Pass {
	w.compare(key)
	return w.Worker.Begin(key)
}

// compared makes a controller of ReplicaSets. Each plan of a Tracker must be the one for the whole view at the
// same instant. It counts these plans, and those of them with actions.
func compared(t *testing.T, plans, acting *int, made **replicaSetController) func(*Env, int) *control.Controller {
	return func(env *Env, instance int) *control.Controller {
		c := &replicaSetController{env: env, table: &env.ReplicaSets, kind: replicaset.Kind, expected: expectations{}}
		*made = c
		compare := func(name string) {
			rs := control.See(c.Controller, &c.ReplicaSets, name)
			if rs == nil {
				return
			}
			tracker := c.tracked.of(c, rs)
			if tracker == nil {
				return
			}
			tracked, err := tracker.Plan(c.Now(), c.env.ReplicaSet)
			require.NoError(t, err)
			whole, err := replicaset.Reconcile(*c.snapshot(rs), c.Now(), c.env.ReplicaSet)
			require.NoError(t, err)
			require.Equal(t, whole, tracked)
			if *plans++; len(tracked.Actions) > 0 {
				*acting++
			}
		}
		c.Controller = control.New(env.Server, comparing{c, compare}, store.ReplicaSetController, instance, store.KindReplicaSet, store.KindPod)
		return c.Controller
	}
}

// TestReplicaSetTracked: Trackers of ReplicaSets make the plans that are made from all pods, whatever a
// person does to the pods, to their ReplicaSets, and to the siblings of these.
func TestReplicaSetTracked(t *testing.T) {
	plans, acting := 0, 0
	for seed := range uint64(3) {
		h := newHarness(t, seed, trouble.Rates{}, compared(t, &plans, &acting, new(*replicaSetController)))
		h.Life.SetTemplate("v1", instant())
		h.addNodes(1, 40)
		for i, name := range []string{"a", "b", "c"} {
			h.putSet(name, 260, i < 2)
		}
		h.settle()
		h.Life.SetTemplate("v1", cluster.Template{Times: &cluster.Times{
			Ready: cluster.Between(0, 20*time.Second), End: cluster.Between(0, 10*time.Second),
		}})
		draw := rand.New(rand.NewPCG(seed, 0))
		for i := range 150 {
			for range draw.IntN(30) {
				h.step()
			}
			h.disturbSets(draw, fmt.Sprint("orphan", i))
			require.NoError(t, h.Err())
		}
		h.settle()
	}
	require.Greater(t, plans, 5000)
	require.Greater(t, acting, 50)
}

// TestReplicaSetTrackedAfterFaults: a controller that waits to see its writes when the faults end goes on
// waiting, with many pods as with few.
func TestReplicaSetTrackedAfterFaults(t *testing.T) {
	plans, acting, waiting := 0, 0, 0
	for seed := range uint64(4) {
		var c *replicaSetController
		h := newHarness(t, seed, trouble.Rates{trouble.Extremes: 1}, compared(t, &plans, &acting, &c))
		h.putSet("a", 300, false)
		for h.Server.Pods.Len() < 255+int(seed)*10 {
			require.True(t, h.step())
		}
		if !c.expected["a"].Fulfilled() {
			waiting++
		}
		h.heal()
		h.settle()
		require.Equal(t, 300, h.Server.Pods.Len())
	}
	require.Equal(t, 4, waiting)
	require.NotZero(t, plans, "after five minutes it waits no longer")
}

// putSet stores a ReplicaSet of a size: of a Deployment of its own, or a sibling of others.
func (h *harness) putSet(name string, replicas int32, sibling bool) {
	put(h, &h.ReplicaSets, name, func(rs *replicaset.ReplicaSet) {
		labels := map[string]string{"app": "web", "of": name}
		rs.Replicas, rs.Generation, rs.Template = &replicas, 1, revision.Template{ID: "v1"}
		rs.Selector, rs.TemplateLabels = selector.FromLabels(map[string]string{"of": name}), labels
		if rs.ControllerUID = name + "-owner"; sibling {
			rs.ControllerUID = "owner0"
		}
	})
}

func (h *harness) removePods(owner string) {
	for _, p := range slices.Clone(h.Server.Pods.Of(owner)) {
		apiserver.Remove(h.Server, &h.Server.Pods, apiserver.By(store.User, p.Name))
	}
}

// disturbSets lets a person change something.
func (h *harness) disturbSets(draw *rand.Rand, orphan string) {
	name := string(rune('a' + draw.IntN(3)))
	pods := h.Server.Pods.All()
	if h.ReplicaSets.Get(name) == nil {
		h.putSet(name, 260, draw.IntN(2) == 0)
		return
	}
	if draw.IntN(3) == 0 { // Trackers rest while there are orphans, and failed ones nobody adopts
		h.removePods("")
	}
	pod, user := pods[draw.IntN(len(pods))].Name, func(name string) apiserver.Request { return apiserver.By(store.User, name) }
	changePod := func(f func(*store.Pod)) { h.ChangePod(user(pod), f) }
	change := func(f func(*replicaset.ReplicaSet)) {
		put(h, &h.ReplicaSets, name, func(rs *replicaset.ReplicaSet) { rs.Generation++; f(rs) })
	}
	switch draw.IntN(16) {
	case 0, 1, 2:
		n := 230 + draw.Int32N(60)
		change(func(rs *replicaset.ReplicaSet) { rs.Replicas = &n })
	case 3:
		change(func(rs *replicaset.ReplicaSet) { rs.MinReadySeconds = draw.Int32N(3) * 7 })
	case 4:
		h.Life.Failed(pod, podorder.Failed)
	case 5:
		h.DeletePod(user(pod))
	case 6:
		h.Life.Unready(pod)
	case 7:
		own(h, pod, nil)
	case 8:
		own(h, pod, h.ReplicaSets.Get(name))
	case 9:
		changePod(func(p *store.Pod) { p.Labels = map[string]string{"app": "web", "of": name} })
	case 10:
		changePod(func(p *store.Pod) { p.Labels = map[string]string{"of": p.Labels["of"]} })
	case 11:
		changePod(func(p *store.Pod) {
			p.Annotations = map[string]string{"controller.kubernetes.io/pod-deletion-cost": fmt.Sprint(draw.IntN(5) - 2)}
		})
	case 12:
		put(h, &h.Server.Pods, orphan, func(p *store.Pod) { p.NodeName, p.Labels = "n1", map[string]string{"app": "web", "of": name} })
	case 13:
		if draw.IntN(3) == 0 {
			h.removePods(h.ReplicaSets.Get(name).UID)
			apiserver.Remove(h.Server, &h.ReplicaSets, user(name))
		}
	case 14, 15: // one or all get another Deployment, and all shrink
		owner, all := fmt.Sprint("owner", draw.IntN(2)), draw.IntN(2) == 0
		for _, o := range h.ReplicaSets.All() {
			n := 225 + draw.Int32N(20)
			put(h, &h.ReplicaSets, o.Name, func(rs *replicaset.ReplicaSet) {
				if rs.Replicas = &n; all || o.Name == name {
					rs.ControllerUID = owner
				}
			})
		}
	}
}
