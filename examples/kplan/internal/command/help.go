// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A flagGroup is a group of related flags.
type flagGroup struct {
	title string
	names []string
}

// flagGroups are flags by topic. Flags without a group belong to a single command and come first.
var flagGroups = []flagGroup{
	{"What to read", []string{
		"filename", "recursive", "kustomize", "from", "namespace", "all-namespaces", "selector", "context", "kubeconfig",
		"live", "server-side", "force-conflicts", "nodes", "zones", "now",
	}},
	{"How OpenKruise runs", []string{"partition-percent-limit", "strict"}},
	{"What to write", []string{"output", "watch", "timeout", "chart", "svg", "html", "trace", "metrics", "scrape-every", "mermaid", "color", "help"}},
	{"How the simulated cluster goes", []string{
		"ready-after", "never-ready", "heal", "terminate-after", "schedule-after", "notice-after", "jitter", "seed", "time-limit",
		"approve-after", "never-approve", "analysis", "analysis-after",
	}},
	{"Many runs and strategies", []string{"try", "start", "runs"}},
	{"What the controllers do not do", []string{
		"corrected", "repair", "adoption", "leftover", "pause-points", "paused", "rollout-first", "strict-available", "terminating",
		"weigh-by-available",
	}},
}

// foldHelp wraps the help texts of commands and flags at the usual width. It uses no template: a
// template may call any method by name, so the linker would keep all methods of all libraries.
func foldHelp(root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		c.Long = terminal.Fill(c.Long, usualWidth)
		help(c, args)
	})
	root.SetUsageFunc(usage)
}

// usage writes the usage of a command, with its flags in groups.
func usage(c *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:")
	if c.Runnable() {
		b.WriteString("\n  " + c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n  " + c.CommandPath() + " [command]")
	}
	if c.HasExample() {
		b.WriteString("\n\nExamples:\n" + c.Example)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n\nCommands:")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				fmt.Fprintf(&b, "\n  %-*s %s", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	for _, text := range groupedFlags(c) {
		b.WriteString("\n\n" + text)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\nUse \"%s [command] --help\" for more about a command.", c.CommandPath())
	}
	b.WriteString("\n")
	_, err := c.OutOrStdout().Write([]byte(b.String()))
	return err
}

// groupedFlags returns the text of each group with flags.
func groupedFlags(c *cobra.Command) []string {
	var texts []string
	add := func(title string, flags *pflag.FlagSet) {
		if flags.HasAvailableFlags() {
			texts = append(texts, title+":\n"+strings.TrimRight(flags.FlagUsagesWrapped(usualWidth), "\n"))
		}
	}
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	all.AddFlagSet(c.LocalFlags())
	all.AddFlagSet(c.InheritedFlags())
	all.VisitAll(func(f *pflag.Flag) {
		if !slices.ContainsFunc(flagGroups, func(g flagGroup) bool { return slices.Contains(g.names, f.Name) }) {
			own.AddFlag(f)
		}
	})
	add("Flags", own)
	for _, g := range flagGroups {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.SortFlags = false
		for _, name := range g.names {
			if f := all.Lookup(name); f != nil {
				flags.AddFlag(f)
			}
		}
		add(g.title, flags)
	}
	return texts
}

// narrowing describes the selection from files, and listed the form of the answers for programs, in
// the help of commands.
const (
	narrowing = `TYPE/NAME, -l and -n choose from what the files hold, as they do in a cluster. All else
in the files counts as it is.`
	listed = `With -o json the answers are the items of a list with apiVersion and kind, however
many there are. One that is asked for as TYPE/NAME is the object itself. Each has the
apiVersion, kind, name and namespace of what it is about.`
)

// usualWidth is the width of lines if the terminal does not report one.
const usualWidth = 80

// examples returns the text of examples, indented and with the name of the program that the user
// has typed.
func examples(name, text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "#") {
			line = strings.ReplaceAll(line, "| kplan ", "| "+name+" ")
			if rest, ok := strings.CutPrefix(line, "kplan "); ok {
				line = name + " " + rest
			}
		}
		if line != "" {
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n")
}
