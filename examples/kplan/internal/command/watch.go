// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/kplan-go/kplan/examples/kplan/internal/cluster"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// addWatch adds the flags that redraw the answer of a command until the given condition.
func (in *input) addWatch(c *cobra.Command, until string) {
	c.Flags().BoolVarP(&in.watch, "watch", "w", false, "draw anew after every change in the cluster, until "+until)
	c.Flags().Var(&in.timeout, "timeout", "give up a --watch after this time; 0 is never")
}

// untilDone is the end of a watch by a command that shows the state of workloads.
const untilDone = "all is complete or something is stuck"

// checkArgs requires files, or workloads of a cluster.
func (in *input) checkArgs(c *cobra.Command, args []string) error {
	if err := in.checkLive(c); err != nil {
		return err
	}
	switch files := in.reads(c); {
	case c.Flags().Changed("filename") && in.kustomize != "":
		return errors.New("-f FILE and -k FOLDER exclude each other")
	case !files && len(args) > 0 && isFile(args[0]):
		return fmt.Errorf("%s is a file: -f %s", args[0], args[0])
	case files && len(args) > 0 && isFile(args[0]):
		return fmt.Errorf("%s is a file: -f %s", args[0], args[0])
	case !files && len(args) == 0:
		return errors.New("must have -f FILE, or TYPE/NAME in a cluster")
	case in.nodes > maxNodes:
		return fmt.Errorf("--nodes %d: must be at most %d", in.nodes, maxNodes)
	case c.Flags().Changed("timeout") && !in.watch:
		return errors.New("--timeout needs --watch")
	case files && in.watch:
		return errors.New("--watch needs TYPE/NAME in a cluster")
	case files:
		return in.choose(args)
	}
	return nil
}

// choose sets the selection of objects in the files from arguments and flags.
func (in *input) choose(args []string) (err error) {
	var chosen manifest.Selection
	if chosen.Names, err = manifest.ParseNames(args); err != nil {
		return err
	}
	if in.labels != "" {
		if chosen.Labels, err = labels.Parse(in.labels); err != nil {
			return fmt.Errorf("-l %s: %w", in.labels, err)
		}
	}
	if n := in.config.Namespace; n != nil && !in.inAll {
		chosen.Namespace = *n
	}
	if len(args) > 0 || chosen.Labels != nil || chosen.Namespace != "" {
		in.chosen = &chosen
	}
	return nil
}

// isFile reports whether an argument is the name of a file rather than TYPE/NAME.
func isFile(name string) bool {
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return name == "-"
}

// running turns errors of run into failures. It calls run with the files, or with the objects of
// the cluster: once, or after every change.
func (in *input) running(run func(*cobra.Command) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		in.progress, in.packer = progressOf(c), &packed.Packer{}
		defer func() { in.packer = nil }() // commands stay in the lists of cobra
		in.skipped = 0
		err := in.run(c, args, run)
		if err == nil && in.skipped > 0 {
			err = fmt.Errorf("%d of the workloads cannot be read, and the notes say why", in.skipped)
		}
		if utilnet.IsConnectionRefused(err) {
			err = fmt.Errorf("%w; %s", err, in.withoutCluster())
		}
		if err != nil {
			return &failure{err}
		}
		return nil
	}
}

// withoutCluster returns a hint for users without a cluster.
func (in *input) withoutCluster() string {
	if in.live {
		return "without --live no cluster is asked"
	}
	return "-f FILE reads files in place of a cluster"
}

func (in *input) run(c *cobra.Command, args []string, run func(*cobra.Command) error) error {
	if in.reads(c) {
		return run(c)
	}
	query := cluster.Query{Getter: in.config, Args: args, AllNamespaces: in.inAll, Selector: in.labels, Around: in.around, Tell: tellOnce(c)}
	if in.watch {
		return in.redraw(c, query, run)
	}
	in.progress.doing("reading the cluster")
	snapshot, err := query.Read()
	in.progress.done()
	if err != nil {
		return err
	}
	in.cluster = &snapshot
	return run(c)
}

// tellOnce returns a function that prints a message unless it equals the last one.
func tellOnce(c *cobra.Command) func(string) {
	last := ""
	return func(text string) {
		if text != last {
			tell(c, []string{text})
		}
		last = text
	}
}

// redraw runs a command after every change in the cluster, until it is interrupted.
func (in *input) redraw(c *cobra.Command, query cluster.Query, run func(*cobra.Command) error) error {
	ctx, stop := signal.NotifyContext(contextOf(c), os.Interrupt)
	defer stop()
	if in.timeout > 0 {
		timed, cancel := context.WithTimeoutCause(ctx, time.Duration(in.timeout), &ended{exitTimeout, fmt.Sprintf("not complete after %v", time.Duration(in.timeout))})
		defer cancel()
		ctx = timed
	}
	out := c.OutOrStdout()
	w := terminal.NewWriter(out)
	screen := w.IsTerminal()
	var times redraws
	if screen {
		times = newRedraws(ctx)
	}
	var last string
	err := query.Watch(ctx, times.tick, func(s cluster.Snapshot) error {
		in.cluster = &s
		columns, lines := w.Size()
		if columns > 0 {
			w.Within(columns) // the window may have another size now
		}
		var buffer bytes.Buffer
		c.SetOut(w.To(&buffer).Trusted())
		err := run(c)
		c.SetOut(out)
		drawn := buffer.String()
		if screen {
			drawn = window(drawn, lines)
		}
		if drawn == last && !times.again() {
			return errors.Join(err, in.outcome)
		}
		if !screen && last != "" {
			fmt.Fprint(out, in.separator())
		}
		last = drawn
		_, writeErr := io.WriteString(out, drawn)
		return cmp.Or(errors.Join(err, writeErr), in.outcome)
	})
	return in.whyEnded(c, ctx, err)
}

// whyEnded returns the error of a watch. It returns nil if all is complete or the caller canceled
// the context.
func (in *input) whyEnded(c *cobra.Command, ctx context.Context, err error) error {
	switch {
	case errors.Is(err, errComplete), err == nil && contextOf(c).Err() != nil:
		return nil
	case err != nil:
		return err
	}
	var timeout *ended
	if errors.As(context.Cause(ctx), &timeout) {
		return timeout
	}
	return &ended{exitInterrupted, ""}
}

// errComplete ends a watch when all workloads are complete.
var errComplete = errors.New("all is complete")

// judge records the outcome of the workloads, for a watch.
func judge[T subject.Document](in *input, documents []T) {
	in.outcome = nil
	subjects, verdicts := verdictsOf(documents)
	if i := slices.Index(verdicts, view.Stuck); i >= 0 {
		in.outcome = &ended{exitFailure, subjects[i].String() + " is stuck"}
	} else if len(verdicts) > 0 && !slices.ContainsFunc(verdicts, func(v view.Verdict) bool { return v != view.Completed }) {
		in.outcome = errComplete
	}
}

// separator returns the text between two answers that are not drawn on a terminal.
func (in *input) separator() string {
	switch in.output {
	case "json", "name":
		return ""
	case "yaml":
		return "---\n"
	}
	return "\n--- " + in.clock().Format(time.RFC3339) + "\n\n"
}

// window returns the text with the escape sequences that redraw it from the top of a terminal
// with so many lines. Its last line counts the lines that do not fit, so that the headline stays
// in place.
func window(text string, lines int) string {
	all := slices.Collect(strings.Lines(text))
	if more := len(all) - (lines - 1); lines > 1 && more > 0 {
		all = append(all[:lines-2], fmt.Sprintf("… %d more lines in a taller window\n", more+1))
	}
	const top, restOfLine, restOfScreen = "\x1b[H", "\x1b[K", "\x1b[J"
	var b strings.Builder
	b.WriteString(top)
	for _, line := range all {
		b.WriteString(strings.TrimSuffix(line, "\n") + restOfLine + "\n")
	}
	b.WriteString(restOfScreen)
	return b.String()
}

func contextOf(c *cobra.Command) context.Context {
	if ctx := c.Context(); ctx != nil {
		return ctx
	}
	return context.Background()
}
