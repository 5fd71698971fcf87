// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// CSV writes the steps of timelines as one table. Its columns are those of all of them, and a
// number that a workload does not have is left empty.
func CSV(w io.Writer, list []*Timeline) error {
	header := []string{"kind", "namespace", "name", "step", "seconds"}
	numbers := len(header)
	for _, t := range list {
		for _, c := range t.Columns {
			for _, name := range c.names() {
				if !slices.Contains(header[numbers:], name) {
					header = append(header, name)
				}
			}
		}
	}
	header = append(header, "action", "why")
	out := csv.NewWriter(w)
	_ = out.Write(plain(header)) // the error is kept, and told of below
	for _, t := range list {
		for i := range t.Steps {
			s := &t.Steps[i]
			row := make([]string, len(header))
			copy(row, []string{t.Kind, t.Namespace, t.Name, itoa(i + 1), strconv.FormatFloat(s.At.Round(time.Millisecond).Seconds(), 'f', -1, 64)})
			for j, c := range t.Columns {
				for k, name := range c.names() {
					row[numbers+slices.Index(header[numbers:], name)] = c.part(s.Cells[j], k)
				}
			}
			var what, why []string
			for _, e := range s.Events {
				if what = append(what, e.What); e.Why != "" {
					why = append(why, e.Why)
				}
			}
			row[len(row)-2], row[len(row)-1] = strings.Join(what, "; "), strings.Join(slices.Compact(why), "; ")
			_ = out.Write(plain(row)) // likewise
		}
	}
	out.Flush()
	return out.Error()
}

// names are those of the columns of numbers that a column stands for.
func (c *Column) names() []string {
	if c.Ready {
		return []string{c.Name + " ready", c.Name + " wanted"}
	}
	return []string{c.Name}
}

// part returns one of the numbers of a cell.
func (c *Column) part(cell string, n int) string {
	if !c.Ready {
		return cell
	}
	ready, wanted, ok := strings.Cut(cell, "/")
	if !ok {
		return ""
	}
	return []string{ready, wanted}[n]
}

// plain escapes the cells of a row. A spreadsheet takes one that begins like a formula for one.
func plain(row []string) []string {
	row = slices.Clone(row)
	for i, cell := range row {
		if row[i] = terminal.Escape(cell); cell != "" && cell != "-" && strings.ContainsRune("=+-@", rune(cell[0])) {
			row[i] = "'" + row[i]
		}
	}
	return row
}
