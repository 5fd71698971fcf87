// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout/argo"
)

// routes returns the routes that a step sets, or removes if no request can match them. The
// header route is first, as the controller writes it first.
func (s *CanaryStep) routes(es *kplan.FieldErrors, path string) []argo.Route {
	var list []argo.Route
	if h := s.SetHeaderRoute; h != nil {
		list = append(list, h.route(es, path+".setHeaderRoute"))
	}
	if m := s.SetMirrorRoute; m != nil {
		list = append(list, m.route(es, path+".setMirrorRoute"))
	}
	return list
}

func (h *HeaderRoute) route(es *kplan.FieldErrors, path string) argo.Route {
	route := argo.Route{Name: named(es, path, h.Name)}
	for i := range h.Match {
		m := &h.Match[i]
		route.Headers = append(route.Headers, argo.HeaderMatch{Name: m.HeaderName, Value: m.HeaderValue.match()})
	}
	return route
}

func (m *MirrorRoute) route(es *kplan.FieldErrors, path string) argo.Route {
	mirror := argo.Mirror{Percentage: convert.Clone(m.Percentage)}
	if p := m.Percentage; p != nil && (*p < 0 || *p > 100) {
		es.Add(path+".percentage", *p, "must be between 0 and 100")
	}
	for i := range m.Match {
		from := &m.Match[i]
		match := argo.RouteMatch{Method: from.Method.match(), Path: from.Path.match()}
		for name, value := range from.Headers {
			if match.Headers == nil {
				match.Headers = map[string]argo.StringMatch{}
			}
			match.Headers[name] = value.match()
		}
		mirror.Match = append(mirror.Match, match)
	}
	return argo.Route{Name: named(es, path, m.Name), Mirror: &mirror}
}

func named(es *kplan.FieldErrors, path, name string) string {
	if name == "" {
		es.Add(path+".name", "", "must be set")
	}
	return name
}

func (m *StringMatch) match() argo.StringMatch {
	if m == nil {
		return argo.StringMatch{}
	}
	return argo.StringMatch{Exact: m.Exact, Prefix: m.Prefix, Regex: m.Regex}
}

// routesSoFar returns the routes that are assumed to exist: each router has its own
// objects, which are not read here. During an update they are the routes of the steps up to
// the current one, except for routes that were set before there were new pods, which the
// controller loses: see [quirk.RoutesLost].
func routesSoFar(r *argo.Rollout) []argo.Route {
	s := &r.Status
	if r.Routing == nil || s.CurrentStepIndex == nil || s.StableRS == "" || s.StableRS == s.CurrentPodHash || s.CurrentPodHash != r.TemplateHash || s.Abort || s.PromoteFull {
		return nil
	}
	var there argo.Snapshot
	for i := range r.Steps {
		if i > int(*s.CurrentStepIndex) {
			break
		}
		if r.Steps[i].Routes == nil || canaryAt(r, int32(i)) == 0 {
			continue
		}
		for _, route := range r.Steps[i].Routes {
			var action argo.Action = argo.SetRoute{Route: route}
			if len(route.Headers) == 0 && (route.Mirror == nil || len(route.Mirror.Match) == 0) {
				action = argo.RemoveRoute{Name: route.Name}
			}
			if next, err := argo.Apply(there, action, time.Time{}); err == nil { // a route that does not exist cannot be removed
				there = next
			}
		}
	}
	return there.Routes
}

// canaryAt returns the number of new pods at the end of a step.
func canaryAt(r *argo.Rollout, step int32) int32 {
	c := argo.Canary{
		Replicas: r.Replicas, Steps: r.Steps, CurrentStepIndex: &step, CurrentPodHash: r.Status.CurrentPodHash, StableRS: r.Status.StableRS,
		TrafficRouting: true, MaxTrafficWeight: r.Routing.MaxTrafficWeight,
	}
	return c.Routed().Canary
}
