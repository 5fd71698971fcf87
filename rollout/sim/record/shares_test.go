// SPDX-License-Identifier: Apache-2.0

package record_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// What new pods get of the requests at the end of each instant: as much as a step with traffic leads to them,
// while the stable Service selects old ones alone; then, in the last step, their share of the ready pods, 3 of
// 5, all of which it selects; and all at the end.
func TestShares(t *testing.T) {
	for name, lead := range map[string]traffic.Routing{
		"a route":                {Gateway: &traffic.GatewayRef{HTTPRouteName: ptr.To("r")}},
		"an Ingress":             {Ingress: &traffic.IngressRef{Name: "i"}},
		"an Ingress of Alibaba":  {Ingress: &traffic.IngressRef{Name: "i", ClassType: "aliyun-alb"}},
		"nothing leads requests": {},
	} {
		t.Run(name, func(t *testing.T) {
			s := &kruise.Strategy{}
			for i, percent := range []int32{20, 50, 100} {
				step := kruise.Step{Replicas: rollout.Percent(percent), Pause: kruise.Pause{Duration: ptr.To(int32(60))}}
				if i < 2 && (lead.Gateway != nil || lead.Ingress != nil) {
					step.Traffic = rollout.Percent(percent)
				}
				s.Steps = append(s.Steps, step)
			}
			want := []int32{-1}
			if lead.Gateway != nil || lead.Ingress != nil {
				lead.Service = "s"
				s.TrafficRoutings = []traffic.Routing{lead}
				want = []int32{0, 20, 50, 60, 100}
			}
			rules := []traffic.Rule{
				{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "api"}}},
				{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "s"}}},
			}
			w, steps, _ := begin(t, cluster.Snapshot{
				Services: []traffic.Service{{Name: "s", Selector: labels}}, Routes: []traffic.Route{{Name: "r", Rules: rules}}, Ingresses: []traffic.Ingress{{Name: "i"}},
				Rollouts: []kruise.Rollout{{Name: "web", UID: "rollout", WorkloadRef: workload.Ref{APIVersion: "apps/v1", Kind: deploy.Kind, Name: "web"}, Canary: s}},
			}, sim.Config{})
			put := func(template string) time.Time {
				d := web("web", template, 6)
				d.MaxSurge, d.MaxUnavailable = rollout.Percent(25), rollout.Percent(25)
				begun := w.Now()
				require.NoError(t, w.Put(d))
				settle(t, w)
				return begun
			}
			put("v1")
			again := put("v2")
			var shares []int32
			for _, z := range steps.Sizes(sim.KindRollout, "web") {
				if n := len(shares); !z.Time.Before(again) && (n == 0 || shares[n-1] != z.Traffic) {
					shares = append(shares, z.Traffic)
				}
			}
			require.Equal(t, want, shares)
		})
	}
}
