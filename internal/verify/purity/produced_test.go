// SPDX-License-Identifier: Apache-2.0

package purity

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
)

func TestProduced(t *testing.T) {
	type part struct {
		rules []podorder.Rule
		any   any
		at    time.Time
		text  string
	}
	var p Produced
	all := p.missing(t, "../../../podorder", "Rule", "Phase")
	require.Contains(t, all, "RuleCost")
	p.Note(&part{at: time.Unix(0, 0), rules: []podorder.Rule{podorder.RuleCost}, any: podorder.RulePhase, text: string(podorder.RuleID)}, podorder.RuleAll, nil)
	left := p.missing(t, "../../../podorder", "Rule", "Phase")
	require.Len(t, left, len(all)-3)
	require.NotContains(t, left, "RuleCost")
	require.NotContains(t, left, "RulePhase")
	require.NotContains(t, left, "RuleAll")
	require.Contains(t, left, "RuleID", "a text of another type is not the constant")
	require.IsIncreasing(t, left)
	require.Contains(t, failure(func(t T) { p.missing(t, ".", "Rule") }), "no constants of type Rule")
}
