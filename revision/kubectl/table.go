// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"strconv"
	"strings"
)

// FormatTable returns the table that kubectl rollout history prints: a header and a line for each
// row. Without rows it returns a sentence without a newline.
//
//	REVISION  CHANGE-CAUSE
//	1         <none>
//	3         foo change cause
//
// It mirrors the table of kubectl 0.36.3. As there, a tab or line break in a cause begins another
// cell or line of the table.
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

// align replaces the tabs of a text by blanks to align cells in columns. Consecutive lines with a
// tab after their nth cell form a column. Its width is the width of its widest cell plus the gap. A
// form feed ends the line and all columns.
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

// columns returns the width of the column of each cell that a tab ends. The last cell of a line has
// no column.
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

// runes returns the number of runes in s plus 1. Callers use only differences of its results, as
// widths: every rune counts as wide as a blank.
func runes(s string) int { return strings.Count(s, "") }
