// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// TestEarliestWakes: of several instants at which an object is to be looked at again the earliest counts, as in
// the delaying queue of client-go. Else each retry of a pass that fails would add to those that wait.
func TestEarliestWakes(t *testing.T) {
	h := newHarness(t, 1, trouble.Rates{}, newRolloutController)
	c, begin := h.list[0], h.Agenda.Now()
	in := func(d time.Duration) { c.WakeAt(h.Agenda.Now().Add(d), "web") }
	for _, d := range []time.Duration{5 * time.Second, 7 * time.Second, 2 * time.Second, 2 * time.Second} {
		in(d)
	}
	require.Equal(t, 2, h.Agenda.Len(), "that of 5 s, which 2 s replaced, is passed over")
	woken := func() (woken bool) {
		h.Agenda.Perform()
		for woken = c.Busy(); c.Step(); {
		}
		return woken
	}
	require.True(t, woken())
	require.Equal(t, 2*time.Second, h.Agenda.Now().Sub(begin))
	in(time.Minute)
	require.False(t, woken(), "at 5 s")
	require.True(t, woken())
	require.Equal(t, 62*time.Second, h.Agenda.Now().Sub(begin))

	in(7 * time.Second)
	in(2 * time.Second)
	require.True(t, woken())
	in(5 * time.Second) // which was there, and is again
	require.True(t, woken())
	require.False(t, woken(), "twice at an instant")
}

// TestNegativeSize: the API server takes no size below 0, and a plan that asks for one ends the world.
func TestNegativeSize(t *testing.T) {
	for _, a := range []deploy.Action{
		deploy.CreateReplicaSet{Name: "web-1", Replicas: -1},
		deploy.ScaleReplicaSet{Name: "web-1", To: -1},
	} {
		h := newHarness(t, 1, trouble.Rates{}, newDeploymentController)
		p := &deploymentPass{c: &deploymentController{Controller: h.list[0], env: h.Env}, s: deploy.Snapshot{}}
		require.Equal(t, apiserver.Invalid, p.perform(a))
		require.Zero(t, h.ReplicaSets.Len())
		require.ErrorContains(t, h.Err(), "size below 0")
	}
}

// TestClaimsThatEndThePass: a pod that is another one by now cannot be adopted, which ends the pass: what it
// would have created is not expected. To release such a pod is no failure.
func TestClaimsThatEndThePass(t *testing.T) {
	for _, c := range []struct {
		why    string
		action replicaset.Action
		answer kplan.ServerAnswer
		stops  bool
	}{
		{"it is another pod by now", replicaset.AdoptPod{}, kplan.Invalid, true},
		{"it is gone", replicaset.AdoptPod{}, kplan.NotFound, true},
		{"somebody else has released it", replicaset.ReleasePod{}, kplan.Invalid, false},
		{"nobody knows", replicaset.ReleasePod{}, kplan.Failed, true},
	} {
		p := &replicaSetPass{pass: replicaset.Pass{Plan: replicaset.Plan{Actions: []replicaset.Action{c.action, replicaset.CreatePods{}}}}, done: 1}
		p.report.Claims = []kplan.Outcome{{Answer: c.answer}}
		require.Equal(t, c.stops, p.stopped(), c.why)
	}
}
