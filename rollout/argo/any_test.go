// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/rollout/argo"
)

// anySnapshot draws a snapshot, even one that cannot be.
func anySnapshot(t *rapid.T) argo.Snapshot {
	hash := rapid.SampledFrom([]string{"", "v1", "v2", "v3"})
	w := newWorld(t, rapid.Int32Range(0, 9).Draw(t, "replicas"), weight(rapid.Int32().Draw(t, "weight")), pause(rapid.Int32().Draw(t, "pause")), argo.Step{Other: "analysis"})
	if rapid.Bool().Draw(t, "blue green") {
		w.green(argo.BlueGreen{AutoPromotionSeconds: rapid.Int32().Draw(t, "seconds"), PreviewReplicaCount: ptr.To(rapid.Int32().Draw(t, "preview"))})
		w.s.Active.Selector = map[string]string{argo.HashLabel: hash.Draw(t, "active")}
	}
	if rapid.Bool().Draw(t, "restart") {
		w.s.Rollout.RestartAt = now.Add(time.Duration(rapid.IntRange(-9, 9).Draw(t, "restart at")) * time.Second)
		w.s.Rollout.Status.RestartedAt = now
		for i := range rapid.IntRange(0, 9).Draw(t, "pods") {
			w.s.Pods = append(w.s.Pods, argo.Pod{Name: fmt.Sprint("p", i), CreationTimestamp: now.Add(time.Duration(-i) * time.Second), Available: i != 3, Deleting: i == 4})
		}
	}
	for _, name := range []string{"a", "b"} {
		if rapid.Bool().Draw(t, "route "+name) {
			w.s.Routes = append(w.s.Routes, anyRoute(t, name))
		}
		w.s.Rollout.Steps[0].Routes = append(w.s.Rollout.Steps[0].Routes, anyRoute(t, name))
	}
	if rapid.Bool().Draw(t, "routed") {
		w.turning(argo.Routing{DynamicStableScale: rapid.Bool().Draw(t, "dynamic")})
		w.s.Pong.Selector = map[string]string{argo.HashLabel: hash.Draw(t, "pong")}
	}
	r := &w.s.Rollout
	r.MaxSurge, r.MaxUnavailable, r.RollbackWindow = anyLimit(t, "surge"), anyLimit(t, "unavailable"), rapid.Int32().Draw(t, "window")
	r.Paused, r.StepHash, r.ProgressDeadlineAbort = rapid.Bool().Draw(t, "paused"), "s1", rapid.Bool().Draw(t, "deadline")
	r.Status = argo.Status{
		CurrentPodHash: hash.Draw(t, "current"), CurrentStepHash: rapid.SampledFrom([]string{"", "s1", "s2"}).Draw(t, "steps"), StableRS: hash.Draw(t, "stable"), Abort: rapid.Bool().Draw(t, "abort"), PromoteFull: rapid.Bool().Draw(t, "full"),
		ControllerPause: rapid.Bool().Draw(t, "controller"), CurrentStepIndex: ptr.To(rapid.Int32Range(-2, 5).Draw(t, "index")), ActiveSelector: hash.Draw(t, "selector"),
		Conditions: []argo.Condition{{
			Type: argo.ConditionProgressing, Status: "True", Reason: rapid.SampledFrom([]string{"Odd", "RolloutAborted", "RolloutPaused"}).Draw(t, "reason"),
			LastUpdateTime: now.Add(-time.Duration(rapid.IntRange(0, 1000).Draw(t, "age")) * time.Second),
		}},
	}
	if rapid.Bool().Draw(t, "condition") {
		r.Status.PauseConditions = []argo.PauseCondition{{Reason: rapid.SampledFrom([]string{argo.PauseStep, argo.PauseBlueGreen, argo.PauseInconclusive}).Draw(t, "pause reason"), StartTime: now}}
	}
	for i, name := range []string{"v1", "v2", "v3"} {
		if rapid.Bool().Draw(t, name) {
			set := argo.ReplicaSet{
				Name: name, Hash: name, Revision: int64(i), CreationTimestamp: now.Add(time.Duration(i) * time.Second), DesiredReplicas: r.Replicas,
				Size: argo.Size{Replicas: rapid.Int32Range(0, 1<<30).Draw(t, "size"), AvailableReplicas: rapid.Int32Range(-1, 9).Draw(t, "available")},
			}
			if rapid.Bool().Draw(t, "delayed") {
				set.ScaleDownAt = now.Add(time.Duration(rapid.IntRange(-9, 9).Draw(t, "until")) * time.Second)
			}
			w.s.Sets = append(w.s.Sets, set)
		}
	}
	return w.s
}

func anyRoute(t *rapid.T, name string) argo.Route {
	r := argo.Route{Name: name}
	switch rapid.IntRange(0, 2).Draw(t, "kind of "+name) {
	case 1:
		r.Headers = []argo.HeaderMatch{{Name: "user", Value: argo.StringMatch{Exact: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "value")}}}
	case 2:
		r.Mirror = &argo.Mirror{Percentage: ptr.To(rapid.Int32Range(0, 2).Draw(t, "percentage")), Match: []argo.RouteMatch{{
			Path: argo.StringMatch{Prefix: "/"}, Headers: map[string]argo.StringMatch{"user": {Regex: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "value")}},
		}}}
	}
	return r
}
