// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// Quirks are those of the planner of a kind of objects.
type Quirks struct {
	Kind    string        `json:"kind"`
	Package string        `json:"package"`
	Quirks  []kplan.Quirk `json:"quirks"`
}

// Text writes the table, in lines of 80 columns.
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

// wrap breaks a text at its blanks into lines of so many letters, if its words are not
// longer. It has no lines without words.
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
