// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
)

// The answers are the results of simulations. They keep only the output of each one if possible:
// the simulation takes much more memory, and there may be thousands.
type answers struct {
	all       bool              // whether to keep the outcomes
	outcomes  []subject.Outcome // for pictures, and formats of steps
	documents []subject.Document
	end       error // error of the first rollout that does not finish
}

func (a *answers) add(c *cobra.Command, s *simulation, o subject.Outcome) error {
	if o.Err != nil {
		return o.Err
	}
	a.end = cmp.Or(a.end, subject.Unfinished(o))
	if a.all {
		a.outcomes = append(a.outcomes, o)
		return nil
	}
	d, err := s.drawn(c, s.charted(o))
	a.documents = append(a.documents, d)
	return err
}

// show writes the results to standard output, unless one of the other files goes there.
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
	return errors.Join(timeline.CSV(w.Trusted(), list), w.Err()) // CSV escapes
}

// An answer is a document with a verdict.
type answer interface {
	subject.Document
	judged
}

// A charted answer draws its chart after its text, on a terminal.
type charted struct {
	answer
	draw func(*terminal.Writer)
}

// Text writes the answer and then draws the chart.
func (c charted) Text(w *terminal.Writer) {
	c.answer.Text(w)
	w.Printf("\n")
	c.draw(w)
}

// charted returns an answer with its chart if the user wants it. It returns an answer that always
// has a chart as it is.
func (s *simulation) charted(o subject.Outcome) subject.Document {
	answer, ok := o.Result.(answer)
	d, draws := o.Result.(interface{ Draw(*terminal.Writer) })
	if of, ok := o.Result.(interface{ Drawn() bool }); ok && of.Drawn() {
		return o.Result
	}
	if !s.chart || !ok || !draws || s.output != "text" && s.output != "wide" {
		return o.Result
	}
	return charted{answer, d.Draw}
}
