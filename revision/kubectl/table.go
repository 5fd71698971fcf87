// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"strconv"
	"strings"
)

// FormatTable returns the text of kubectl rollout history: a header, and a line for each
// row, with two blanks between columns. Without rows it is a sentence.
//
//	REVISION  CHANGE-CAUSE
//	1         <none>
//	3         foo change cause
//
// It mirrors the table of kubectl 0.36.3, including its treatment of tabs and line breaks
// in a cause as separators of the table.
func FormatTable(rows []Row) string {
	if len(rows) == 0 {
		return "No rollout history found."
	}
	var b strings.Builder
	b.WriteString("REVISION\tCHANGE-CAUSE\n")
	for _, row := range rows {
		cause := row.Cause
		if cause == "" {
			cause = "<none>"
		}
		b.WriteString(strconv.FormatInt(row.Number, 10) + "\t" + cause + "\n")
	}
	return align(b.String())
}

// gap is the minimum number of blanks between two columns.
const gap = 2

// align replaces the tabs of a text by blanks so that cells are in columns. A column is a
// run of lines with a tab after that cell; its width is the width of the widest cell plus
// the gap. A form feed ends the line and all columns.
func align(text string) string {
	pages := strings.Split(strings.ReplaceAll(text, "\v", "\t"), "\f")
	for i := range pages {
		pages[i] = alignPage(pages[i])
	}
	return strings.Join(pages, "\n")
}

func alignPage(text string) string {
	var lines [][]string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.Split(line, "\t"))
	}
	widths := columns(lines)
	var b strings.Builder
	for i, cells := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		for j, cell := range cells {
			b.WriteString(cell)
			if j < len(cells)-1 {
				b.WriteString(strings.Repeat(" ", widths[i][j]-runes(cell)))
			}
		}
	}
	return b.String()
}

// columns returns the width of each cell before a tab. The last cell of a line has no
// column.
func columns(lines [][]string) [][]int {
	widths := make([][]int, len(lines))
	for i, cells := range lines {
		widths[i] = make([]int, len(cells)-1)
		for j := range widths[i] {
			widths[i][j] = runes(cells[j]) + gap
			if i > 0 && j < len(widths[i-1]) {
				widths[i][j] = max(widths[i][j], widths[i-1][j])
			}
		}
	}
	for i := len(widths) - 2; i >= 0; i-- {
		for j := range min(len(widths[i]), len(widths[i+1])) {
			widths[i][j] = max(widths[i][j], widths[i+1][j])
		}
	}
	return widths
}

// runes returns one more than the number of characters, which are all taken to be as wide as
// a blank. Callers use only differences.
func runes(s string) int { return strings.Count(s, "") }
