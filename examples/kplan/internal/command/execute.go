// SPDX-License-Identifier: Apache-2.0

// Package command is the kplan command line.
package command

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// Execute runs a command line and returns its exit code. The first of args is the program.
func Execute(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot(program(args))
	root.SetArgs(args[min(1, len(args)):])
	root.SetIn(stdin)
	out := terminal.NewWriter(stdout)
	out.Within(lineWidth(out))
	root.SetOut(out.Trusted())
	root.SetErr(stderr)
	if p := newProgress(stderr); p != nil {
		root.SetErr(p)
		out.Before(p.done)
		defer p.end()
		stderr = p
	}
	asked, err := root.ExecuteC()
	if out.Err() != nil {
		err = &failure{out.Err()}
	}
	var failed *failure
	var end *ended
	switch {
	case err == nil:
		return 0
	case errors.As(err, &end):
		if end.text != "" {
			complain(stderr, err)
		}
		return end.code
	case errors.As(err, &failed):
		complain(stderr, failed.err)
		return exitFailure
	}
	complain(stderr, suggested(err))
	terminal.NewWriter(stderr).Printf("See '%s --help'.\n", asked.CommandPath())
	return exitUsage
}

// suggested moves a suggestion to the line of the error.
func suggested(err error) error {
	mistake, meant, found := strings.Cut(err.Error(), "\n\nDid you mean this?\n")
	if !found {
		return err
	}
	return fmt.Errorf("%s; did you mean %s?", mistake, strings.Join(strings.Fields(meant), " or "))
}

// lineWidth returns the width of the terminal, or the usual width without a terminal.
func lineWidth(out *terminal.Writer) int {
	if columns, _ := out.Size(); columns > 0 {
		return columns
	}
	return usualWidth
}

// program returns the name of the program that the user has typed.
func program(args []string) string {
	if len(args) > 0 && strings.HasPrefix(filepath.Base(args[0]), "kubectl-") {
		return "kubectl kplan"
	}
	return "kplan"
}

func newRoot(name string) *cobra.Command {
	root := &cobra.Command{
		Use:   "kplan",
		Short: "Show what a workload will do next, and how a rollout will go",
		Long: `Show what the controllers of Kubernetes, OpenKruise and Argo will do next with
Deployments, DaemonSets, Rollouts, ReplicaSets and ReplicationControllers, and how a
rollout will go.

It reads manifests as people write them, objects as kubectl prints them, and
clusters. It changes nothing.`,
		Example: examples(name, `
# How will the rollout from one manifest to another go?
kplan simulate --from old.yaml -f new.yaml

# What will happen next in the cluster, and why, or why not?
kplan plan deployment/web -n shop
kubectl get deployment,replicaset,pod -o yaml | kplan plan -f -

# Why does a workload not move, and what would help?
kplan explain daemonset/agent -n kube-system
kplan explain deployment/web --watch

# What can be undone, and how would that go?
kubectl get deployment,replicaset -o yaml | kplan history -f -
kubectl get deployment,replicaset,pod -o yaml | kplan undo -f -

# Which pods would be deleted first?
kubectl get replicaset,pod -o yaml | kplan order -f - --count 2`),
		Version:       versionOf(debug.ReadBuildInfo()).Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: name},
	}
	addColour(root)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newPlan(name), newExplain(name), newSimulate(name), newDiff(name), newHistory(name), newUndo(name), newOrder(name), newQuirks(name), newVersion(name))
	foldHelp(root)
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = checkTopic
		}
	}
	return root
}

// checkTopic requires the name of a command, or no argument.
func checkTopic(c *cobra.Command, args []string) error {
	if found, _, err := c.Root().Find(args); found == nil || err != nil {
		return fmt.Errorf("unknown help topic %q", strings.Join(args, " "))
	}
	return nil
}
