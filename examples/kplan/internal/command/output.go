// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// complain writes an error in one line.
func complain(stderr io.Writer, err error) {
	terminal.NewWriter(stderr).Printf("error: %s\n", terminal.Shorten(strings.ReplaceAll(err.Error(), "\n", " ")))
}

// flagError returns the valid values of a flag in place of the parser's error, which names
// functions of Go.
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

// tellTo returns a function that prints a note.
func tellTo(c *cobra.Command) func(string) { return func(note string) { tell(c, []string{note}) } }

func tell(c *cobra.Command, notes []string) {
	w := terminal.NewWriter(c.ErrOrStderr())
	for _, note := range notes {
		w.Printf("note: %s\n", terminal.Shorten(note))
	}
}
