// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"unicode/utf16"

	"golang.org/x/term"
)

// A Writer writes what a command answers, as text or JSON. It is no [io.Writer], so that
// nothing reaches the terminal but formats of this program and escaped values. It holds
// the first error, so that no command ends well whose answer was lost.
type Writer struct {
	out    io.Writer
	width  int    // of lines, in cells; 0 is without a limit
	colour bool   // whether styles are drawn
	line   string // what has been written of a line that has not ended, if width is not 0
	err    error
	before func() // is called before anything is written, nil for nothing
}

// NewWriter returns a writer to out, which may be what [Writer.Trusted] returned: then it
// is that writer.
func NewWriter(out io.Writer) *Writer {
	if t, ok := out.(*trusted); ok {
		return (*Writer)(t)
	}
	return &Writer{out: out}
}

// Within makes lines as wide as so many cells at most, where they can be broken; 0 is any
// width. It returns the writer.
func (w *Writer) Within(cells int) *Writer {
	w.width = cells
	return w
}

// Width returns how wide lines are at most, or 0.
func (w *Writer) Width() int { return w.width }

// Colour makes the writer draw styles, or not.
func (w *Writer) Colour(on bool) { w.colour = on }

// To returns a writer to out that writes as this one does.
func (w *Writer) To(out io.Writer) *Writer {
	return &Writer{out: out, width: w.width, colour: w.colour}
}

// Trusted returns where texts go that hold nothing of strangers, or are escaped already:
// help, completions, and what another Writer has written to memory.
func (w *Writer) Trusted() io.Writer { return (*trusted)(w) }

type trusted Writer

func (t *trusted) Write(p []byte) (int, error) {
	w := (*Writer)(t)
	w.write(string(p))
	return len(p), w.err
}

// Before makes the writer call something before it writes, which may stand on the same terminal.
func (w *Writer) Before(do func()) { w.before = do }

// IsTerminal reports whether the writer writes to a terminal itself.
func (w *Writer) IsTerminal() bool {
	f, ok := w.out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Size returns the columns and lines of the terminal that the writer writes to, or zeros.
func (w *Writer) Size() (columns, lines int) {
	if f, ok := w.out.(*os.File); ok {
		if columns, lines, err := term.GetSize(int(f.Fd())); err == nil {
			return columns, lines
		}
	}
	return 0, 0
}

// Printf writes a format, which is trusted, with its values, which are escaped. Lines that
// are too long go on in the next one.
func (w *Writer) Printf(format string, values ...any) {
	for i, value := range values {
		if t, ok := value.(Text); ok {
			values[i] = drawn(w.styled(t.Style, Escape(t.Text)))
		}
	}
	w.fold(Sprintf(format, values...))
}

// drawn is escaped already.
type drawn string

// fold writes a text that is escaped, with lines as wide as the writer has them.
func (w *Writer) fold(text string) {
	before := w.line
	all := fold(before+text, w.width)
	if !strings.HasPrefix(all, before) {
		before = strings.TrimRight(before, " ") // a line ends behind it
	}
	w.write(strings.TrimPrefix(all, before))
}

// Lines writes a text whose line breaks are meant, with a prefix before every line.
func (w *Writer) Lines(prefix, text string) {
	for line := range strings.Lines(text) {
		content, ended := strings.CutSuffix(line, "\n")
		text := prefix + Escape(content)
		if ended {
			text += "\n"
		}
		w.fold(text)
	}
}

// JSON writes a value as an indented document. Characters that are hidden are written by
// their numbers, which JSON takes for the same text.
func (w *Writer) JSON(value any) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		w.fail(err)
		return
	}
	w.write(escapeJSON(b.String()))
}

// escapeJSON escapes the strings of a document, which alone have such characters: the
// encoder has escaped those below the blank.
func escapeJSON(document string) string {
	special := func(r rune) bool { return r > '~' && hidden(r) }
	if strings.IndexFunc(document, special) < 0 {
		return document
	}
	var b strings.Builder
	for _, r := range document {
		if !special(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// Err returns why the first write failed that did. Nothing is written after it.
func (w *Writer) Err() error { return w.err }

func (w *Writer) write(text string) {
	switch i := strings.LastIndexByte(text, '\n'); {
	case w.width <= 0:
	case i >= 0:
		w.line = text[i+1:]
	default:
		w.line += text
	}
	if w.before != nil {
		w.before()
	}
	if w.err == nil {
		_, w.err = io.WriteString(w.out, text)
	}
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Sprintf returns a format, which is trusted, with its values, which are escaped.
func Sprintf(format string, values ...any) string {
	for i := range values {
		values[i] = escaped(values[i])
	}
	return fmt.Sprintf(format, values...)
}

// escaped returns a value for a format: numbers as they are, all else as escaped text.
func escaped(value any) any {
	switch kind := reflect.ValueOf(value).Kind(); {
	case reflect.TypeOf(value) == reflect.TypeFor[drawn]():
		return value
	case kind >= reflect.Bool && kind <= reflect.Complex128:
		return value
	case kind == reflect.String:
		if _, ok := value.(fmt.Stringer); !ok {
			return Escape(reflect.ValueOf(value).String())
		}
	}
	return Escape(fmt.Sprint(value))
}
