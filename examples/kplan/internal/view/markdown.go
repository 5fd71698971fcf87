// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// Markdown writes the changes as a Markdown table, for pull requests.
func (d Diff) Markdown(w *terminal.Writer) {
	var line strings.Builder
	d.summary(terminal.NewWriter(&line))
	w.Printf("**kplan:** %s\n", escapeMarkdown(strings.TrimSpace(line.String())))
	if len(d.Changes) > 0 {
		w.Printf("\n| Workload | Changes | Result | At most | Bounds |\n|---|---|---|---|---|\n")
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		what, bounds := c.texts(escapeMarkdown, code) // names of parts are not trusted either
		w.Printf("| %s %s | %s | %s | %s | %s |\n", c.Of.Kind, code(c.Of.label()),
			strings.Join(what, "<br>"), escapeMarkdown(c.result()), c.takes(), strings.Join(bounds, "<br>"))
	}
	w.Printf("\n%s\n", d.rest(escapeMarkdown, code))
}

// code returns an untrusted text as code, with all Markdown escaped.
func code(text string) string { return "<code>" + escapeMarkdown(text) + "</code>" }

// begins matches texts in which GitHub finds links, mentions and references without Markdown.
var begins = regexp.MustCompile(`(?i)www\.|://|@|#|\bGH-\d|\b[0-9a-f]{7,40}\b`)

// escapeMarkdown escapes characters with a meaning in Markdown, HTML or GitHub as numeric
// references. It also escapes control characters, because people look at raw Markdown on terminals.
func escapeMarkdown(text string) string {
	text = terminal.Escape(text)
	var b strings.Builder
	last := 0
	number := func(from, to int) {
		for _, r := range text[from:to] {
			if strings.ContainsRune("&<>\"'`*_[]()|\\~!{}+", r) {
				fmt.Fprintf(&b, "&#%d;", r)
			} else {
				b.WriteRune(r)
			}
		}
	}
	for _, at := range begins.FindAllStringIndex(text, -1) {
		number(last, at[0])
		for i, r := range text[at[0]:at[1]] {
			if i == 0 || r == '.' || r == '@' || r == '#' {
				fmt.Fprintf(&b, "&#%d;", r)
			} else {
				b.WriteRune(r)
			}
		}
		last = at[1]
	}
	number(last, len(text))
	return b.String()
}
