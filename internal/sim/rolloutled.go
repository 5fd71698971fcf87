// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/rollout/workload"
)

// canarySuffix ends the names of what is made for the canary.
const canarySuffix = "-canary"

// ledToNew returns the percent of the requests that the new pods get, see [RolloutStep].Traffic.
func (r *rolloutRecorder) ledToNew(step *RolloutStep) int32 {
	weights := r.weights()
	if weights == nil {
		return -1
	}
	ready := max(1, int64(step.NewReady+step.OldReady)) // a Service without any leads nowhere
	led, total := int64(0), int64(0)
	for service, weight := range weights {
		total += weight * ready
		switch hash := r.pinnedTo(service); {
		case hash == "":
			led += weight * int64(step.NewReady)
		case workload.LastPart(hash) == workload.LastPart(r.template):
			led += weight * ready
		}
	}
	return int32(led * 100 / max(1, total))
}

// weights returns the shares of the requests that Services get, nil if nothing leads them: those
// of the first rule of a route that has the stable one, or that of the canary Ingress.
func (r *rolloutRecorder) weights() map[string]int64 {
	s, stable := r.world.store, r.stableService()
	if stable == "" {
		return nil
	}
	routes := s.routes.all()
	for _, route := range routes {
		for _, rule := range route.Rules {
			weights := map[string]int64{}
			for _, ref := range rule.BackendRefs {
				weights[ref.Name] = 1
				if ref.Weight != nil {
					weights[ref.Name] = int64(*ref.Weight)
				}
			}
			if _, ok := weights[stable]; ok {
				return weights
			}
		}
	}
	if len(routes) > 0 {
		return map[string]int64{stable: 1}
	}
	const weight = ".ingress.kubernetes.io/canary-weight" // behind the name of a class
	var weights map[string]int64
	for _, i := range s.ingresses.all() {
		if weights == nil {
			weights = map[string]int64{stable: 100}
		}
		for key, value := range i.Annotations {
			if n, err := strconv.ParseInt(value, 10, 32); err == nil && strings.HasSuffix(key, weight) && strings.HasSuffix(i.Name, canarySuffix) {
				weights = map[string]int64{stable: 100 - n, stable + canarySuffix: n}
			}
		}
	}
	return weights
}

func (r *rolloutRecorder) stableService() string {
	for _, o := range r.world.store.rollouts.all() {
		if s := o.Strategy(); s != nil && len(s.TrafficRoutings) > 0 {
			return s.TrafficRoutings[0].Service
		}
	}
	return ""
}

// pinnedTo returns the revision whose pods a Service selects, "" if it is those of all.
func (r *rolloutRecorder) pinnedTo(service string) string {
	for _, o := range r.world.store.services.all() {
		if o.Name == service {
			return o.Selector[workload.LabelPodTemplateHash] + o.Selector[workload.LabelControllerRevision]
		}
	}
	return ""
}
