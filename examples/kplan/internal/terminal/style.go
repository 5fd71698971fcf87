// SPDX-License-Identifier: Apache-2.0

package terminal

// A Style is the meaning of a text, shown by its colour. It has no effect without colour.
type Style int

// The styles.
const (
	Plain Style = iota
	Bold        // a headline
	Good        // done, or as wanted
	Busy        // continues without a user
	Warn        // waits
	Bad         // fails, or is lost
)

// codes are ANSI codes. Their colours are legible on light and dark terminals.
var codes = map[Style]string{Bold: "1", Good: "32", Busy: "36", Warn: "33", Bad: "31"}

// A Text is a value for [Writer.Printf] with a style. It is escaped like any other value.
type Text struct {
	Style Style
	Text  string
}

func (t Text) String() string { return t.Text }

// styled returns an escaped text in its style, if the writer has colour.
func (w *Writer) styled(style Style, text string) string {
	if code := codes[style]; w.colour && code != "" && text != "" {
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
	return text
}
