// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
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
	switch files := c.Flags().Changed("filename"); {
	case files && len(args) > 0:
		return errors.New("-f FILE and TYPE/NAME exclude each other")
	case !files && len(args) == 0:
		return errors.New("must have -f FILE, or TYPE/NAME in a cluster")
	case files && in.watch:
		return errors.New("--watch needs TYPE/NAME in a cluster")
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
	query := cluster.Query{Getter: in.config, Args: args}
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
	screen := terminal.NewWriter(out).IsTerminal()
	var tick <-chan time.Time
	if screen {
		ticker := time.NewTicker(redrawAfter)
		defer ticker.Stop()
		tick = ticker.C
	}
	var last []byte
	return query.Watch(ctx, tick, func(s cluster.Snapshot) error {
		in.cluster = &s
		var drawn bytes.Buffer
		c.SetOut(&drawn)
		err := run(c)
		c.SetOut(out)
		if bytes.Equal(drawn.Bytes(), last) {
			return err
		}
		switch {
		case screen:
			fmt.Fprint(out, "\x1b[H\x1b[2J") // to the top, and clear
		case last != nil && in.output == "text":
			fmt.Fprintf(out, "\n--- %s\n\n", in.clock().Format(time.RFC3339))
		}
		last = drawn.Bytes()
		_, writeErr := out.Write(last)
		return errors.Join(err, writeErr)
	})
}

func contextOf(c *cobra.Command) context.Context {
	if ctx := c.Context(); ctx != nil {
		return ctx
	}
	return context.Background()
}
