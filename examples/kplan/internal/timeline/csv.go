// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// CSV writes the steps of timelines as one table, and rows without a step where a number changes
// between steps. The columns are the union of the columns of all timelines, and cells are empty
// where a workload does not have the number.
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
	_ = out.Write(plain(header)) // out.Error returns the error below
	for _, t := range list {
		for _, r := range t.rows() {
			row := make([]string, len(header))
			copy(row, []string{t.Kind, t.Namespace, t.Name, r.step, strconv.FormatFloat(r.At.Round(time.Millisecond).Seconds(), 'f', -1, 64)})
			for j, c := range t.Columns {
				for k, name := range c.names() {
					row[numbers+slices.Index(header[numbers:], name)] = c.part(r.Cells[j], k)
				}
			}
			var what, why []string
			for _, e := range r.Events {
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

// A row is a step, or the numbers between two steps.
type row struct {
	step string // its number, "" between steps
	Step
}

// rows returns the steps. After the last step of an instant it adds the numbers that have changed
// since.
func (t *Timeline) rows() (list []row) {
	left := t.Numbers
	until := func(at time.Duration) {
		for ; len(left) > 0 && left[0].At < at; left = left[1:] {
			if n := len(list); n == 0 || !slices.Equal(list[n-1].Cells, left[0].Cells) {
				list = append(list, row{"", Step{At: left[0].At, Cells: left[0].Cells}})
			}
		}
	}
	for i := range t.Steps {
		until(t.Steps[i].At)
		list = append(list, row{itoa(i + 1), t.Steps[i]})
	}
	until(math.MaxInt64)
	return list
}

// names returns the names of the columns in the table for a column.
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

// plain escapes the cells of a row, including cells that a spreadsheet would take for a formula.
func plain(row []string) []string {
	row = slices.Clone(row)
	for i, cell := range row {
		if row[i] = terminal.Escape(cell); cell != "" && cell != "-" && strings.ContainsRune("=+-@", rune(cell[0])) {
			row[i] = "'" + row[i]
		}
	}
	return row
}
