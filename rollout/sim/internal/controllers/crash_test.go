// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// quiet are rates of a world with faults of which none strikes controllers.
var quiet = trouble.Rates{trouble.Extremes: 1}

// withDaemonSets returns a world with a controller of DaemonSets that looks at versions, on two nodes.
func withDaemonSets(t *testing.T, rates trouble.Rates, seed uint64, begin func(*control.Controller)) (*harness, *daemonSetController) {
	var c *daemonSetController
	h := newHarness(t, seed, rates, func(env *Env, instance int) *control.Controller {
		c = &daemonSetController{
			env: env, tracked: trackedDaemonSets{}, expected: expectations{}, backoff: map[string]daemonset.Backoff{}, versions: map[string]expect.Versions{},
		}
		c.Controller = control.New(env.Server, comparing{c, func(string) { begin(c.Controller) }}, store.DaemonSetController, instance,
			store.KindDaemonSet, store.KindNode, store.KindPod, store.KindRevision)
		return c.Controller
	})
	h.addNodes(1, 2)
	h.putAgent(daemonset.DaemonSet{})
	return h, c
}

// withReplicaSets is that of a ReplicaSet of two pods.
func withReplicaSets(t *testing.T, rates trouble.Rates, seed uint64, begin func(*control.Controller)) (*harness, *replicaSetController) {
	var c *replicaSetController
	h := newHarness(t, seed, rates, func(env *Env, instance int) *control.Controller {
		c = &replicaSetController{env: env, table: &env.ReplicaSets, kind: replicaset.Kind, expected: expectations{}, versions: map[string]expect.Versions{}}
		c.Controller = control.New(env.Server, comparing{c, func(string) { begin(c.Controller) }}, store.ReplicaSetController, instance,
			store.KindReplicaSet, store.KindPod)
		return c.Controller
	})
	aReplicaSet(h, "web", "web", 2)
	return h, c
}

// withSets is that of a CloneSet of two pods.
func withSets(t *testing.T) (*harness, *setController) {
	var c *setController
	h := newHarness(t, 1, quiet, func(env *Env, instance int) *control.Controller {
		c = &setController{env: env, known: map[string]int64{}}
		c.Controller = control.New(env.Server, c, store.SetController, instance, store.KindSet, store.KindPod)
		return c.Controller
	})
	aSet(h, cloneSets, 2, 2)
	return h, c
}

// TestCrashForgets: a controller that waits because of what it keeps in memory does not act when a pod
// fails. After a crash it has nothing to wait for, and acts at once.
func TestCrashForgets(t *testing.T) {
	nothing := func(*control.Controller) {}
	waits := func(c *control.Controller) expect.Expectations { return expect.Creations(1, c.Now()) }
	daemon := func(remember func(*daemonSetController, *store.DaemonSet)) func(*testing.T) *harness {
		return func(t *testing.T) *harness {
			h, c := withDaemonSets(t, quiet, 1, nothing)
			h.settle()
			remember(c, h.DaemonSets.Get("agent"))
			return h
		}
	}
	for name, world := range map[string]func(*testing.T) *harness{
		"expectations of a DaemonSet": daemon(func(c *daemonSetController, _ *store.DaemonSet) { c.expected["agent"] = waits(c.Controller) }),
		"versions of a DaemonSet": daemon(func(c *daemonSetController, d *store.DaemonSet) {
			c.versions["agent"] = expect.Versions{OwnerUID: d.UID, Children: "1000000"}
		}),
		"delays of a DaemonSet": daemon(func(c *daemonSetController, d *store.DaemonSet) {
			key := daemonset.BackoffKey{UID: d.UID, Generation: 1, Node: c.Server.Pods.All()[0].NodeName}
			c.backoff["agent"] = daemonset.Backoff{{BackoffKey: key, Delay: time.Minute, Since: c.Now()}}
		}),
		"expectations of a ReplicaSet": func(t *testing.T) *harness {
			h, c := withReplicaSets(t, quiet, 1, nothing)
			h.settle()
			c.expected["web"] = waits(c.Controller)
			return h
		},
		"versions of a ReplicaSet": func(t *testing.T) *harness {
			h, c := withReplicaSets(t, quiet, 1, nothing)
			h.settle()
			c.versions["web"] = expect.Versions{Children: "1000000"}
			return h
		},
		"version of a CloneSet": func(t *testing.T) *harness {
			h, c := withSets(t)
			h.settle()
			c.known["web"] = 1000000
			return h
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := world(t)
			acts := false
			h.Observe(func(w store.Write) {
				acts = acts || w.Kind == store.KindPod && (w.Verb == store.Create || w.Verb == store.Delete)
			})
			h.Life.Failed(h.Server.Pods.All()[0].Name, podorder.Failed)
			for h.list[0].Step() {
			}
			require.False(t, acts)
			h.list[0].Crash()
			for h.list[0].Step() {
			}
			require.True(t, acts)
			require.NoError(t, h.Err())
		})
	}
}

// TestSeesItsWrites: a controller that looks at versions acts only on a view that shows the pods that it
// has created, and the status that it has written. One that may see anything is left out: it forgets what
// it has written when it sees that its object is not there yet.
func TestSeesItsWrites(t *testing.T) {
	rates := trouble.Rates{trouble.Stale: 2}
	for seed := range uint64(40) {
		var begun store.View
		begin := func(c *control.Controller) { begun = c.View }
		daemons, _ := withDaemonSets(t, rates, seed, begin)
		seesItsWrites(daemons, store.KindDaemonSet, &begun)
		sets, _ := withReplicaSets(t, rates, seed, begin)
		seesItsWrites(sets, store.KindReplicaSet, &begun)
	}
}

func seesItsWrites(h *harness, owner store.Kind, begun *store.View) {
	if h.list[0].SeesAnything() {
		return
	}
	least, pass := store.View{}, store.View{} // what is to be seen, and at what the pass began
	h.Observe(func(w store.Write) {
		if w.By != h.list[0].Role {
			return
		}
		if pass != *begun {
			require.GreaterOrEqual(h.t, begun[store.KindPod], least[store.KindPod], "pods")
			require.GreaterOrEqual(h.t, begun[owner], least[owner], "status")
			pass = *begun
		}
		switch {
		case w.Verb == store.Create && w.Kind == store.KindPod:
			least[store.KindPod] = h.Version()
		case w.Verb == store.UpdateStatus:
			least[owner] = h.Version()
		}
	})
	for i := range 300 {
		if pods := h.Server.Pods.All(); i%50 == 49 && len(pods) > 0 {
			h.DeletePod(apiserver.By(store.User, pods[0].Name))
		}
		h.goesOn()
	}
	require.NoError(h.t, h.Err())
	require.NotZero(h.t, least[store.KindPod])
	require.NotZero(h.t, least[owner])
}
