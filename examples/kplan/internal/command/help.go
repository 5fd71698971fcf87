// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

func init() {
	cobra.AddTemplateFunc("foldedFlags", func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(usualWidth) })
}

// foldHelp makes the texts about commands and flags as wide as lines usually are.
func foldHelp(root *cobra.Command) {
	for _, c := range append(root.Commands(), root) {
		c.Long = terminal.Fill(c.Long, usualWidth)
	}
	root.SetUsageTemplate(strings.NewReplacer(
		".LocalFlags.FlagUsages", "foldedFlags .LocalFlags", ".InheritedFlags.FlagUsages", "foldedFlags .InheritedFlags",
	).Replace(root.UsageTemplate()))
}
