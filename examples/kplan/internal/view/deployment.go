// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Plan is the next plan for a Deployment.
type Plan struct {
	Namespace string
	Snapshot  deploy.Snapshot
	Now       time.Time
	Plan      deploy.Plan
	Pods      []PodPlan // of the ReplicaSets that have pods in the input
	Policies  []string  // flags that make it differ from Kubernetes
	Unapplied bool      // a manifest that was not applied yet
}

// Subject returns the Deployment.
func (p Plan) Subject() Subject { return deployment(p.Namespace, p.Snapshot.Deployment.Name) }

// Verdict returns the verdict on the Deployment.
func (p Plan) Verdict() Verdict { return verdictOf(&Explanation{Plan: p}, p.Unapplied) }

// Text writes the plan as text.
func (p Plan) Text(w *terminal.Writer) {
	b := p.Plan.Budget
	w.Printf("Deployment %s: %s, at most %d wanted, at least %d available\n\n",
		p.Subject().label(), plural(b.Replicas, "replica"), b.MaxTotal(), b.MinAvailable())
	writePolicies(w, p.Policies, ofKubernetes)
	if p.Plan.Empty() {
		p.nothing(w)
	} else {
		p.actions(w)
	}
	p.holds(w)
	podActions(w, p.Pods)
	p.status(w)
}

func (p Plan) complete() bool {
	d := &p.Snapshot.Deployment
	return deploy.Complete(p.Plan.Status, p.Plan.Budget.Replicas, d.Generation)
}

func (p Plan) nothing(w *terminal.Writer) {
	switch {
	case p.complete():
		w.Printf("Nothing to do: the rollout is complete.\n\n")
	case exceeded(p.Plan.Status):
		w.Printf("Nothing to do: the rollout has exceeded its progress deadline, and waits.\n\n")
	default:
		w.Printf("Nothing to do at the moment.\n\n")
	}
}

func (p Plan) actions(w *terminal.Writer) {
	p.actionTable().WriteTo(w)
	w.Printf("\n")
}

func (p Plan) actionTable() *terminal.Table {
	t := terminal.NewTable("ACTION", "REASON", "WHY")
	for _, a := range p.Plan.Actions {
		r := reasonOf(a)
		t.Row(phraseOf(a).long, string(r), deploymentActions.why(r))
	}
	return t
}

func (p Plan) holds(w *terminal.Writer) {
	if len(p.Plan.Holds) == 0 {
		return
	}
	t := terminal.NewTable("HELD BACK", "REASON", "WHY")
	for _, h := range p.Plan.Holds {
		t.Row(p.held(h), string(h.Reason), whyNot(h))
	}
	t.WriteTo(w)
	w.Printf("\n")
}

// held returns the words for the object of a hold.
func (p Plan) held(h kplan.Hold) string {
	if h.Name == "" {
		return "deployment " + p.Snapshot.Deployment.Name
	}
	return "replica set " + h.Name
}

func (p Plan) status(w *terminal.Writer) {
	w.Printf("Status:      %v%s\n", p.Plan.Status, terminating(p.Plan.Status.TerminatingReplicas))
	if conditions := conditions(p.Plan.Status); conditions != "" {
		w.Printf("Conditions:  %s\n", conditions)
	}
	writeRecheck(w, "Recheck:     ", p.Plan.RecheckAt, p.Now)
}

// terminating returns the number of terminating pods in words, or "" if it is unknown or 0.
func terminating(n *int32) string {
	if n == nil || *n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d terminating", *n)
}

// conditions returns the conditions with their reasons.
func conditions(s deploy.Status) string {
	var texts []string
	for _, c := range s.Conditions {
		text := c.Type + "=" + string(c.Status)
		if c.Reason != "" {
			text += " (" + c.Reason + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// exceeded reports whether the progress deadline has passed.
func exceeded(s deploy.Status) bool {
	for _, c := range s.Conditions {
		if c.Type == deploy.ConditionProgressing && c.Status == kplan.ConditionFalse && c.Reason == "ProgressDeadlineExceeded" {
			return true
		}
	}
	return false
}

// MarshalJSON encodes the plan and its Deployment. Actions and holds are never left out.
func (p Plan) MarshalJSON() ([]byte, error) {
	type plan deploy.Plan // without methods
	return marshal(struct {
		head
		Policies []string       `json:"policies,omitempty"`
		Actions  deploy.Actions `json:"actions"`
		Holds    []kplan.Hold   `json:"holds"`
		plan
		ReplicaSets []PodPlan `json:"replicaSets"`
	}{headOf(p.Subject()), p.Policies, p.Plan.Actions, notNil(p.Plan.Holds), plan(p.Plan), notNil(p.Pods)})
}
