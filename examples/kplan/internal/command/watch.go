// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kplan-go/kplan/examples/kplan/internal/cluster"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// shownFlags are the flags of kubectl that help shows; the others work as well.
var shownFlags = map[string]bool{"kubeconfig": true, "context": true, "namespace": true}

// addClusterFlags adds the flags of kubectl that choose a cluster.
func (in *input) addClusterFlags(f *pflag.FlagSet) {
	in.config = genericclioptions.NewConfigFlags(true)
	kubectl := pflag.NewFlagSet("kubectl", pflag.ContinueOnError)
	in.config.AddFlags(kubectl)
	kubectl.VisitAll(func(flag *pflag.Flag) {
		flag.Hidden = !shownFlags[flag.Name]
		f.AddFlag(flag)
	})
	f.BoolVarP(&in.inAll, "all-namespaces", "A", false, "in all namespaces of the cluster")
	f.StringVarP(&in.labels, "selector", "l", "", "labels of the workloads in the cluster, such as app=web")
	f.Lookup("kubeconfig").Usage = "kubeconfig file of the cluster"
	f.Lookup("context").Usage = "context of the kubeconfig file"
	f.Lookup("namespace").Usage = "namespace in the cluster"
}

// addWatch adds the flag that makes a command draw anew.
func (in *input) addWatch(c *cobra.Command) {
	c.Flags().BoolVarP(&in.watch, "watch", "w", false, "draw anew after every change in the cluster, until interrupted")
}

// checkArgs wants files or workloads of a cluster.
func (in *input) checkArgs(c *cobra.Command, args []string) error {
	if err := in.checkLive(c); err != nil {
		return err
	}
	switch files := in.reads(c); {
	case c.Flags().Changed("filename") && in.kustomize != "":
		return errors.New("-f FILE and -k FOLDER exclude each other")
	case files && len(args) > 0:
		return errors.New("-f FILE and TYPE/NAME exclude each other")
	case !files && len(args) == 0:
		return errors.New("must have -f FILE, or TYPE/NAME in a cluster")
	case files && in.watch:
		return errors.New("--watch needs TYPE/NAME in a cluster")
	case files && (in.inAll || in.labels != ""):
		return errors.New("-A and -l need TYPE in a cluster")
	}
	return nil
}

// running makes what run returns a failure, and calls it with files, or with what is in
// the cluster: once, or after every change.
func (in *input) running(run func(*cobra.Command) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if err := in.run(c, args, run); err != nil {
			return &failure{err}
		}
		return nil
	}
}

func (in *input) run(c *cobra.Command, args []string, run func(*cobra.Command) error) error {
	if len(args) == 0 {
		return run(c)
	}
	query := cluster.Query{Getter: in.config, Args: args, AllNamespaces: in.inAll, Selector: in.labels}
	if in.watch {
		return in.redraw(c, query, run)
	}
	snapshot, err := query.Read()
	if err != nil {
		return err
	}
	in.cluster = &snapshot
	return run(c)
}

// redrawAfter is how often a terminal is drawn anew although nothing has changed,
// because ages and remaining times have.
const redrawAfter = 5 * time.Second

// redraw runs a command after every change in the cluster, until it is interrupted.
func (in *input) redraw(c *cobra.Command, query cluster.Query, run func(*cobra.Command) error) error {
	ctx, stop := signal.NotifyContext(contextOf(c), os.Interrupt)
	defer stop()
	out := c.OutOrStdout()
	w := terminal.NewWriter(out)
	screen := w.IsTerminal()
	var tick <-chan time.Time
	if screen {
		ticker := time.NewTicker(redrawAfter)
		defer ticker.Stop()
		tick = ticker.C
	}
	var last string
	return query.Watch(ctx, tick, func(s cluster.Snapshot) error {
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
		if drawn == last {
			return err
		}
		if !screen && last != "" {
			fmt.Fprint(out, in.separator())
		}
		last = drawn
		_, writeErr := io.WriteString(out, drawn)
		return errors.Join(err, writeErr)
	})
}

// separator returns what stands between two answers that no terminal shows.
func (in *input) separator() string {
	switch in.output {
	case "json", "name":
		return ""
	case "yaml":
		return "---\n"
	}
	return "\n--- " + in.clock().Format(time.RFC3339) + "\n\n"
}

// window returns what draws a text anew from the top of a terminal of so many lines. What has
// no room is counted in the last one, so that the headline stays where it is.
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
