// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
)

func onNode(p podorder.Pod, node string) podorder.Pod {
	p.NodeName = node
	return p
}

// spreading is the order of the legacy chain with the spread behind health.
func spreading(domains podorder.Domains) podorder.Order {
	return podorder.Order{
		Chain: podorder.Legacy15, Domains: domains,
		Stages: append(podorder.Legacy15.Stages(), podorder.Stage{Rule: podorder.RuleSpread}),
	}
}

func zonedPods(t random.T, n int) []podorder.Pod {
	pods := make([]podorder.Pod, n)
	for i := range pods {
		pods[i] = onNode(running(fmt.Sprintf("%02d", i), t0.Add(time.Duration(random.Between(t, "age", 0, 2))*time.Hour)),
			random.OneOf[string](t, "node", "n1", "n2", "n3", "n4"))
		pods[i].Ready = random.Between(t, "ready", 0, 4) > 0
	}
	return pods
}

// TestSpreadIterative: three pods on one node and two on another, and three of five
// are to go: counting once deletes all three of one node.
func TestSpreadIterative(t *testing.T) {
	var pods []podorder.Pod
	for i, node := range []string{"n1", "n1", "n1", "n2", "n2"} {
		pods = append(pods, onNode(running(fmt.Sprint(i), t0), node))
	}
	nodes := func(o podorder.Order) (left []string) {
		victims := o.Victims(pods, nil, 3)
		for i := range pods {
			if !slices.Contains(victims, i) {
				left = append(left, pods[i].NodeName)
			}
		}
		return left
	}
	once := podorder.New(t0.Add(time.Hour), podorder.Neighbours{"n1": 3, "n2": 2})
	require.Equal(t, []string{"n2", "n2"}, nodes(once), "upstream empties a node: kubernetes/kubernetes#102948")
	anew := once
	anew.Stages = once.Chain.Stages()
	anew.Stages[4] = podorder.Stage{Rule: podorder.RuleSpread}
	require.Equal(t, []string{"n1", "n2"}, nodes(anew), "counting anew keeps one on each")
	anew.Neighbours = nil
	require.Equal(t, []string{"n1", "n2"}, nodes(anew), "without neighbours the candidates are counted")
	anew.Neighbours = podorder.Neighbours{"n1": 3, "n2": 9}
	require.Equal(t, []string{"n1", "n1"}, nodes(anew), "seven others on n2 are more")
	anew.Neighbours, anew.Related = nil, func(p *podorder.Pod) bool { return p.NodeName == "n1" }
	require.Equal(t, []string{"n2", "n2"}, nodes(anew), "only n1 has relatives")
	anew.Related = nil
	require.Equal(t, []int{1}, anew.Victims(pods, []int{1, 3, 2, 77}, 1), "and then only the candidates are counted")
	require.Equal(t, []int{3}, anew.Victims(pods, []int{1, 3, 4}, 1), "which are fewer on n1")
	anew.Domains, anew.Neighbours = podorder.Domains{"n1": "a", "n3": "a", "n2": "b"}, podorder.Neighbours{"n1": 2, "n2": 3, "n3": 2}
	require.Equal(t, []int{0}, anew.Victims(pods, nil, 1), "all nodes of a domain count")
	anew.Domains = nil
	x, y := pods[0], pods[4]
	anew.Neighbours = podorder.Neighbours{"n1": 3, "n2": 2}
	require.Equal(t, -1, anew.Compare(x, y), "before the first victim")
	require.Equal(t, 1, anew.Compare(y, x))
}

// Property: picking all at once is picking one after the other.
func TestSpreadOracle(t *testing.T) {
	domains := podorder.Domains{"n1": "a", "n2": "a", "n3": "b"}
	random.Check(t, func(t random.T) {
		pods := zonedPods(t, random.Between(t, "n", 1, 12))
		n := random.Between(t, "victims", 1, len(pods))
		for _, d := range []podorder.Domains{domains, nil} {
			of := func(p *podorder.Pod) string {
				if d == nil {
					return p.NodeName
				}
				return d[p.NodeName]
			}
			var got []string
			for _, v := range spreading(d).Victims(pods, nil, n) {
				got = append(got, pods[v].Name)
			}
			if diff := gocmp.Diff(slowSpread(of, pods, n), got); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}
	})
}

// Property: of all choices that respect health, the spread leaves the most even one:
// the sum of squares and the difference between the fullest and the emptiest zone are
// the least.
func TestSpreadOptimal(t *testing.T) {
	domains := podorder.Domains{"n1": "a", "n2": "b", "n3": "c", "n4": "c"}
	cases := 0
	random.Check(t, func(t random.T) {
		pods := zonedPods(t, random.Between(t, "n", 1, 8))
		n := random.Between(t, "victims", 0, len(pods))
		measure := func(gone func(i int) bool) (squares, skew int) {
			counts := map[string]int{}
			for i := range pods {
				counts[domains[pods[i].NodeName]] += 0
				if !gone(i) {
					counts[domains[pods[i].NodeName]]++
				}
			}
			least, most := len(pods), 0
			for _, c := range counts {
				squares += c * c
				least, most = min(least, c), max(most, c)
			}
			return squares, most - least
		}
		unready := 0
		for i := range pods {
			if !pods[i].Ready {
				unready++
			}
		}
		bestSquares, bestSkew := 1<<30, 1<<30
		for set := range 1 << len(pods) {
			sick := 0
			for i := range pods {
				if set>>i&1 == 1 && !pods[i].Ready {
					sick++
				}
			}
			if bits.OnesCount(uint(set)) != n || sick != min(n, unready) {
				continue
			}
			squares, skew := measure(func(i int) bool { return set>>i&1 == 1 })
			bestSquares, bestSkew = min(bestSquares, squares), min(bestSkew, skew)
			cases++
		}
		victims := spreading(domains).Victims(pods, nil, n)
		squares, skew := measure(func(i int) bool { return slices.Contains(victims, i) })
		if squares != bestSquares || skew != bestSkew {
			t.Fatalf("sum of squares %d and skew %d, possible are %d and %d", squares, skew, bestSquares, bestSkew)
		}
	})
	require.NotZero(t, cases)
}

// TestSpreadNested: the zone first, and within it the node.
func TestSpreadNested(t *testing.T) {
	zones := podorder.Domains{"n1": "a", "n2": "a", "n3": "b", "n4": "b"}
	var pods []podorder.Pod
	for i, node := range []string{"n2", "n1", "n1", "n1", "n3", "n4"} {
		pods = append(pods, onNode(running(fmt.Sprint(i), t0), node))
	}
	o := podorder.Order{Chain: podorder.Legacy, Stages: []podorder.Stage{{Rule: podorder.RuleSpread, Domains: zones}, {Rule: podorder.RuleSpread}}}
	var nodes []string
	for _, v := range o.Victims(pods, nil, 4) {
		nodes = append(nodes, pods[v].NodeName)
	}
	require.Equal(t, []string{"n1", "n1", "n2", "n3"}, nodes, "zone a has four of six, and n1 three of them; then all are even, and then zone b has more")
}

// TestRelated: counting the relatives in the list is the same as having counted them.
func TestRelated(t *testing.T) {
	random.Check(t, func(t random.T) {
		o, pods := anyOrder(t), random.AlikePods(t, random.Between(t, "n", 0, 20))
		for i := range pods {
			pods[i].NodeName = random.OneOf[string](t, "node", "", "n1", "n2", "n3", "n4")
			if random.Between(t, "deleted", 0, 3) == 0 {
				pods[i].DeletionTimestamp = t0
			}
		}
		related := func(p *podorder.Pod) bool { return p.Restarts > 0 }
		o.Neighbours = podorder.Neighbours{}
		for i := range pods {
			if related(&pods[i]) {
				o.Neighbours.Add(&pods[i])
			}
		}
		var candidates []int
		for i := range pods {
			if random.Bool(t, "candidate") {
				candidates = append(candidates, i)
			}
		}
		n := random.Between(t, "victims", 0, len(pods))
		want := o.Victims(pods, candidates, n)
		o.Neighbours, o.Related = nil, related
		if diff := gocmp.Diff(want, o.Victims(pods, candidates, n)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Stages of the caller stand in for those of any chain, and so they see who is related.
func TestRelatedWithStages(t *testing.T) {
	pods := []podorder.Pod{onNode(running("0", t0), "n1"), onNode(running("1", t0), "n2"), onNode(running("2", t0), "n2")}
	o := podorder.Order{
		Chain: podorder.Legacy, Stages: []podorder.Stage{{Rule: podorder.RuleNeighbours}},
		Related: func(*podorder.Pod) bool { return true },
	}
	require.Equal(t, []int{1, 2, 0}, o.Victims(pods, nil, 3))
}

// Only pods of the list count for the spread, the first and the last among them.
func TestSpreadOfCandidates(t *testing.T) {
	pods := []podorder.Pod{onNode(running("0", t0), "n1"), onNode(running("1", t0.Add(time.Hour)), "n2"), onNode(running("2", t0), "n1")}
	o := podorder.Order{Stages: []podorder.Stage{{Rule: podorder.RuleSpread}}}
	require.Equal(t, []int{0}, o.Victims(pods, []int{-1, 0, 1, 2, 3}, 1), "n1 has two, or else the youngest would go")
}

func TestStages(t *testing.T) {
	now := t0.Add(time.Hour)
	pods := []podorder.Pod{
		onNode(running("0", t0), "n1"), onNode(running("1", t0), "n1"), onNode(running("2", t0.Add(59*time.Minute+50*time.Second)), "n2"),
		cost(onNode(running("3", t0), "n3"), "-5"), with(onNode(running("4", t0), "n3"), func(p *podorder.Pod) { p.Ready = false }),
	}
	base := podorder.New(now, podorder.Neighbours{"n1": 2, "n2": 1, "n3": 2})
	insert := func(at int, s podorder.Stage) podorder.Order {
		o := base
		o.Stages = slices.Insert(base.Chain.Stages(), at, s)
		return o
	}
	replace := func(at int, s podorder.Stage) podorder.Order {
		o := base
		o.Stages = base.Chain.Stages()
		o.Stages[at] = s
		return o
	}
	for _, c := range []struct {
		why  string
		o    podorder.Order
		want string
	}{
		{"the chain", base, "43012"},
		{"its own stages change nothing", insert(0, podorder.Stage{Rule: "Unheard"}), "43012"},
		{"specified pods first", insert(0, podorder.Specified("pod-1")), "14302"},
		{"leaving nodes first", insert(0, podorder.OnNodes(func(n string) bool { return n == "n2" })), "24301"},
		{"ready and not available after not ready", insert(3, base.Unavailable(30)), "42301"},
		{"costs from outside", replace(3, podorder.Costs(map[string]int64{"pod-0": -9, "pod-3": 9})), "40123"},
		{"an overlay keeps the other annotations", replace(3, podorder.Costs(map[string]int64{"pod-0": 1})), "43120"},
		{"fewer neighbours first", replace(4, podorder.Compact(base.Neighbours)), "43201"},
		{"no stages at all: readiness and the rest of the chain", podorder.Order{Now: now, Stages: []podorder.Stage{}}, "42013"},
	} {
		sorted := slices.Clone(pods)
		c.o.Sort(sorted)
		require.Equal(t, c.want, uids(sorted), c.why)
	}
	require.Len(t, podorder.Legacy.Stages(), 3)
}

// Property: a stage changes nothing among pods that an earlier one tells apart.
func TestStageDominance(t *testing.T) {
	random.Check(t, func(t random.T) {
		pods := random.AlikePods(t, random.Between(t, "n", 2, 10))
		first := podorder.Specified("p000", "p002")
		o := podorder.Order{Now: t0.Add(100 * time.Hour), Stages: []podorder.Stage{first, {Rule: podorder.RuleSpread}, {Rule: podorder.RuleCost}}}
		o.Sort(pods)
		for i := range pods[1:] {
			if first.Key(&pods[i]) > first.Key(&pods[i+1]) {
				t.Fatalf("%s stands in front of %s", pods[i].Name, pods[i+1].Name)
			}
		}
	})
}

func TestProtected(t *testing.T) {
	pods := []podorder.Pod{running("0", t0), running("1", t0), running("2", t0)}
	o := podorder.Order{Chain: podorder.Legacy, Protected: func(p *podorder.Pod) bool { return p.UID == "0" }}
	for _, c := range []struct {
		why  string
		n    int
		want podorder.Choice
	}{
		{"the protected pod would be the first", 1, podorder.Choice{Victims: []int{1}, Survivor: 2, Protected: 1}},
		{"all others", 2, podorder.Choice{Victims: []int{1, 2}, Survivor: -1, Protected: 1}},
		{"one is missing", 3, podorder.Choice{Victims: []int{1, 2}, Survivor: -1, Protected: 1, Missing: 1}},
		{"no more than there are candidates", 9, podorder.Choice{Victims: []int{1, 2}, Survivor: -1, Protected: 1, Missing: 1}},
		{"none", 0, podorder.Choice{Survivor: -1}},
	} {
		require.Equal(t, c.want, o.Choose(pods, nil, c.n), c.why)
	}
	require.Equal(t, podorder.Choice{Survivor: -1, Protected: 1, Missing: 1}, o.Choose(pods, []int{0}, 1))
	o.Sort(pods)
	require.Equal(t, "120", uids(pods), "in a list they come last")
	o.SortUpstream(pods)
	require.Equal(t, "120", uids(pods), "upstream knows no protection, and all three tie")
}

func TestExplain(t *testing.T) {
	now := t0.Add(100 * time.Hour)
	base := podorder.New(now, podorder.Neighbours{"n1": 2, "n2": 1})
	staged := base
	staged.Stages = append([]podorder.Stage{podorder.Specified("pod-a")}, podorder.Stage{Rule: "Size", Key: func(p *podorder.Pod) int64 { return int64(p.Restarts) }},
		podorder.Stage{Rule: podorder.RuleSpread})
	type pod = podorder.Pod
	a, b := running("a", t0), running("b", t0)
	for _, c := range []struct {
		why  string
		o    podorder.Order
		a, b pod
		want string
	}{
		{"assigned", base, onNode(a, ""), b, "Unassigned (no node, n1)"},
		{"phase", base, with(a, func(p *pod) { p.Phase = "" }), b, "Phase (no phase, Running)"},
		{"ready", base, with(a, func(p *pod) { p.Ready = false }), b, "NotReady (not ready, ready)"},
		{"cost", base, cost(a, "-7"), b, "DeletionCost (-7, 0)"},
		{"neighbours", base, a, onNode(b, "n2"), `Neighbours (2 on "n1", 1 on "n2")`},
		{"ready time", base, with(a, func(p *pod) { p.ReadySince = t0.Add(80 * time.Hour) }), b, "ReadyTime (2026-03-04T20:00:00Z, 2026-03-01T12:00:00Z)"},
		{"ready time unset", base, with(a, func(p *pod) { p.ReadySince = time.Time{} }), b, "ReadyTime (unset, 2026-03-01T12:00:00Z)"},
		{"restarts", base, with(a, func(p *pod) { p.Restarts = 3 }), b, "Restarts (3, 0)"},
		{"sidecars", base, with(a, func(p *pod) { p.SidecarRestarts = 3 }), b, "SidecarRestarts (3, 0)"},
		{"created", base, with(a, func(p *pod) { p.CreationTimestamp = t0.Add(1) }), b, "CreationTime (2026-03-01T12:00:00.000000001Z, 2026-03-01T12:00:00Z)"},
		{"nothing", base, a, b, "ID (a, b)"},
		{"no UID either", base, with(a, func(p *pod) { p.UID = "" }), with(b, func(p *pod) { p.UID = "" }), "ID (pod-a, pod-b)"},
		{"priority", podorder.Seed(), priority(a, "2"), priority(b, "1"), `DeletePriority ("2", "1")`},
		{"priority as a stage", podorder.Order{Priority: podorder.PriorityMissingAsZero}, priority(a, "2"), b, `DeletePriority ("2", none)`},
		{"priorities that tie", podorder.Seed(), priority(a, "2"), priority(b, "02"), "Cycle (a, b)"},
		{"a stage with a text", staged, a, b, "Specified (specified, not specified)"},
		{"a stage with a number", staged, with(a, func(p *pod) { p.Name = "x" }), with(b, func(p *pod) { p.Restarts = 4 }), "Size (0, 4)"},
		{"a spread", staged, with(a, func(p *pod) { p.Name = "x" }), onNode(b, "n2"), `Spread (2 in "n1", 1 in "n2")`},
		{"a builtin stage", func() podorder.Order { o := base; o.Stages = base.Chain.Stages(); return o }(), a, onNode(b, "n2"), `Neighbours (2 on "n1", 1 on "n2")`},
	} {
		t.Run(c.why, func(t *testing.T) {
			pods := []pod{c.b, c.a}
			choice := c.o.Choose(pods, nil, 1)
			require.Equal(t, []int{1}, choice.Victims)
			got := c.o.Explain(pods, nil, choice)
			require.Len(t, got, 2)
			require.Equal(t, c.a.Name+" goes before "+c.b.Name+": "+c.want, got[0].String())
			require.True(t, got[1].Stays)
			require.Equal(t, []string{c.b.Name, c.a.Name, got[0].OtherValue, got[0].Value}, []string{got[1].Pod, got[1].Other, got[1].Value, got[1].OtherValue})
			require.Equal(t, got[0].Rule, got[1].Rule)
			require.Contains(t, got[1].String(), " stays behind ")
			rule, sign := c.o.Decide(&c.a, &c.b)
			if got[0].Rule != podorder.RuleID && got[0].Rule != podorder.RuleCycle {
				require.Equal(t, got[0].Rule, rule)
				require.Equal(t, -1, sign)
			}
		})
	}
	all := []pod{a, b}
	got := base.Explain(all, nil, base.Choose(all, nil, 2))
	require.Equal(t, []podorder.Explanation{{Pod: "pod-a", Rule: podorder.RuleAll}, {Pod: "pod-b", Rule: podorder.RuleAll}}, got)
	require.Equal(t, "pod-a goes: none stays", got[0].String())
	require.Empty(t, base.Explain(all, nil, podorder.Choice{Victims: []int{7}, Survivor: -1}), "a choice of other pods explains nothing")
}

// TestExplainCycle: C B A is the canonical order of the cycle, and A before C is
// what upstream says.
func TestExplainCycle(t *testing.T) {
	pods := []podorder.Pod{running("1", t0), with(running("3", t0), func(p *podorder.Pod) { p.Restarts = 5 }),
		with(running("2", t0.Add(time.Second)), func(p *podorder.Pod) { p.CreationTimestamp = t0 })}
	o := podorder.New(t0.Add(100*time.Hour), nil)
	var texts []string
	for _, e := range o.Explain(pods, nil, o.Choose(pods, nil, 2)) {
		texts = append(texts, e.String())
	}
	require.Equal(t, []string{
		"pod-2 goes before pod-1: Cycle (2, 1)",
		"pod-3 goes before pod-1: Restarts (5, 0)",
		"pod-1 stays behind pod-3: Restarts (0, 5)",
	}, texts)
}
