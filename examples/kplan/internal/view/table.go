package view

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A table aligns cells in columns, as kubectl does.
type table struct {
	buffer bytes.Buffer
	tabs   *tabwriter.Writer
}

func newTable(header ...string) *table {
	t := &table{}
	t.tabs = tabwriter.NewWriter(&t.buffer, 0, 8, 2, ' ', 0)
	t.row(header...)
	return t
}

func (t *table) row(cells ...string) { fmt.Fprintln(t.tabs, strings.Join(cells, "\t")) }

// writeTo writes the table without blanks at the ends of lines.
func (t *table) writeTo(w io.Writer) {
	t.tabs.Flush()
	for line := range strings.Lines(t.buffer.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
}
