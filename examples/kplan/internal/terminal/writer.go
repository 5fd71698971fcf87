package terminal

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

// A Writer writes text for people. It is no [io.Writer], so that nothing reaches the
// terminal but formats of this program and escaped values.
type Writer struct {
	out io.Writer
	err error
}

// NewWriter returns a writer to out.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

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

// Err returns why the first write failed that did. Nothing is written after it.
func (w *Writer) Err() error { return w.err }

func (w *Writer) write(text string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.out, text)
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
