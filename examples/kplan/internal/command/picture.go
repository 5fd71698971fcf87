// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/chart"
)

// A picture is the flags that ask for one.
type picture struct {
	svg, html string
}

func (p *picture) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&p.svg, "svg", "", "also draw the rollout to this file")
	f.StringVar(&p.html, "html", "", "also draw the rollout to this file, as a page")
	_ = c.MarkFlagFilename("svg", "svg")   // fails only for a flag that is not there
	_ = c.MarkFlagFilename("html", "html") // likewise
}

// draw writes the files that the user asks for.
func (p *picture) draw(outcomes []outcome) error {
	if p.svg == "" && p.html == "" {
		return nil
	}
	if len(outcomes) != 1 {
		return errors.New("--svg and --html draw one rollout, and there are several")
	}
	drawable, ok := outcomes[0].result.(interface{ Chart() *chart.Chart })
	if !ok {
		return errors.New("--svg and --html draw steps, which --start and --try do not show")
	}
	c := drawable.Chart()
	return errors.Join(writeFile(p.svg, c.SVG), writeFile(p.html, c.HTML))
}

// writeFile writes a file, if it has a name.
func writeFile(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
