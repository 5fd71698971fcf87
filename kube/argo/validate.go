// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"strconv"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube/internal/valid"
)

// Validate reports why the controller would reject o with the condition InvalidSpec, as far as
// the strategy, the selector and the template are concerned. Use it on manifests that hold
// their template: see [Resolve]. The error, if any, wraps [kplan.ErrInvalid] and one
// [kplan.FieldError] for each field.
//
// It mirrors ValidateRolloutSpec of Argo Rollouts 1.10.2, but for the arguments of analyses and
// the affinity that a strategy adds.
func Validate(o *RolloutObject) error {
	_, err := Rollout(o)
	if o == nil || err != nil {
		return err
	}
	var es kplan.FieldErrors
	spec := &o.Spec
	valid.Names(&o.ObjectMeta, &es)
	if spec.WorkloadRef == nil {
		valid.Selector(spec.Selector, spec.Template.Labels, &es)
	}
	valid.Template(&spec.Template, &es)
	es.NotNegative("spec.minReadySeconds", spec.MinReadySeconds)
	history, deadline := orElse(spec.RevisionHistoryLimit, 10), orElse(spec.ProgressDeadlineSeconds, 600)
	es.NotNegative("spec.revisionHistoryLimit", history)
	if deadline <= spec.MinReadySeconds {
		es.Add("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")
	}
	if bg := spec.Strategy.BlueGreen; bg != nil && orElse(bg.ScaleDownDelayRevisionLimit, 0) > history {
		es.Add("spec.strategy.blueGreen.scaleDownDelayRevisionLimit", *bg.ScaleDownDelayRevisionLimit, "must not be greater than revisionHistoryLimit")
	}
	if c := spec.Strategy.Canary; c != nil {
		c.validate(&es)
	}
	return es.Join()
}

func orElse(n *int32, unset int32) int32 {
	if n == nil {
		return unset
	}
	return *n
}

// validate adds the errors of fields that exclude each other.
func (c *CanaryStrategy) validate(es *kplan.FieldErrors) {
	const path = "spec.strategy.canary"
	if c.StableService != "" && c.StableService == c.CanaryService {
		es.Add(path+".stableService", c.StableService, "must not be the canaryService")
	}
	t := c.TrafficRouting
	switch {
	case t == nil && c.ScaleDownDelaySeconds != nil:
		es.Add(path+".scaleDownDelaySeconds", *c.ScaleDownDelaySeconds, "must not be set without trafficRouting")
	case t != nil && c.ScaleDownDelaySeconds != nil && c.DynamicStableScale:
		es.Add(path+".dynamicStableScale", true, "must not be set with scaleDownDelaySeconds")
	}
	if t != nil {
		t.validate(c, es)
	}
	for i := range c.Steps {
		c.Steps[i].validate(t, path+".steps["+strconv.Itoa(i)+"]", es)
	}
}

// validate adds the errors of fields that the routing requires.
func (t *TrafficRouting) validate(c *CanaryStrategy, es *kplan.FieldErrors) {
	const path = "spec.strategy.canary"
	if c.PingPong == nil && t.ALB != nil || t.needsServices(c.PingPong == nil) {
		if c.StableService == "" {
			es.Add(path+".stableService", "", "must be set for this trafficRouting")
		}
		if c.CanaryService == "" {
			es.Add(path+".canaryService", "", "must be set for this trafficRouting")
		}
	}
	if c.PingPong != nil && t.ALB == nil && t.Istio == nil && len(t.Plugins) == 0 {
		es.Add(path+".pingPong", c.PingPong.PingService, "must not be set but for alb, istio and plugins")
	}
	if root, _ := t.ALB["rootService"].(string); c.PingPong != nil && t.ALB != nil && root == "" {
		es.Add(path+".trafficRouting.alb.rootService", "", "must be set for pingPong")
	}
	if t.MaxTrafficWeight != nil && t.Nginx == nil && len(t.Plugins) == 0 {
		es.Add(path+".trafficRouting.maxTrafficWeight", *t.MaxTrafficWeight, "must not be set but for nginx and plugins")
	}
}

// needsServices reports whether one of the routers needs two Services to split traffic.
func (t *TrafficRouting) needsServices(alone bool) bool {
	istio := t.Istio != nil && t.Istio["destinationRule"] == nil && alone
	return istio || t.SMI != nil || t.Apisix != nil || t.Ambassador != nil || t.Nginx != nil || t.AppMesh != nil || t.Traefik != nil
}

// manages reports whether the controller may write a route.
func (t *TrafficRouting) manages(route string) bool {
	for _, r := range t.ManagedRoutes {
		if name, _ := r["name"].(string); name == route {
			return true
		}
	}
	return false
}

// validate adds the errors of a step that needs a routing, which may be nil.
func (s *CanaryStep) validate(t *TrafficRouting, path string, es *kplan.FieldErrors) {
	if s.SetCanaryScale != nil && t == nil {
		es.Add(path+".setCanaryScale", "", "must not be set without trafficRouting")
	}
	if r := s.SetHeaderRoute; r != nil {
		able := t != nil && (t.Istio != nil || t.ALB != nil || t.Apisix != nil || len(t.Plugins) > 0)
		validateRoute(es, path+".setHeaderRoute", r.Name, able, t, "alb, apisix, istio or plugins")
	}
	if r := s.SetMirrorRoute; r != nil {
		able := t != nil && (t.Istio != nil || len(t.Plugins) > 0)
		validateRoute(es, path+".setMirrorRoute", r.Name, able, t, "istio or plugins")
	}
	templates, _ := s.Experiment["templates"].([]any)
	for i := range templates {
		template, _ := templates[i].(map[string]any)
		able := t != nil && (t.ALB != nil || t.SMI != nil || t.Istio != nil || len(t.Plugins) > 0)
		if weight := template["weight"]; weight != nil && !able {
			es.Add(path+".experiment.templates["+strconv.Itoa(i)+"].weight", weight, "must not be set without trafficRouting by alb, smi, istio or plugins")
		}
	}
}

func validateRoute(es *kplan.FieldErrors, path, name string, able bool, t *TrafficRouting, by string) {
	switch {
	case !able:
		es.Add(path, name, "must not be set without trafficRouting by "+by)
	case !t.manages(name):
		es.Add(path+".name", name, "must be one of spec.strategy.canary.trafficRouting.managedRoutes")
	}
}
