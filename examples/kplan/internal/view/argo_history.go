// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// An ArgoHistory holds the revisions of a Rollout of Argo.
type ArgoHistory struct {
	Namespace string
	Name      string
	Entries   []ArgoEntry // oldest first
	Number    int64       // the requested revision, or 0
}

// An ArgoEntry is a ReplicaSet of a history.
type ArgoEntry struct {
	Name     string `json:"name"`
	Revision int64  `json:"revision"`
	New      bool   `json:"new"`
	Stable   bool   `json:"stable"`
	Images   string `json:"images"`
	Template string `json:"template"` // as YAML
}

func (e *ArgoEntry) role() string {
	switch {
	case e.New && e.Stable:
		return "new, stable"
	case e.New:
		return "new"
	case e.Stable:
		return "stable"
	}
	return ""
}

// Text writes the revisions, or the template of the requested one.
func (h ArgoHistory) Text(w *terminal.Writer) {
	w.Printf("rollout.argoproj.io/%s\n", h.Name)
	if h.Number > 0 {
		e := &h.Entries[0]
		w.Printf("Replica set %s, revision %d\n\n", e.Name, e.Revision)
		w.Lines("", e.Template)
		return
	}
	t := terminal.NewTable("REVISION", "REPLICASET", "NOW", "IMAGES")
	for i := range h.Entries {
		e := &h.Entries[i]
		t.Row(fmt.Sprint(e.Revision), e.Name, e.role(), e.Images)
	}
	t.WriteTo(w)
}

// MarshalJSON encodes the revisions. The list is never left out.
func (h ArgoHistory) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		head
		Revisions []ArgoEntry `json:"revisions"`
	}{headOf(argoRollout(h.Namespace, h.Name)), notNil(h.Entries)})
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
	}{headOf(argoRollout(u.Namespace, u.Name)), u.said(), u.ReplicaSet, u.Revision, notNil(u.Images), u.Rollout})
}
