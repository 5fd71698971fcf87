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
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// A difference is the flags of the command diff.
type difference struct {
	simulation
	markdown bool
}

func newDiff(name string) *cobra.Command {
	d := &difference{}
	c := &cobra.Command{
		Use:   "diff --from FOLDER {-f FOLDER | -k FOLDER}",
		Short: "Show what a change of manifests makes roll, as for a pull request",
		Long: `Show for each workload that differs between two folders of manifests what changes, what
will roll, how long at most, and how near it comes to its bounds: how many pods are wanted
at most, and available at least.

How long holds for pods that are ready, and gone, within the times that the flags say, and
for people who confirm steps when they say. Bounds that are touched leave no room for a pod
or a node that fails at the same time.

With -o markdown it is a table for GitHub, in which texts of the manifests are no more than
texts. With -o json it is an object with changes, unchanged and gone; each change has kind,
name, changes, result, time in seconds and bounds.

The exit code is 1 if a rollout would not finish.`,
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
	d.policies.addFlags(c)
	d.pace.addFlags(c, "pods of the new template never become ready")
	d.addEnvironment(c)
	output := c.Flags().Lookup("output")
	output.Value, output.Usage = &diffFormat{&d.output, &d.markdown}, "text, wide (lines of any length), markdown, json, yaml or name"
	for _, of := range []string{"all-namespaces", "selector", "context", "kubeconfig", "namespace"} {
		c.Flags().Lookup(of).Hidden = true // no cluster is read
	}
	return c
}

// checkFolders wants two folders.
func (d *difference) checkFolders(c *cobra.Command, args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("unexpected argument %q", args[0])
	case len(d.from) == 0 || !d.reads(c):
		return errors.New("must have --from FOLDER, and -f FOLDER or -k FOLDER")
	}
	return d.checkArgs(c, args)
}

// A diffFormat is a format of all commands, or Markdown.
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
	from, err := d.loadFrom(c)
	if err != nil {
		return err
	}
	set, err := d.load(c, d.filenames)
	if err != nil {
		return err
	}
	if latest := later(from.Latest, set.Latest); !latest.IsZero() {
		d.now = instant{d.present(c, latest)}
	}
	gone := goneOf(from, set)
	from.Running = manifest.Running{} // the manifests are applied
	diff, before := view.Diff{Gone: gone, Pace: d.paceText()}, earlierOf(from)
	d.dropReleases(set, before)
	var end error
	err = d.outcomes(c, set, before, func(o outcome) error {
		if o.err != nil {
			return o.err
		}
		end = cmp.Or(end, unfinished(o))
		if change, changed := changeOf(o, before); changed {
			diff.Changes = append(diff.Changes, change)
		} else {
			diff.Unchanged++
		}
		return nil
	})
	if err != nil {
		return err
	}
	return cmp.Or(d.show(c, diff), end)
}

// show writes the changes in the format that the user wants.
func (d *difference) show(c *cobra.Command, diff view.Diff) error {
	if !d.markdown {
		return write(c, d.output, []view.Diff{diff})
	}
	w := terminal.NewWriter(c.OutOrStdout())
	w = w.To(c.OutOrStdout()).Within(0)
	diff.Markdown(w)
	return w.Err()
}

// dropReleases removes Rollouts that have nothing to release: their Deployment, if it changes
// otherwise or is new, goes by itself.
func (d *difference) dropReleases(set *manifest.Set, from *earlier) {
	set.Rollouts = slices.DeleteFunc(set.Rollouts, func(r manifest.Rollout) bool {
		_, err := d.simulateRollout(&r, from)
		return errors.Is(err, errNoRelease)
	})
}

// paceText says what the times hold for.
func (d *difference) paceText() string {
	return fmt.Sprintf("If pods are ready %v after they start, and gone %v after they are deleted.",
		time.Duration(d.readyAfter), time.Duration(d.terminateAfter))
}

// A reacher is a simulated rollout that tells how near it comes to its bounds.
type reacher interface {
	judged
	Within() ([]view.Reach, time.Duration)
}

// changeOf returns what becomes of a workload. It returns false if that stays as it is.
func changeOf(o outcome, from *earlier) (view.Change, bool) {
	r, ok := o.result.(reacher)
	if !ok {
		return view.Change{}, false
	}
	change := view.Change{Of: r.Subject(), Answer: r.Verdict(), Why: o.result.Unfinished()}
	reaches, takes := r.Within()
	change.Reaches, change.Takes = reaches, &takes
	if change.Answer == view.Fails {
		change.Takes = nil
	}
	if change.Answer == view.Starts { // nothing was available before
		change.Reaches = slices.DeleteFunc(change.Reaches, func(r view.Reach) bool { return r.Least })
	}
	before, after := templatesOf(o.of, from)
	change.What = differences(before, after)
	return change, len(change.What) > 0 || change.Answer != view.Stays
}

// A shape is what people change of a workload.
type shape struct {
	template *corev1.PodTemplateSpec
	replicas *int32
}

// templatesOf returns a workload before and after.
func templatesOf(of any, from *earlier) (before, after shape) {
	switch w := of.(type) {
	case *manifest.Workload:
		return shapeOfDeployment(from.deployments[w.Key()]), shapeOfDeployment(w)
	case *manifest.DaemonSet:
		return shapeOfDaemonSet(from.daemonSets[w.Key()]), shapeOfDaemonSet(w)
	case *manifest.ArgoRollout:
		if old := from.argo[w.Key()]; old != nil {
			before = shape{&old.Object.Spec.Template, old.Object.Spec.Replicas}
		}
		return before, shape{&w.Object.Spec.Template, w.Object.Spec.Replicas}
	case *manifest.Rollout:
		if w.Deployment != nil {
			return templatesOf(w.Deployment, from)
		}
		if w.DaemonSet != nil {
			return templatesOf(w.DaemonSet, from)
		}
	}
	return before, after
}

func shapeOfDeployment(w *manifest.Workload) shape {
	if w == nil {
		return shape{}
	}
	w.Open()
	return shape{&w.Deployment.Spec.Template, w.Deployment.Spec.Replicas}
}

func shapeOfDaemonSet(d *manifest.DaemonSet) shape {
	if d == nil {
		return shape{}
	}
	return shape{template: &d.Object.Spec.Template}
}
