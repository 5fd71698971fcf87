// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"reflect"
	"strconv"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

// Rollout returns the part of o that plans read. The error wraps [kplan.ErrInvalid] and a
// [kplan.FieldError] for each field that cannot be used.
//
// An observed generation that is no number, as Argo Rollouts before 0.10 wrote it, is 0: no
// generation matches it, as in the controller, which compares texts. The hashes are computed.
// If the hash of the steps is not known, the status is assumed to be for the same steps.
func Rollout(o *RolloutObject) (argo.Rollout, error) {
	o = convert.Or(o)
	var es kplan.FieldErrors
	spec := &o.Spec
	r := argo.Rollout{
		Name: o.Name, Generation: o.Generation, Revision: revisionIn(o.Annotations), Replicas: convert.Clone(spec.Replicas), Paused: spec.Paused,
		TemplateHash:            TemplateHash(&spec.Template, o.Status.CollisionCount),
		ProgressDeadlineSeconds: convert.Clone(spec.ProgressDeadlineSeconds), ProgressDeadlineAbort: spec.ProgressDeadlineAbort,
		RestartAt: convert.TimeOrZero(spec.RestartAt),
		Status:    status(&o.Status),
	}
	if spec.Replicas != nil {
		es.NotNegative("spec.replicas", *spec.Replicas)
	}
	if spec.RollbackWindow != nil {
		r.RollbackWindow = spec.RollbackWindow.Revisions
	}
	if len(spec.Template.Spec.Containers) == 0 {
		es.Add("spec.template.spec.containers", "", "must be set, or the template be that of the workloadRef")
	}
	hash, known := StepHash(spec.Strategy)
	if r.StepHash = hash; !known {
		r.StepHash = o.Status.CurrentStepHash
	}
	switch bg, c := spec.Strategy.BlueGreen, spec.Strategy.Canary; {
	case bg != nil && c != nil:
		es.Add("spec.strategy", "", "must be either blueGreen or canary, not both")
	case bg != nil:
		r.BlueGreen = bg.blueGreen(&es)
		r.MaxUnavailable = limit(&es, "spec.strategy.blueGreen.maxUnavailable", bg.MaxUnavailable) // of a restart
	case c != nil:
		c.canary(&es, &r)
	default:
		es.Add("spec.strategy", "", "must hold blueGreen or canary")
	}
	if err := es.Join(); err != nil {
		return argo.Rollout{}, err
	}
	return r, nil
}

// revisionIn returns the annotated revision, or 0 if it is missing or no number.
func revisionIn(annotations map[string]string) int64 {
	n, err := strconv.ParseInt(annotations[AnnotationRevision], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (b *BlueGreenStrategy) blueGreen(es *kplan.FieldErrors) *argo.BlueGreen {
	const path = "spec.strategy.blueGreen"
	if b.ActiveService == "" {
		es.Add(path+".activeService", "", "must be set")
	}
	if b.PreviewService != "" && b.PreviewService == b.ActiveService {
		es.Add(path+".previewService", b.PreviewService, "must not be the active Service")
	}
	es.NotNegative(path+".autoPromotionSeconds", b.AutoPromotionSeconds)
	notNegative(es, path+".previewReplicaCount", b.PreviewReplicaCount)
	notNegative(es, path+".scaleDownDelaySeconds", b.ScaleDownDelaySeconds)
	notNegative(es, path+".abortScaleDownDelaySeconds", b.AbortScaleDownDelaySeconds)
	green := argo.BlueGreen{
		AutoPromotionSeconds: b.AutoPromotionSeconds, PreviewReplicaCount: convert.Clone(b.PreviewReplicaCount),
		ScaleDownDelaySeconds: convert.Clone(b.ScaleDownDelaySeconds), AbortScaleDownDelaySeconds: convert.Clone(b.AbortScaleDownDelaySeconds),
		ScaleDownDelayRevisionLimit: convert.Clone(b.ScaleDownDelayRevisionLimit),
		PrePromotionAnalysis:        b.PrePromotionAnalysis != nil, PostPromotionAnalysis: b.PostPromotionAnalysis != nil,
	}
	if b.AutoPromotionEnabled != nil {
		green.AutoPromotionEnabled = ptr.To(*b.AutoPromotionEnabled)
	}
	return &green
}

func notNegative(es *kplan.FieldErrors, path string, n *int32) {
	if n != nil {
		es.NotNegative(path, *n)
	}
}

func (c *CanaryStrategy) canary(es *kplan.FieldErrors, r *argo.Rollout) {
	const path = "spec.strategy.canary"
	r.MaxSurge, r.MaxUnavailable = limit(es, path+".maxSurge", c.MaxSurge), limit(es, path+".maxUnavailable", c.MaxUnavailable)
	if zero := func(n rollout.IntOrPercent) bool { return n == rollout.Int(0) || n == rollout.Percent(0) }; zero(r.MaxSurge) && zero(r.MaxUnavailable) {
		es.Add(path+".maxSurge", c.MaxSurge.String(), "must not be 0 if maxUnavailable is")
	}
	if t := c.ReplicaProgressThreshold; t != nil {
		r.ProgressThreshold = ptr.To(*t)
	}
	maxWeight := int32(100)
	if t := c.TrafficRouting; t != nil {
		r.Routing = &argo.Routing{
			DynamicStableScale: c.DynamicStableScale, MinPodsPerReplicaSet: convert.Clone(c.MinPodsPerReplicaSet),
			ScaleDownDelaySeconds: convert.Clone(c.ScaleDownDelaySeconds), AbortScaleDownDelaySeconds: convert.Clone(c.AbortScaleDownDelaySeconds),
			ScaleDownDelayRevisionLimit: convert.Clone(c.ScaleDownDelayRevisionLimit),
		}
		if t.MaxTrafficWeight != nil {
			maxWeight = *t.MaxTrafficWeight
			r.Routing.MaxTrafficWeight = maxWeight
		}
		if maxWeight <= 0 {
			es.Add(path+".trafficRouting.maxTrafficWeight", maxWeight, "must be positive")
		}
	} else if c.DynamicStableScale {
		es.Add(path+".dynamicStableScale", true, "must not be set without trafficRouting")
	}
	notNegative(es, path+".scaleDownDelaySeconds", c.ScaleDownDelaySeconds)
	notNegative(es, path+".abortScaleDownDelaySeconds", c.AbortScaleDownDelaySeconds)
	c.PingPong.check(es, path+".pingPong")
	for i := range c.Steps {
		r.Steps = append(r.Steps, c.Steps[i].step(es, path+".steps["+strconv.Itoa(i)+"]", maxWeight))
	}
}

// check adds the errors in the names of two Services that take turns.
func (p *PingPong) check(es *kplan.FieldErrors, path string) {
	switch {
	case p == nil:
	case p.PingService == "":
		es.Add(path+".pingService", "", "must be set")
	case p.PongService == "":
		es.Add(path+".pongService", "", "must be set")
	case p.PingService == p.PongService:
		es.Add(path+".pongService", p.PongService, "must not be the pingService")
	}
}

// limit reads a limit as the controller does: every text is a percentage.
func limit(es *kplan.FieldErrors, path string, v *intstr.IntOrString) rollout.IntOrPercent {
	if v == nil {
		return rollout.IntOrPercent{}
	}
	n, err := rollout.Int(v.IntVal), error(nil)
	if v.Type == intstr.String {
		n, err = argo.Parse(v.StrVal)
	}
	switch {
	case err != nil:
		es.Add(path, v.StrVal, "must be a whole number or a percentage such as 25%")
	case n.IsNegative():
		es.Add(path, n, "must not be negative")
	}
	return n
}

// status returns the part of a status that plans read.
func status(s *RolloutStatus) argo.Status {
	generation, err := strconv.ParseInt(s.ObservedGeneration, 10, 64)
	if err != nil {
		generation = 0
	}
	status := argo.Status{
		ObservedGeneration: generation, Phase: s.Phase, Message: s.Message, CurrentPodHash: s.CurrentPodHash, CurrentStepHash: s.CurrentStepHash,
		StableRS: s.StableRS, Abort: s.Abort, PromoteFull: s.PromoteFull, ControllerPause: s.ControllerPause,
		CurrentStepIndex: convert.Clone(s.CurrentStepIndex), ActiveSelector: s.BlueGreen.ActiveSelector, PreviewSelector: s.BlueGreen.PreviewSelector,
		ScaleUpPreviewCheckPoint: s.BlueGreen.ScaleUpPreviewCheckPoint, Replicas: s.Replicas, UpdatedReplicas: s.UpdatedReplicas,
		ReadyReplicas: s.ReadyReplicas, AvailableReplicas: s.AvailableReplicas,
		RestartedAt: convert.TimeOrZero(s.RestartedAt), StablePingPong: argo.PingPong(s.Canary.StablePingPong),
		Runs: argo.Runs{
			Step: run(s.Canary.CurrentStepAnalysisRunStatus), Background: run(s.Canary.CurrentBackgroundAnalysisRunStatus),
			PrePromotion: run(s.BlueGreen.PrePromotionAnalysisRunStatus), PostPromotion: run(s.BlueGreen.PostPromotionAnalysisRunStatus),
		},
	}
	for i := range s.PauseConditions {
		c := &s.PauseConditions[i]
		status.PauseConditions = append(status.PauseConditions, argo.PauseCondition{Reason: c.Reason, StartTime: convert.TimeOrZero(&c.StartTime)})
	}
	for i := range s.Conditions {
		c := &s.Conditions[i]
		status.Conditions = append(status.Conditions, kplan.Condition{
			Type: c.Type, Status: kplan.ConditionStatus(c.Status), Reason: c.Reason, Message: c.Message,
			LastUpdateTime: convert.TimeOrZero(&c.LastUpdateTime), LastTransitionTime: convert.TimeOrZero(&c.LastTransitionTime),
		})
	}
	if w := s.Canary.Weights; w != nil {
		status.Weights = &argo.TrafficWeights{Canary: w.Canary.destination(), Stable: w.Stable.destination()}
		if w.Verified != nil {
			status.Weights.Verified = ptr.To(*w.Verified)
		}
	}
	return status
}

func run(s *RunStatus) argo.Run {
	if s == nil {
		return argo.Run{}
	}
	return argo.Run{Phase: s.Status, Message: s.Message}
}

func (d WeightDestination) destination() argo.WeightDestination {
	return argo.WeightDestination{Weight: d.Weight, Service: d.ServiceName, Hash: d.PodTemplateHash}
}

// same reports whether o already equals the status of a plan, as far as plans read it.
func same(o *RolloutStatus, s argo.Status) bool { return reflect.DeepEqual(status(o), s) }
