// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// A showcase is the smallest snapshot that shows a quirk, and what differs.
type showcase struct {
	s              argo.Snapshot
	asks           func(argo.Plan) string
	kept, repaired string
}

// between is an update from v1 to the last template, at its last step, with templates in
// between.
func between(t *testing.T, replicas int32, steps []argo.Step, sizes ...argo.Size) argo.Snapshot {
	w := newWorld(t, replicas, steps...)
	w.s.Rollout.MaxSurge, w.s.Rollout.MaxUnavailable = rollout.Int(2), rollout.Int(0)
	w.s.Rollout.TemplateHash = fmt.Sprint("v", len(sizes))
	w.s.Rollout.Status = argo.Status{CurrentPodHash: w.s.Rollout.TemplateHash, StableRS: "v1", CurrentStepIndex: ptr.To(int32(len(steps) - 1))}
	for i, size := range sizes {
		size.StatusReplicas = size.Replicas
		w.s.Sets = append(w.s.Sets, argo.ReplicaSet{
			Hash: fmt.Sprint("v", i+1), Revision: int64(i) + 1, Size: size, DesiredReplicas: &replicas, CreationTimestamp: now.Add(time.Duration(i) * time.Second),
		})
	}
	return w.s
}

// dynamic makes the stable pods of an update follow the requests, which are led by weights.
func dynamic(s argo.Snapshot, canary int32, hash string) argo.Snapshot {
	s.Rollout.Routing = &argo.Routing{DynamicStableScale: true}
	s.Rollout.Status.Weights = &argo.TrafficWeights{
		Canary: argo.WeightDestination{Weight: canary, Hash: hash}, Stable: argo.WeightDestination{Weight: 100 - canary, Hash: "v1"},
	}
	return s
}

func full(n int32) argo.Size { return argo.Size{Replicas: n, AvailableReplicas: n} }

func actions(p argo.Plan) string { return argo.Plan{Actions: p.Actions}.String() }

// promotes says as well which template is stable.
func promotes(p argo.Plan) string { return actions(p) + "\nstable: " + p.Status.StableRS }

func pauses(p argo.Plan) string { return fmt.Sprint(len(p.Status.PauseConditions)) }

func trafficShowcases(t *testing.T) map[string]showcase {
	aborted := dynamic(between(t, 10, []argo.Step{weight(10)}, full(10), full(2)), 10, "v2")
	aborted.Rollout.Routing.MinPodsPerReplicaSet, aborted.Rollout.Status.Abort = ptr.To(int32(2)), true
	grown := dynamic(between(t, 8, []argo.Step{weight(25)}, argo.Size{Replicas: 8, AvailableReplicas: 4}, argo.Size{}), 0, "v2")
	grown.Rollout.Status.Abort = true
	replaced := dynamic(between(t, 4, []argo.Step{weight(100)}, full(4), full(4), argo.Size{}), 100, "v2")
	routes := between(t, 4, []argo.Step{setting(argo.StepHeaderRoute, betaUsers), weight(25)}, full(4), full(1))
	routes.Rollout.Routing = &argo.Routing{}
	turns := between(t, 4, []argo.Step{weight(50)}, full(4), full(2))
	turns.Rollout.Routing, turns.Ping, turns.Pong = &argo.Routing{}, &argo.Service{Name: "ping"}, &argo.Service{Name: "pong"}
	return map[string]showcase{
		"AbortLeavesRequests": {
			aborted, actions, "Scaled down replica set v1 from 10 to 9 (Weight)",
			"Set weight of replica set v2 to 0, of v1 to 100 (Traffic)\nScaled down replica set v2 from 2 to 0 (Weight)",
		},
		"AbortGetsPodsAgain": {grown, actions, "Scaled up replica set v2 from 0 to 2 (Weight)", "nothing to do"},
		"StableGoesBeforeRequests": {
			replaced, actions, "Set weight of replica set v3 to 0, of v1 to 100 (Traffic)\nScaled down replica set v1 from 4 to 0 (Weight)",
			"Set weight of replica set v3 to 0, of v1 to 100 (Traffic)\nScaled up replica set v3 from 0 to 4 (Weight)",
		},
		"NoPodServesRest": {
			dynamic(between(t, 1, []argo.Step{weight(100), weight(10)}, argo.Size{}, full(1)), 100, "v2"), actions,
			"Set weight of replica set v2 to 10, of v1 to 90 (Traffic)\nScaled up replica set v1 from 0 to 1 (Weight)", "Scaled up replica set v1 from 0 to 1 (Weight)",
		},
		"RoutesLost": {
			routes, actions, "Set weight of replica set v2 to 25, of v1 to 75 (Traffic)",
			"Set route beta to service  (Traffic)\nSet weight of replica set v2 to 25, of v1 to 75 (Traffic)",
		},
		"StablePingPongSelectsAll": {
			turns, actions,
			"Set rollouts-pod-template-hash to v2 in the selector of service ping (Traffic)\nSet weight of replica set v2 to 50, of v1 to 50 (Traffic)",
			"Set rollouts-pod-template-hash to v2 in the selector of service ping (Traffic)\nSet rollouts-pod-template-hash to v1 in the selector of service pong (Traffic)\n" +
				"Set weight of replica set v2 to 50, of v1 to 50 (Traffic)",
		},
	}
}

func showcases(t *testing.T) map[string]showcase {
	behind := between(t, 4, []argo.Step{pause(-1), weight(50)}, full(3), full(1))
	behind.Rollout.Status.CurrentStepIndex, behind.Rollout.Status.PromoteFull, behind.Rollout.Status.ControllerPause = ptr.To(int32(0)), true, true
	inconclusive := between(t, 4, []argo.Step{{Other: argo.StepAnalysis}}, full(4), argo.Size{})
	inconclusive.Rollout.Status.Runs = argo.Runs{Step: argo.Run{Phase: argo.RunInconclusive}, Background: argo.Run{Phase: argo.RunInconclusive}}
	nothing := between(t, 0, []argo.Step{{SetCanaryScale: &argo.CanaryScale{Replicas: ptr.To(int32(1))}}, pause(-1)}, argo.Size{}, argo.Size{})
	nothing.Rollout.Routing, nothing.Rollout.Status.CurrentStepIndex = &argo.Routing{}, ptr.To(int32(0))
	zero := between(t, 3, nil, full(3), full(3))
	zero.Rollout.BlueGreen = &argo.BlueGreen{ScaleDownDelaySeconds: ptr.To(int32(0))}
	zero.Active = &argo.Service{Name: "active", Selector: map[string]string{argo.HashLabel: "v2"}}
	zero.Rollout.Status = argo.Status{CurrentPodHash: "v2", StableRS: "v2", ActiveSelector: "v2"}
	cases := map[string]showcase{
		"ZeroReplicasTakeSteps": {
			nothing, promotes, "Set weight of replica set v2 to 0, of v1 to 100 (Traffic)\nScaled up replica set v2 from 0 to 1 (Weight)\nstable: v1",
			"Set weight of replica set v2 to 0, of v1 to 100 (Traffic)\nstable: v2",
		},
		"StepBehindTheEnd": {behind, func(p argo.Plan) string { return fmt.Sprint(*p.Status.CurrentStepIndex) }, "3", "2"},
		"OvercountedKeepsOthers": {
			between(t, 4, []argo.Step{weight(50)}, full(2), argo.Size{Replicas: 1, AvailableReplicas: 2}, full(1), full(2)), actions, "nothing to do",
			"Scaled down replica set v2 from 1 to 0 (OtherTemplate)\nScaled down replica set v3 from 1 to 0 (OtherTemplate)",
		},
		"PauseBeginsWhilePodsGo": {
			between(t, 4, []argo.Step{weight(50), pause(-1)}, full(2), argo.Size{Replicas: 1}, full(2)), pauses, "1", "0",
		},
		"PausedTwice":           {inconclusive, pauses, "2", "1"},
		"ZeroDelayKeepsForEver": {zero, actions, "nothing to do", "Scaled down replica set v1 from 3 to 0 (ScaleDownDelay)"},
	}
	for name, c := range trafficShowcases(t) {
		cases[name] = c
	}
	return cases
}

// TestQuirks: each row of the table has a snapshot that shows it: see [total.Quirks].
func TestQuirks(t *testing.T) {
	cases := map[string]total.Showcase[quirk.Set]{}
	for name, c := range showcases(t) {
		cases[name] = total.Showcase[quirk.Set]{Kept: c.kept, Repaired: c.repaired, Answer: func(t *testing.T, repair quirk.Set) string {
			p, err := argo.Reconcile(c.s, now, argo.Options{Repair: repair})
			require.NoError(t, err)
			return c.asks(p)
		}}
	}
	total.Quirks(t, quirk.Table(), quirk.All, cases)
}

// TestQuirkNames: the set goes through text and JSON, and has a bit for each row.
func TestQuirkNames(t *testing.T) {
	var names []string
	for _, q := range quirk.Table() {
		names = append(names, q.Name)
	}
	every, err := quirk.Parse(names...)
	require.NoError(t, err)
	require.Equal(t, quirk.All, every)
	require.Equal(t, strings.Join(names, ","), every.String())
	require.True(t, every.Has(quirk.PausedTwice|quirk.RoutesLost))
	require.False(t, quirk.PausedTwice.Has(quirk.PausedTwice|quirk.RoutesLost))
	_, err = quirk.Parse("Unknown")
	require.ErrorIs(t, err, kplan.ErrInvalid)
	_, err = argo.Reconcile(newWorld(t, 1).s, now, argo.Options{Repair: quirk.All + 1})
	require.ErrorContains(t, err, "Options.Repair")
}
