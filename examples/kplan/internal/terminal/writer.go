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
	out io.Writer
	err error
}

// NewWriter returns a writer to out, which may be what [Writer.Trusted] returned: then it
// is that writer.
func NewWriter(out io.Writer) *Writer {
	if t, ok := out.(*trusted); ok {
		return (*Writer)(t)
	}
	return &Writer{out: out}
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

// IsTerminal reports whether the writer writes to a terminal itself.
func (w *Writer) IsTerminal() bool {
	f, ok := w.out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Printf writes a format, which is trusted, with its values, which are escaped.
func (w *Writer) Printf(format string, values ...any) {
	w.write(Sprintf(format, values...))
}

// Lines writes a text whose line breaks are meant, with a prefix before every line.
func (w *Writer) Lines(prefix, text string) {
	for line := range strings.Lines(text) {
		content, ended := strings.CutSuffix(line, "\n")
		w.write(prefix + Escape(content))
		if ended {
			w.write("\n")
		}
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
	case kind >= reflect.Bool && kind <= reflect.Complex128:
		return value
	case kind == reflect.String:
		if _, ok := value.(fmt.Stringer); !ok {
			return Escape(reflect.ValueOf(value).String())
		}
	}
	return Escape(fmt.Sprint(value))
}
