// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/revision"
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
	d.policies.addFlags(c)
	d.pace.addFlags(c, "pods of the new template never become ready")
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
	d.whole = true
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
	if latest := later(from.Latest, set.Latest); !latest.IsZero() {
		d.now = instant{d.present(c, latest)}
	}
	from.Running = manifest.Running{} // the manifests are applied
	before := earlierOf(from)
	rows := rowsOf(from, set, before)
	rows.diff.Pace = d.paceText()
	d.dropReleases(set, before)
	if err := d.outcomes(c, set, before, rows.add); err != nil {
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

// dropReleases removes Rollouts with nothing to release. The simulation then treats their
// Deployment as one without a Rollout, if it is new or has other changes.
func (d *difference) dropReleases(set *manifest.Set, from *earlier) {
	set.Rollouts = slices.DeleteFunc(set.Rollouts, func(r manifest.Rollout) bool {
		j, err := d.ofRelease(&r, from)
		if err == nil {
			begun([]*job{j})
			err = j.err
		}
		return errors.Is(err, errNoRelease)
	})
}

// paceText returns the assumptions behind the times.
func (d *difference) paceText() string {
	return fmt.Sprintf("If pods are ready %v after they start, and gone %v after they are deleted.",
		time.Duration(d.readyAfter), time.Duration(d.terminateAfter))
}

// The parts of an object that manifests change: the pod template and all other fields.
type parts struct {
	template            *corev1.PodTemplateSpec // nil if it has none
	rest                map[string]any
	labels, annotations map[string]any // of the object itself
}

// differences returns the differences of a workload: the image of each container, "other parts of
// the template", and each field outside the template.
func (before *parts) differences(after *parts) []view.Difference {
	list := templateDifferences(before.template, after.template)
	add := func(of string, before, after map[string]any) {
		fieldDifferences("", before, after, func(d view.Difference) {
			d.Part = of + d.Part
			list = append(list, d)
		})
	}
	add("", before.rest, after.rest)
	add("label ", before.labels, after.labels)
	add("annotation ", before.annotations, after.annotations)
	return list
}

func templateDifferences(before, after *corev1.PodTemplateSpec) []view.Difference {
	var list []view.Difference
	if before == nil || after == nil {
		if before != after {
			list = append(list, view.Difference{Part: "template"})
		}
		return list
	}
	old := before.DeepCopy()
	for _, i := range changes(&old.Spec, &after.Spec) {
		if i.Before != i.After {
			list = append(list, view.Difference{Part: "image of " + i.Container, Before: i.Before, After: i.After})
		}
	}
	takeImages(old.Spec.Containers, after.Spec.Containers)
	takeImages(old.Spec.InitContainers, after.Spec.InitContainers)
	if !equality.Semantic.DeepEqual(old, after) {
		list = append(list, view.Difference{Part: "other parts of the template"})
	}
	return list
}

// takeImages copies the images of containers with the same names.
func takeImages(into, from []corev1.Container) {
	for i := range into {
		for _, c := range from {
			if c.Name == into[i].Name {
				into[i].Image = c.Image
			}
		}
	}
}

// fieldDifferences adds the fields under a path that differ. A field that only one side has is
// one difference, and so is a list with another length.
func fieldDifferences(path string, before, after any, add func(view.Difference)) {
	if equality.Semantic.DeepEqual(before, after) {
		return
	}
	a, b := childrenOf(before), childrenOf(after)
	_, isList := before.([]any)
	_, areLists := after.([]any)
	if a == nil || b == nil || isList != areLists || isList && len(a) != len(b) {
		d := view.Difference{Part: path, Before: fieldText(before), After: fieldText(after)}
		if max(utf8.RuneCountInString(d.Before), utf8.RuneCountInString(d.After)) > maxField {
			d.Before, d.After = "", ""
		}
		add(d)
		return
	}
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	if path != "" {
		path += "."
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		fieldDifferences(path+key, a[key], b[key], add)
	}
}

// childrenOf returns the fields of an object, or the items of a list by index. It returns nil for
// other values.
func childrenOf(value any) map[string]any {
	switch v := value.(type) {
	case map[string]any:
		return v
	case []any:
		fields := make(map[string]any, len(v))
		for i := range v {
			fields[strconv.Itoa(i)] = v[i]
		}
		return fields
	}
	return nil
}

// maxField is the longest value to show, in characters. Fields with longer values are only named.
const maxField = 60

// fieldText returns the value of a field, "" if it is not set.
func fieldText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, _ := json.Marshal(value) // read from JSON, so it can be encoded
	return string(text)
}

// partsOf returns the parts of an object of any kind.
func partsOf(o *manifest.Object) (*parts, error) {
	u, err := o.Open()
	if err != nil {
		return nil, err
	}
	spec, _, _ := unstructured.NestedMap(u.Object, "spec") // nil if it is not an object
	if spec == nil {
		spec = map[string]any{}
	}
	s := &parts{rest: spec}
	path := []string{"template"}
	if o.Kind == "CronJob" {
		path = []string{"jobTemplate", "spec", "template"}
	}
	if template, found, _ := unstructured.NestedFieldNoCopy(spec, path...); found {
		s.template = templateOf(template)
	}
	if s.template != nil {
		unstructured.RemoveNestedField(spec, path...)
	}
	annotations := u.GetAnnotations()
	for _, name := range []string{corev1.LastAppliedConfigAnnotation, revision.AnnotationRevision, appsv1.DeprecatedTemplateGeneration} {
		delete(annotations, name) // set by kubectl and controllers, not in manifests
	}
	s.labels, s.annotations = anyValues(u.GetLabels()), anyValues(annotations)
	return s, nil
}

// templateOf returns a pod template, nil if the value is not one.
func templateOf(value any) *corev1.PodTemplateSpec {
	text, err := json.Marshal(value)
	template := &corev1.PodTemplateSpec{}
	if err != nil || json.Unmarshal(text, template) != nil {
		return nil
	}
	return template
}

func anyValues(texts map[string]string) map[string]any {
	all := make(map[string]any, len(texts))
	for key, value := range texts {
		all[key] = value
	}
	return all
}

// changes returns the images of the containers of two pods, init containers first.
func changes(before, after *corev1.PodSpec) []view.Image {
	var images []view.Image
	add := func(containers []corev1.Container, set func(*view.Image, string)) {
		for i := range containers {
			at := slices.IndexFunc(images, func(c view.Image) bool { return c.Container == containers[i].Name })
			if at < 0 {
				at = len(images)
				images = append(images, view.Image{Container: containers[i].Name})
			}
			set(&images[at], containers[i].Image)
		}
	}
	for _, spec := range []*corev1.PodSpec{before, after} {
		set := func(c *view.Image, image string) { c.Before = image }
		if spec == after {
			set = func(c *view.Image, image string) { c.After = image }
		}
		add(spec.InitContainers, set)
		add(spec.Containers, set)
	}
	return images
}
