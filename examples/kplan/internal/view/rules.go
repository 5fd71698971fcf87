// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// rules are the words for the reasons why a pod goes before another one. Verbs %s stand for the two
// values.
var rules = map[podorder.Rule]string{
	podorder.RuleUnassigned: "not on a node",
	podorder.RulePhase:      "%s before %s",
	podorder.RuleNotReady:   "not ready",
	podorder.RuleCost:       "lower deletion cost: %s < %s",
	podorder.RuleNeighbours: "more neighbours on its node: %s > %s",
	podorder.RuleReadyTime:  "ready for less time",
	podorder.RuleRestarts:   "more restarts: %s > %s",
	podorder.RuleSidecars:   "more restarts of a sidecar: %s > %s",
	podorder.RuleCreated:    "younger",
	podorder.RuleID:         tieWhy,
	podorder.RuleCycle:      "the rules go round in a circle here",
	podorder.RuleAll:        "none stays",

	podorder.RulePriority:  "delete priority %s before %s",
	podorder.RuleSpread:    "more pods in its domain: %s, %s",
	podorder.RuleSpecified: "named by the user",
	podorder.RuleNodeState: "its node is going away",
	podorder.RuleCompact:   "fewer neighbours on its node: %s < %s",
	podorder.RuleAvailable: "not available yet",
}

// ruleText returns the words for the reason why a pod goes before another one.
func ruleText(e podorder.Explanation, now time.Time) string {
	if e.Rule == podorder.RuleReadyTime && alike(e, now) {
		return "ready for about as long, so by UID"
	}
	if e.Rule == podorder.RuleCreated && alike(e, now) {
		return "about as old, so by UID"
	}
	format, ok := rules[e.Rule]
	if !ok {
		return fmt.Sprintf("%s (%s, %s)", e.Rule, e.Value, e.OtherValue)
	}
	values := []any{number(e.Value), number(e.OtherValue)}
	return fmt.Sprintf(format, values[:strings.Count(format, "%s")]...)
}

// alike reports whether both times are in the same age bucket, and therefore do not decide.
func alike(e podorder.Explanation, now time.Time) bool {
	a, err := time.Parse(time.RFC3339Nano, e.Value)
	b, err2 := time.Parse(time.RFC3339Nano, e.OtherValue)
	return err == nil && err2 == nil && podorder.AgeBucket(a, now) == podorder.AgeBucket(b, now)
}

// number returns the number at the start of a value, such as 3 in 3 on "worker-1".
func number(value string) string {
	if n, _, ok := strings.Cut(value, ` on "`); ok {
		return n
	}
	return value
}

// tieWhy returns the reason why the order of some pods is uncertain.
const tieWhy = "a tie: Kubernetes takes what its cache lists first"

// A Tie is a list of pods of which Count are deleted, and it is uncertain which.
type Tie struct {
	Count int      `json:"count"`
	Pods  []string `json:"pods"`
}

// text returns the tie in words.
func (t *Tie) text() string {
	names := t.Pods
	if len(names) > maxPods {
		names = append(names[:maxPods:maxPods], fmt.Sprintf("and %d more", len(t.Pods)-maxPods))
	}
	return fmt.Sprintf("any %d of these %d: %s", t.Count, len(t.Pods), strings.Join(names, ", "))
}

func (t *Tie) has(name string) bool { return t != nil && slices.Contains(t.Pods, name) }

// actions encodes actions, and marks the deletions of pods of the tie: the planner has chosen these
// pods, but Kubernetes may delete others.
func (t *Tie) actions(list replicaset.Actions) (json.RawMessage, error) {
	parts := make([]json.RawMessage, len(list))
	for i, a := range list {
		text, err := marshal(replicaset.Actions{a})
		if err != nil {
			return nil, err
		}
		text = bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(text), []byte("[")), []byte("]"))
		if d, ok := a.(replicaset.DeletePod); ok && t.has(d.Name) {
			text = append(bytes.TrimSuffix(text, []byte("}}")), `,"perhaps":true}}`...)
		}
		parts[i] = text
	}
	return marshal(parts)
}

// A Run is a range of places in the order of deletion. The order of the pods within a run is
// uncertain: it is the order in which the cache of Kubernetes lists them.
type Run struct{ Begin, End int }

// place returns the places counted from 1, such as 2 or 2-5.
func (r Run) place() string {
	if r.End-r.Begin < 2 {
		return fmt.Sprint(r.Begin + 1)
	}
	return fmt.Sprintf("%d-%d", r.Begin+1, r.End)
}
