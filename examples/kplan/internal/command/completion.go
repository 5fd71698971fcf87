// SPDX-License-Identifier: Apache-2.0

package command

import (
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/cluster"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
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

// releases are the releases of Kubernetes with the same decisions as kplan, according to the
// comparisons of the project.
var releases = []view.Release{
	{Version: "1.37.2"},
	{Version: "1.36.3", But: "sums of tiny requests, and StatefulSets without maxUnavailable"},
	{Version: "1.35.4", But: "Recreate with pods that the selector leaves out, the guard against old caches, and what 1.36.3 has"},
	{Version: "1.34.4", But: "terminatingReplicas, words about labels, the pull policy of image volumes, and what 1.35.4 has"},
}

func newVersion(name string) *cobra.Command {
	as := outputFormat("text")
	c := &cobra.Command{
		Use:   "version",
		Short: "Show the version, and which Kubernetes it is identical to",
		Long: `Show the version, the commit that it was built from, if the build has recorded it, and
the releases of Kubernetes whose controllers it was compared with.

With -o json it is an object with version, commit, modified, go and kubernetes, which is
a list of objects with version and but: what differs.`,
		Example: examples(name, `
kplan version
kplan version -o json | jq -r '.kubernetes[0].version'`),
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return write(c, as, []view.Version{versionOf(debug.ReadBuildInfo())})
		},
	}
	as.addTo(c)
	return c
}

// versionOf returns the version in the build information. A version that was installed as a
// module has no recorded commit: its commit is in a pseudo-version, or is the commit of its tag.
func versionOf(info *debug.BuildInfo, ok bool) view.Version {
	v := view.Version{Version: "(devel)", Go: runtime.Version(), Kubernetes: releases}
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	if v.Commit == "" && strings.HasPrefix(v.Version, "v") {
		v.Commit = commitOf(v.Version)
	}
	return v
}

// commitOf returns the git revision of a version of the command's module: the commit of a
// pseudo-version, or a tag.
func commitOf(version string) string {
	version, _, _ = strings.Cut(version, "+")
	if parts := strings.Split(version, "-"); len(parts) > 2 && len(parts[len(parts)-1]) == commitLength {
		return parts[len(parts)-1]
	}
	return "tags/examples/kplan/" + version
}

// commitLength is the length of a commit in a pseudo-version of Go modules.
const commitLength = 12
