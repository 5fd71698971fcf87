// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// RuleAll is the rule of an explanation if all pods that may be deleted are victims.
const RuleAll Rule = "All"

// An Explanation is the reason why one pod is deleted before another.
type Explanation struct {
	Pod        string `json:"pod"`            // the name
	Other      string `json:"other,omitzero"` // the name of the pod compared with Pod; "" for RuleAll
	Rule       Rule   `json:"rule"`
	Value      string `json:"value,omitzero"` // the value of Pod that Rule compares
	OtherValue string `json:"otherValue,omitzero"`
	Stays      bool   `json:"stays,omitzero"` // Pod is the first pod that stays, and Other the last victim
}

// String returns one line such as "b goes before a: NotReady (not ready, ready)".
func (e Explanation) String() string {
	if e.Rule == RuleAll {
		return e.Pod + " goes: none stays"
	}
	verb := "goes before"
	if e.Stays {
		verb = "stays behind"
	}
	return fmt.Sprintf("%s %s %s: %s (%s, %s)", e.Pod, verb, e.Other, e.Rule, e.Value, e.OtherValue)
}

// Explain returns one explanation for each victim, with the rule that decides between the
// victim and the survivor, the first pod that stays. A last explanation has the rule that
// decides between the survivor and the last victim. Pass the arguments pods and candidates of
// [Order.Choose], and its result as c.
func (o Order) Explain(pods []Pod, candidates []int, c Choice) []Explanation {
	r := o.ranking(pods)
	places, _ := r.candidatePlaces(candidates)
	keys := r.allKeys(places)
	byIndex := make(map[int]*key, len(keys))
	for i := range keys {
		byIndex[int(keys[i].index)] = &keys[i]
	}
	survivor := byIndex[c.Survivor]
	var explanations []Explanation
	var last *key
	for _, v := range c.Victims {
		victim := byIndex[v]
		switch {
		case victim == nil:
			continue
		case survivor == nil:
			explanations = append(explanations, Explanation{Pod: r.pod(&victim.place).Name, Rule: RuleAll})
		default:
			explanations = append(explanations, r.explain(victim, survivor))
		}
		last = victim
	}
	if last != nil && survivor != nil {
		e := r.explain(last, survivor)
		e.Pod, e.Other, e.Value, e.OtherValue, e.Stays = e.Other, e.Pod, e.OtherValue, e.Value, true
		explanations = append(explanations, e)
	}
	return explanations
}

// explain returns the reason why a comes before b in the canonical order.
func (r *ranking) explain(a, b *key) Explanation {
	p, q := r.pod(&a.place), r.pod(&b.place)
	rule, c := r.decide(a, b, p, q)
	switch {
	case c > 0 || rule == RulePriority && c == 0:
		rule = RuleCycle
	case c == 0 && rule == "":
		rule = RuleID
	}
	e := Explanation{Pod: p.Name, Other: q.Name, Rule: rule}
	e.Value, e.OtherValue = r.valueTexts(rule, a, b)
	return e
}

// valueTexts returns the values that a rule compares, of both pods, as texts.
func (r *ranking) valueTexts(rule Rule, a, b *key) (string, string) {
	for i := range r.stages {
		if r.stages[i].Rule == rule && r.row(&a.place)[i] != r.row(&b.place)[i] {
			return r.stageText(i, a), r.stageText(i, b)
		}
	}
	return r.ruleText(rule, a), r.ruleText(rule, b)
}

func (r *ranking) stageText(stage int, k *key) string {
	s, value := &r.stages[stage], r.row(&k.place)[stage]
	switch {
	case s.Text != nil:
		return s.Text(r.pod(&k.place))
	case s.Key != nil, s.Item != nil:
		return strconv.FormatInt(value, 10)
	case s.isSpread():
		return fmt.Sprintf("%d in %q", -value, s.domains(r.order).domain(r.pod(&k.place).NodeName))
	}
	return r.ruleText(s.Rule, k)
}

func (r *ranking) ruleText(rule Rule, k *key) string {
	p := r.pod(&k.place)
	switch rule {
	case RuleUnassigned:
		return cmp.Or(p.NodeName, "no node")
	case RulePhase:
		return string(cmp.Or(p.Phase, "no phase"))
	case RuleNotReady:
		if p.Ready {
			return "ready"
		}
		return "not ready"
	case RuleCost:
		return strconv.FormatInt(costOf(p), 10)
	case RuleNeighbours:
		return fmt.Sprintf("%d on %q", r.order.neighbours(p, r.counts), p.NodeName)
	case RuleReadyTime:
		return timeText(p.ReadySince)
	case RuleRestarts:
		return strconv.Itoa(int(p.Restarts))
	case RuleSidecars:
		return strconv.Itoa(int(p.SidecarRestarts))
	case RuleCreated:
		return timeText(p.CreationTimestamp)
	case RulePriority:
		return priorityText(p)
	}
	return cmp.Or(p.UID, p.Name)
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return "unset"
	}
	return t.UTC().Format(time.RFC3339Nano)
}
