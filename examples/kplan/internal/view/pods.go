// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/reason"
)

// A PodPlan is the next plan for the pods of a ReplicaSet at its present size.
type PodPlan struct {
	Name    string
	Wanted  int32
	Now     time.Time
	Plan    replicaset.Plan
	Reasons []podorder.Explanation // why these pods are deleted
	Tie     *Tie                   // pods of which only some are deleted, or nil
}

// MarshalJSON encodes the plan. Actions are never left out.
func (p PodPlan) MarshalJSON() ([]byte, error) {
	type plan replicaset.Plan // without methods
	actions, err := p.Tie.actions(p.Plan.Actions)
	if err != nil {
		return nil, err
	}
	return marshal(struct {
		Name    string          `json:"name"`
		Wanted  int32           `json:"wanted"`
		Actions json.RawMessage `json:"actions"`
		plan
		Reasons []podorder.Explanation `json:"reasons,omitempty"`
		Tie     *Tie                   `json:"tie,omitempty"`
	}{p.Name, p.Wanted, actions, plan(p.Plan), p.Reasons, p.Tie})
}

// podActions writes the actions on pods, and the holds other than waiting for pods to be available,
// which are among the holds of the Deployment.
func podActions(w *terminal.Writer, plans []PodPlan) {
	t := terminal.NewTable("POD ACTION", "REASON", "WHY")
	rows := 0
	for i := range plans {
		for _, row := range plans[i].rows() {
			t.Row(row...)
			rows++
		}
	}
	if rows > 0 {
		t.WriteTo(w)
		w.Printf("\n")
	}
}

func (p *PodPlan) rows() [][]string {
	var rows [][]string
	deleted := 0
	for _, a := range p.Plan.Actions {
		if d, ok := a.(replicaset.DeletePod); ok {
			if d.Reason == reason.TooMany && p.Tie.has(d.Name) {
				continue
			}
			if deleted++; deleted > maxPods {
				continue
			}
		}
		rows = append(rows, p.row(a))
	}
	if deleted > maxPods {
		rows = append(rows, []string{fmt.Sprintf("delete %d more pods of %s", deleted-maxPods, p.Name), string(reason.TooMany), "see kplan order"})
	}
	if p.Tie != nil {
		rows = append(rows, []string{"delete pods of " + p.Name, string(reason.TooMany), p.Tie.text() + "; " + tieWhy})
	}
	for _, h := range p.Plan.Holds {
		if !waitsForPods(h.Reason) {
			rows = append(rows, []string{"replica set " + p.Name + " waits", string(h.Reason), replicaSetHolds.whyNot(h.Reason, h.Have, h.Limit)})
		}
	}
	return rows
}

func (p *PodPlan) row(a replicaset.Action) []string {
	switch a := a.(type) {
	case replicaset.AdoptPod:
		return []string{"adopt pod " + a.Name, string(a.Reason), "it has no controller, and " + p.Name + " selects it"}
	case replicaset.ReleasePod:
		return []string{"release pod " + a.Name, string(a.Reason), p.Name + " no longer selects it"}
	case replicaset.CreatePods:
		return []string{
			fmt.Sprintf("create %s of %s", plural(a.Count, "pod"), p.Name), string(a.Reason),
			fmt.Sprintf("has %d, wants %d", p.Plan.Status.Replicas, p.Wanted),
		}
	case replicaset.DeletePod:
		return []string{"delete pod " + a.Name, string(a.Reason), p.whyDeleted(a.Name)}
	}
	return []string{a.String(), "", ""}
}

// whyDeleted returns the reason why this pod is deleted, and not another one.
func (p *PodPlan) whyDeleted(name string) string {
	text := fmt.Sprintf("has %d, wants %d", p.Plan.Status.Replicas, p.Wanted)
	for _, e := range p.Reasons {
		if e.Pod == name && !e.Stays && e.Rule != podorder.RuleAll {
			return text + "; " + ruleText(e, p.Now)
		}
	}
	return text
}

// writeTies writes the ties between pods of ReplicaSets.
func writeTies(w *terminal.Writer, plans []PodPlan) {
	for i := range plans {
		if p := &plans[i]; p.Tie != nil {
			w.Printf("\nPods of replica set %s that go: %s.\n  It is %s.\n", p.Name, p.Tie.text(), tieWhy)
		}
	}
}

// A tieOfSet is the tie between pods of a ReplicaSet.
type tieOfSet struct {
	ReplicaSet string `json:"replicaSet"`
	*Tie
}

func tiesOf(plans []PodPlan) []tieOfSet {
	var ties []tieOfSet
	for i := range plans {
		if p := &plans[i]; p.Tie != nil {
			ties = append(ties, tieOfSet{p.Name, p.Tie})
		}
	}
	return ties
}
