// SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/revision/kubectl"
)

// An Undo is what kubectl rollout undo would do with one Deployment.
type Undo struct {
	Namespace  string
	Name       string
	Undo       kubectl.Undo
	ReplicaSet string      // whose template is restored
	Images     []Image     // of the containers
	Rollout    *Simulation // nil if nothing is written
}

// An Image is that of a container, before and after. "" is no such container.
type Image struct {
	Container string `json:"container"`
	Before    string `json:"before,omitzero"`
	After     string `json:"after,omitzero"`
}

// Text writes what kubectl prints, what changes, and how the rollout goes.
func (u Undo) Text(w *terminal.Writer) {
	w.Printf("deployment.apps/%s %s\n\n", u.Name, u.Undo)
	if u.Undo.Skipped {
		w.Printf("The template is that of replica set %s, revision %d, already.\n", u.ReplicaSet, u.Undo.Number)
		return
	}
	w.Printf("Back to the template of replica set %s, revision %d:\n\n", u.ReplicaSet, u.Undo.Number)
	t := terminal.NewTable("CONTAINER", "IMAGE", "IMAGE AFTERWARDS")
	changed := false
	for _, i := range u.Images {
		after := dash(i.After)
		if i.After == i.Before {
			after = "(the same)"
		}
		changed = changed || i.After != i.Before
		t.Row(i.Container, dash(i.Before), after)
	}
	t.WriteTo(w)
	if !changed {
		w.Printf("\nOnly other parts of the template change; see kplan history --revision.\n")
	}
	if u.Undo.LastApplied {
		w.Printf("\nThe Deployment was applied: the next kubectl apply may bring back what is undone.\n")
	}
	w.Printf("\n")
	u.Rollout.Text(w)
}

// MarshalJSON encodes the preview. The rollout is null if nothing is written.
func (u Undo) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		head
		Text       string       `json:"text"` // of kubectl
		Undo       kubectl.Undo `json:"undo"`
		ReplicaSet string       `json:"replicaSet"`
		Images     []Image      `json:"images"`
		Rollout    *Simulation  `json:"rollout"`
	}{headOf(deployment(u.Namespace, u.Name)), u.Undo.String(), u.Undo, u.ReplicaSet, notNil(u.Images), u.Rollout})
}
