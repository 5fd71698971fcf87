// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"slices"
	"strings"
)

// gap is the number of blanks between two columns.
const gap = 2

// mostAligned is the largest width of a column for all rows if the width of lines is not limited.
// A wider cell is followed by the gap and does not lengthen other rows.
const mostAligned = 1000

// A Table aligns cells in columns, as kubectl does. If the columns are wider than the writer, the
// widest cells continue on further lines.
type Table struct{ rows []row }

type row struct {
	style Style
	cells []string // escaped
	note  string   // escaped, instead of cells, from the second column on
}

// NewTable returns a table with a header.
func NewTable(header ...string) *Table {
	t := &Table{}
	t.Styled(Bold, header...)
	return t
}

// Row adds a row. It escapes the cells.
func (t *Table) Row(cells ...string) { t.Styled(Plain, cells...) }

// Styled adds a row in a style, which has an effect only with colour.
func (t *Table) Styled(style Style, cells ...string) {
	r := row{style: style, cells: make([]string, len(cells))}
	for i, cell := range cells {
		r.cells[i] = Escape(cell)
	}
	t.rows = append(t.rows, r)
}

// Note adds a line below the last row, from the second column on to the end.
func (t *Table) Note(text string) { t.rows = append(t.rows, row{note: Escape(text)}) }

// WriteTo writes the table without blanks at the ends of lines.
func (t *Table) WriteTo(w *Writer) {
	widths := t.widths(w.width)
	for k, r := range t.rows {
		if r.note != "" {
			for i, line := range noted(r.note, w.width, widths[0]+gap) {
				w.write(strings.Repeat(" ", widths[0]+gap+min(i, 1)*gap) + line + "\n")
			}
			continue
		}
		for _, line := range r.lines(k == 0, widths, w.width > 0) {
			w.write(w.styled(r.style, line) + "\n")
		}
	}
}

// noted returns the lines of an indented note. All lines but the first are indented further.
func noted(text string, limit, indent int) []string {
	if limit <= 0 {
		return []string{text}
	}
	return breakText(text, max(limit-indent-gap, leastCut))
}

// widths returns the width of each column: the width of its widest cell, or less if the columns
// together exceed the limit. Then headers are broken first, which costs lines only once, then the
// widest cells between words, and finally cells within words.
func (t *Table) widths(limit int) []int {
	least, body, all := t.extents()
	if limit <= 0 {
		for i := range all {
			all[i] = min(all[i], mostAligned)
		}
		return all
	}
	for total(all) > limit {
		i := narrower(all, body, least)
		if i < 0 {
			if i = slices.Index(all, slices.Max(all)); all[i] <= leastCut {
				break
			}
		}
		all[i]--
	}
	return t.tight(all)
}

// leastCut is the smallest width of a column with cells that are broken within words.
const leastCut = 12

// wordsWidth is the smallest width to which the last column shrinks before the other columns do.
// It usually holds sentences.
const wordsWidth = 16

// narrower returns the column that shrinks next, or -1.
func narrower(all, body, least []int) int {
	widest := -1
	for i, w := range all {
		if spare := w - max(body[i], least[i]); spare > 0 && (widest < 0 || spare > all[widest]-max(body[widest], least[widest])) {
			widest = i
		}
	}
	if last := len(all) - 1; widest < 0 && all[last] > max(least[last], wordsWidth) {
		return last
	}
	if widest >= 0 {
		return widest
	}
	for i, w := range all {
		if w > least[i] && (widest < 0 || w >= all[widest]) {
			widest = i
		}
	}
	return widest
}

// tight returns the widths without columns of blanks that are left after cells are broken.
func (t *Table) tight(widths []int) []int {
	used := make([]int, len(widths))
	for k, r := range t.rows {
		for i, cell := range r.cells {
			for _, line := range broken(cell, k == 0, i, widths[i]) {
				used[i] = max(used[i], cellsOf(line))
			}
		}
	}
	return used
}

// extents returns three widths of each column: the minimum, the width of its cells without the
// header, and the width with it.
func (t *Table) extents() (least, body, all []int) {
	for k, r := range t.rows {
		for i, cell := range r.cells {
			if i == len(all) {
				least, body, all = append(least, 0), append(body, 0), append(all, 0)
			}
			all[i] = max(all[i], cellsOf(cell))
			if k > 0 {
				body[i] = max(body[i], cellsOf(cell))
			}
			pieces := parts(cell)
			for _, part := range pieces {
				n := cellsOf(strings.TrimRight(part, " "))
				if i == 0 && k > 0 && len(pieces) > 1 {
					n += goesOn
				}
				least[i] = max(least[i], n)
			}
		}
	}
	return least, body, all
}

func total(widths []int) int {
	sum := gap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// broken returns the lines of a cell. Headers are trusted texts.
func broken(cell string, header bool, column, width int) []string {
	if column == 0 && !header {
		return breakFirst(cell, width)
	}
	return breakText(cell, width)
}

// lines returns the lines of a row: as many as its longest cell takes, or one if cells are not
// broken.
func (r *row) lines(header bool, widths []int, breaks bool) []string {
	var cells [][]string
	height := 1
	for i, cell := range r.cells {
		parts := []string{cell}
		if breaks {
			parts = broken(cell, header, i, widths[i])
		}
		cells = append(cells, parts)
		height = max(height, len(parts))
	}
	lines := make([]string, height)
	for k := range lines {
		var b strings.Builder
		for i, parts := range cells {
			text := ""
			if k < len(parts) {
				text = parts[k]
			}
			b.WriteString(text)
			b.WriteString(strings.Repeat(" ", max(widths[i]-cellsOf(text), 0)+gap))
		}
		lines[k] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
