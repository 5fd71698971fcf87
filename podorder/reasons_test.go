// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/purity"
)

// Each rule has a case in which it tells the victim from the survivor: of the pods a and
// b, of which a goes, or for the rule All both.
func TestRules(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	made := func(name string, change func(p *Pod)) Pod {
		p := Pod{Name: name, UID: name, NodeName: "n", Phase: Running, Ready: true, ReadySince: now.Add(-time.Hour), CreationTimestamp: now.Add(-time.Hour)}
		if change != nil {
			change(&p)
		}
		return p
	}
	byName := func(rule Rule) Order {
		return Order{Now: now, Stages: []Stage{{Rule: rule, Key: func(p *Pod) int64 { return int64(p.Name[0]) }}}}
	}
	seen := map[string]bool{}
	spread := Order{Now: now, Domains: Domains{"n": "z1", "m": "z2"}, Stages: []Stage{{Rule: RuleSpread}}}
	for _, c := range []struct {
		rule  Rule
		order Order
		a, b  func(p *Pod)
		more  []Pod // which stay
		n     int
	}{
		{rule: RuleUnassigned, a: func(p *Pod) { p.NodeName = "" }},
		{rule: RulePhase, a: func(p *Pod) { p.Phase = Pending }},
		{rule: RuleNotReady, a: func(p *Pod) { p.Ready = false }},
		{rule: RuleCost, a: withAnnotation(AnnotationDeletionCost, "-1")},
		{rule: RuleNeighbours, order: New(now, Neighbours{"m": 1, "n": 2}), b: func(p *Pod) { p.NodeName = "m" }},
		{rule: RuleReadyTime, a: func(p *Pod) { p.ReadySince = now.Add(-time.Minute) }},
		{rule: RuleRestarts, a: func(p *Pod) { p.Restarts = 1 }},
		{rule: RuleSidecars, a: func(p *Pod) { p.SidecarRestarts = 1 }},
		{rule: RuleCreated, a: func(p *Pod) { p.CreationTimestamp = now.Add(-time.Minute) }},
		{rule: RuleID},
		{rule: RulePriority, order: Order{Now: now, Priority: PriorityFirst}, a: withAnnotation(AnnotationDeletePriority, "2"), b: withAnnotation(AnnotationDeletePriority, "1")},
		{rule: RuleSpread, order: spread, b: func(p *Pod) { p.NodeName = "m" }, more: []Pod{made("c", nil)}},
		{rule: RuleSpecified, order: byName(RuleSpecified)},
		{rule: RuleNodeState, order: byName(RuleNodeState)},
		{rule: RuleCompact, order: byName(RuleCompact)},
		{rule: RuleAvailable, order: byName(RuleAvailable)},
		// The restarts put c in front of b, which became ready at the same instant, and the
		// UIDs put b in front of a, and a in front of c.
		{rule: RuleCycle, n: 2, a: func(p *Pod) { p.UID, p.ReadySince = "2", now.Add(-50*time.Minute) }, b: func(p *Pod) { p.UID = "1" },
			more: []Pod{made("c", func(p *Pod) { p.UID, p.Restarts = "3", 1 })}},
		{rule: RuleAll, n: 2},
	} {
		if c.order.Now.IsZero() {
			c.order = New(now, nil)
		}
		pods := append([]Pod{made("a", c.a), made("b", c.b)}, c.more...)
		choice := c.order.Choose(pods, nil, max(c.n, 1))
		why := c.order.Explain(pods, nil, choice)
		require.Equal(t, "a", why[0].Pod, c.rule)
		require.Equal(t, c.rule, why[0].Rule)
		seen[string(c.rule)] = true
	}
	for name, text := range purity.Constants(t, ".", "Rule") {
		require.True(t, seen[text], "%s has no case", name)
	}
}

func withAnnotation(key, value string) func(p *Pod) {
	return func(p *Pod) { p.Annotations = map[string]string{key: value} }
}
