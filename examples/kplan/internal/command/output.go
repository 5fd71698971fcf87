package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// An output is what a command writes to, whether it is text, JSON, help or completions. It
// holds the first error, so that no command ends well whose answer was lost.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	var n int
	n, o.err = o.to.Write(p)
	return n, o.err
}

func isTerminal(w io.Writer) bool {
	if o, ok := w.(*output); ok {
		w = o.to
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// complain writes an error in one line.
func complain(stderr io.Writer, err error) {
	terminal.NewWriter(stderr).Printf("error: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
}

// flagError says what a flag takes, where the parser of flags names functions of Go.
func flagError(_ *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if !errors.As(err, &invalid) || !errors.As(err, &number) {
		return err
	}
	takes := "a whole number"
	switch kind := invalid.GetFlag().Value.Type(); {
	case kind == "bool":
		takes = "true or false"
	case strings.HasPrefix(kind, "uint"):
		takes = "a whole number that is not negative"
	}
	if errors.Is(number.Err, strconv.ErrRange) {
		takes += ", and not so large"
	}
	text := strings.TrimSuffix(err.Error(), number.Error())
	return fmt.Errorf("%smust be %s", text, takes)
}
