// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
)

func newQuirks(name string) *cobra.Command {
	as := outputFormat("text")
	c := &cobra.Command{
		Use:   "quirks",
		Short: "List what the controllers do wrong, and what repairs it",
		Long: `List, for each planner, what the controllers do that hardly anybody wants. Plans
have it too, unless --repair names it; --corrected repairs all.

Source is where the controllers do it, and Input the smallest that shows it. A name
that several planners have is repaired in all of them.

With -o json each planner is an object with kind, package and quirks, the items of
one object.`,
		Example: examples(name, `
kplan quirks
kplan plan -f cluster.yaml --repair StaleAnnotationBlocksRollout`),
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return write(c, as, subject.Quirks())
		},
	}
	as.addTo(c)
	return c
}
