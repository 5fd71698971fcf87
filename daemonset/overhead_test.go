// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// Programs that add nodes have copies of this decision. Each case is a report about one of
// them, and what the controller does there.
func TestOverheadOfOthers(t *testing.T) {
	required := func(terms ...selector.NodeSelectorTerm) daemonset.Template {
		return daemonset.Template{Affinity: &selector.NodeSelector{Terms: terms}}
	}
	on := func(key string, op selector.Operator, values ...string) selector.NodeSelectorTerm {
		return selector.NodeSelectorTerm{MatchExpressions: []selector.Expression{{Key: key, Operator: op, Values: values}}}
	}
	labels := map[string]string{
		"node.kubernetes.io/instance-type": "c6i.large", "karpenter.k8s.aws/instance-cpu": "2",
		"karpenter.sh/registered": "true", "karpenter.sh/initialized": "true",
	}
	for _, c := range []struct {
		report, why string
		template    daemonset.Template
		node        daemonset.Node
		want        int
	}{
		{"karpenter 1749", "a toleration without a key covers all taints", daemonset.Template{Tolerations: []daemonset.Toleration{{Operator: daemonset.TolerationExists}}},
			daemonset.Node{Taints: []daemonset.Taint{taint("team", daemonset.NoSchedule), taint("team", daemonset.NoExecute)}}, 1},
		{"karpenter 1337", "any term is enough, not the first alone", required(on("gpu", selector.Exists), on("node.kubernetes.io/instance-type", selector.In, "c6i.large")), daemonset.Node{}, 1},
		{"karpenter 532", "the affinity is the template's, not that of a pod which is pinned to another node", required(on("node.kubernetes.io/instance-type", selector.In, "m5.large")), daemonset.Node{}, 0},
		{"karpenter 715", "DaemonSets divided by the size of nodes do not all count", required(on("karpenter.k8s.aws/instance-cpu", selector.Gt, "7")), daemonset.Node{}, 0},
		{"karpenter 715", "but the one for this size does", required(on("karpenter.k8s.aws/instance-cpu", selector.Lt, "8")), daemonset.Node{}, 1},
		{"karpenter 2838", "a well-known label that the node does not have is not left out", required(on("topology.kubernetes.io/zone", selector.In, "a")), daemonset.Node{}, 0},
		{"karpenter 919, 2116", "labels that the node gets once it has registered count", daemonset.Template{NodeSelector: map[string]string{"karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}}, daemonset.Node{}, 1},
		{"autoscaler 4761", "a cordon, and a node that does not answer, keep no daemon off", daemonset.Template{},
			daemonset.Node{Taints: []daemonset.Taint{taint("node.kubernetes.io/unschedulable", daemonset.NoSchedule), taint(daemonset.TaintNotReady, daemonset.NoExecute)}}, 1},
		{"kubernetes 1.37", "PreferNoSchedule is no demand", daemonset.Template{}, daemonset.Node{Taints: []daemonset.Taint{taint("team", daemonset.PreferNoSchedule)}}, 1},
		{"kubernetes 1.37", "a template that names another node", daemonset.Template{NodeName: "m"}, daemonset.Node{}, 0},
	} {
		c.node.Name, c.node.Labels = "n", labels
		daemons := []daemonset.Daemon{{Placer: daemonset.NewPlacer(&c.template, daemonset.Options{}), Requests: map[string]int64{"cpu": 100}}}
		requests, pods := daemonset.Overhead(daemons, &c.node, nil)
		require.Equal(t, c.want, pods, "%s: %s", c.report, c.why)
		require.Equal(t, int64(100*c.want), requests["cpu"], c.report)
	}
}

// Requests are added up by resource, for those that run alone, and stay within their type.
func TestOverheadSums(t *testing.T) {
	anywhere := daemonset.NewPlacer(nil, daemonset.Options{})
	nowhere := daemonset.NewPlacer(&daemonset.Template{NodeName: "m"}, daemonset.Options{})
	daemons := []daemonset.Daemon{
		{Placer: anywhere, Requests: map[string]int64{"cpu": 250, "memory": math.MaxInt64, "odd": math.MinInt64}},
		{Placer: nowhere, Requests: map[string]int64{"cpu": 1000, "gpu": 1}},
		{Placer: anywhere},
		{Placer: anywhere, Requests: map[string]int64{"cpu": 50, "memory": 1, "odd": -1}},
	}
	into := map[string]int64{"stale": 1}
	requests, pods := daemonset.Overhead(daemons, &daemonset.Node{Name: "n"}, into)
	require.Equal(t, 3, pods)
	require.Equal(t, map[string]int64{"cpu": 300, "memory": math.MaxInt64, "odd": math.MinInt64}, requests)
	require.Equal(t, into, requests, "it is the map that was given")
	require.Equal(t, map[string]int64{"cpu": 250, "memory": math.MaxInt64, "odd": math.MinInt64}, daemons[0].Requests, "which shares nothing with those of daemons")
}

// A new node gets a pod from the planner exactly where Overhead counts one, and one that is
// there goes exactly where it may not stay.
func TestPropertyOverheadIsThePlan(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), anyOptions(t)
		s.Pods, s.Revisions, s.Backoff, s.Unseen, s.Written, s.Read = nil, nil, nil, false, expect.Versions{}, expect.Versions{}
		s.DaemonSet.DeletionTimestamp, s.DaemonSet.Progressive, s.DaemonSet.Burst, opts.Freeze = time.Time{}, false, rollout.Int(1<<20), false
		p := reconcile(t, s, t0, opts)
		if slices.ContainsFunc(p.Holds, func(h kplan.Hold) bool { return h.Reason == reason.SelectingAll }) {
			t.Skip("nothing is planned")
		}
		planned, counted := map[string]bool{}, map[string]bool{}
		for _, a := range p.Actions {
			if c, ok := a.(daemonset.CreatePod); ok {
				planned[c.Node] = true
			}
		}
		daemons := []daemonset.Daemon{{Placer: daemonset.NewPlacer(&s.DaemonSet.Template, opts)}}
		for i := range s.Nodes {
			if _, pods := daemonset.Overhead(daemons, &s.Nodes[i], nil); pods > 0 {
				counted[s.Nodes[i].Name] = true
			}
		}
		if diff := cmp.Diff(planned, counted); diff != "" {
			t.Fatalf("planned, and counted: %s", diff)
		}
	})
}

// shapes returns n DaemonSets that run on a node like those of [large], each with an affinity
// of two terms, five tolerations and two resources.
func shapes(n int) []daemonset.Daemon {
	in := func(key string, values ...string) selector.Expression {
		return selector.Expression{Key: key, Operator: selector.In, Values: values}
	}
	template := daemonset.Template{Affinity: &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{
		{MatchExpressions: []selector.Expression{in("kubernetes.io/os", "linux"), in("kubernetes.io/arch", "arm64")}},
		{MatchExpressions: []selector.Expression{in("kubernetes.io/os", "linux"), in("kubernetes.io/arch", "amd64", "386")}},
	}}}
	for _, key := range []string{"spot", "gpu", "maintenance", "node-role.kubernetes.io/control-plane", "dedicated"} {
		template.Tolerations = append(template.Tolerations, daemonset.Toleration{Key: key, Operator: daemonset.TolerationExists, Effect: daemonset.NoSchedule})
	}
	daemon := daemonset.Daemon{Placer: daemonset.NewPlacer(&template, daemonset.Options{}), Requests: map[string]int64{"cpu": 100, "memory": 128 << 20}}
	return slices.Repeat([]daemonset.Daemon{daemon}, n)
}

// Asking about a node costs no allocation once the templates are compiled.
func TestOverheadAllocates(t *testing.T) {
	daemons, node, into := shapes(20), large(1, 0).Nodes[0], map[string]int64{"cpu": 0, "memory": 0}
	require.Zero(t, testing.AllocsPerRun(100, func() { daemonset.Overhead(daemons, &node, into) }))
	require.Equal(t, int64(2000), into["cpu"], "the node is tainted, and all of them tolerate that")
}

func BenchmarkOverhead(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		daemons, node, into := shapes(n), large(1, 0).Nodes[0], map[string]int64{}
		b.Run(fmt.Sprintf("daemonsets=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				daemonset.Overhead(daemons, &node, into)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/daemonset")
		})
	}
}

// What an autoscaler asks before it adds a node: how much of it is left for other pods.
func ExampleOverhead() {
	agent := daemonset.Template{Tolerations: []daemonset.Toleration{{Operator: daemonset.TolerationExists}}}
	driver := daemonset.Template{NodeSelector: map[string]string{"gpu": "true"}}
	daemons := []daemonset.Daemon{
		{Placer: daemonset.NewPlacer(&agent, daemonset.Options{}), Requests: map[string]int64{"cpu": 100, "memory": 64}},
		{Placer: daemonset.NewPlacer(&driver, daemonset.Options{}), Requests: map[string]int64{"cpu": 250, "memory": 512}},
	}
	into := map[string]int64{}
	for _, n := range []daemonset.Node{{Name: "new-small"}, {Name: "new-gpu", Labels: map[string]string{"gpu": "true"}}} {
		requests, pods := daemonset.Overhead(daemons, &n, into)
		fmt.Println(n.Name, pods, slices.Sorted(maps.Keys(requests)), requests["cpu"], requests["memory"])
	}
	// Output:
	// new-small 1 [cpu memory] 100 64
	// new-gpu 2 [cpu memory] 350 576
}
