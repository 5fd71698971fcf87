// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// cellsOf returns how many cells of a terminal a text takes. Styles take none.
func cellsOf(text string) int {
	n := 0
	for text != "" {
		cells, size := measure(text)
		n, text = n+cells, text[size:]
	}
	return n
}

// measure is nextCells. A test counts how often it is called.
var measure = nextCells

// nextCells returns how many cells the first character of a text takes, or the style that
// begins it, and how many bytes that is.
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

// parts cuts a text behind its blanks, where people break images, labels and lists, and
// before a limit such as <=8.
func parts(text string) []string {
	var all []string
	begin := 0
	for i := 0; i < len(text); i++ {
		next := i + 1
		switch {
		case text[i] == ' ' && strings.HasSuffix(text[:i], "─"):
			continue // the branch of a tree stays with what hangs on it
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

// breakText breaks a text into lines of at most so many cells. A part that is wider is broken
// anywhere. It looks at each character a fixed number of times, however long the text is.
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

// split returns how many bytes at the beginning of a text fit into so many cells, and are one
// character at least, and how many cells they take.
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

// goesOn is by how much what goes on is set off, so that nobody takes what a stranger wrote for
// a line of its own.
const goesOn = 2

// longestLabel is how far behind the beginning of a line that goes on may begin.
const longestLabel = 30

// hanging returns where a line goes on that has no room: below what follows its label, if
// more than one blank stands between them, or else behind where it begins.
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

// fold breaks the lines of a text that are longer than so many cells at blanks.
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

// breakFirst is breakText for the first column, whose cells begin a line.
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
	at, blanks := 0, 0 // blanks are written before what follows them on the same line
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

// Fill makes the paragraphs of a text of our own as wide as so many cells. Lines that begin
// with a blank stay as they are.
func Fill(text string, most int) string {
	var b strings.Builder
	open := false // whether the line before can go on
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
