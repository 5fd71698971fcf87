// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// A difference holds the flags of the command diff.
type difference struct {
	simulation
	markdown bool
}

func newDiff(name string) *cobra.Command {
	d := &difference{}
	c := &cobra.Command{
		Use:   "diff --from FOLDER {-f FOLDER | -k FOLDER} [TYPE/NAME]",
		Short: "Show what a change of manifests makes roll, as for a pull request",
		Long: `Show for each workload that differs between two folders of manifests what changes, what
will roll, how long at most, and how near it comes to its bounds: how many pods are wanted
at most, and available at least.

How long holds for pods that are ready, and gone, within the times that the flags say, and
for people who confirm steps when they say. Bounds that are touched leave no room for a pod
or a node that fails at the same time. Without nodes (--nodes, or in the files) it is told how
a DaemonSet rolls, and not for how long. What is not planned, such as a StatefulSet, is listed
with its changes. A folder that is not there, or holds nothing, is an empty one. Instead of
--from, --set-image and --restart tell the difference. ` + narrowing + `

With -o markdown it is a table for GitHub, in which texts of the manifests are no more than
texts. With -o json it is an object with apiVersion, kind, changes, unchanged, gone and notes; each change has
kind, name, changes, result, why if that is bad, time in seconds or null, bounds, and how it
rolls where these are not known.

The exit code is 1 if a rollout would not finish, or the API server would reject a workload.`,
		Example: examples(name, `
# What does this branch make roll?
git worktree add /tmp/main main
kplan diff --from /tmp/main/deploy -f deploy -o markdown

# The same of what kustomize builds, with pods that take a minute to start
kplan diff --from /tmp/main/overlays/prod -k overlays/prod --ready-after 1m`),
		Args: d.checkFolders,
		RunE: d.running(d.execute),
	}
	d.input.addFlags(c)
	d.input.addNodes(c)
	d.Policies.AddFlags(c)
	d.Pace.AddFlags(c, "pods of the new template never become ready")
	d.addEnvironment(c)
	output := c.Flags().Lookup("output")
	output.Value, output.Usage = &diffFormat{&d.output, &d.markdown}, "text, wide (lines of any length), markdown, json, yaml or name"
	for _, of := range []string{"all-namespaces", "context", "kubeconfig"} {
		c.Flags().Lookup(of).Hidden = true // no cluster is read
	}
	return c
}

// checkFolders requires two folders, or one with edits.
func (d *difference) checkFolders(c *cobra.Command, args []string) error {
	switch {
	case len(d.from) == 0 && !d.edits.any() || !d.reads(c):
		return errors.New("must have --from FOLDER, and -f FOLDER or -k FOLDER")
	}
	if err := d.edits.check(); err != nil {
		return err
	}
	return d.checkArgs(c, args)
}

// A diffFormat is one of the formats of all commands, or Markdown.
type diffFormat struct {
	*outputFormat
	markdown *bool
}

var _ pflag.Value = &diffFormat{}

func (f *diffFormat) offered() []string { return slices.Concat(formats, []string{"markdown"}) }

// Set accepts the formats.
func (f *diffFormat) Set(s string) error {
	if *f.markdown = s == "markdown"; *f.markdown {
		return nil
	}
	return f.outputFormat.Set(s)
}

func (d *difference) execute(c *cobra.Command) error {
	d.whole, d.NoNodes, d.Tell, d.Doing = true, true, tellTo(c), d.progress.doing
	from, err := d.loadFrom(c)
	if err != nil {
		return err
	}
	set, err := d.load(c, d.filenames)
	if err != nil {
		return err
	}
	if len(from.Absent) > 0 && len(set.Absent) > 0 {
		return fmt.Errorf("there is nothing to compare: %s; %s", from.Absent[0], set.Absent[0])
	}
	if err := d.edits.missed(); err != nil {
		return err
	}
	if d.chosen != nil && len(from.Objects)+len(set.Objects) == 0 {
		return errors.New("nothing in the input is what is asked for")
	}
	d.Begin = d.now.Time
	if latest := subject.Later(from.Latest, set.Latest); !latest.IsZero() {
		d.Begin = d.present(c, latest)
	}
	from.Running = manifest.Running{} // the manifests are applied
	before := subject.EarlierOf(from)
	rows := rowsOf(from, set, before)
	rows.diff.Pace = d.paceText()
	d.DropReleases(set, before)
	err = d.Outcomes(set, before, rows.add)
	if d.progress.done(); err != nil {
		return err
	}
	if err := rows.others(); err != nil {
		return err
	}
	return cmp.Or(d.show(c, rows.diff), rows.end)
}

// show writes the changes in the chosen format.
func (d *difference) show(c *cobra.Command, diff view.Diff) error {
	if !d.markdown {
		return write(c, d.output, []view.Diff{diff})
	}
	w := terminal.NewWriter(c.OutOrStdout())
	w = w.To(c.OutOrStdout()).Within(0)
	diff.Markdown(w)
	return w.Err()
}

// paceText returns the assumptions behind the times.
func (d *difference) paceText() string {
	return fmt.Sprintf("If pods are ready %v after they start, and gone %v after they are deleted.",
		time.Duration(d.ReadyAfter), time.Duration(d.TerminateAfter))
}
