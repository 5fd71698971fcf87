package rollout_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/recorded"
	"github.com/kplan-go/kplan/rollout"
)

func TestVectorsHTTPRouteRules(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/httproute_rules", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Matches []rollout.Match
			Rules   []rollout.RouteRule
			Weight  *int32
		}
		r.Read(t, &in)
		out := []rollout.RouteRule{}
		switch {
		case in.Weight != nil && *in.Weight == -1:
			out = append(out, rollout.RouteRestore(in.Rules, "svc", "svc-canary", false)...)
		case len(in.Matches) > 0:
			out = append(out, rollout.RouteMatches(in.Rules, "svc", "svc-canary", in.Matches, false)...)
		default:
			out = append(out, rollout.RouteWeight(in.Rules, "svc", "svc-canary", *in.Weight)...)
		}
		return out, ""
	})
}

func TestVectorsNginxAnnotations(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/nginx_canary_ingress_annotations", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Annotations map[string]string
			Matches     []rollout.Match
			Weight      *int32
		}
		r.Read(t, &in)
		var weight rollout.IntOrPercent
		if in.Weight != nil {
			weight = rollout.Percent(*in.Weight)
		}
		return map[string]any{"annotations": rollout.IngressAnnotations(in.Annotations, weight, in.Matches)}, ""
	})
}
