// SPDX-License-Identifier: Apache-2.0

package record

import (
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// canarySuffix is appended to the names of the stable Service and Ingress for the canary ones.
const canarySuffix = "-canary"

// released returns the percentage of requests that a Rollout of OpenKruise leads to new pods, -1 if
// it leads none.
func (s *Steps) released(o *kruise.Rollout, parts []Part) int32 {
	strategy := o.Strategy()
	if strategy == nil || len(strategy.TrafficRoutings) == 0 {
		return -1
	}
	routing := &strategy.TrafficRoutings[0]
	weights := s.weights(routing)
	if weights == nil {
		return -1
	}
	ready, fresh, template := int64(0), int64(0), ""
	for _, p := range parts {
		ready += int64(p.Ready)
		if p.New {
			fresh += int64(p.Ready)
			template = p.Name
		}
	}
	ready = max(1, ready) // a Service without any leads nowhere
	led, total := int64(0), int64(0)
	for service, weight := range weights {
		total += weight * ready
		switch hash := s.pinned(service); {
		case hash == "":
			led += weight * fresh
		case template != "" && workload.LastPart(hash) == workload.LastPart(template):
			led += weight * ready
		}
	}
	return int32(led * 100 / max(1, total))
}

// weights returns the shares of requests of each Service, nil without a route or Ingress: the
// weights of the first rule of the route with the stable Service, or the weight of the canary
// Ingress.
func (s *Steps) weights(t *traffic.Routing) map[string]int64 {
	stable := t.Service
	if g := t.Gateway; g != nil && g.HTTPRouteName != nil && s.routes[*g.HTTPRouteName] != nil {
		for _, rule := range s.routes[*g.HTTPRouteName].Rules {
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
		return map[string]int64{stable: 1}
	}
	if t.Ingress == nil || s.ingresses[t.Ingress.Name] == nil {
		return nil
	}
	const weight = ".ingress.kubernetes.io/canary-weight" // after the name of a class
	if canary := s.ingresses[t.Ingress.Name+canarySuffix]; canary != nil {
		for key, value := range canary.Annotations {
			if n, err := strconv.ParseInt(value, 10, 32); err == nil && strings.HasSuffix(key, weight) {
				return map[string]int64{stable: 100 - n, stable + canarySuffix: n}
			}
		}
	}
	return map[string]int64{stable: 100}
}

// pinned returns the revision in the selector of a Service, "" if it selects all pods.
func (s *Steps) pinned(service string) string {
	o := s.services[service]
	if o == nil {
		return ""
	}
	return o.Selector[workload.LabelPodTemplateHash] + o.Selector[workload.LabelControllerRevision]
}

// shifted returns the percentage of requests that a Rollout of Argo leads to new pods, -1 if it
// leads none.
func (s *Steps) shifted(o *cluster.ArgoRollout) int32 {
	st := &o.Status
	switch {
	case o.BlueGreen != nil:
		return whole(s.selects(o.ActiveService, o.TemplateHash))
	case o.Routing == nil:
		return -1
	case st.Weights == nil || st.Weights.Canary.Weight+st.Weights.Stable.Weight == 0:
		return whole(st.StableRS == "" || st.StableRS == o.TemplateHash)
	}
	sum := int32(0)
	for _, to := range []argo.WeightDestination{st.Weights.Canary, st.Weights.Stable} {
		if to.Hash == o.TemplateHash {
			sum += to.Weight
		}
	}
	return int32(int64(sum) * 100 / int64(st.Weights.Canary.Weight+st.Weights.Stable.Weight))
}

func whole(all bool) int32 {
	if all {
		return 100
	}
	return 0
}

// selects reports whether a Service of Argo selects the pods of a hash.
func (s *Steps) selects(service, hash string) bool {
	o := s.services[service]
	return o != nil && o.Selector[argo.HashLabel] == hash
}

// turn returns which of the two Services of a ping-pong has the new pods, or "".
func (s *Steps) turn(o *cluster.ArgoRollout) argo.PingPong {
	switch {
	case s.selects(o.PingService, o.TemplateHash):
		return argo.Ping
	case s.selects(o.PongService, o.TemplateHash):
		return argo.Pong
	}
	return ""
}
