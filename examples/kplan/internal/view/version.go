// SPDX-License-Identifier: Apache-2.0

package view

import (
	"cmp"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Version describes the program.
type Version struct {
	Version    string    `json:"version"`
	Commit     string    `json:"commit,omitzero"`   // the git commit, "" if the build has not recorded it
	Modified   bool      `json:"modified,omitzero"` // the source differs from the commit
	Go         string    `json:"go"`
	Kubernetes []Release `json:"kubernetes"`
}

// A Release is a release of Kubernetes that the planners agree with.
type Release struct {
	Version string `json:"version"`
	But     string `json:"but,omitzero"` // except for this
}

// Text writes the version as text.
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
