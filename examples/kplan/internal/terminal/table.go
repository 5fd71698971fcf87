// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
)

// A Table aligns cells in columns, as kubectl does.
type Table struct {
	buffer bytes.Buffer
	tabs   *tabwriter.Writer
}

// NewTable returns a table with a header.
func NewTable(header ...string) *Table {
	t := &Table{}
	t.tabs = tabwriter.NewWriter(&t.buffer, 0, 8, 2, ' ', 0)
	t.Row(header...)
	return t
}

// Row adds a row. Its cells are escaped, and columns are as wide as that takes.
func (t *Table) Row(cells ...string) {
	for i, cell := range cells {
		if i > 0 {
			fmt.Fprint(t.tabs, "\t")
		}
		fmt.Fprint(t.tabs, Escape(cell))
	}
	fmt.Fprintln(t.tabs)
}

// WriteTo writes the table without blanks at the ends of lines.
func (t *Table) WriteTo(w *Writer) {
	_ = t.tabs.Flush() // writes to memory
	for line := range strings.Lines(t.buffer.String()) {
		w.write(strings.TrimRight(line, " \n") + "\n")
	}
}
