// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// Quirks are the quirks of a planner.
type Quirks struct {
	Kind    string        `json:"kind"`
	Package string        `json:"package"`
	Quirks  []kplan.Quirk `json:"quirks"`
}

// Text writes the quirks in lines of 80 columns.
func (p Quirks) Text(w *terminal.Writer) {
	w.Printf("%s (package %s)\n", p.Kind, p.Package)
	for _, q := range p.Quirks {
		w.Printf("\n%s\n", q.Name)
		for _, field := range []struct{ name, text string }{
			{"Upstream:", q.Upstream}, {"Source:", q.Source}, {"Issue:", q.Issue}, {"Input:", q.Input}, {"Repair:", q.Repair},
		} {
			name := field.name
			for _, line := range wrap(field.text, 80-2-10) {
				w.Printf("  %-10s%s\n", name, line)
				name = ""
			}
		}
	}
}

// wrap breaks a text into lines of at most so many characters, unless a word is longer. An empty
// text has no lines.
func wrap(text string, width int) []string {
	var lines []string
	line, length := "", 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		if line != "" && length+1+n > width {
			lines, line, length = append(lines, line), "", 0
		}
		if line != "" {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+n
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
