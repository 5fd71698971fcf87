// SPDX-License-Identifier: Apache-2.0

package view

import (
	"cmp"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Version is what is known of the program.
type Version struct {
	Version    string    `json:"version"`
	Commit     string    `json:"commit,omitzero"`   // what git calls it, "" if the build has not recorded it
	Modified   bool      `json:"modified,omitzero"` // the commit is not all
	Go         string    `json:"go"`
	Kubernetes []Release `json:"kubernetes"`
}

// A Release is one of Kubernetes that the program is identical to.
type Release struct {
	Version string `json:"version"`
	But     string `json:"but,omitzero"` // for this
}

// Text writes it for people.
func (v Version) Text(w *terminal.Writer) {
	commit := cmp.Or(v.Commit, "unknown")
	if v.Modified {
		commit += ", modified"
	}
	w.Printf("kplan:         %s\nCommit:        %s\nGo:            %s\n", v.Version, commit, v.Go)
	for i, r := range v.Kubernetes {
		label := "Identical to:  "
		if i > 0 {
			label = "               "
		}
		but := ""
		if r.But != "" {
			but = ", but for " + r.But
		}
		w.Printf("%sKubernetes %s%s\n", label, r.Version, but)
	}
}

// Subject returns the program.
func (v Version) Subject() Subject { return Subject{Kind: "kplan", Name: v.Version} }
