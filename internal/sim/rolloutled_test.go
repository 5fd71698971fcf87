// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// What new pods get of the requests: as much as a step with traffic leads to them, while the
// stable Service selects old ones alone; then, in the last step, their share of the ready pods,
// which it selects all, of 3 and 3, 3 and 2, 4 and 2, 5 and 2, 6 and 2, 6 and 1; and all at the
// end. For a moment the stable Service selects all pods, and half of the requests still go to the
// canary: 50% and half of 50%. Of a set the pods of the last step are replaced one by one.
func TestTrafficOfNewPods(t *testing.T) {
	release := func(routing traffic.Routing, objects traffic.Objects) sim.RolloutRelease {
		c := echoserver(ptr.To(int32(60)), ptr.To(int32(60)), nil)
		c.Rollout.Canary.Steps[0].Traffic, c.Rollout.Canary.Steps[1].Traffic = rollout.Percent(20), rollout.Percent(50)
		routing.Service = "s"
		c.Rollout.Canary.TrafficRoutings = []traffic.Routing{routing}
		objects.Stable = &traffic.Service{Name: "s", Selector: map[string]string{"app": "web"}}
		c.Traffic = objects
		return c
	}
	rules := []traffic.Rule{
		{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "api"}}},
		{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "s"}}},
	}
	byRoute := release(traffic.Routing{Gateway: &traffic.GatewayRef{HTTPRouteName: ptr.To("r")}}, traffic.Objects{Route: &traffic.Route{Name: "r", Rules: rules}})
	byIngress := release(traffic.Routing{Ingress: &traffic.IngressRef{Name: "i"}}, traffic.Objects{Ingress: &traffic.Ingress{Name: "i"}})
	set := byRoute
	set.Set = &podset.Set{Workload: workload.Workload{
		Ref:      workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "echoserver"},
		Replicas: ptr.To(int32(6)), Template: revision.Template{ID: "v1"}, RollingUpdate: &partition.RollingUpdate{MaxUnavailable: rollout.Int(1)},
	}}
	none := byRoute
	none.Rollout.Canary = &kruise.Strategy{Steps: byRoute.Rollout.Canary.Steps[2:]}
	for _, c := range []struct {
		why     string
		release sim.RolloutRelease
		want    []int32
	}{
		{"a route", byRoute, []int32{0, 20, 50, 75, 50, 60, 66, 71, 75, 85, 100}},
		{"an Ingress", byIngress, []int32{0, 20, 50, 75, 50, 60, 66, 71, 75, 85, 100}},
		{"a CloneSet", set, []int32{0, 20, 50, 75, 50, 60, 66, 80, 83, 100}},
		{"nothing leads requests", none, []int32{-1}},
	} {
		r, err := sim.RunRollout(c.release, sim.RolloutConfig{Kubelet: sim.Kubelet{ReadyAfter: 10 * time.Second}, ApproveAfter: time.Minute})
		require.NoError(t, err, c.why)
		require.True(t, r.Done, c.why)
		var got []int32
		for _, s := range r.Steps {
			if len(got) == 0 || got[len(got)-1] != s.Traffic {
				got = append(got, s.Traffic)
			}
		}
		require.Equal(t, c.want, got, c.why)
	}
}
