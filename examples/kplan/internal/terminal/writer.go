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

// A Writer writes the output of a command, as text, JSON or YAML. It is no [io.Writer], so that
// only formats of this program and escaped values reach the terminal. It keeps the first error,
// so that no command succeeds after its output was lost.
type Writer struct {
	out    io.Writer
	width  int    // of lines, in cells; 0 is without a limit
	colour bool   // whether styles are drawn
	line   string // the current line so far, if width is not 0
	err    error
	before func() // called before each write, or nil
}

// NewWriter returns a writer to out. If out is the result of [Writer.Trusted], it returns that
// writer.
func NewWriter(out io.Writer) *Writer {
	if t, ok := out.(*trusted); ok {
		return (*Writer)(t)
	}
	return &Writer{out: out}
}

// Within limits the width of lines in cells, where they can be broken; 0 is any width. It returns
// the writer.
func (w *Writer) Within(cells int) *Writer {
	w.width = cells
	return w
}

// Width returns the largest width of lines, or 0.
func (w *Writer) Width() int { return w.width }

// Colour enables or disables styles.
func (w *Writer) Colour(on bool) { w.colour = on }

// To returns a writer to out with the same width and colour.
func (w *Writer) To(out io.Writer) *Writer {
	return &Writer{out: out, width: w.width, colour: w.colour}
}

// Trusted returns an io.Writer for texts that are trusted or escaped already: help, completions,
// and the output of another Writer to memory.
func (w *Writer) Trusted() io.Writer { return (*trusted)(w) }

type trusted Writer

func (t *trusted) Write(p []byte) (int, error) {
	w := (*Writer)(t)
	w.write(string(p))
	return len(p), w.err
}

// Before sets a function that is called before each write, to clear a progress line on the same
// terminal.
func (w *Writer) Before(do func()) { w.before = do }

// IsTerminal reports whether the writer writes directly to a terminal.
func (w *Writer) IsTerminal() bool {
	f, ok := w.out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Size returns the columns and lines of the terminal, or zeros if out is no terminal.
func (w *Writer) Size() (columns, lines int) {
	if f, ok := w.out.(*os.File); ok {
		if columns, lines, err := term.GetSize(int(f.Fd())); err == nil {
			return columns, lines
		}
	}
	return 0, 0
}

// Printf writes a trusted format with escaped values. It breaks lines that are too long.
func (w *Writer) Printf(format string, values ...any) {
	for i, value := range values {
		if t, ok := value.(Text); ok {
			values[i] = drawn(w.styled(t.Style, Escape(t.Text)))
		}
	}
	w.fold(Sprintf(format, values...))
}

// A drawn text is escaped already.
type drawn string

// fold writes an escaped text and breaks long lines.
func (w *Writer) fold(text string) {
	before := w.line
	all := fold(before+text, w.width)
	if !strings.HasPrefix(all, before) {
		before = strings.TrimRight(before, " ") // the line is broken here
	}
	w.write(strings.TrimPrefix(all, before))
}

// Lines writes a text with its line breaks, and a prefix before every line.
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

// JSON writes a value as an indented document. Hidden characters are written as escape sequences,
// which JSON reads as the same text.
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

// escapeJSON escapes hidden characters, which only strings contain. The encoder has escaped
// control characters.
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

// Err returns the error of the first write that failed. Later writes do nothing.
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

// Sprintf formats a trusted format with escaped values.
func Sprintf(format string, values ...any) string {
	for i := range values {
		values[i] = escaped(values[i])
	}
	return fmt.Sprintf(format, values...)
}

// escaped returns a value for a format: numbers and booleans unchanged, everything else as
// escaped text.
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
