// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// words tells rules of a route: the names and weights of where they lead, and their
// matches.
func words(rules []traffic.Rule) (list []string) {
	for _, r := range rules {
		text := ""
		for _, b := range r.BackendRefs {
			text += b.Name
			if b.Weight != nil {
				text += fmt.Sprint("=", *b.Weight)
			}
			text += " "
		}
		for _, m := range r.Matches {
			text += "("
			if m.Path != nil {
				text += m.Path.Value
			}
			for _, h := range m.Headers {
				text += " " + h.Name
			}
			text += ")"
		}
		list = append(list, text)
	}
	return list
}

func rule(matches []traffic.Match, names ...string) traffic.Rule {
	r := traffic.Rule{Matches: matches}
	for _, name := range names {
		r.BackendRefs = append(r.BackendRefs, traffic.BackendRef{Kind: "Service", Name: name})
	}
	return r
}

// Weights and matches of routes, and HTTPRouteRulesLost in all its parts, both ways.
func TestRouteRules(t *testing.T) {
	path := func(p string) traffic.Match { return traffic.Match{Path: &traffic.PathMatch{Value: p}} }
	header := func(name string) traffic.Match {
		return traffic.Match{Headers: []traffic.ValueMatch{{Name: name, Value: "x"}}}
	}
	two := []traffic.Rule{rule([]traffic.Match{path("/a")}, "svc"), rule([]traffic.Match{path("/b")}, "svc"), rule(nil, "other")}
	weighed := traffic.Weighted(two, "svc", "canary", 20)
	require.Equal(t, []string{"svc=80 canary=20 (/a)", "svc=80 canary=20 (/b)", "other "}, words(weighed), "others are left alone")
	require.Equal(t, weighed, traffic.Weighted(weighed, "svc", "canary", 20), "done when they are equal")
	require.Equal(t, []string{"svc (/a)", "svc (/b)", "other "}, words(two), "the argument stays as it is")

	first := []traffic.Rule{rule(nil, "canary", "svc")}
	require.Equal(t, []string{"canary=20 svc=80 "}, words(traffic.Weighted(first, "svc", "canary", 20)), "a canary is not added twice")

	fixed := quirk.HTTPRouteRulesLost
	led := traffic.Matched(two, "svc", "canary", []traffic.Match{header("h")}, false)
	require.Equal(t, []string{"svc (/a)", "svc (/b)", "other ", "canary (/a h)", "canary (/b h)"}, words(led), "behind all others")
	for _, c := range []struct {
		why          string
		decide       func(repair quirk.Set) []traffic.Rule
		want, repair []string
	}{
		{"a: matches behind a weight", func(repair quirk.Set) []traffic.Rule {
			return traffic.Matched(weighed[:1], "svc", "canary", []traffic.Match{header("h")}, repair.Has(quirk.HTTPRouteRulesLost))
		}, nil, []string{"svc=1 (/a)", "canary=1 (/a h)"}},
		{"b: a path before a header", func(repair quirk.Set) []traffic.Rule {
			return traffic.Matched(two[:1], "svc", "canary", []traffic.Match{path("/p"), header("h")}, repair.Has(quirk.HTTPRouteRulesLost))
		}, []string{"svc (/a)", "canary (/p)(/a)"}, []string{"svc (/a)", "canary (/p)(/a h)"}},
		{"c: a path, and two stable rules", func(repair quirk.Set) []traffic.Rule {
			return traffic.Matched(two[:2], "svc", "canary", []traffic.Match{path("/p")}, repair.Has(quirk.HTTPRouteRulesLost))
		}, []string{"svc (/a)", "svc (/b)", "canary (/p)"}, []string{"svc (/a)", "svc (/b)", "canary (/p)", "canary (/p)"}},
		{"d: a redirect leads nowhere", func(repair quirk.Set) []traffic.Rule {
			return traffic.Restored([]traffic.Rule{weighed[0], {Name: "redirect"}}, "svc", "canary", repair.Has(quirk.HTTPRouteRulesLost))
		}, []string{"svc=1 (/a)"}, []string{"svc=1 (/a)", ""}},
		{"d: the weight is 1, whatever it was: it is written nowhere", func(repair quirk.Set) []traffic.Rule {
			return traffic.Restored([]traffic.Rule{rule(nil, "svc", "third")}, "svc", "canary", repair.Has(quirk.HTTPRouteRulesLost))
		}, []string{"svc=1 third "}, []string{"svc=1 third "}},
	} {
		require.Equal(t, c.want, words(c.decide(0)), c.why)
		require.Equal(t, c.repair, words(c.decide(fixed)), c.why)
	}
	require.Equal(t, []string{"svc (/a)", "svc (/b)", "other "}, words(traffic.Matched(led, "svc", "canary", nil, false)), "an earlier canary goes")
	require.Equal(t, []string{"svc=1 (/a)", "svc=1 (/b)", "other "}, words(traffic.Restored(led, "svc", "canary", false)), "and its rules are dropped")
	// e: a weight behind matches leaves the rule of the header, with a weight of its own.
	require.Equal(t, []string{"svc=80 canary=20 (/a)", "canary (/a h)"}, words(traffic.Weighted(traffic.Matched(two[:1], "svc", "canary", []traffic.Match{header("h")}, false), "svc", "canary", 20)))
}

// 101% cannot be told from a share, 0100% is 100%, and one replica has no old pod
// to leave. Text without a percent sign is no share at all: see TestMalformedPercentages.
func TestLiteralHundred(t *testing.T) {
	for _, c := range []struct {
		text     string
		replicas int32
		want     int32
	}{{`"100%"`, 6, 6}, {`"0100%"`, 6, 6}, {`"+100%"`, 6, 6}, {`"101%"`, 6, 5}, {`6`, 6, 6}, {`9`, 6, 6}, {`"1%"`, 1, 1}, {`"99%"`, 1, 1}} {
		s, err := partition.ParseStrategy(`{"partition":` + c.text + `}`)
		require.NoError(t, err)
		require.Equal(t, c.want, partition.Limit(s.Partition, c.replicas), c.text)
	}
}

// What crashes upstream has a result; the cases of admission and of a changed plan
// are in TestAdmitOthers, TestAdmitMatches and TestRecalculate.
func TestNothingCrashes(t *testing.T) {
	for _, ref := range []workload.Ref{kruiseSet, daemonSet, cloneSet, statefulSet, deployment, {APIVersion: "x/v1", Kind: "Game", Name: "demo"}, {}} {
		for _, style := range []workload.Style{workload.Partition, workload.Canary, workload.BlueGreen, "Odd"} {
			s := progressing(ref)
			s.Release.ReleasePlan.RollingStyle = style
			s.Workload.RollingUpdate, s.Release.Status.ObservedReleasePlanHash = nil, s.Release.ReleasePlan.Hash()
			for _, state := range []batchrelease.State{batchrelease.StateUpgrading, batchrelease.StateVerifying} {
				s.Release.Status.Current.BatchState = state
				for _, phase := range []batchrelease.Phase{batchrelease.PhasePreparing, batchrelease.PhaseProgressing, batchrelease.PhaseFinalizing} {
					s.Release.Status.Phase = phase
					_, err := planBatch(s, now, batchrelease.Options{})
					_, undriven := workload.DriverOf(ref, s.Release.ReleasePlan.RollingStyle)
					require.Equal(t, undriven != nil, err != nil, "%s %s %s %s", ref.Kind, style, state, phase)
				}
			}
		}
	}
	empty := begun(kruise.StatePaused, kruise.Rollout{Name: "web", WorkloadRef: deployment, Canary: twoSteps().Canary})
	empty.Rollout.Canary = nil
	_, err := planRollout(empty, now, kruise.Options{})
	require.ErrorContains(t, err, "Rollout.Canary", "an empty strategy")

	first := step(rollout.Percent(50), -1)
	first.Traffic = rollout.Percent(20)
	r := partitioned(deployment, first, step(rollout.Percent(100), 0))
	r.Canary.TrafficRoutings = routings(1)
	s := begun(kruise.StateBeforeUpgrade, r)
	s.Traffic = traffic.Objects{Stable: &traffic.Service{Name: "svc"}, Route: &traffic.Route{Name: "route"}}
	require.Contains(t, reconcile(t, s, kruise.Options{}).String(), "Set pod-template-hash to v1 in the selector of service svc", "a Service without a selector")
	s = begun(kruise.StateTrafficRouting, r)
	s.Traffic.Stable = &traffic.Service{Name: "svc"}
	create, ok := reconcile(t, s, kruise.Options{}).Actions[0].(kruise.CreateService)
	require.True(t, ok)
	require.Equal(t, map[string]string{workload.LabelPodTemplateHash: "v2"}, create.Selector)
}

// Where stable traffic goes, by moment; and how long each change is
// waited for.
func TestTrafficMoments(t *testing.T) {
	led := func(state kruise.StepState, step int32, grace int32, pinned bool) kruise.Snapshot {
		first := kruise.Step{Replicas: rollout.Percent(20), Traffic: rollout.Percent(20)}
		r := partitioned(deployment, first, kruise.Step{Replicas: rollout.Percent(50)}, kruise.Step{Replicas: rollout.Int(6), Traffic: rollout.Percent(50)})
		r.Canary.TrafficRoutings = routings(1)
		r.Canary.TrafficRoutings[0].GracePeriodSeconds = grace
		s := begun(state, r)
		s.Rollout.Status.Sub.CurrentStepIndex, s.Rollout.Status.Sub.NextStepIndex = step, kruise.NextStep(3, step)
		s.Traffic.Stable = &traffic.Service{Name: "svc", Selector: map[string]string{"app": "web"}}
		s.Traffic.Route = &traffic.Route{Name: "route", Rules: []traffic.Rule{rule(nil, "svc")}}
		if pinned {
			s.Traffic.Stable.Selector[workload.LabelPodTemplateHash] = "v1"
			s.Traffic.Canary = &traffic.Service{Name: "svc-canary", Selector: map[string]string{workload.LabelPodTemplateHash: "v2"}}
			s.Traffic.Route.Rules = traffic.Weighted(s.Traffic.Route.Rules, "svc", "svc-canary", 20)
		}
		return s
	}
	for _, c := range []struct {
		why  string
		s    kruise.Snapshot
		want []string // the first actions
		next kruise.StepState
	}{
		{"before step 1 it is pinned", led(kruise.StateBeforeUpgrade, 1, 3, false), []string{"Set pod-template-hash to v1 in the selector of service svc (PinTraffic)"}, kruise.StateBeforeUpgrade},
		{"without grace it goes on at once", led(kruise.StateBeforeUpgrade, 1, 0, false), []string{"Set pod-template-hash to v1 in the selector of service svc (PinTraffic)"}, kruise.StateUpgrade},
		{"the Services come before the route", led(kruise.StateTrafficRouting, 1, 3, false), []string{"Created service svc-canary from svc (RouteTraffic)", "Set pod-template-hash to v1 in the selector of service svc (PinTraffic)"}, kruise.StateTrafficRouting},
		{"a step without traffic gives it back", led(kruise.StateBeforeUpgrade, 2, 3, true), []string{"Removed pod-template-hash from the selector of service svc (RestoreTraffic)"}, kruise.StateBeforeUpgrade},
		{"a full step does so before the upgrade, and leaves the route", led(kruise.StateBeforeUpgrade, 3, 3, true), []string{"Removed pod-template-hash from the selector of service svc (RestoreTraffic)"}, kruise.StateBeforeUpgrade},
	} {
		p := reconcile(t, c.s, kruise.Options{})
		require.GreaterOrEqual(t, len(p.Actions), len(c.want), c.why)
		for i, want := range c.want {
			require.Equal(t, want, p.Actions[i].String(), c.why)
		}
		require.Equal(t, c.next, p.Status.CurrentStepState, c.why)
		before, after := c.s.Rollout.Status.Sub, p.Status.Sub
		unnoted := after.CurrentStepState == kruise.StateBeforeUpgrade && before.CurrentStepIndex != 2 // only cleaning up notes it
		require.Equal(t, unnoted, after.LastUpdateTime.Equal(before.LastUpdateTime), c.why)
		if c.s.Rollout.Status.Sub.CurrentStepIndex == 3 {
			require.Len(t, p.Actions, 1, c.why)
		}
	}

	// Before step 1 is led, its own grace has passed since the state was entered.
	for _, c := range []struct {
		age  time.Duration
		want string
	}{{10*time.Second - 1, "held back: Grace (9 of 10)"}, {10 * time.Second, "Created service svc-canary from svc (RouteTraffic)"}} {
		s := led(kruise.StateTrafficRouting, 1, 10, false)
		s.Rollout.Status.Sub.LastUpdateTime = now.Add(-c.age)
		require.Contains(t, reconcile(t, s, kruise.Options{}).String(), c.want)
	}

	// The grace of a change is over when it has been remembered for as long, and no
	// change means no wait.
	s := led(kruise.StateBeforeUpgrade, 1, 5, false)
	p := reconcile(t, s, kruise.Options{})
	require.Len(t, p.Grace, 1)
	require.Equal(t, now.Add(5*time.Second), p.RecheckAt)
	s.Traffic.Stable.Selector[workload.LabelPodTemplateHash] = "v1"
	for _, c := range []struct {
		age  time.Duration
		want kruise.StepState
		left int
	}{{5*time.Second - 1, kruise.StateBeforeUpgrade, 1}, {5 * time.Second, kruise.StateUpgrade, 0}} {
		s.Grace = kruise.Grace{}
		for key := range p.Grace {
			s.Grace[key] = now.Add(-c.age)
		}
		next := reconcile(t, s, kruise.Options{})
		require.Equal(t, c.want, next.Status.CurrentStepState)
		require.Len(t, next.Grace, c.left)
	}
	s.Grace = nil
	require.Equal(t, kruise.StateUpgrade, reconcile(t, s, kruise.Options{}).Status.CurrentStepState, "nothing is remembered: a restart shortens waits")
}
