// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// cellsOf returns the width of a text in cells of a terminal. Styles take none.
func cellsOf(text string) int {
	n := 0
	for text != "" {
		cells, size := measure(text)
		n, text = n+cells, text[size:]
	}
	return n
}

// measure is nextCells. A test counts its calls.
var measure = nextCells

// nextCells returns the cells and the bytes of the first character of a text, or of the style at
// its beginning.
func nextCells(text string) (cells, size int) {
	if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
		if end := strings.IndexByte(rest, 'm'); end >= 0 {
			return 0, len(text) - len(rest) + end + 1
		}
		return 0, len(text)
	}
	r, size := utf8.DecodeRuneInString(text)
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2, size
	}
	return 1, size
}

// parts cuts a text where images, labels and lists may be broken: after blanks and some
// punctuation, and before a limit such as <=8.
func parts(text string) []string {
	var all []string
	begin := 0
	for i := 0; i < len(text); i++ {
		next := i + 1
		switch {
		case text[i] == ' ' && strings.HasSuffix(text[:i], "─"):
			continue // no break after the branch of a tree
		case text[i] == ' ':
			for next < len(text) && text[next] == ' ' {
				next++
			}
		case text[i] == '/' || text[i] == ',' || text[i] == '@':
		case strings.HasPrefix(text[next:], "<=") || strings.HasPrefix(text[next:], ">="):
		default:
			continue
		}
		all = append(all, text[begin:next])
		begin, i = next, next-1
	}
	if begin < len(text) {
		all = append(all, text[begin:])
	}
	return all
}

// breakText breaks a text into lines with at most the given number of cells. It breaks a wider
// part anywhere. Its time is linear in the length of the text.
func breakText(text string, most int) []string {
	if cellsOf(text) <= most {
		return []string{text}
	}
	var lines []string
	begin, at, used := 0, 0, 0 // the line is text[begin:at], of so many cells
	end := func() {
		lines = append(lines, strings.TrimRight(text[begin:at], " "))
		begin, used = at, 0
	}
	for _, part := range parts(text) {
		word := strings.TrimRight(part, " ")
		n, blanks := cellsOf(word), len(part)-len(word)
		if at > begin && used+n > most {
			end()
		}
		for n > most {
			size, cells := split(text[at:at+len(word)], most)
			word = word[size:]
			at, n = at+size, n-cells
			end()
		}
		at, used = at+len(word)+blanks, used+n+blanks
	}
	end()
	return lines
}

// split returns the bytes and the cells of the longest beginning of a text that fits into a
// number of cells. It is at least one character.
func split(text string, most int) (at, used int) {
	for at < len(text) {
		cells, size := measure(text[at:])
		if at > 0 && used+cells > most {
			break
		}
		at, used = at+size, used+cells
	}
	return at, used
}

// goesOn is the indentation of continued lines, so that text from outside cannot look like a
// separate line.
const goesOn = 2

// longestLabel is the largest indentation of a continued line under a value.
const longestLabel = 30

// hanging returns the indentation of the continued lines of a long line: the start of the value
// after its label, if more than one blank separates them, otherwise more than the line itself.
func hanging(line string) int {
	begin := len(line) - len(strings.TrimLeft(line, " "))
	if i := strings.Index(line[begin:], "  "); i >= 0 {
		rest := line[begin+i:]
		value := begin + i + len(rest) - len(strings.TrimLeft(rest, " "))
		if at := cellsOf(line[:value]); at <= longestLabel && value < len(line) {
			return at
		}
	}
	return begin + goesOn
}

// fold breaks lines at blanks if they have more than the given number of cells.
func fold(text string, most int) string {
	if most <= 0 || cellsOf(text) <= most {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		content, ended := strings.CutSuffix(line, "\n")
		if indent := hanging(content); cellsOf(content) > most && indent < most {
			content = foldLine(content, most, indent)
		}
		b.WriteString(content)
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// breakFirst is breakText for the first column: it indents continued lines.
func breakFirst(text string, most int) []string {
	if cellsOf(text) <= most {
		return []string{text}
	}
	lines := breakText(text, max(most-goesOn, 1))
	for i := range lines[1:] {
		lines[i+1] = strings.Repeat(" ", goesOn) + lines[i+1]
	}
	return lines
}

func foldLine(line string, most, indent int) string {
	var b strings.Builder
	at, blanks := 0, 0 // blanks are written before the next word on the same line
	for i, word := range strings.SplitAfter(line, " ") {
		text := strings.TrimRight(word, " ")
		n := cellsOf(text)
		if i > 0 && text != "" && at > indent && at+n > most {
			b.WriteByte('\n')
			at, blanks = indent, indent
		}
		b.WriteString(strings.Repeat(" ", blanks))
		b.WriteString(text)
		blanks = len(word) - len(text)
		at += n + blanks
	}
	b.WriteString(strings.Repeat(" ", blanks))
	return b.String()
}

// Fill fills the paragraphs of a trusted text to the given number of cells. Lines that begin with
// a blank stay as they are.
func Fill(text string, most int) string {
	var b strings.Builder
	open := false // whether the previous line can continue
	for line := range strings.Lines(text) {
		content := strings.TrimRight(line, " \n")
		flows := content != "" && !strings.HasPrefix(content, " ")
		switch {
		case open && flows:
			b.WriteByte(' ')
		case b.Len() > 0:
			b.WriteByte('\n')
		}
		b.WriteString(content)
		open = flows
	}
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, " ") {
			lines[i] = foldLine(line, most, 0)
		}
	}
	return strings.Join(lines, "\n")
}
