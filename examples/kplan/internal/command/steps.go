// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
)

// csvFormat is the format of a simulation alone: its steps as a table for spreadsheets.
const csvFormat = outputFormat("csv")

// A stepFormat is an output format, or csvFormat.
type stepFormat struct{ *outputFormat }

// addCSV makes the flag of a command take it as well.
func (o *outputFormat) addCSV(c *cobra.Command) {
	f := c.Flags().Lookup("output")
	f.Value, f.Usage = stepFormat{o}, f.Usage+"; also csv"
}

func (f stepFormat) offered() []string { return slices.Concat(formats, []string{string(csvFormat)}) }

// Set accepts the formats.
func (f stepFormat) Set(s string) error {
	if s == string(csvFormat) {
		*f.outputFormat = csvFormat
		return nil
	}
	return f.outputFormat.Set(s)
}

// show writes what was simulated to standard output, unless one of the files is that.
func (s *simulation) show(c *cobra.Command, results *answers) error {
	alone, err := s.toStdout()
	switch {
	case err != nil || alone:
		return err
	case s.output != csvFormat:
		for _, o := range results.outcomes {
			results.documents = append(results.documents, s.charted(o))
		}
		return write(c, s.output, results.documents)
	}
	list, err := timelines(results.outcomes)
	if err != nil {
		return err
	}
	w := terminal.NewWriter(c.OutOrStdout())
	return errors.Join(timeline.CSV(w.Trusted(), list), w.Err()) // it escapes itself
}

// An answer is a document with a verdict.
type answer interface {
	document
	judged
}

// A charted answer has a picture of it below, on a terminal.
type charted struct {
	answer
	draw func(*terminal.Writer)
}

// Text writes the answer, and then draws it.
func (c charted) Text(w *terminal.Writer) {
	c.answer.Text(w)
	w.Printf("\n")
	c.draw(w)
}

// charted returns an answer with its chart, if the user wants that. Rollouts have one always.
func (s *simulation) charted(o outcome) document {
	answer, ok := o.result.(answer)
	d, draws := o.result.(interface{ Draw(*terminal.Writer) })
	if !s.chart || !ok || !draws || s.output != "text" && s.output != "wide" {
		return o.result
	}
	return charted{answer, d.Draw}
}
