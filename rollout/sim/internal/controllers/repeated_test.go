// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// demandsNoVersion reports whether a write is one that succeeds once more when the network repeats it: it
// stores another object, or asks for no version.
func demandsNoVersion(w store.Write) bool {
	switch w.Action.(type) {
	case replicaset.CreatePods, daemonset.CreatePod, podset.Action:
		return true
	case batchrelease.LabelPod, kruise.PatchBatchRelease, kruise.UpdateBatchRelease:
		return true
	case batchrelease.SetFinalizer:
		return w.Kind == store.KindDeployment
	}
	return false
}

// TestRequestRepeated: a request demands the version that its writer knew when it was sent first. One that
// the network repeats is refused, whoever sends it: the first has left another version.
func TestRequestRepeated(t *testing.T) {
	repeated := 0
	for seed := range uint64(10) {
		rates := trouble.Rates{trouble.Request: 4}
		ofArgo, agents := newArgo(t, rates, seed), newHarness(t, seed, rates, newDaemonSetController)
		web, sets := releasingDeployment(t, seed, quirk.All, 6, rates), newHarness(t, seed, rates, newSetController)
		for _, h := range []*harness{ofArgo, web, agents, sets} {
			h.Observe(func(w store.Write) {
				require.True(t, !h.Repeating() || demandsNoVersion(w), "seed %d: %s %s %s: %v", seed, w.By, w.Verb, w.Kind, w.Action)
			})
		}
		for _, template := range []string{"v1", "v2"} {
			argoCanary(ofArgo, template, 5, 60)
			ofArgo.settle()
		}
		put(web, &web.Rollouts, "web", func(r *store.Rollout) {
			r.Generation, r.WorkloadRef, r.Canary = 1, webDeployment, steps(20, 60, 100)
			r.Canary.EnableExtraWorkloadForCanary = seed%2 == 0
		})
		web.someRequests(webDeployment)
		agents.addNodes(1, 6)
		agents.putAgent(daemonset.DaemonSet{MaxUnavailable: rollout.Int(2)})
		agents.settle()
		agents.release("v2")
		agents.settle()
		aSet(sets, cloneSets, 4, 2)
		sets.settle()
		for _, h := range []*harness{ofArgo, web, agents, sets} {
			repeated += h.Trouble.Counts[trouble.RequestRepeated]
		}
	}
	require.Greater(t, repeated, 500)
}
