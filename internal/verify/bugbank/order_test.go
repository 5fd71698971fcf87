// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/stretchr/testify/require"
)

func orders() []entry {
	return []entry{
		{"kubernetes-102948", "of five pods on two nodes, all three of one node go", emptiedNode,
			mutant{"podorder:ranking.fillSpread", "l--", "_ = l"}},
		{"kubernetes-124149", "scaling down leaves the zones uneven", unevenZones,
			mutant{"podorder:Domains.domain", "return d[n]", "return n"}},
		{"kubernetes-107598", "costs must be written on pods, and in time, before a scale-down", costsFromOutside,
			mutant{"podorder", "if c, o := p[q.Name]; o {\n\t\t\treturn c\n\t\t}", "if c, o := p[q.Name]; o && false {\n\t\t\treturn c\n\t\t}"}},
		{"kubernetes-45509", "nothing keeps a scale-down from a pod that must stay", protectedPod,
			mutant{"podorder:Order.protects", "o.Protected != nil && o.Protected(p)", "false"}},
		{"kubernetes-138719", "pods on nodes that are being drained are not the first to go", drainedFirst,
			mutant{"podorder:OnNodes", "l(p.NodeName)", "false && l(p.NodeName)"}},
		{"kubernetes-138718", "scaling down leaves every node half empty", compactNodes,
			mutant{"podorder", "int64(n[p.NodeName])", "-int64(n[p.NodeName])"}},
		{"kubernetes-22065", "a ready pod is no better than one that is available", availableStays,
			mutant{"podorder", "p.Available(m, o.Now)", "p.Available(0, o.Now)"}},
		{"kubernetes-87849", "an unannotated pod goes although annotated ones are there", annotatedFirst,
			mutant{"podorder", "slices.Insert(s, 0, Stage{Rule: RulePriority, Key: annotatedKey, Text: priorityText}, t)", "slices.Insert(s, 0, t)"}},
		{"kubernetes-99212", "which of three pods goes depends on the order of the cache", cyclicChoice,
			mutant{"podorder:Order.Choose", "if n <= 0 {\n\t\treturn Choice{Survivor: -1}\n\t}", asUpstream}},
		{"kubernetes-91276", "a rollout cannot be told to stop after some pods", stopAtPod,
			mutant{"podorder/pausepoint", "p.Pause = d.pause(q, m)", "continue"}},
	}
}

// asUpstream chooses as upstream does, which sorts by a relation that has cycles.
const asUpstream = `if candidates == nil {
		list, c := slices.Clone(pods), Choice{Survivor: -1}
		o.SortUpstream(list)
		for i := range min(n, len(list)) {
			c.Victims = append(c.Victims, slices.IndexFunc(pods, func(p Pod) bool { return p.UID == list[i].UID }))
		}
		return c
	}`

// on returns a pod that has been ready for an hour.
func on(name, node string, change ...func(*podorder.Pod)) podorder.Pod {
	return member(name, append([]func(*podorder.Pod){func(p *podorder.Pod) { p.NodeName = node }}, change...)...)
}

// victims returns the names of the first n pods to go, which must not depend on the
// order of the list.
func victims(t *testing.T, o podorder.Order, pods []podorder.Pod, n int) string {
	t.Helper()
	names := func(list []podorder.Pod) (names []string) {
		for _, v := range o.Victims(list, nil, n) {
			names = append(names, list[v].Name)
		}
		return names
	}
	first := names(pods)
	for range pods {
		pods = append(slices.Clone(pods[1:]), pods[0])
		require.Equal(t, first, names(pods))
		back := slices.Clone(pods)
		slices.Reverse(back)
		require.Equal(t, first, names(back))
	}
	return fmt.Sprint(first)
}

// chain returns the order of Kubernetes with every pod as a neighbour, and with
// changed stages.
func chain(change func(stages []podorder.Stage) []podorder.Stage) podorder.Order {
	o := podorder.Order{Now: t0, Related: func(*podorder.Pod) bool { return true }}
	if change != nil {
		o.Stages = change(podorder.Current.Stages())
	}
	return o
}

// spreading replaces the neighbours on a node, the last stage, by an even spread.
func spreading(stages []podorder.Stage) []podorder.Stage {
	stages[len(stages)-1] = podorder.Stage{Rule: podorder.RuleSpread}
	return stages
}

func emptiedNode(t *testing.T) {
	pods := []podorder.Pod{on("a", "n1"), on("b", "n1"), on("c", "n1"), on("d", "n2"), on("e", "n2")}
	require.Equal(t, "[a b c]", victims(t, chain(nil), pods, 3))
	require.Equal(t, "[a b d]", victims(t, chain(spreading), pods, 3))
}

func unevenZones(t *testing.T) {
	pods := []podorder.Pod{on("a", "n1"), on("b", "n2"), on("c", "n3"), on("d", "n4")}
	o := chain(spreading)
	o.Domains = podorder.Domains{"n1": "east", "n2": "west", "n3": "west", "n4": "west"}
	require.Equal(t, "[a b]", victims(t, chain(nil), pods, 2))
	require.Equal(t, "[b c]", victims(t, o, pods, 2))
}

func cost(text string) func(*podorder.Pod) {
	return func(p *podorder.Pod) { p.Annotations = map[string]string{podorder.AnnotationDeletionCost: text} }
}

func costsFromOutside(t *testing.T) {
	pods := []podorder.Pod{on("a", "n1"), on("b", "n2", cost("-5")), on("c", "n3")}
	require.Equal(t, "[b]", victims(t, chain(nil), pods, 1))
	o := chain(func(stages []podorder.Stage) []podorder.Stage {
		stages[3] = podorder.Costs(map[string]int64{"c": -9})
		return stages
	})
	require.Equal(t, "[c b]", victims(t, o, pods, 2))
}

func protectedPod(t *testing.T) {
	pods := []podorder.Pod{on("a", "n1"), on("b", "n2", func(p *podorder.Pod) { p.Ready = false }, cost("100"))}
	require.Equal(t, "[b]", victims(t, chain(nil), pods, 1), "health goes before the cost")
	o := chain(nil)
	o.Protected = func(p *podorder.Pod) bool { return p.Name == "b" }
	require.Equal(t, "[a]", victims(t, o, pods, 2))
	require.Equal(t, 1, o.Choose(pods, nil, 2).Missing, "the plan says so")
}

func drainedFirst(t *testing.T) {
	pods := []podorder.Pod{on("a", "n1"), on("b", "n1"), on("c", "n2")}
	require.Equal(t, "[a]", victims(t, chain(nil), pods, 1))
	o := chain(func(stages []podorder.Stage) []podorder.Stage {
		return slices.Insert(stages, 0, podorder.OnNodes(func(node string) bool { return node == "n2" }))
	})
	require.Equal(t, "[c]", victims(t, o, pods, 1))
}

func compactNodes(t *testing.T) {
	pods := []podorder.Pod{on("a", "n1"), on("b", "n1"), on("c", "n2")}
	o := chain(func(stages []podorder.Stage) []podorder.Stage {
		stages[4] = podorder.Compact(podorder.Neighbours{"n1": 2, "n2": 1})
		return stages
	})
	require.Equal(t, "[c]", victims(t, o, pods, 1))
}

func availableStays(t *testing.T) {
	pods := []podorder.Pod{on("a", "n1"), on("b", "n2", readySince(20*time.Second), cost("1"))}
	require.Equal(t, "[a]", victims(t, chain(nil), pods, 1))
	o := chain(func(stages []podorder.Stage) []podorder.Stage {
		return slices.Insert(stages, 3, podorder.Order{Now: t0}.Unavailable(30))
	})
	require.Equal(t, "[b]", victims(t, o, pods, 1))
}

func annotatedFirst(t *testing.T) {
	priority := func(p *podorder.Pod) { p.Annotations = map[string]string{podorder.AnnotationDeletePriority: "-1"} }
	pods := []podorder.Pod{on("a", "n1"), on("b", "n2", priority), on("c", "n3")}
	o := chain(nil)
	o.Priority = podorder.PriorityAnnotatedFirst
	require.Equal(t, "[b a]", victims(t, o, pods, 2))
	o.Priority = podorder.PriorityFirst
	require.Equal(t, "[a b]", victims(t, o, pods, 2), "as it was proposed")
}

// cyclicChoice: a and c became ready at one instant, and c has restarted; b is of the
// same age bucket. By UID a goes before b and b before c, and by restarts c before a.
func cyclicChoice(t *testing.T) {
	pods := []podorder.Pod{
		on("a", "n1", readySince(600*time.Second)), on("b", "n2", readySince(601*time.Second)),
		on("c", "n3", readySince(600*time.Second), func(p *podorder.Pod) { p.Restarts = 3 }),
	}
	o := chain(nil)
	require.Negative(t, o.Compare(pods[0], pods[1]))
	require.Negative(t, o.Compare(pods[1], pods[2]))
	require.Negative(t, o.Compare(pods[2], pods[0]))
	require.Equal(t, "[b c]", victims(t, o, pods, 2))
}

func stopAtPod(t *testing.T) {
	point := func(p *podorder.Pod) { p.Annotations = map[string]string{pausepoint.Annotation: "before"} }
	pods := []podorder.Pod{on("a", "n1"), on("b", "n2"), on("c", "n3", point), on("d", "n4")}
	down := []pausepoint.ScaleDown{{Name: "web-v1", N: 4, Cause: pausepoint.CauseRollout}}
	p := pausepoint.Decide(podorder.Order{Now: t0}, pods, down, pausepoint.State{Name: "web", Revision: 2})
	require.Equal(t, []int{2}, p.Delete)
	require.NotNil(t, p.Pause)
	require.Equal(t, "c", p.Pause.Pod)
	resumed := pausepoint.State{Name: "web", Revision: 2, Token: p.Pause.Token}
	require.Equal(t, []int{4}, pausepoint.Decide(podorder.Order{Now: t0}, pods, down, resumed).Delete)
}
