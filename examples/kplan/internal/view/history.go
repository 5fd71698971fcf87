// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/revision/kubectl"
)

// A History holds the revisions of a Deployment or DaemonSet.
type History struct {
	Daemon    bool // it is of a DaemonSet, and its entries are ControllerRevisions
	Advanced  bool // a DaemonSet of OpenKruise
	Namespace string
	Name      string
	Entries   []Entry       // the ReplicaSets or ControllerRevisions
	Rows      []kubectl.Row // rows of kubectl; Source is an index of Entries
	Records   []kubectl.Record
	Number    int64 // the requested revision, or 0
	Full      bool  // whether to show Records
}

// An Entry is a ReplicaSet or a ControllerRevision of a history.
type Entry struct {
	Name     string
	Revision int64
	Current  bool // it has the current template
	Images   string
	Cause    string
	Template string // as YAML
}

// Subject returns the Deployment or DaemonSet.
func (h History) Subject() Subject {
	if h.Daemon {
		return daemonSet(h.Namespace, h.Name, h.Advanced)
	}
	return deployment(h.Namespace, h.Name)
}

// names returns the name of the workload in kubectl, and the kind of its entries.
func (h *History) names() (workload, entry string) {
	if h.Daemon {
		return "daemonset.apps/" + h.Name, "ControllerRevision"
	}
	return "deployment.apps/" + h.Name, "ReplicaSet"
}

// Text writes the output of kubectl and, if Full is set, the revisions that it leaves out.
func (h History) Text(w *terminal.Writer) {
	if h.Number > 0 {
		h.one(w)
		return
	}
	workload, entry := h.names()
	w.Printf("%s \n", workload)
	w.Lines("", kubectl.FormatTable(h.escapedRows()))
	w.Printf("\n")
	if !h.Full || len(h.Records) == 0 {
		return
	}
	t := terminal.NewTable("REVISION", strings.ToUpper(entry), "NOW", "IMAGES", "CHANGE-CAUSE")
	for _, r := range h.Records {
		e := &h.Entries[r.Entry]
		cause := e.Cause
		if cause == "" {
			cause = "<none>"
		}
		t.Row(fmt.Sprint(r.Number), e.Name, e.now(r), e.Images, cause)
	}
	t.WriteTo(w)
}

// escapedRows returns the rows with change causes escaped.
func (h *History) escapedRows() []kubectl.Row {
	rows := slices.Clone(h.Rows)
	for i := range rows {
		rows[i].Cause = terminal.Escape(rows[i].Cause)
	}
	return rows
}

// now returns the words for the state of a revision.
func (e *Entry) now(r kubectl.Record) string {
	switch {
	case r.Former:
		return fmt.Sprintf("revision %d", e.Revision)
	case e.Current:
		return "current"
	}
	return "-"
}

// one writes the requested revision.
func (h *History) one(w *terminal.Writer) {
	workload, entry := h.names()
	w.Printf("%s with revision #%d\n", workload, h.Number)
	for _, row := range h.Rows {
		e := &h.Entries[row.Source]
		w.Printf("%-14s %s\nChange-Cause:  %s\nPod Template:\n", entry+":", e.Name, dash(row.Cause))
		w.Lines("  ", e.Template)
	}
}

type historyRow struct {
	Revision   int64  `json:"revision"`
	ReplicaSet string `json:"replicaSet,omitzero"`
	Stored     string `json:"controllerRevision,omitzero"` // of a DaemonSet
	Images     string `json:"images"`
	Cause      string `json:"changeCause,omitzero"`
	Current    bool   `json:"current"`
	Former     bool   `json:"former,omitzero"` // the ReplicaSet has another revision now
}

// MarshalJSON encodes the revisions. The list is never left out.
func (h History) MarshalJSON() ([]byte, error) {
	rows := make([]historyRow, 0, len(h.Rows))
	add := func(number int64, entry int, former bool) {
		e := &h.Entries[entry]
		row := historyRow{number, e.Name, "", e.Images, e.Cause, e.Current && !former, former}
		if h.Daemon {
			row.ReplicaSet, row.Stored = "", e.Name
		}
		rows = append(rows, row)
	}
	if h.Full {
		for _, r := range h.Records {
			add(r.Number, r.Entry, r.Former)
		}
	} else {
		for _, r := range h.Rows {
			add(r.Number, r.Source, false)
		}
	}
	return marshal(struct {
		head
		Revisions []historyRow `json:"revisions"`
	}{headOf(h.Subject()), rows})
}

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

// Subject returns the Rollout.
func (h ArgoHistory) Subject() Subject { return argoRollout(h.Namespace, h.Name) }

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
	}{headOf(h.Subject()), notNil(h.Entries)})
}
