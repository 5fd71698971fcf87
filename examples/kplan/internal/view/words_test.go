// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	daemonsetreason "github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	replicasetreason "github.com/kplan-go/kplan/replicaset/reason"
)

// constants calls see with the value of every string constant of a file of the
// module, in order, and its block.
func constants(t *testing.T, path string, see func(text, blockComment string)) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../../../"+path, nil, parser.ParseComments)
	require.NoError(t, err)
	for _, decl := range file.Decls {
		block, ok := decl.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST {
			continue
		}
		for _, spec := range block.Specs {
			values := spec.(*ast.ValueSpec).Values
			require.Len(t, values, 1)
			literal, ok := values[0].(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				continue
			}
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			see(text, block.Doc.Text())
		}
	}
}

// checkWords holds words against the constants of a planner: a reason that is added there
// must be put into words here, and a reason of a hold needs advice. The comment of a block
// says what its reasons are of.
func checkWords(t *testing.T, acts actionWords, waits holdWords, path, ofActions, ofHolds string) (actions, holds int) {
	t.Helper()
	constants(t, path, func(text, block string) {
		r := kplan.Reason(text)
		switch {
		case regexp.MustCompile(ofActions).MatchString(block):
			require.NotEmpty(t, acts[r], "%s has no words", r)
			actions++
		case regexp.MustCompile(ofHolds).MatchString(block):
			checkAdvice(t, waits, r)
			holds++
		}
	})
	return actions, holds
}

func checkAdvice(t *testing.T, waits holdWords, r kplan.Reason) {
	t.Helper()
	a, ok := waits[r]
	require.True(t, ok, "%s has no advice", r)
	require.NotEmpty(t, a.Text, "%s", r)
	require.LessOrEqual(t, strings.Count(a.Text, "%"), 2, "%s", r)
	for _, sentence := range []string{a.Means, a.Ends} {
		require.Regexp(t, `^[A-Zk].*\.$`, sentence, "%s", r)
		require.LessOrEqual(t, len(sentence), 90, "%s", r)
	}
}

// TestEveryReasonHasWords: of Deployments.
func TestEveryReasonHasWords(t *testing.T) {
	actions, holds := checkWords(t, deploymentActions, deploymentHolds, "deploy/reason/reason.go", `^Reasons of actions\.`, `^Reasons of holds\.`)
	require.Len(t, deploymentActions, actions)
	require.Len(t, deploymentHolds, holds, "advice on what is no hold")
}

// TestEveryDaemonReasonHasWords: of DaemonSets. One reason is of actions and of holds.
func TestEveryDaemonReasonHasWords(t *testing.T) {
	actions, holds := checkWords(t, daemonSetActions, daemonSetHolds, "daemonset/reason/reason.go", `^Reasons of actions\.`, `^Reasons of holds\.`)
	require.Len(t, daemonSetActions, actions)
	require.Len(t, daemonSetHolds, holds+1)
	checkAdvice(t, daemonSetHolds, daemonsetreason.PreDelete)
	places := 0
	constants(t, "daemonset/reason/reason.go", func(text, block string) {
		if strings.HasPrefix(block, "Reasons of a Placement") {
			require.NotEmpty(t, placements[kplan.Reason(text)], text)
			places++
		}
	})
	require.Len(t, placements, places)
}

// TestEveryRolloutReasonHasWords: of Rollouts and BatchReleases. Reasons of admission and
// of the Argo dialect are not shown.
func TestEveryRolloutReasonHasWords(t *testing.T) {
	const ofActions, ofHolds = `^Reasons of actions of a (BatchRelease|Rollout)\.`, `^Reasons for which a `
	actions, holds := checkWords(t, rolloutActions, rolloutHolds, "rollout/kruise/reason/reason.go", ofActions, ofHolds)
	ofBatches, heldBatches := checkWords(t, rolloutActions, rolloutHolds, "rollout/batchrelease/reason/reason.go", ofActions, ofHolds)
	require.Len(t, rolloutActions, actions+ofBatches-2, "two are reasons of both")
	require.Len(t, rolloutHolds, holds+heldBatches-3, "three are reasons of both")
}

// TestEveryPodReasonHasWords: of ReplicaSets. Those of actions come with numbers.
func TestEveryPodReasonHasWords(t *testing.T) {
	actions := map[kplan.Reason]bool{
		replicasetreason.Orphan: true, replicasetreason.NoMatch: true, replicasetreason.TooFew: true, replicasetreason.TooMany: true,
	}
	seen := 0
	constants(t, "replicaset/reason/reason.go", func(text, _ string) {
		r := kplan.Reason(text)
		if !actions[r] {
			checkAdvice(t, replicaSetHolds, r)
		}
		seen++
	})
	require.Equal(t, len(actions)+len(replicaSetHolds), seen)
}

// TestEveryRuleHasWords: a rule of the deletion order must be put into words here.
func TestEveryRuleHasWords(t *testing.T) {
	seen := 0
	for _, path := range []string{"podorder/stage.go", "podorder/explain.go"} {
		constants(t, path, func(text, _ string) {
			require.NotEmpty(t, rules[podorder.Rule(text)], "%s has no words", text)
			seen++
		})
	}
	require.Len(t, rules, seen)
}

func TestRuleText(t *testing.T) {
	now := time.Date(2026, time.March, 3, 9, 30, 0, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(-d).Format(time.RFC3339Nano) }
	tests := []struct {
		e    podorder.Explanation
		want string
	}{
		{podorder.Explanation{Rule: podorder.RuleReadyTime, Value: at(time.Minute), OtherValue: at(time.Hour)}, "ready for less time"},
		{podorder.Explanation{Rule: podorder.RuleReadyTime, Value: at(50 * time.Hour), OtherValue: at(48 * time.Hour)}, "ready for about as long, so by UID"},
		{podorder.Explanation{Rule: podorder.RuleReadyTime, Value: "unset", OtherValue: at(48 * time.Hour)}, "ready for less time"},
		{podorder.Explanation{Rule: podorder.RuleCreated, Value: at(50 * time.Hour), OtherValue: at(48 * time.Hour)}, "about as old, so by UID"},
		{podorder.Explanation{Rule: podorder.RuleNeighbours, Value: `3 on "n"`, OtherValue: `1 on "m"`}, "more neighbours on its node: 3 > 1"},
		{podorder.Explanation{Rule: podorder.RulePhase, Value: "Pending", OtherValue: "Running"}, "Pending before Running"},
		{podorder.Explanation{Rule: "Moon", Value: "full", OtherValue: "new"}, "Moon (full, new)"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, ruleText(tt.e, now))
	}
}

// TestAdviceOnUnknown: a reason without advice is no reason to fail.
func TestAdviceOnUnknown(t *testing.T) {
	require.Contains(t, deploymentHolds.advice("Moonlight").Ends, "Moonlight")
	require.False(t, deploymentHolds.advice("Moonlight").Stuck)
}

func TestOneLine(t *testing.T) {
	require.Equal(t, "a b", oneLine(" a\n\tb "))
	require.Len(t, []rune(oneLine(strings.Repeat("é", 500))), 160)
}

// TestManyPods: a long list is cut, and what is left out is counted.
func TestManyPods(t *testing.T) {
	e := Explanation{}
	p := PodPlan{Name: "web-1"}
	for i := range 13 {
		reason := "ImagePullBackOff"
		if i == 12 {
			reason = "Unschedulable"
		}
		e.Idle = append(e.Idle, Pod{Name: fmt.Sprint("web-", i), Reason: reason})
		p.Plan.Actions = append(p.Plan.Actions, replicaset.DeletePod{Name: fmt.Sprint("web-", i)})
	}
	var text strings.Builder
	e.idle(terminal.NewWriter(&text))
	require.Contains(t, text.String(), "web-9 ")
	require.NotContains(t, text.String(), "web-10")
	require.Contains(t, text.String(), "and 3 more: 2 ImagePullBackOff, 1 Unschedulable\n")
	rows := p.rows()
	require.Len(t, rows, 11)
	require.Equal(t, "delete 3 more pods of web-1", rows[10][0])
}

// TestTie: pods that are alike in all are told as a tie, not as a rule of Kubernetes.
func TestTie(t *testing.T) {
	pods := []podorder.Pod{{Name: "a", UID: "1"}, {Name: "b", UID: "2"}}
	order := podorder.New(time.Unix(100, 0), nil)
	choice := order.Choose(pods, nil, 1)
	require.Equal(t, "a tie: Kubernetes takes what its cache lists first", ruleText(order.Explain(pods, nil, choice)[0], order.Now))
}
