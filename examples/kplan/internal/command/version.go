// SPDX-License-Identifier: Apache-2.0

package command

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

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
