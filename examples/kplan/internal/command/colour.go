// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A colour is the setting for coloured output.
type colour string

const (
	colourAuto   colour = "auto" // on a terminal, unless NO_COLOR is set
	colourAlways colour = "always"
	colourNever  colour = "never"
)

func (c *colour) String() string { return string(*c) }
func (c *colour) Type() string   { return "when" }

// Set accepts the three values.
func (c *colour) Set(s string) error {
	switch colour(s) {
	case colourAuto, colourAlways, colourNever:
		*c = colour(s)
		return nil
	}
	return fmt.Errorf("must be auto, always or never")
}

// on reports whether to write in colour. For colourAuto it is false if NO_COLOR (no-color.org) is
// set or TERM is dumb.
func (c colour) on(w *terminal.Writer) bool {
	switch c {
	case colourAlways:
		return true
	case colourNever:
		return false
	}
	return w.IsTerminal() && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// addColour adds the flag to all commands.
func addColour(root *cobra.Command) {
	when := colourAuto
	root.PersistentFlags().Var(&when, "color", "auto, always or never; auto is on a terminal, unless NO_COLOR is set")
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp))
	root.PersistentPreRun = func(c *cobra.Command, _ []string) {
		w := terminal.NewWriter(c.OutOrStdout())
		w.Colour(when.on(w))
	}
}
