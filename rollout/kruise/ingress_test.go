// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Classes of the same shape.
func TestIngressClasses(t *testing.T) {
	step := kruise.Step{
		Traffic:               rollout.Percent(20),
		RequestHeaderModifier: &traffic.HeaderModifier{Set: []traffic.Header{{Name: "a", Value: "b"}}},
		Matches: []traffic.Match{
			{Headers: []traffic.ValueMatch{{Name: "h", Value: "v"}}, QueryParams: []traffic.ValueMatch{{Name: "q", Value: "w", Type: "RegularExpression"}}},
			{Headers: []traffic.ValueMatch{{Name: "canary-by-cookie", Value: "c"}}}, {},
		},
	}
	const nginx, alb, mse = "nginx.ingress.kubernetes.io/", "alb.ingress.kubernetes.io/", "mse.ingress.kubernetes.io/"
	shape := func(prefix string, more map[string]string) map[string]string {
		m := map[string]string{
			"kept": "x", prefix + "canary": "true", prefix + "canary-weight": "20", prefix + "canary-by-header": "h", prefix + "canary-by-header-value": "v",
			prefix + "canary-by-cookie": "c",
		}
		for key, value := range more {
			m[key] = value
		}
		return m
	}
	want := map[string]map[string]string{
		"nginx": shape(nginx, nil), "higress": shape(nginx, nil), "aliyun-alb": shape(alb, map[string]string{alb + "order": "1"}),
		"mse": shape(nginx, map[string]string{
			mse + "request-header-control-update": "a b", mse + "service-subset": "gray", nginx + "canary-by-query": "q", nginx + "canary-by-query-pattern": "w",
		}),
	}
	for _, c := range traffic.IngressClasses() {
		before := map[string]string{"kept": "x", c.Prefix + "canary-by-header-pattern": "gone"}
		if c.Name == "mse" {
			before[mse+"service-subset"], before[mse+"canary-by-query"] = "base", "gone"
		}
		require.Equal(t, want[c.Name], c.Annotations(before, traffic.Strategy{Traffic: step.Traffic, RequestHeaderModifier: step.RequestHeaderModifier, Matches: step.Matches}), c.Name)
	}
	require.Len(t, traffic.IngressClasses(), len(want))
}

// The class of a Rollout is a known one, or one of the snapshot; another is refused.
func TestIngressClassOfSnapshot(t *testing.T) {
	r := partitioned(deployment, step(rollout.Percent(50), -1), step(rollout.Percent(100), 0))
	r.Canary.Steps[0].Traffic = rollout.Percent(20)
	r.Canary.TrafficRoutings = []traffic.Routing{{Service: "svc", Ingress: &traffic.IngressRef{Name: "in", ClassType: "own"}}}
	s := begun(kruise.StateTrafficRouting, r)
	s.Traffic = traffic.Objects{
		Stable:  &traffic.Service{Name: "svc", Selector: map[string]string{workload.LabelPodTemplateHash: "v1"}},
		Canary:  &traffic.Service{Name: "svc-canary", Selector: map[string]string{workload.LabelPodTemplateHash: "v2"}},
		Ingress: &traffic.Ingress{Name: "in"},
	}
	p := reconcile(t, s, kruise.Options{})
	require.Equal(t, "ingress class own not found", p.Failure)
	require.Equal(t, reason.TrafficMissing, p.Holds[0].Reason)
	s.IngressClasses = []traffic.IngressClass{{Name: "own", Prefix: "own/"}}
	p = reconcile(t, s, kruise.Options{})
	require.Empty(t, p.Failure)
	create, ok := p.Actions[0].(kruise.SetIngress)
	require.True(t, ok)
	require.Equal(t, map[string]string{"own/canary": "true", "own/canary-weight": "0"}, create.Annotations)
}
