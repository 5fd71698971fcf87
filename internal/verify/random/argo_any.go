// SPDX-License-Identifier: Apache-2.0

package random

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/argo"
)

// anyArgo draws a Rollout in any state, even an impossible one.
func anyArgo(s Source) argo.Snapshot {
	hash := func(name string) string { return OneOf(s, name, "", "v1", "v2", "v3") }
	n := Between[int32](s, "replicas", 0, 9)
	snapshot := argo.Snapshot{Rollout: argo.Rollout{Name: "web", Generation: 1, TemplateHash: "v1", Replicas: &n, Steps: []argo.Step{
		SetWeight(anyInt32(s, "weight")), Pause(anyInt32(s, "pause")), {Other: argo.StepAnalysis},
	}}}
	r := &snapshot.Rollout
	if Bool(s, "blue green") {
		preview := anyInt32(s, "previewed")
		r.BlueGreen = &argo.BlueGreen{AutoPromotionSeconds: anyInt32(s, "promoted after"), PreviewReplicaCount: &preview}
		snapshot.Active, snapshot.Preview = &argo.Service{Name: "active", Selector: map[string]string{argo.HashLabel: hash("active")}}, &argo.Service{Name: "preview"}
	}
	if Bool(s, "restart") {
		restarted(s, &snapshot)
	}
	for _, name := range []string{"a", "b"} {
		if Bool(s, "route "+name) {
			snapshot.Routes = append(snapshot.Routes, route(s, name))
		}
		r.Steps[0].Routes = append(r.Steps[0].Routes, route(s, name))
	}
	if Bool(s, "routed") {
		r.Routing = &argo.Routing{DynamicStableScale: Bool(s, "dynamic")}
		snapshot.Ping, snapshot.Pong = &argo.Service{Name: "ping"}, &argo.Service{Name: "pong", Selector: map[string]string{argo.HashLabel: hash("pong")}}
	}
	r.MaxSurge, r.MaxUnavailable, r.RollbackWindow = Amount(s, "surge"), Amount(s, "unavailable"), anyInt32(s, "window")
	r.Paused, r.StepHash, r.ProgressDeadlineAbort = Bool(s, "paused"), "s1", Bool(s, "deadline")
	r.Status = anyArgoStatus(s, hash)
	for i, name := range []string{"v1", "v2", "v3"} {
		if Bool(s, name) {
			snapshot.Sets = append(snapshot.Sets, anyArgoSet(s, i, name, &n))
		}
	}
	return snapshot
}

func anyArgoStatus(s Source, hash func(string) string) argo.Status {
	index := Between[int32](s, "index", 0, 7) - 2
	status := argo.Status{
		CurrentPodHash: hash("current"), CurrentStepHash: OneOf(s, "steps", "", "s1", "s2"), StableRS: hash("stable"), Abort: Bool(s, "abort"), PromoteFull: Bool(s, "full"),
		ControllerPause: Bool(s, "controller"), CurrentStepIndex: &index, ActiveSelector: hash("selector"),
		Conditions: []kplan.Condition{{
			Type: argo.ConditionProgressing, Status: "True", Reason: OneOf(s, "reason", "Odd", "RolloutAborted", "RolloutPaused"),
			LastUpdateTime: Now.Add(-time.Duration(Between(s, "age", 0, 1000)) * time.Second),
		}},
	}
	if Bool(s, "condition") {
		status.PauseConditions = []argo.PauseCondition{{Reason: OneOf(s, "pause reason", argo.PauseStep, argo.PauseBlueGreen, argo.PauseInconclusive), StartTime: Now}}
	}
	return status
}

func anyArgoSet(s Source, i int, hash string, desired *int32) argo.ReplicaSet {
	set := argo.ReplicaSet{
		Name: fmt.Sprint("web-", hash), Hash: hash, Revision: int64(i), CreationTimestamp: Now.Add(time.Duration(i) * time.Second), DesiredReplicas: desired,
		Size: argo.Size{Replicas: Between[int32](s, "size", 0, 1<<30), AvailableReplicas: Between[int32](s, "available", 0, 10) - 1},
	}
	if Bool(s, "few") {
		set.Replicas = Between[int32](s, "few pods", 0, 9)
	}
	if Bool(s, "delayed") {
		set.ScaleDownAt = Now.Add(time.Duration(Between(s, "until", 0, 18)-9) * time.Second)
	}
	return set
}

func route(s Source, name string) argo.Route {
	r := argo.Route{Name: name}
	switch Below(s, "kind of "+name, 3) {
	case 1:
		r.Headers = []argo.HeaderMatch{{Name: "user", Value: argo.StringMatch{Exact: OneOf(s, "value", "x", "y")}}}
	case 2:
		percentage := Between[int32](s, "percentage", 0, 2)
		r.Mirror = &argo.Mirror{Percentage: &percentage, Match: []argo.RouteMatch{{
			Path: argo.StringMatch{Prefix: "/"}, Headers: map[string]argo.StringMatch{"user": {Regex: OneOf(s, "value", "x", "y")}},
		}}}
	}
	return r
}
