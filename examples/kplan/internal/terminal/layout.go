// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"strings"

	"golang.org/x/text/width"
)

// cellsOf returns how many cells of a terminal a text takes. Styles take none.
func cellsOf(text string) int {
	n := 0
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			_, text, _ = strings.Cut(rest, "m")
			continue
		}
		r := []rune(text[:min(len(text), 4)])[0]
		text = text[len(string(r)):]
		n++
		if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			n++
		}
	}
	return n
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
// anywhere.
func breakText(text string, most int) []string {
	if cellsOf(text) <= most {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, part := range parts(text) {
		for cellsOf(strings.TrimRight(part, " ")) > most {
			if line != "" {
				lines = append(lines, strings.TrimRight(line, " "))
				line = ""
			}
			head, tail := split(part, most)
			lines, part = append(lines, head), tail
		}
		if line != "" && cellsOf(line)+cellsOf(strings.TrimRight(part, " ")) > most {
			lines = append(lines, strings.TrimRight(line, " "))
			line = ""
		}
		line += part
	}
	return append(lines, strings.TrimRight(line, " "))
}

// split cuts a text behind so many cells, but behind one character at least.
func split(text string, most int) (head, tail string) {
	used := 0
	for i, r := range text {
		used += cellsOf(string(r))
		if i > 0 && used > most {
			return text[:i], text[i:]
		}
	}
	return text, ""
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
	at := 0
	for i, word := range strings.SplitAfter(line, " ") {
		n := cellsOf(word)
		if i > 0 && at > indent && at+cellsOf(strings.TrimRight(word, " ")) > most {
			text := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(text + "\n" + strings.Repeat(" ", indent))
			at = indent
		}
		b.WriteString(word)
		at += n
	}
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
