// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// A named document is about an object that has a name in kubectl's form.
type named interface{ Subject() view.Subject }

// A judged document also has a verdict.
type judged interface {
	named
	Verdict() view.Verdict
}

// formats are the output formats of all commands.
var formats = []string{"text", "wide", "json", "yaml", "name"}

var _ pflag.Value = new(outputFormat)

// An outputFormat is one of the formats.
type outputFormat string

// addTo adds the flag to a command.
func (o *outputFormat) addTo(c *cobra.Command) {
	*o = "text"
	c.Flags().VarP(o, "output", "o", "text, wide (lines of any length), json, yaml or name")
	_ = c.RegisterFlagCompletionFunc("output", offerFormats) // fails only for an unknown flag
}

// offerFormats completes the value of the flag.
func offerFormats(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return c.Flags().Lookup("output").Value.(interface{ offered() []string }).offered(), cobra.ShellCompDirectiveNoFileComp
}

func (o *outputFormat) offered() []string { return formats }

func (o *outputFormat) String() string { return string(*o) }
func (o *outputFormat) Type() string   { return "format" }

// Set accepts the formats.
func (o *outputFormat) Set(s string) error {
	if !slices.Contains(formats, s) {
		last := len(formats) - 1
		return fmt.Errorf("must be %s or %s", strings.Join(formats[:last], ", "), formats[last])
	}
	*o = outputFormat(s)
	return nil
}

// write writes documents in a format.
func write[T subject.Document](c *cobra.Command, format outputFormat, documents []T) error {
	w := terminal.NewWriter(c.OutOrStdout())
	switch format {
	case "json":
		w.JSON(encoded(c, documents))
		return w.Err()
	case "yaml":
		w.YAML(encoded(c, documents))
		return w.Err()
	case "name":
		w = w.To(c.OutOrStdout()).Within(0)
		for _, d := range documents {
			writeNames(w, d)
		}
		return w.Err()
	case "wide":
		w = w.To(c.OutOrStdout()).Within(0)
	}
	var same []view.Subject
	if subjects, verdicts := verdictsOf(documents); len(verdicts) > 1 {
		view.Summarise(w, subjects, verdicts)
		documents, same = changing(documents)
	}
	for i, d := range documents {
		if i > 0 {
			w.Printf("\n")
		}
		d.Text(w)
	}
	if len(documents) > 0 && len(same) > 0 {
		w.Printf("\n")
	}
	if len(same) > 0 {
		view.Unchanged(w, same)
	}
	return w.Err()
}

// changing separates the answers that change something from the subjects that stay as they are.
func changing[T subject.Document](documents []T) (changes []T, same []view.Subject) {
	for _, d := range documents {
		if j, ok := any(d).(judged); ok && j.Verdict() == view.Stays {
			same = append(same, j.Subject())
		} else {
			changes = append(changes, d)
		}
	}
	return changes, same
}

// encoded returns the value to encode for some documents. As in kubectl get -o json, the
// arguments decide the form, not the number of results: a single object named in the arguments is
// encoded as itself, everything else as a list.
func encoded[T subject.Document](c *cobra.Command, documents []T) any {
	if len(documents) != 1 {
		return view.Document(c.Name(), documents)
	}
	if n, ok := any(documents[0]).(named); ok && !namesOne(c.Flags().Args(), n.Subject()) {
		return view.Document(c.Name(), documents)
	}
	return documents[0]
}

// namesOne reports whether the arguments name exactly the subject of an answer.
func namesOne(args []string, s view.Subject) bool {
	kind, name := strings.Join(args, "/"), ""
	if kind, name, _ = strings.Cut(kind, "/"); name != s.Name {
		return false
	}
	known, _, ok := manifest.KindOf(kind)
	return !ok || known == s.Kind
}

// writeNames writes the names of the subjects of a document.
func writeNames(w *terminal.Writer, d subject.Document) {
	switch d := d.(type) {
	case named:
		w.Printf("%s\n", d.Subject().String())
	case view.Diff:
		for _, s := range d.Subjects() {
			w.Printf("%s\n", s.String())
		}
	case view.Quirks:
		for _, q := range d.Quirks {
			w.Printf("%s\n", q.Name)
		}
	}
}

// A driver is a Rollout. Its answer includes its workload.
type driver interface{ Drives() view.Subject }

// verdictsOf returns the subjects and the verdicts of all answers, without workloads that a
// Rollout drives.
func verdictsOf[T subject.Document](documents []T) (subjects []view.Subject, verdicts []view.Verdict) {
	driven := map[view.Subject]bool{}
	for _, d := range documents {
		if r, ok := any(d).(driver); ok {
			driven[r.Drives()] = true
		}
	}
	for _, d := range documents {
		if j, ok := any(d).(judged); ok && !driven[j.Subject().Ungrouped()] {
			subjects, verdicts = append(subjects, j.Subject()), append(verdicts, j.Verdict())
		}
	}
	return subjects, verdicts
}
