package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/kplan-go/kplan/revision"
)

// A History is the revisions of one Deployment.
type History struct {
	Namespace string
	Name      string
	Entries   []Entry        // the ReplicaSets
	Rows      []revision.Row // what kubectl shows; Source is an index of Entries
	Records   []revision.Record
	Number    int64 // the revision that was asked for, or 0
	Full      bool  // whether to show Records
}

// An Entry is a ReplicaSet of a history.
type Entry struct {
	Name     string
	Revision int64
	Current  bool // it has the template of the Deployment
	Images   string
	Cause    string
	Template string // as YAML
}

// Text writes what kubectl prints and, if asked for, what it leaves out.
func (h History) Text(w io.Writer) {
	if h.Number > 0 {
		h.one(w)
		return
	}
	fmt.Fprintf(w, "deployment.apps/%s \n%s\n", h.Name, revision.Table(h.Rows))
	if !h.Full || len(h.Records) == 0 {
		return
	}
	t := newTable("REVISION", "REPLICASET", "NOW", "IMAGES", "CHANGE-CAUSE")
	for _, r := range h.Records {
		e := &h.Entries[r.Entry]
		cause := e.Cause
		if cause == "" {
			cause = "<none>"
		}
		t.row(fmt.Sprint(r.Number), e.Name, e.now(r), e.Images, cause)
	}
	t.writeTo(w)
}

// now says what has become of a revision.
func (e *Entry) now(r revision.Record) string {
	switch {
	case r.Former:
		return fmt.Sprintf("revision %d", e.Revision)
	case e.Current:
		return "current"
	}
	return "-"
}

// one writes one revision.
func (h *History) one(w io.Writer) {
	fmt.Fprintf(w, "deployment.apps/%s with revision #%d\n", h.Name, h.Number)
	for _, row := range h.Rows {
		e := &h.Entries[row.Source]
		fmt.Fprintf(w, "ReplicaSet:    %s\nChange-Cause:  %s\nPod Template:\n", e.Name, dash(row.Cause))
		for line := range strings.Lines(e.Template) {
			fmt.Fprintf(w, "  %s", line)
		}
	}
}

type historyRow struct {
	Revision   int64  `json:"revision"`
	ReplicaSet string `json:"replicaSet"`
	Images     string `json:"images"`
	Cause      string `json:"changeCause,omitzero"`
	Current    bool   `json:"current"`
	Former     bool   `json:"former,omitzero"` // the ReplicaSet has another revision by now
}

// MarshalJSON encodes what was asked for. The list is always there.
func (h History) MarshalJSON() ([]byte, error) {
	rows := make([]historyRow, 0, len(h.Rows))
	add := func(number int64, entry int, former bool) {
		e := &h.Entries[entry]
		rows = append(rows, historyRow{number, e.Name, e.Images, e.Cause, e.Current && !former, former})
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
		Name      string       `json:"name"`
		Namespace string       `json:"namespace,omitempty"`
		Revisions []historyRow `json:"revisions"`
	}{h.Name, h.Namespace, rows})
}
