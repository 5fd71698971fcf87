// SPDX-License-Identifier: Apache-2.0

package terminal

// A Style is how a text is drawn by what it means. Without colour it is drawn like any other.
type Style int

// The styles.
const (
	Plain Style = iota
	Bold        // a headline
	Good        // done, or as wanted
	Busy        // goes on by itself
	Warn        // waits
	Bad         // fails, or is lost
)

// codes are those of ANSI terminals, of the colours that light and dark ones can show.
var codes = map[Style]string{Bold: "1", Good: "32", Busy: "36", Warn: "33", Bad: "31"}

// A Text is a value for [Writer.Printf] with a style. It is escaped as any other.
type Text struct {
	Style Style
	Text  string
}

func (t Text) String() string { return t.Text }

// styled returns a text that is escaped already in its style, if the writer has colour.
func (w *Writer) styled(style Style, text string) string {
	if code := codes[style]; w.colour && code != "" && text != "" {
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
	return text
}
