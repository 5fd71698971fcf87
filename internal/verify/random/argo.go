// SPDX-License-Identifier: Apache-2.0

package random

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// SetWeight is a step with a canary weight.
func SetWeight(n int32) argo.Step { return argo.Step{SetWeight: &n} }

// Pause is a pause of some seconds, or until it is resumed if they are negative.
func Pause(seconds int32) argo.Step {
	p := &argo.Pause{}
	if seconds >= 0 {
		p.Duration = &seconds
	}
	return argo.Step{Pause: p}
}

// Beta routes requests of some users to the canary, and Copy mirrors some requests to it.
var (
	Beta = argo.Route{Name: "beta", Headers: []argo.HeaderMatch{{Name: "user", Value: argo.StringMatch{Exact: "b"}}}}
	Copy = argo.Route{Name: "copy", Mirror: &argo.Mirror{
		Match: []argo.RouteMatch{{Method: argo.StringMatch{Exact: "GET"}, Headers: map[string]argo.StringMatch{"x": {Prefix: "y"}}}}, Percentage: percentage(35),
	}}
)

func percentage(n int32) *int32 { return &n }

// Argo draws a Rollout of Argo from v1 to v4, with other versions in between.
func Argo(s Source, kind Kind) argo.Snapshot {
	switch kind {
	case CaughtUp, Truthful:
		return update(s, kind == Truthful)
	case Midway:
		return midwayArgo(s)
	}
	snapshot := anyArgo(s)
	if kind == Wrong {
		r := &snapshot.Rollout
		r.TemplateHash = OneOf(s, "wrong hash", "", r.TemplateHash)
		negative := int32(-1)
		r.Replicas = OneOf(s, "wrong replicas", &negative, r.Replicas)
		if n := len(snapshot.Sets); n > 0 && Bool(s, "twice") {
			snapshot.Sets = append(snapshot.Sets, snapshot.Sets[n-1])
		}
	}
	return snapshot
}

// few draws a small number that is often unset.
func few(s Source, name string) *int32 {
	two := int32(2)
	return OneOf(s, name, nil, new(int32), &two)
}

// update draws an update with true statuses. If lags is set, the available pods may differ from the
// sizes by one.
func update(s Source, lags bool) argo.Snapshot {
	n := Between[int32](s, "replicas", 1, 6)
	snapshot := argo.Snapshot{Rollout: argo.Rollout{
		Name: "web", TemplateHash: "v4", Replicas: &n, MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(Between[int32](s, "unavailable", 0, 2)),
	}}
	r, status := &snapshot.Rollout, &snapshot.Rollout.Status
	for range Between(s, "steps", 0, 4) {
		r.Steps = append(r.Steps, OneOf(s, "step", SetWeight(10), SetWeight(60), SetWeight(100), Pause(-1), Pause(60),
			argo.Step{Other: argo.StepHeaderRoute, Routes: []argo.Route{Beta}}, argo.Step{Other: argo.StepMirrorRoute, Routes: []argo.Route{Copy}}, argo.Step{Other: argo.StepAnalysis}))
	}
	index := Between(s, "index", 0, int32(len(r.Steps)))
	*status = argo.Status{
		CurrentPodHash: "v4", StableRS: OneOf(s, "stable", "v1", "v1", "v1", "v4"), CurrentStepIndex: &index,
		Abort: Bool(s, "abort"), PromoteFull: OneIn(s, "full", 9), ControllerPause: Bool(s, "resumed"),
	}
	if i := int(index); i < len(r.Steps) && r.Steps[i].Pause != nil && Bool(s, "paused by its step") {
		status.ControllerPause = true
		status.Conditions = []kplan.Condition{
			{Type: argo.ConditionProgressing, Status: "Unknown", Reason: "RolloutPaused", LastUpdateTime: Now.Add(-time.Hour)}, {Type: argo.ConditionPaused, Status: "True", Reason: "RolloutPaused"},
		}
		status.PauseConditions = []argo.PauseCondition{{Reason: argo.PauseStep, StartTime: Now.Add(-time.Duration(OneOf(s, "paused for", 60, 61, 5, 0)) * time.Second)}}
	}
	styled(s, &snapshot)
	run := func(name string) argo.Run {
		return argo.Run{Phase: OneOf(s, name, "", argo.RunInconclusive, argo.RunSuccessful)}
	}
	status.Runs = argo.Runs{Step: run("run of the step"), Background: run("run in the background")}
	for i := range 4 {
		size := OneOf(s, "size", 0, 1, 2, n, n, n+1)
		if i != 3 && size == 0 {
			continue
		}
		set := argo.ReplicaSet{
			Name: fmt.Sprint("web-v", i+1), Hash: fmt.Sprint("v", i+1), Revision: int64(i) + 1, DesiredReplicas: &n, CreationTimestamp: Now.Add(time.Duration(i-9) * time.Minute),
			Size: argo.Size{Replicas: size, StatusReplicas: size, AvailableReplicas: size},
		}
		if lags {
			set.AvailableReplicas = max(0, size+OneOf[int32](s, "available", 0, 0, 0, 0, -1, 1))
		}
		set.ReadyReplicas = set.AvailableReplicas
		snapshot.Sets = append(snapshot.Sets, set)
	}
	if Bool(s, "routes") {
		snapshot.Routes = []argo.Route{Beta}
	}
	if OneIn(s, "restart", 9) {
		restarted(s, &snapshot)
	}
	return snapshot
}

// styled makes an update blue-green, or a canary with or without traffic routing.
func styled(s Source, snapshot *argo.Snapshot) {
	r, status := &snapshot.Rollout, &snapshot.Rollout.Status
	switch Below(s, "style", 4) {
	case 1:
		r.BlueGreen = &argo.BlueGreen{ScaleDownDelaySeconds: few(s, "delay"), AutoPromotionSeconds: OneOf[int32](s, "promoted after", 0, 0, 60)}
		snapshot.Active, status.ActiveSelector = &argo.Service{Name: "active", Selector: map[string]string{argo.HashLabel: status.StableRS}}, status.StableRS
		if Bool(s, "preview") {
			snapshot.Preview = &argo.Service{Name: "preview"}
		}
	case 2, 3:
		r.Routing = &argo.Routing{
			DynamicStableScale: Bool(s, "dynamic"), MinPodsPerReplicaSet: few(s, "least"), ScaleDownDelaySeconds: few(s, "delay"), AbortScaleDownDelaySeconds: few(s, "abort delay"),
		}
		if w := OneOf[int32](s, "weight", -1, 0, 10, 60, 100); w >= 0 {
			status.Weights = &argo.TrafficWeights{
				Canary: argo.WeightDestination{Weight: w, Hash: OneOf(s, "led", "v4", "v2")}, Stable: argo.WeightDestination{Weight: 100 - w, Hash: "v1"},
			}
		}
	}
}

// restarted requests a restart of up to nine pods.
func restarted(s Source, snapshot *argo.Snapshot) {
	snapshot.Rollout.RestartAt = Now.Add(time.Duration(Between(s, "restart at", 0, 18)-9) * time.Second)
	snapshot.Rollout.Status.RestartedAt = OneOf(s, "restarted at", time.Time{}, Now)
	for i := range Between(s, "pods", 0, 9) {
		snapshot.Pods = append(snapshot.Pods, argo.Pod{Name: fmt.Sprint("p", i), CreationTimestamp: Now.Add(time.Duration(-i) * time.Second), Available: i != 3, Deleting: i == 4})
	}
}

// midwayArgo draws a moment some passes after the start of an update; some pods do not become
// available.
func midwayArgo(s Source) argo.Snapshot {
	snapshot := update(s, Bool(s, "lags"))
	keeps := Often(s, "stays in its step", 2)
	for range Between(s, "passes", 1, 6) {
		p, err := argo.Reconcile(snapshot, Now, argo.Options{})
		if err == nil {
			if keeps {
				p.Status.CurrentStepIndex, p.Status.PauseConditions, p.Status.Conditions = snapshot.Rollout.Status.CurrentStepIndex, nil, nil
			}
			snapshot, err = p.Apply(snapshot, Now)
		}
		if err != nil {
			panic(err) // the planner refuses a truthful snapshot, or its own plan
		}
		for i := range snapshot.Sets {
			set := &snapshot.Sets[i]
			available := set.Replicas
			if OneIn(s, "not available", 4) {
				available = min(available, set.AvailableReplicas)
			}
			set.StatusReplicas, set.AvailableReplicas, set.ReadyReplicas = set.Replicas, available, available
		}
	}
	if Bool(s, "in between") {
		set := argo.ReplicaSet{Name: "web-v0", Hash: "v0", Size: argo.Size{Replicas: 1, StatusReplicas: 1, AvailableReplicas: Between[int32](s, "available", 0, 1)}}
		snapshot.Sets = append(snapshot.Sets, set)
	}
	return snapshot
}

// ArgoOptions draws options of Rollouts of Argo: some repairs.
func ArgoOptions(s Source) argo.Options { return argo.Options{Repair: quirks(s, quirk.All)} }
