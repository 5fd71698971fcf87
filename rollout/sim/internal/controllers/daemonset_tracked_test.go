// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// instant is a template whose pods take no time.
func instant() cluster.Template { return cluster.Template{Times: &cluster.Times{}} }

// TestDaemonSetTracked: a Tracker makes the plans that are made from all nodes and pods, in the same
// order, whatever a person does meanwhile. A pod that may be adopted is there before the Tracker is.
func TestDaemonSetTracked(t *testing.T) {
	for seed := range uint64(3) {
		run := func(reconcile func(daemonset.Snapshot, time.Time, daemonset.Options) (daemonset.Plan, error)) (plans []string) {
			h := newHarness(t, seed, trouble.Rates{}, newDaemonSetController)
			h.PlanDaemonSet = reconcile
			h.Trace = func(line string) { plans = append(plans, line) }
			h.addNodes(1, 300)
			h.orphan("orphan")
			h.putAgent(daemonset.DaemonSet{MaxUnavailable: rollout.Int(40), MinReadySeconds: int32(seed % 2 * 5)})
			h.disturb(rand.New(rand.NewPCG(seed, 0)))
			h.settle()
			return plans
		}
		want := run(daemonset.Reconcile)
		require.Greater(t, len(want), 500)
		require.Equal(t, want, run(nil))
	}
}

// disturb lets a person change something again and again, while the world goes on.
func (h *harness) disturb(draw *rand.Rand) {
	for i := range 60 {
		for range draw.IntN(60) {
			h.step()
		}
		pods := h.Server.Pods.All()
		node := fmt.Sprint("n", 1+draw.IntN(300))
		var pod string
		if len(pods) > 0 {
			pod = pods[draw.IntN(len(pods))].Name
		}
		switch draw.IntN(10) {
		case 0:
			h.release(fmt.Sprint("w", i))
		case 1:
			apiserver.Remove(h.Server, &h.Nodes, apiserver.By(store.User, node))
		case 2:
			put(h, &h.Nodes, node, func(n *store.Node) { n.Labels = map[string]string{"zone": fmt.Sprint(draw.IntN(3))} })
		case 3:
			var taints []daemonset.Taint
			if draw.IntN(2) == 0 {
				taints = []daemonset.Taint{{Key: "gpu", Effect: daemonset.NoSchedule}}
			}
			put(h, &h.Nodes, node, func(n *store.Node) { n.Taints = taints })
		case 4:
			h.Life.Failed(pod, podorder.Failed)
		case 5:
			h.DeletePod(apiserver.By(store.User, pod))
		case 6:
			h.Life.Unready(pod)
		case 7:
			h.ChangePod(apiserver.By(store.User, pod), func(p *store.Pod) { p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", "" })
		case 8:
			put(h, &h.Server.Pods, fmt.Sprint("orphan", i), func(p *store.Pod) {
				p.OfDaemonSet, p.NodeName, p.Labels = draw.IntN(2) == 0, node, map[string]string{"app": "agent"}
			})
		case 9:
			put(h, &h.DaemonSets, "agent", func(d *store.DaemonSet) {
				d.MaxUnavailable, d.MaxSurge = rollout.Int(int32(draw.IntN(50))), rollout.Int(int32(draw.IntN(2)*30))
				d.Generation++
			})
		}
		require.NoError(h.t, h.Err())
	}
}

// BenchmarkDaemonSet updates a DaemonSet on nodes, 20 of which may be unavailable.
func BenchmarkDaemonSet(b *testing.B) {
	for _, n := range []int{500, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				b.StopTimer()
				h := newHarness(b, 1, trouble.Rates{}, newDaemonSetController)
				h.Quotas.Most = 1 << 20
				h.addNodes(1, n)
				h.putAgent(daemonset.DaemonSet{MaxUnavailable: rollout.Int(20)})
				for h.step() {
				}
				h.release("v2")
				b.StartTimer()
				for h.step() {
				}
				require.NoError(b, h.Err())
				b.ReportMetric(float64(h.Plans), "plans")
			}
		})
	}
}
