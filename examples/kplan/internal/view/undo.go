// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/revision/kubectl"
)

// An Undo is the effect of kubectl rollout undo on a Deployment.
type Undo struct {
	Namespace  string
	Name       string
	Undo       kubectl.Undo
	ReplicaSet string      // the ReplicaSet with the restored template
	Images     []Image     // of the containers
	Rollout    *Simulation // nil if nothing is written
}

// An Image is the image of a container before and after, "" if the container does not exist.
type Image struct {
	Container string `json:"container"`
	Before    string `json:"before,omitzero"`
	After     string `json:"after,omitzero"`
}

// A DaemonUndo is the effect of kubectl rollout undo on a DaemonSet.
type DaemonUndo struct {
	Undo
	Revision string      // the ControllerRevision with the restored template
	Rollout  *Simulation // nil if nothing is written
}

// Subject returns the Deployment.
func (u Undo) Subject() Subject { return deployment(u.Namespace, u.Name) }

// Subject returns the DaemonSet.
func (u DaemonUndo) Subject() Subject { return daemonSet(u.Namespace, u.Name, false) }

// said returns the output of kubectl after the name of the object, as for a dry run.
func (u *Undo) said() string { return u.Undo.String() + dryRun }

const dryRun = " (dry run)"

// Text writes the output of kubectl, the change, and the course of the rollout.
func (u Undo) Text(w *terminal.Writer) {
	if u.change(w, "Deployment", "replica set "+u.ReplicaSet) {
		u.Rollout.Text(w)
	}
}

// Text writes the output of kubectl, the change, and the course of the rollout.
func (u DaemonUndo) Text(w *terminal.Writer) {
	if u.change(w, daemonset.Kind, "controller revision "+u.Revision) {
		u.Rollout.Text(w)
	}
}

// change writes the output of kubectl and the change. It reports whether the template changes.
func (u *Undo) change(w *terminal.Writer, kind, from string) bool {
	w.Printf("%s.apps/%s %s\n\n", strings.ToLower(kind), u.Name, u.said())
	if u.Undo.Skipped {
		w.Printf("The template is that of %s, revision %d, already.\n", from, u.Undo.Number)
		return false
	}
	w.Printf("Back to the template of %s, revision %d:\n\n", from, u.Undo.Number)
	if !writeImages(w, u.Images) {
		w.Printf("\nOnly other parts of the template change; see kplan history --revision.\n")
	}
	if u.Undo.LastApplied {
		w.Printf("\nThe %s was applied: the next kubectl apply may bring back what is undone.\n", kind)
	}
	w.Printf("\n")
	return true
}

// writeImages writes the images before and after. It reports whether any image changes.
func writeImages(w *terminal.Writer, images []Image) (changed bool) {
	t := terminal.NewTable("CONTAINER", "IMAGE", "IMAGE AFTERWARDS")
	for _, i := range images {
		after := dash(i.After)
		if i.After == i.Before {
			after = "(the same)"
		}
		changed = changed || i.After != i.Before
		t.Row(i.Container, dash(i.Before), after)
	}
	t.WriteTo(w)
	return changed
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
	}{headOf(u.Subject()), u.said(), u.Undo, u.ReplicaSet, notNil(u.Images), u.Rollout})
}

// MarshalJSON encodes the preview. The rollout is null if nothing is written.
func (u DaemonUndo) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		head
		Text     string       `json:"text"` // of kubectl
		Undo     kubectl.Undo `json:"undo"`
		Revision string       `json:"controllerRevision"`
		Images   []Image      `json:"images"`
		Rollout  *Simulation  `json:"rollout"`
	}{headOf(u.Subject()), u.said(), u.Undo.Undo, u.Revision, notNil(u.Images), u.Rollout})
}

// An ArgoUndo is the effect of kubectl argo rollouts undo on a Rollout.
type ArgoUndo struct {
	Namespace  string
	Name       string
	Number     int64  // the requested revision
	ReplicaSet string // the ReplicaSet with the restored template
	Revision   int64
	Skipped    bool        // the template is already restored
	Images     []Image     // of the containers
	Rollout    *Simulation // nil if nothing is written
}

// Subject returns the Rollout.
func (u ArgoUndo) Subject() Subject { return argoRollout(u.Namespace, u.Name) }

// said returns the output of the command, with the words of kubectl for a dry run.
func (u *ArgoUndo) said() string {
	if u.Skipped {
		return fmt.Sprintf("skipped rollback (current template already matches revision %d)", u.Number) + dryRun
	}
	return fmt.Sprintf("rollout '%s' undo", u.Name) + dryRun
}

// Text writes the output of the command, the change, and the course of the update.
func (u ArgoUndo) Text(w *terminal.Writer) {
	w.Printf("%s\n\n", u.said())
	if u.Skipped {
		w.Printf("The template is that of replica set %s, revision %d, already.\n", u.ReplicaSet, u.Revision)
		return
	}
	w.Printf("Back to the template of replica set %s, revision %d:\n\n", u.ReplicaSet, u.Revision)
	writeImages(w, u.Images)
	w.Printf("\n")
	u.Rollout.Text(w)
}

// MarshalJSON encodes the preview. The rollout is null if nothing is written.
func (u ArgoUndo) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		head
		Text       string      `json:"text"`
		ReplicaSet string      `json:"replicaSet"`
		Revision   int64       `json:"revision"`
		Images     []Image     `json:"images"`
		Rollout    *Simulation `json:"rollout"`
	}{headOf(u.Subject()), u.said(), u.ReplicaSet, u.Revision, notNil(u.Images), u.Rollout})
}
