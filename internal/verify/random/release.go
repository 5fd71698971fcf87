// SPDX-License-Identifier: Apache-2.0

package random

import (
	"math"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// The workloads of Rollouts of OpenKruise.
var (
	Demo           = workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"}
	DemoClones     = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "demo"}
	DemoStateful   = workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "demo"}
	DemoDaemons    = workload.Ref{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "demo"}
	DemoDaemonsAdv = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "DaemonSet", Name: "demo"}
)

// Step is a step with a number of new pods and a pause of some seconds, or until it is approved if
// they are negative.
func Step(replicas rollout.IntOrPercent, seconds int32) kruise.Step {
	s := kruise.Step{Replicas: replicas}
	if seconds >= 0 {
		s.Pause.Duration = &seconds
	}
	return s
}

// Begun is a Rollout in its first step, from v1 to v2, at an instant.
func Begun(at time.Time, state kruise.StepState, r kruise.Rollout) kruise.Snapshot {
	s := kruise.Snapshot{Rollout: r, Workload: &workload.State{
		Ref: Demo, Consistent: true, Generation: 1, Replicas: 6, InProgress: true, StableRevision: "v1", CanaryRevision: "v2",
		PodTemplateHash: "v2", RevisionLabelKey: workload.LabelPodTemplateHash,
		Labels:      map[string]string{workload.LabelWorkloadType: "deployment", workload.LabelRolloutID: "label"},
		Annotations: map[string]string{workload.LabelRolloutID: "annotation"},
	}}
	ago := at.Add(-time.Minute)
	s.Rollout.Annotations = map[string]string{workload.AnnotationHash: kruise.StrategyHash(r)}
	s.Rollout.Finalizers = []string{workload.FinalizerRollout}
	s.Rollout.Status = kruise.Status{
		Phase: kruise.PhaseProgressing,
		Conditions: []kplan.Condition{{
			Type: workload.ConditionProgressing, Status: "True", Reason: kruise.ProgressInRolling, Message: "m", LastUpdateTime: ago, LastTransitionTime: ago,
		}},
		Sub: &kruise.StepStatus{
			Revision: "v2", StableRevision: "v1", PodTemplateHash: "v2", RolloutHash: kruise.StrategyHash(r), CurrentStepIndex: 1,
			NextStepIndex: kruise.NextStep(int32(len(r.Strategy().Steps)), 1), CurrentStepState: state, LastUpdateTime: ago,
		},
	}
	return s
}

// Routed returns n copies of the routing of Service svc through the route "route".
func Routed(n int) (list []traffic.Routing) {
	for range n {
		name := "route"
		list = append(list, traffic.Routing{Service: "svc", Gateway: &traffic.GatewayRef{HTTPRouteName: &name}})
	}
	return list
}

// Amount draws a number or a percentage, of any sign, or none.
func Amount(s Source, name string) rollout.IntOrPercent {
	n := Between[int32](s, name, -3, 300)
	if Bool(s, name+" is any") {
		n = anyInt32(s, name)
	}
	return OneOf(s, name+" kind", rollout.IntOrPercent{}, rollout.Int(n), rollout.Percent(n))
}

var states = []kruise.StepState{
	kruise.StateBeforeUpgrade, kruise.StateUpgrade, kruise.StateTrafficRouting, kruise.StateMetricsAnalysis, kruise.StatePaused, kruise.StateReady, kruise.StateCompleted,
}

// Rollout draws a Rollout of OpenKruise with up to four steps.
func Rollout(s Source, kind Kind) kruise.Snapshot {
	switch kind {
	case CaughtUp:
		return releasing(s)
	case Truthful:
		snapshot := releasing(s)
		disturb(s, &snapshot)
		return snapshot
	case Midway:
		return midwayRollout(s)
	}
	snapshot := anyRollout(s)
	if kind == Wrong {
		r := &snapshot.Rollout
		r.Name = OneOf(s, "wrong name", "", r.Name)
		r.WorkloadRef = OneOf(s, "wrong kind", r.WorkloadRef, workload.Ref{Kind: "Job"}, workload.Ref{})
		if OneIn(s, "no strategy", 4) {
			r.Canary, r.BlueGreen = nil, nil
		}
	}
	return snapshot
}

func facts(s Source) *workload.State {
	if OneIn(s, "no workload", 10) {
		return nil
	}
	revision := func(name string) string { return OneOf(s, name, "", "v1", "v2", "v3") }
	return &workload.State{
		Ref: Demo, UID: "d", Consistent: Often(s, "consistent", 9), Generation: 1, Replicas: Between[int32](s, "replicas", 0, math.MaxInt32),
		StableRevision: revision("stable"), CanaryRevision: revision("canary"), PodTemplateHash: revision("hash"),
		RevisionLabelKey: workload.LabelPodTemplateHash, InRollback: Bool(s, "rollback"), InProgress: Bool(s, "in progress"),
	}
}

// anyRollout draws a Rollout in any state, with any workload and BatchRelease.
func anyRollout(s Source) kruise.Snapshot {
	r := anyStrategy(s)
	snapshot := Begun(Now, OneOf(s, "state", append([]kruise.StepState{"", "Odd"}, states...)...), r)
	if Bool(s, "led") {
		strategy := snapshot.Rollout.Strategy()
		strategy.TrafficRoutings = Routed(1)
		strategy.TrafficRoutings[0].GracePeriodSeconds = Between[int32](s, "grace", 0, 6) - 1
		if OneIn(s, "ingress", 5) {
			strategy.TrafficRoutings[0].Gateway, strategy.TrafficRoutings[0].Ingress = nil, &traffic.IngressRef{Name: "in"}
			snapshot.Traffic.Ingress = &traffic.Ingress{Name: "in", Annotations: map[string]string{"a": "b"}}
		}
		routes(s, &snapshot.Traffic)
		hash := kruise.StrategyHash(snapshot.Rollout)
		snapshot.Rollout.Annotations[workload.AnnotationHash], snapshot.Rollout.Status.Sub.RolloutHash = hash, hash
	}
	snapshot.Workload = facts(s)
	anyStatus(s, &snapshot.Rollout)
	if Often(s, "release", 3) {
		br := release(s)
		snapshot.BatchRelease = &br
	}
	return snapshot
}

func anyStrategy(s Source) kruise.Rollout {
	strategy := &kruise.Strategy{EnableExtraWorkloadForCanary: Bool(s, "extra"), DisableGenerateCanaryService: Bool(s, "no service")}
	for range Between(s, "steps", 1, 4) {
		step := Step(Amount(s, "size"), Between[int32](s, "pause", 0, 101)-1)
		if Bool(s, "routed") {
			step.Traffic = rollout.Percent(Between[int32](s, "traffic", 0, 100))
		}
		strategy.Steps = append(strategy.Steps, step)
	}
	if Bool(s, "blue green") {
		return kruise.Rollout{Name: "web", UID: "r", WorkloadRef: Demo, BlueGreen: strategy}
	}
	return kruise.Rollout{Name: "web", UID: "r", WorkloadRef: Demo, Canary: strategy}
}

func anyStatus(s Source, r *kruise.Rollout) {
	r.Disabled, r.Paused = OneIn(s, "disabled", 10), OneIn(s, "paused", 10)
	r.Status.Phase = OneOf(s, "phase", kruise.PhaseProgressing, kruise.PhaseProgressing, kruise.PhaseProgressing, "", "Odd", kruise.PhaseInitial,
		kruise.PhaseHealthy, kruise.PhaseTerminating, kruise.PhaseDisabling, kruise.PhaseDisabled)
	r.Status.Conditions[0].Reason = OneOf(s, "reason", kruise.ProgressInRolling, kruise.ProgressInRolling, kruise.ProgressInRolling, "Odd",
		kruise.ProgressInitializing, kruise.ProgressPaused, kruise.ProgressFinalising, kruise.ProgressCancelling, kruise.ProgressCompleted)
	sub := r.Status.Sub
	sub.FinalisingStep = OneOf(s, "closing", "", "Odd", kruise.FinalRestoreStable, kruise.FinalRouteToStable,
		kruise.FinalRouteToNew, kruise.FinalRemoveCanary, kruise.FinalResume, kruise.FinalRelease, kruise.FinalEndless, kruise.FinalEnd)
	sub.CurrentStepIndex, sub.NextStepIndex = Between[int32](s, "index", 0, 7)-1, Between[int32](s, "next", 0, 7)-1
	if Bool(s, "next in order") {
		sub.NextStepIndex = kruise.NextStep(int32(len(r.Strategy().Steps)), sub.CurrentStepIndex)
	}
	sub.LastUpdateTime = Now.Add(-OneOf(s, "since", time.Minute, 0, time.Second, 50*time.Second, 100*time.Second, 100*time.Second+1))
	switch Below(s, "status is", 10) {
	case 8:
		r.Status.Sub = nil
	case 9:
		r.DeletionTimestamp = Now
	}
}

// routes draws some of the objects that route traffic to Service svc.
func routes(s Source, o *traffic.Objects) {
	if Often(s, "stable service", 4) {
		o.Stable = &traffic.Service{Name: "svc", Selector: map[string]string{workload.LabelPodTemplateHash: OneOf(s, "selector", "", "v1")}}
	}
	if Bool(s, "canary service") {
		o.Canary = &traffic.Service{Name: "svc-canary"}
		o.CanaryIngress = &traffic.Ingress{Name: "in-canary"}
	}
	if Often(s, "route", 4) {
		port := int32(80)
		o.Route = &traffic.Route{Name: "route", Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "svc", Port: &port}}}, {}}}
	}
}

// midwayRollout draws a moment of a release, some passes after the first; the BatchRelease makes
// progress or not, and some pauses are approved.
func midwayRollout(s Source) kruise.Snapshot {
	snapshot := releasing(s)
	at := Now
	for range Between(s, "passes", 1, 8) {
		p, err := kruise.Reconcile(snapshot, at, kruise.Options{})
		if err == nil {
			snapshot, err = p.Apply(snapshot, at)
		}
		if err != nil {
			panic(err) // the planner refuses a truthful snapshot, or its own plan
		}
		if br := snapshot.BatchRelease; br != nil {
			snapshot.BatchRelease = Released(s, *br)
		}
		if sub := snapshot.Rollout.Status.Sub; sub != nil && sub.CurrentStepState == kruise.StatePaused && Bool(s, "approved") {
			approved := *sub
			approved.CurrentStepState = kruise.StateReady
			snapshot.Rollout.Status.Sub = &approved
		}
	}
	return snapshot
}

// Released returns a BatchRelease that is at its batch partition, or on its way; nil once it is
// deleted.
func Released(s Source, br batchrelease.Release) *batchrelease.Release {
	if !br.DeletionTimestamp.IsZero() {
		if Bool(s, "release goes") {
			return nil
		}
		return &br
	}
	br.Finalizers = []string{workload.FinalizerBatchRelease}
	br.Status.ObservedReleasePlanHash, br.Status.ObservedGeneration, br.Status.ObservedRolloutID = br.ReleasePlan.Hash(), br.Generation, br.ReleasePlan.RolloutID
	if br.ReleasePlan.BatchPartition == nil {
		br.Status.Phase = OneOf(s, "giving back", batchrelease.PhaseFinalizing, batchrelease.PhaseCompleted)
		return &br
	}
	br.Status.Phase = batchrelease.PhaseProgressing
	br.Status.Current.CurrentBatch = *br.ReleasePlan.BatchPartition
	br.Status.Current.BatchState = OneOf(s, "batch", batchrelease.StateReady, batchrelease.StateUpgrading, batchrelease.StateVerifying)
	br.Status.Current.UpdatedReplicas, br.Status.Current.UpdatedReadyReplicas = 6, 6
	return &br
}
