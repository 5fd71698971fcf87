// SPDX-License-Identifier: Apache-2.0

package traffic_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/traffic"
)

func TestVectorsHTTPRouteRules(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/httproute_rules", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Matches []traffic.Match
			Rules   []traffic.Rule
			Weight  *int32
		}
		r.Read(t, &in)
		out := []traffic.Rule{}
		switch {
		case in.Weight != nil && *in.Weight == -1:
			out = append(out, traffic.Restored(in.Rules, "svc", "svc-canary", false)...)
		case len(in.Matches) > 0:
			out = append(out, traffic.Matched(in.Rules, "svc", "svc-canary", in.Matches, false)...)
		default:
			out = append(out, traffic.Weighted(in.Rules, "svc", "svc-canary", *in.Weight)...)
		}
		return out, ""
	})
}

func TestVectorsNginxAnnotations(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/nginx_canary_ingress_annotations", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Annotations map[string]string
			Matches     []traffic.Match
			Weight      *int32
		}
		r.Read(t, &in)
		var weight rollout.IntOrPercent
		if in.Weight != nil {
			weight = rollout.Percent(*in.Weight)
		}
		return map[string]any{"annotations": traffic.IngressClasses()[0].Annotations(in.Annotations, traffic.Strategy{Traffic: weight, Matches: in.Matches})}, ""
	})
}
