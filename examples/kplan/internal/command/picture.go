// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
)

// A picture holds the flags for files that other tools open.
type picture struct {
	svg, html, trace, metrics, mermaid string
	every                              subject.Delay
}

func (p *picture) addFlags(c *cobra.Command) {
	f := c.Flags()
	for _, o := range []struct {
		file              *string
		name, text, endOf string
	}{
		{&p.svg, "svg", "also draw the rollout to this `FILE`", "svg"},
		{&p.html, "html", "also write a page with chart, steps and reasons to this `FILE`", "html"},
		{&p.trace, "trace", "also write a trace for ui.perfetto.dev to this `FILE`", "json"},
		{&p.metrics, "metrics", "also write metrics, as kube-state-metrics does, to this `FILE`", "txt"},
		{&p.mermaid, "mermaid", "also write a diagram for Markdown to this `FILE`", "md"},
	} {
		f.StringVar(o.file, o.name, "", o.text)
		_ = c.MarkFlagFilename(o.name, o.endOf) // fails only for an unknown flag
	}
	p.every = subject.Delay(30 * time.Second)
	f.Var(&p.every, "scrape-every", "time between two samples of --metrics")
}

// wanted reports whether to write any file.
func (p *picture) wanted() bool {
	return p.svg+p.html+p.trace+p.metrics+p.mermaid != ""
}

// afterEnd is how long metrics continue after a rollout: alerts wait before they fire.
const afterEnd = 30 * time.Minute

// timelines returns the timelines of the simulations.
func timelines(outcomes []subject.Outcome) (list []*timeline.Timeline, err error) {
	for _, o := range outcomes {
		result, ok := o.Result.(interface{ Timeline() *timeline.Timeline })
		if !ok {
			return nil, errors.New("this format shows steps, which --start and --try do not have")
		}
		list = append(list, result.Timeline())
	}
	return list, nil
}

// toStdout reports whether one of the files is standard output. Then nothing else is written
// there.
func (p *picture) toStdout() (bool, error) {
	n := 0
	for _, file := range []string{p.svg, p.html, p.trace, p.metrics, p.mermaid} {
		if file == "-" {
			n++
		}
	}
	if n > 1 {
		return true, errors.New("only one of --svg, --html, --trace, --metrics and --mermaid can be written to standard output")
	}
	return n > 0, nil
}

// draw writes the files of the flags.
func (p *picture) draw(c *cobra.Command, outcomes []subject.Outcome) error {
	if !p.wanted() {
		return nil
	}
	list, err := timelines(outcomes)
	if err != nil {
		return err
	}
	if len(list) != 1 && p.svg != "" {
		return errors.New("--svg draws one rollout, and there are several")
	}
	scrape := timeline.Scrape{Every: time.Duration(p.every), After: afterEnd}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{p.svg, func(w io.Writer) error { return list[0].Picture().SVG(w) }},
		{p.html, func(w io.Writer) error { return timeline.Page(w, list) }},
		{p.trace, func(w io.Writer) error { return timeline.Trace(w, list) }},
		{p.metrics, func(w io.Writer) error { return timeline.Metrics(w, list, scrape) }},
		{p.mermaid, func(w io.Writer) error { return timeline.Mermaid(w, list) }},
	} {
		if err := writeFile(c, file.name, file.write); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file, or standard output. It writes nothing if name is empty.
func writeFile(c *cobra.Command, name string, write func(io.Writer) error) error {
	switch name {
	case "":
		return nil
	case "-":
		w := terminal.NewWriter(c.OutOrStdout())
		return errors.Join(write(w.Trusted()), w.Err()) // write escapes
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	if err := errors.Join(write(out), out.Flush(), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
