// SPDX-License-Identifier: Apache-2.0

package command

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/cluster"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/revision"
)

// completeTimeout is the longest time that a completion waits for a cluster.
const completeTimeout = "3s"

// typeNames are the types in completions of TYPE/NAME.
var typeNames = []string{"daemonset", "deployment", "replicaset", "replicationcontroller", "rollout"}

// addCompletion completes TYPE/NAME, and namespaces and contexts.
func (in *input) addCompletion(c *cobra.Command) {
	c.ValidArgsFunction = in.completeArgs
	_ = c.RegisterFlagCompletionFunc("namespace", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return in.namesOf("namespaces"), cobra.ShellCompDirectiveNoFileComp
	})
	_ = c.RegisterFlagCompletionFunc("context", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		config, err := in.config.ToRawKubeConfigLoader().RawConfig()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return visible(slices.Sorted(maps.Keys(config.Contexts))), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeArgs completes types, and names of a type in the cluster.
func (in *input) completeArgs(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	kind, _, hasSlash := strings.Cut(begun, "/")
	switch {
	case in.reads(c):
		return nil, none // files exclude names
	case hasSlash:
		return in.offer(kind+"/", in.namesOf(kind), args), none
	case len(args) > 0 && !strings.Contains(args[0], "/"):
		return in.offer("", in.namesOf(args[0]), args[1:]), none
	}
	var begins []string
	for _, t := range typeNames {
		if strings.HasPrefix(t, begun) {
			begins = append(begins, t+"/")
		}
	}
	return begins, none | cobra.ShellCompDirectiveNoSpace
}

// offer returns names with a prefix, without names that the command line already has.
func (in *input) offer(before string, names, there []string) []string {
	var list []string
	for _, name := range names {
		if !slices.Contains(there, before+name) {
			list = append(list, before+name)
		}
	}
	return list
}

// namesOf returns the names of a type in the cluster, none if the cluster does not answer.
func (in *input) namesOf(kind string) []string {
	in.config.Timeout = new(completeTimeout)
	names, err := cluster.Query{Getter: in.config, Args: []string{kind}, Selector: in.labels}.Names()
	if err != nil {
		return nil
	}
	return visible(names)
}

// visible returns the texts without spaces and without characters that a terminal escapes.
func visible(texts []string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return terminal.Escape(text) != text || strings.ContainsAny(text, " ") })
}

// once returns the files without duplicates: cobra parses the flags twice for a completion.
func (in *input) once() []string {
	return slices.Compact(slices.Sorted(slices.Values(in.filenames)))
}

// completeReplicaSets completes the names of ReplicaSets with pods in the files.
func (in *input) completeReplicaSets(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	if !in.reads(c) || slices.Contains(in.filenames, "-") {
		return in.namesOf("replicaset"), cobra.ShellCompDirectiveNoFileComp
	}
	sets, _, err := manifest.LoadReplicaSets(in.source(c, in.once()))
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for i := range sets {
		names = append(names, sets[i].Name())
	}
	return visible(names), cobra.ShellCompDirectiveNoFileComp
}

// completeRevisions completes the revisions of Deployments and DaemonSets in the files.
func (in *input) completeRevisions(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	if !in.reads(c) || slices.Contains(in.filenames, "-") {
		return nil, none
	}
	set, err := manifest.Load(in.source(c, in.once()))
	if err != nil {
		return nil, none
	}
	numbers := map[int64]bool{}
	for _, w := range set.Opened() {
		for _, rs := range w.Controlled() {
			if n, err := revision.Number(rs.Annotations); err == nil && n > 0 {
				numbers[n] = true
			}
		}
	}
	for i := range set.DaemonSets {
		objects, _ := set.DaemonSets[i].History()
		for _, r := range objects {
			numbers[r.Revision] = true
		}
	}
	var texts []string
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		texts = append(texts, strconv.FormatInt(n, 10))
	}
	return texts, none
}
